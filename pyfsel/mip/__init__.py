"""Mixed-integer programming: linear models of a problem, and the solvers that take them."""
