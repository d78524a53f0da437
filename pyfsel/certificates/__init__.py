"""Certificates of what is proved, for `pyfsel.checker`, which believes nothing that is made here.

`certify` chooses a rule for each claim, `tree` makes the multipliers of rows, `veripb` writes a tree as a
proof of another format.
"""
