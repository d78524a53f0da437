"""Certificates of what is proved, for `pyfsel.check`, which believes nothing that is made here.

`certify` chooses a rule for each claim, `tree` makes the multipliers of rows.
"""
