"""Child processes under a guard, which ends them with all their offspring. Read `guarded`, then `interface`.

That is what is asked of the system, and what `linux` and `portable` promise, which both know `child` (what a
worker does) and `family` (a guard and all below it). `own` is what a process knows about itself, and how it
ends with its parent; `group` runs a program of the user's below a worker.
"""
