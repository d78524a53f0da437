"""Child processes under a guard, which ends them with all their offspring. Read `guarded`, then `child`."""
