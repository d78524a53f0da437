"""Random problems from the whole input domain, and every answer about them held against brute force.

`problems` draws, `trials` asks, judges, and prints what repeats a contradiction. The oracle is that of the
tests (`conformance`, `questions_oracle`). `tests/test_fuzz.py` has a fixed small budget of it,
``benchmarks/fuzz.py`` runs as long as it is told to.
"""
