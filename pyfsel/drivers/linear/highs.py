"""HiGHS through highspy.

Its tolerance of integrality stays as it is: with 1e-9, HiGHS 1.15 cuts optima off where numbers go up to 10^6
(5 of 57 small problems). Solutions are checked in integers anyway.

A start is given to models of integers only. With real columns, HiGHS 1.16 has been seen to take one over
into its presolved model as a solution that the original does not have, and to call that optimal: a start of
cost 14 counted as -50 there, where the optimum is -40.

Its presolve does not enumerate: HiGHS 1.16 lost all solutions of a feasible model by that, and called it
infeasible.

Models of integers only do not begin again at the root when some variables are fixed, which a start makes
happen at once: sums of two sets by mRMR take less time without it, minima more.
"""

from __future__ import annotations

from pyfsel.drivers.linear.connection import TOLERANCE, LinearRun
from pyfsel.results.backend_answer import StopReason

HAS_SOLUTION = 2  # highspy's kSolutionStatusFeasible
ENUMERATION = 2**16  # the bit of HiGHS's kPresolveRuleEnumeration; versions without it ignore the bit
OUTCOMES = {
    "Optimal": StopReason.FINISHED,
    "Infeasible": None,
    "Time limit reached": StopReason.TIME_LIMIT,
    "Interrupted by user": StopReason.TIME_LIMIT,
}


def solve(run: LinearRun) -> str:
    """Solve; solutions and bounds are reported as they are found."""
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    with run.file() as path:
        # it warns of coefficients that it takes for 0, which what is allowed for floats covers
        if highs.readModel(str(path)) == highspy.HighsStatus.kError:
            return "a model file that it could not read"
    options = {
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "random_seed": run.control.limits.random_state,
        "threads": run.control.limits.n_threads,
        "presolve_rule_off": ENUMERATION,
        "time_limit": run.seconds(),
        "mip_allow_restart": not run.all_integer,
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    # HiGHS keeps one pool of threads for a whole process, and fails in a run that asks for another number
    highs.resetGlobalScheduler(True)
    if run.start and run.all_integer:
        highs.setSolution(len(run.start), *map(list, zip(*run.start, strict=True)))
    highs.cbMipImprovingSolution.subscribe(lambda event: run.take_solution(list(event.data_out.mip_solution)))
    highs.cbMipInterrupt.subscribe(lambda event: run.take_bound(event.data_out.mip_dual_bound))
    if highs.run() == highspy.HighsStatus.kError:
        return "an error"
    info = highs.getInfo()
    run.take_bound(info.mip_dual_bound)
    if info.primal_solution_status == HAS_SOLUTION:
        run.take_solution(highs.getSolution().col_value, info.objective_function_value)
    return str(highs.modelStatusToString(highs.getModelStatus()))
