"""Small faults, planted one after another in a copy of the package, and the tests that are to catch each.

    nice -n 15 python benchmarks/planted_faults.py
    nice -n 15 python benchmarks/planted_faults.py --only "full adder" --only "pool"

The checkout is never changed: a temporary copy is. In it run the test files that are named beside a fault,
each alone and without the tests marked as slow. In the end the tests that caught something run once more
without any fault, and must pass. `planted_faults.jsonl` keeps a line per fault and test file, and
`planted_faults.md` is the table. Whoever changes a line that a fault names changes the fault too:
`tests/test_planted_faults.py` says so. No fault may be dropped because no test catches it any more.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
RECORDS, TABLE = RESULTS / "planted_faults.jsonl", RESULTS / "planted_faults.md"
NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")
SECONDS = 900
PASSED, FAILED = 0, 1


class Fault(NamedTuple):
    """A small change of a file that makes it wrong, and the test files each of which should catch it."""

    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


FAULTS = (
    # --- encodings for MaxSAT
    Fault(
        "the sum bit of a full adder is wrong for three ones",
        "pyfsel/drivers/sat/counters.py",
        "literal if sum(signs) % 2 else -literal",
        "literal if sum(signs) == 1 else -literal",
        ("tests/drivers/test_sat_counters.py",),
    ),
    Fault(
        "a number loses its bits beyond the width of the sum that it bounds",
        "pyfsel/drivers/sat/counters.py",
        "if number < 0 or number >> len(bits):",
        "if number < 0:",
        ("tests/drivers/test_sat_counters.py",),
    ),
    Fault(
        "a running sum is cut off one below its limit",
        "pyfsel/drivers/sat/counters.py",
        "reach = min(limit, reach + steps[-1])",
        "reach = min(limit - 1, reach + steps[-1])",
        ("tests/drivers/test_sat_counters.py",),
    ),
    Fault(
        "the lexicographic order compares every position instead of the first that differs",
        "pyfsel/model/strengthening.py",
        "        so_far = [-equal]",
        "        so_far = []",
        ("tests/model/test_strengthening.py",),
    ),
    Fault(
        "the capacity of overlaps counts consecutive sets instead of all pairs",
        "pyfsel/model/strengthening.py",
        "return problem.max_shared * comb(problem.n_sets, 2)",
        "return problem.max_shared * (problem.n_sets - 1)",
        ("tests/model/test_strengthening.py",),
    ),
    Fault(
        "a row that is charged is counted from its lowest sum without saying so",
        "pyfsel/drivers/sat/maxsat_encoding.py",
        "self.f.add_constant(-price * part.moved)",
        "self.f.add_constant(0)",
        ("tests/backends/test_encodings.py",),
    ),
    Fault(
        "the mean of the values bounds their minimum one too low",
        "pyfsel/drivers/sat/maxsat_encoding.py",
        "m.total.terms).highest) // len(m.values)",
        "m.total.terms).highest) // len(m.values) - 1",
        ("tests/backends/test_encodings.py",),
    ),
    Fault(
        "a row with two limits keeps the upper one only",
        "pyfsel/drivers/sat/maxsat_encoding.py",
        "else (replace(row, high=None), replace(row, low=None))",
        "else (replace(row, low=None),)",
        ("tests/backends/test_encodings.py",),
    ),
    Fault(
        "an equation of a pseudo-Boolean model is a lower limit only",
        "pyfsel/drivers/sat/opb.py",
        " = {row.low} ;",
        " >= {row.low} ;",
        ("tests/backends/test_export.py",),
    ),
    Fault(
        "RC2 is ended one unit before its solution is proved",
        "pyfsel/backends/maxsat/rc2_search.py",
        "value >= bound:",
        "value >= bound - 1:",
        ("tests/backends/test_conformance.py",),
    ),
    # --- models for CP-SAT and MIP
    Fault(
        "pair counting takes the first use of a feature for a shared one",
        "pyfsel/model/build.py",
        "shared = [(v, x) for",
        "shared = [(v + 1, x) for",
        ("tests/model/test_strengthening.py", "tests/model/test_build.py"),
    ),
    Fault(
        "a pair of features pays half of what it takes",
        "pyfsel/model/build.py",
        "weights = {both[ends]: int(pairs[ends]) for",
        "weights = {both[ends]: int(pairs[ends]) // 2 for",
        ("tests/model/test_build.py", "tests/backends/test_by_model.py"),
    ),
    Fault(
        "a pair of features is without hope where a set with it is just good enough",
        "pyfsel/model/dual_values.py",
        "+ spare < 0",
        "+ spare <= 0",
        ("tests/model/test_build.py",),
    ),
    Fault(
        "the product of a pair that helps is not bounded from above",
        "pyfsel/model/build.py",
        "int(-np.sign(pairs[i, j]))",
        "-1",
        ("tests/model/test_build.py", "tests/papers/test_graph_score.py"),
    ),
    Fault(
        "overlap in proportion to sizes forgets the size of a previous set",
        "pyfsel/model/build.py",
        'None, limit + times * known, "sizes")\n        return',
        'None, limit, "sizes")\n        return',
        ("tests/model/test_build.py", "tests/backends/test_by_model.py"),
    ),
    Fault(
        "two sets that no overlap allows are read as sets that share nothing",
        "pyfsel/model/build.py",
        "limit = problem.shared_constant\n",
        "limit = max(0, problem.shared_constant)\n",
        ("tests/model/test_build.py",),
    ),
    Fault(
        "a climb of the minimum takes the sum",
        "pyfsel/selectors/wrapper/climb.py",
        '"min": min,',
        '"min": sum,',
        ("tests/selectors/test_wrapper.py",),
    ),
    Fault(
        "features that are alike are drawn one too few",
        "pyfsel/selectors/wrapper/repair.py",
        "if j not in named], len(sets) * self.problem.k",
        "if j not in named], len(sets) * self.problem.k - 1",
        ("tests/selectors/test_wrapper.py",),
    ),
    Fault(
        "a known bound is taken to be out of reach",
        "pyfsel/drivers/cpsat.py",
        "least = self._constant - bound",
        "least = self._constant - bound + 1",
        ("tests/backends/test_by_model.py",),
    ),
    Fault(
        "CP-SAT reads a row without its lower limit",
        "pyfsel/drivers/cpsat.py",
        "low = cp_model.INT_MIN if row.low is None else row.low",
        "low = cp_model.INT_MIN if row.high is None or row.low is None else row.low",
        ("tests/backends/test_by_model.py",),
    ),
    Fault(
        "a MIP solver reads the minimum of values without a lower limit of its rows",
        "pyfsel/drivers/linear/linear_model.py",
        "_by_column(row.terms), row.low,",
        '_by_column(row.terms), None if row.role == "end" else row.low,',
        ("tests/backends/test_by_model.py", "tests/backends/test_mip.py"),
    ),
    Fault(
        "a start of sets of different sizes is in the order of their lists",
        "pyfsel/backends/by_model.py",
        "key=lambda members: [j in members for j in order], reverse=True",
        "key=lambda members: [order.index(j) for j in members]",
        ("tests/backends/test_by_model.py",),
    ),
    Fault(
        "what floats leave open is taken for proved",
        "pyfsel/backends/mip.py",
        "bound = None if proved is None else max(proved, value)",
        "bound = value",
        ("tests/backends/test_mip.py",),
    ),
    Fault(
        "a clause as a row needs one literal more",
        "pyfsel/model/passes.py",
        "1 - sum(a < 0 for a in clause)",
        "2 - sum(a < 0 for a in clause)",
        ("tests/model/test_build.py", "tests/backends/test_by_model.py"),
    ),
    Fault(
        "memberships of the last set are taken as real numbers too",
        "pyfsel/model/model.py",
        "{x for row in self.member for x in row}",
        "{x for row in self.member[:-1] for x in row}",
        ("tests/model/test_build.py",),
    ),
    # --- models in MiniZinc
    Fault(
        "prefix bounds count consecutive sets instead of all pairs",
        "models/lib/prefix_bounds.mzn",
        "<= max_shared * (sets * (sets - 1) div 2)",
        "<= max_shared * (sets - 1)",
        ("tests/models/test_models.py",),
    ),
    Fault(
        "the big-M of a model sums one redundancy too few",
        "models/lib/big_m.mzn",
        "sum_of_largest(redundancies_of(f), k)",
        "sum_of_largest(redundancies_of(f), n_mates)",
        ("tests/models/test_models.py",),
    ),
    Fault(
        "pre-selection is called redundant",
        "models/lib/ranking.mzn",
        "constraint forall(s in SETS, f in FEATURES where not (f in kept_features))(selected[s, f] = false);",
        "constraint redundant_constraint(\n"
        "  forall(s in SETS, f in FEATURES where not (f in kept_features))(selected[s, f] = false));",
        ("tests/models/test_models.py",),
    ),
    Fault(
        "the mean of the last sets is bounded for one set too many",
        "models/simultaneous_min.mzn",
        "(n_sets - s) * objective_value",
        "(n_sets - s + 1) * objective_value",
        ("tests/models/test_models.py",),
    ),
    Fault(
        "previous sets do not count in the largest overlap",
        "models/questions/most_dissimilar.mzn",
        "sum(f in previous[i])(selected[s, f]) <= largest_overlap",
        "sum(f in previous[i])(selected[s, f]) <= max_shared",
        ("tests/models/test_question_models.py",),
    ),
    # --- reductions
    Fault(
        "pre-selection keeps one feature too few",
        "pyfsel/reductions/preselection.py",
        "return problem.n_sets * max(0, most)",
        "return problem.n_sets * max(0, most) - 1",
        ("tests/reductions/test_reductions.py",),
    ),
    Fault(
        "a clique smaller than the number of sets makes a feature needless",
        "pyfsel/reductions/needed.py",
        "size < problem.n_sets for size",
        "size < problem.n_sets - 1 for size",
        ("tests/reductions/test_reductions.py",),
    ),
    Fault(
        "two sets that must each be good enough have interchangeable features",
        "pyfsel/reductions/interchange.py",
        "problem.min_quality is not None and problem.n_sets > 1",
        "problem.min_quality is not None and problem.n_sets > 2",
        ("tests/problem/test_side_constraints.py",),
    ),
    Fault(
        "prefix limits stop short of what exactly fits",
        "pyfsel/reductions/interchange.py",
        "<= comb(t, max_shared + 1):",
        "< comb(t, max_shared + 1):",
        ("tests/backends/test_cpsat.py",),
    ),
    Fault(
        "the least quality becomes a budget that is one too small",
        "pyfsel/reductions/cheapest_by_budget.py",
        "budget=-problem.min_quality,",
        "budget=-problem.min_quality - 1,",
        ("tests/questions/test_cheapest.py",),
    ),
    # --- searches
    Fault(
        "the prefix bound forgets the uses that are left over",
        "pyfsel/core/packing.c",
        "uses += (free[t] - more * subsets[each]) / (subsets[each + 1] - subsets[each]);",
        "uses += 0;",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "a member of a better solution is asked for one too much",
        "pyfsel/algorithms/packing/families.py",
        "else value + 1 - one_less",
        "else value + 2 - one_less",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "prices that leave room for just enough sets show that there are too few",
        "pyfsel/algorithms/packing/smallest.py",
        "n_sets * int(paid.min()) > prices.brought_in()",
        "n_sets * int(paid.min()) >= prices.brought_in()",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "a set that pays what the others leave is no part of a solution",
        "pyfsel/algorithms/packing/smallest.py",
        "(self.problem.n_sets - 1) * least",
        "self.problem.n_sets * least",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "features that all sets hold may be shared once more",
        "pyfsel/algorithms/packing/smallest.py",
        "whole.max_shared - int(is_common.sum())",
        "whole.max_shared",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "features that bring in just what can be missed cannot all be left out",
        "pyfsel/core/packing.c",
        "while (slack >= 0)",
        "while (slack > 0)",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "what pairs of features bring in is left out of what sets to come can pay",
        "pyfsel/algorithms/packing/cliques.py",
        "descent.left[0] = prices.of_pairs.sum()",
        "descent.left[0] = 0",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "a feature that may be shared can be in one of the sets to come",
        "pyfsel/core/packing.c",
        "most = max_shared > 0 ? left : 1,",
        "most = 1,",
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "the pool leaves out sets that reach the threshold exactly",
        "pyfsel/algorithms/packing/pool.py",
        'side="right"',
        'side="left"',
        ("tests/algorithms/test_packing.py",),
    ),
    Fault(
        "a beginning of a chain must be as heavy as one of a feature more",
        "pyfsel/algorithms/ksubgraph/chains.py",
        "return -(-self._target * m * (m - 1) // (k * (k - 1)))",
        "return -(-self._target * m * (m + 1) // (k * (k - 1)))",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "a feature adds its parts of one pair too few",
        "pyfsel/algorithms/ksubgraph/heavy_chains.py",
        "    return -(-table // 2)",
        "    table[2:] = table[1:-1].copy()\n    return -(-table // 2)",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "of two weakest features none comes last",
        "pyfsel/core/ksubgraph_chains.c",
        "(degree == own && other > feature)",
        "degree == own",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "full previous sets are forgotten",
        "pyfsel/core/ksubgraph.h",
        "overlap[p] >= pairs->limits[p]",
        "overlap[p] > pairs->limits[p]",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "what follows in a chain adds less than the mean weight",
        "pyfsel/core/ksubgraph_chains.c",
        "floor_divide(2 * reached, m + step)",
        "floor_divide(2 * reached, m + step + 1)",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "what follows in a chain is bounded by a smaller pair",
        "pyfsel/core/ksubgraph_chains.c",
        "degree += top[missing - 1 - step];",
        "degree += top[0];",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "a feature that can come last in a chain is left out",
        "pyfsel/core/ksubgraph_chains.c",
        "c->state[TARGET] - before - degree + top[0]}",
        "c->state[TARGET] - before - degree + top[0] + 1}",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "a feature that reaches the target is left out of heavy pairs",
        "pyfsel/core/ksubgraph_chains.c",
        "kept += c->values[place] >= least;",
        "kept += c->values[place] > least;",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "the relaxation is not concave",
        "pyfsel/algorithms/ksubgraph/concave_bound.py",
        "diagonal = diagonal + largest",
        "diagonal = diagonal + 0.1 * largest",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "the concave function is below some weights",
        "pyfsel/algorithms/ksubgraph/concave_bound.py",
        "where=~self._free",
        "where=self._free",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "the relaxation forgets the overlap on the way",
        "pyfsel/core/ksubgraph_tree.c",
        "at->overlap[p] += pairs->previous[p * pairs->n + taken]",
        "at->overlap[p] += 0",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "the last features of the relaxation forget the overlap",
        "pyfsel/core/ksubgraph_tree.c",
        "if (shared > pairs->limits[p]) return false;",
        "if (shared > pairs->limits[p] + 1) return false;",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "of equally weak last features none comes last",
        "pyfsel/core/ksubgraph_tree.c",
        "return weakest >= own - margin;",
        "return weakest > own || m == 1;",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "the last features are dropped where they take much work",
        "pyfsel/core/ksubgraph_tree.c",
        "                return false;\n            }",
        "                return true;\n            }",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "forced features do not count in the overlap with previous sets",
        "pyfsel/algorithms/ksubgraph/instance.py",
        "limits, k = self.limits - self.previous[:, forced].sum(axis=1), self.k - len(forced)",
        "limits, k = self.limits, self.k - len(forced)",
        ("tests/algorithms/test_ksubgraph.py",),
    ),
    Fault(
        "a size is closed though it may be better by one",
        "pyfsel/algorithms/ksubgraph/sizes.py",
        "return self.wanted is None or self.bounds[k] >= self.wanted",
        "return self.wanted is None or self.bounds[k] > self.wanted",
        ("tests/papers/test_graph_score.py",),
    ),
    Fault(
        "the weights of a step of CFS are rounded down",
        "pyfsel/algorithms/cfs/step.py",
        "quality=(-(-linear // divisor)).astype(np.int64),",
        "quality=(linear // divisor).astype(np.int64),",
        ("tests/algorithms/test_cfs.py",),
    ),
    # --- questions
    Fault(
        "the bound on the smallest quality is one too large",
        "pyfsel/interface/min_then_sum.py",
        "if better.sets else (worst, least - 1)",
        "if better.sets else (worst, least)",
        ("tests/questions/test_questions.py",),
    ),
    Fault(
        "a dissimilarity becomes a constraint without its threshold on one side",
        "pyfsel/problem/dissimilarity.py",
        "OverlapRule((1 - tau) / (2 - tau))",
        "OverlapRule(1 / (2 - tau))",
        ("tests/problem/test_named_constraints.py",),
    ),
    Fault(
        "numbers of sets that just reach the least quality are excluded",
        "pyfsel/questions/most_sets_bounds.py",
        "most < number * least",
        "most <= number * least",
        ("tests/questions/test_questions.py",),
    ),
    # --- verification and the judge of claims
    Fault(
        "verification allows one shared feature too many",
        "pyfsel/results/verify.py",
        "if len(shared) <= allowed:",
        "if len(shared) <= allowed + 1:",
        ("tests/results/test_verify.py",),
    ),
    Fault(
        "verification allows a budget to be exceeded by one",
        "pyfsel/results/verify.py",
        "if cost > problem.budget:",
        "if cost > problem.budget + 1:",
        ("tests/problem/test_side_constraints.py",),
    ),
    Fault(
        "a solver that its time limit cuts short is believed that there is no solution",
        "pyfsel/drivers/linear/cbc.py",
        "stopped = out_of_time or headline",
        "stopped = headline",
        ("tests/backends/test_mip.py",),
    ),
    Fault(
        "OPTIMAL may be claimed with a bound above the objective",
        "pyfsel/results/backend_answer.py",
        "if bound is not None and optimal and bound != objective:",
        "if bound is not None and optimal and bound < objective:",
        ("tests/backends/test_lying_backends.py",),
    ),
    Fault(
        "OPTIMAL may be claimed with one less than what is known",
        "pyfsel/solving/attempt.py",
        "if self.value > value:",
        "if self.value > value + 1:",
        ("tests/backends/test_lying_backends.py",),
    ),
    # --- searches for a subset
    Fault(
        "a floating search never goes back from three features",
        "pyfsel/papers/subset/searches.py",
        "SMALLEST_FLOAT = 2",
        "SMALLEST_FLOAT = 3",
        ("tests/papers/test_subset_search.py",),
    ),
    Fault(
        "ABB tests sets of which a superset has failed",
        "pyfsel/papers/subset/searches.py",
        "if times == n_outside and run.reaches(features):",
        "if run.reaches(features):",
        ("tests/papers/test_subset_search.py",),
    ),
    Fault(
        "ABB asks for one larger set too few that has passed",
        "pyfsel/papers/subset/searches.py",
        "n_outside = len(start) - len(level[0]) + 1",
        "n_outside = len(start) - len(level[0])",
        ("tests/papers/test_subset_search.py",),
    ),
    Fault(
        "the elimination path tests the slack against the loss of two steps before",
        "pyfsel/papers/mask_selector.py",
        "if after > before * (1 + slack)",
        "if after > self.losses[max(0, step - 1)] * (1 + slack)",
        ("tests/papers/test_masks.py",),
    ),
    Fault(
        "masks of any size count the pairs of a linear model once instead of twice",
        "pyfsel/papers/masks.py",
        "        single / 2,\n        pairs,\n",
        "        single / 2,\n        pairs / 2,\n",
        ("tests/papers/test_masks.py",),
    ),
    # --- between us and the solver: the judge compares what it states
    Fault(
        "CP-SAT maximises one more than the sum",
        "pyfsel/drivers/cpsat.py",
        "self.model.maximize(self._sum(m.weights, m.constant))",
        "self.model.maximize(self._sum(m.weights, m.constant + 1))",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "a MIP solver gets twice the cost",
        "pyfsel/drivers/linear/linear_model.py",
        "*scaled(model.cost))",
        "*scaled({j: 2 * c for j, c in model.cost.items()}))",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "the weights of soft clauses are one larger for RC2",
        "pyfsel/drivers/sat/formula.py",
        "wcnf.append([literal], weight=weight)",
        "wcnf.append([literal], weight=weight + 1)",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "what the objective and the cost in a WCNF file add up to is one more",
        "pyfsel/backends/maxsat/maxsat_run.py",
        "return formula.constant",
        "return formula.constant + 1",
        ("tests/backends/test_maxsat.py",),
    ),
    Fault(
        "a MiniZinc model counts one too many",
        "models/simultaneous_sum.mzn",
        "objective_value = total_quality;",
        "objective_value = total_quality + 1;",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "every listed set counts one more as it is extended",
        "pyfsel/algorithms/packing/pool.py",
        "values = values + self.quality[self.order[last]]",
        "values = values + self.quality[self.order[last]] + 1",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "a pair of features takes twice as much from the weight of a subgraph",
        "pyfsel/algorithms/ksubgraph/instance.py",
        "else per_pair * problem.pairs",
        "else 2 * per_pair * problem.pairs",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "brute force adds up one more for each set",
        "pyfsel/backends/simple_searches.py",
        "[worth[members] for",
        "[worth[members] + 1 for",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "enumeration takes the worst set",
        "pyfsel/backends/simple_searches.py",
        "tuple(sets[0].tolist())",
        "tuple(pool.above(pool.lowest)[0][-1].tolist())",
        ("tests/solving/test_stated_objective.py",),
    ),
    Fault(
        "sorting adds up all features of a set but one",
        "pyfsel/backends/simple_searches.py",
        "for j in members) for members in sets]",
        "for j in members[1:]) for members in sets]",
        ("tests/solving/test_stated_objective.py",),
    ),
)


class Record(NamedTuple):
    """What a test file made of a fault; `caught_by` is the first test that failed, empty if none did."""

    fault: str
    tests: str
    caught_by: str
    seconds: float


def main():
    options = parse()
    unfit = unfit_faults(ROOT)
    if unfit:
        raise SystemExit("\n".join(unfit))
    chosen = [
        f for f in FAULTS if not options.only or any(word in f"{f.what} {f.file}" for word in options.only)
    ]
    with tempfile.TemporaryDirectory(prefix="planted-faults-") as folder:
        tree = Tree(Path(folder))
        for fault in chosen:
            found = list(tree.judge(fault))
            keep(found)
            for record in found:
                print(
                    f"{record.seconds:5.0f} s  {fault.what}: {record.caught_by or 'NOT CAUGHT'}", flush=True
                )
        caught = sorted(
            {record.caught_by for record in records() if record.fault in {f.what for f in chosen}} - {""}
        )
        failing = tree.failing(caught)
    write_table()
    missed = [fault.what for fault in chosen if not caught_by(fault)]
    if failing:
        raise SystemExit(f"fails without any fault: {failing}")
    if missed:
        raise SystemExit("not caught: " + "; ".join(missed))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--only", action="append", metavar="WORDS", help="faults with these words in their name or file"
    )
    return parser.parse_args()


def unfit_faults(root):
    """Return what is wrong with the list, a line each: its texts must stand in the files, exactly once."""
    unfit = [f"{path} does not exist" for f in FAULTS for path in f.tests if not (root / path).is_file()]
    for fault in FAULTS:
        path = root / fault.file
        number = path.read_text().count(fault.old) if path.is_file() else 0
        if number != 1:
            unfit.append(f"{fault.file}: must hold once, holds {number} times: {fault.old}")
    return unfit


class Tree:
    """A copy of the checkout in which one fault at a time is planted."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "tree"
        shutil.copytree(ROOT, self.root, ignore=NOT_COPIED)
        self.edits = 0

    def judge(self, fault):
        """Plant a fault, yield a record for each of its test files, and take the fault out again."""
        path = self.root / fault.file
        sound = path.read_text()
        self._write(path, sound.replace(fault.old, fault.new))
        try:
            for tests in fault.tests:
                begin = time.monotonic()
                caught = self._first_failure([tests])
                yield Record(fault.what, tests, caught, round(time.monotonic() - begin, 1))
        finally:
            self._write(path, sound)

    def failing(self, tests):
        """Return the first of these tests that fails without a fault, empty if all pass."""
        return self._first_failure(tests) if tests else ""

    def _write(self, path, text):
        """Write a file with a time of its own, so that no compiled form of another text is taken for its."""
        self.edits += 1
        path.write_text(text)
        if path.suffix == ".py":
            when = path.stat().st_mtime + 10 * self.edits
            os.utime(path, (when, when))

    def _first_failure(self, tests):
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
        environment = os.environ | {
            "PYTHONPATH": str(self.root),
            "HYPOTHESIS_PROFILE": "no-shrinking",
        }
        with subprocess.Popen(
            [*command, *tests],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as run:
            try:
                output, _ = run.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                return f"{tests[0]} did not end in {SECONDS} s"
            except KeyboardInterrupt:
                os.killpg(run.pid, signal.SIGKILL)
                raise
        failures = re.findall(
            r"^(?:FAILED|ERROR) (tests/[^\[\n]+?(?:\[.*?\])?)(?: - .*)?$", output, re.MULTILINE
        )
        if run.returncode not in (PASSED, FAILED) or (run.returncode == FAILED) != bool(failures):
            raise SystemExit(f"{tests}: pytest ended with {run.returncode}\n{output}")
        return failures[0] if failures else ""


def records():
    """Return the records of the faults and test files that the list still has."""
    lines = RECORDS.read_text().splitlines() if RECORDS.exists() else []
    listed = {(fault.what, tests) for fault in FAULTS for tests in fault.tests}
    found = (Record(**json.loads(line)) for line in lines)
    return [record for record in found if (record.fault, record.tests) in listed]


def keep(new):
    """Write records, in place of older ones of the same faults."""
    judged = {record.fault for record in new}
    kept = [record for record in records() if record.fault not in judged] + new
    place = [fault.what for fault in FAULTS]
    kept.sort(key=lambda record: place.index(record.fault))
    RECORDS.write_text("".join(json.dumps(record._asdict()) + "\n" for record in kept))


def caught_by(fault):
    """Return the records of the test files that caught a fault."""
    return [record for record in records() if record.fault == fault.what and record.caught_by]


def write_table():
    """Write what each test file made of each fault."""
    known = {(record.fault, record.tests): record for record in records()}
    n_caught = sum(bool(caught_by(fault)) for fault in FAULTS)
    n_run = sum(any((fault.what, tests) in known for tests in fault.tests) for fault in FAULTS)
    lines = [
        "# Planted faults",
        "",
        "`python benchmarks/planted_faults.py`",
        "",
        f"{n_caught} of {n_run} faults that were run are caught, of {len(FAULTS)} in the list. Seconds are"
        " those until the first failure, on a busy machine, compilation included.",
        "",
        "| # | fault | in | test file | caught by | s |",
        "|---|---|---|---|---|---|",
    ]
    for number, fault in enumerate(FAULTS, start=1):
        for tests in fault.tests:
            record = known.get((fault.what, tests))
            verdict = "not run" if record is None else f"`{short(record)}`" if record.caught_by else "–"
            seconds = "" if record is None else f"{record.seconds:.0f}"
            lines.append(f"| {number} | {fault.what} | `{fault.file}` | `{tests}` | {verdict} | {seconds} |")
    TABLE.write_text("\n".join(lines) + "\n")


def short(record):
    """Return the name of the test without its file, and without values that would break a table."""
    return record.caught_by.removeprefix(f"{record.tests}::").replace("|", "/")


if __name__ == "__main__":
    main()
