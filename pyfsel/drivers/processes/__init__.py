"""Child processes under a guard, which ends them with all their offspring. Read `guarded`, then `guard`.

`guarded` starts workers and programs, each under a guard of its own (`guard`, a program that loads little);
`serving` is what a worker does, `copied` starts one as a copy of this process.
The same is done on all systems. Linux helps twice: a guard adopts what its offspring leaves behind, and the
system kills a worker whose guard was killed. Elsewhere two things cannot be promised:

- A process that a backend or a solver starts with an environment of its own, and whose parent then ends
  before it does, is not found again.
- If a guard is killed by force, what it watched goes on until this process notices.

Windows cannot ask a program to print its best solution before it is ended.
"""
