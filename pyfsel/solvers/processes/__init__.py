"""Child processes under a guard, which ends them with all their offspring. Read `guarded`, then `child`.

`own` is what a process knows about itself, and how it ends with its parent.
"""
