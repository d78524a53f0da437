"""HiGHS through highspy.

Its tolerance of integrality stays as it is: with 1e-9, HiGHS 1.15 cuts optima off where numbers go up to 10^6
(5 of 57 small problems). Solutions are checked in integers anyway.

It gets no start: HiGHS 1.16 has been seen to take one over into its presolved model as a solution that the
original does not have, and to call that optimal. With real columns a start of cost 14 counted as -50 there,
where the optimum is -40, and with integers only such ends are rare, but not unheard of.

Its presolve does not enumerate: HiGHS 1.16 lost all solutions of a feasible model by that, and called it
infeasible.

Where all columns are integers, only memberships are stated to be (`ZeroOneModel.dependent`): sums of two sets
by mRMR take half the time. Minima, which have a real column anyway, take less or more by that, so they stay
as they are. So do questions for a better solution: they come up where tolerances matter.
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
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    # HiGHS keeps one pool of threads for a whole process, and fails in a run that asks for another number
    highs.resetGlobalScheduler(True)
    if run.all_integer and run.m.weights and run.m.member:
        for v in run.m.dependent():
            highs.changeColIntegrality(v - 1, highspy.HighsVarType.kContinuous)
    highs.cbMipImprovingSolution.subscribe(lambda event: run.take_solution(list(event.data_out.mip_solution)))
    highs.cbMipInterrupt.subscribe(lambda event: run.take_bound(event.data_out.mip_dual_bound))
    if highs.run() == highspy.HighsStatus.kError:
        return "an error"
    info = highs.getInfo()
    run.take_bound(info.mip_dual_bound)
    if info.primal_solution_status == HAS_SOLUTION:
        run.take_solution(highs.getSolution().col_value, info.objective_function_value)
    return str(highs.modelStatusToString(highs.getModelStatus()))
