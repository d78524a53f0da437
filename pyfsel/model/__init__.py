"""From a problem to one 0/1 model, of which the input of every solver is written.

Read `model` (variables, clauses, linear rows, the objective), `build` (from a problem to its model, literal
or strengthened), `strengthening` (what follows from a problem or holds for some optimum), `patterns` (another
model of sums of features that differ in quality only), then `passes` (from a model to one that a solver
takes: minimum and maximum as variables, clauses as rows, integers in bits, large numbers in digits) and
`dual_values` (dual values moved into the objective, and what they rule out). The drivers and writers of
`pyfsel.drivers` and `pyfsel.backends` take a model and hand over a solver's word.
"""
