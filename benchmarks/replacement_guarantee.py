"""How far Greedy Replacement is from the optimum, beside what is guaranteed (000, Proposition 12).

    python benchmarks/replacement_guarantee.py

The records of the experiment with k = 5 (MI and Model Gain, all folds, a = 1 to 5), and for each case two
guarantees: ⌊(1 − τ)k⌋ / k of Proposition 12, and the better one of `guarantee`.
"""

import argparse
from itertools import accumulate
from pathlib import Path

from paper_000.design import COLUMNS
from paper_000.figures import by_alternatives
from paper_000.score import read

from pyfsel.reductions.interchange import prefix_limits

RECORDS = Path(__file__).parent / "results" / "experiment-000"
SEARCHES = {"seq.": "sum", "sim. (sum)": "sum", "sim. (min)": "min"}


def guarantee(n_features, k, n_sets, max_shared, aggregate="sum"):
    """Return what share of the optimum Greedy Replacement reaches at least, for qualities of 0 and more.

    Qualities q in decreasing order are Σ_t λ_t · (1, …, 1, 0, …, 0) with t ones and λ ≥ 0. Let r_t be how
    often the sets of Greedy Replacement use the best t features, and u_t how often any sets can
    (`prefix_limits`). Its sum is Σ λ_t r_t, the best sum at most Σ λ_t u_t, so that min_t r_t / u_t of it is
    reached; sequential search is not above the best sum. For the minimum r_t is that of the last set, times
    the number of sets, since the best minimum is at most their mean.
    """
    uses = [n_sets] * max_shared + [1] * (n_sets * (k - max_shared))
    if aggregate == "min":
        last = [1] * max_shared + [0] * ((n_sets - 1) * (k - max_shared)) + [1] * (k - max_shared)
        uses = [n_sets * use for use in last]
    uses += [0] * (n_features - len(uses))
    limits = prefix_limits(n_features, n_sets, k, max_shared)
    return min(reached / limit for reached, limit in zip(accumulate(uses), limits, strict=True))


def ratios(rows):
    """Return a row per case with sets of both: what Greedy Replacement reaches, and both guarantees."""
    chosen = rows[(rows["k"] == 5) & rows["method"].isin(("mi", "model-gain"))]
    runs = by_alternatives(chosen[chosen["search"].isin(("rep.", *SEARCHES))])
    keys = ["table", "fold", "method", "overlap", "of_a", "search"]
    values = runs.groupby(keys, observed=True)["q_train"].agg(["sum", "min", "count"]).reset_index()
    values = values[values["count"] == values["of_a"] + 1]
    greedy = values[values["search"] == "rep."]
    parts = []
    for search, aggregate in SEARCHES.items():
        both = values[values["search"] == search].merge(greedy, on=keys[:-1], suffixes=("", "_rep"))
        both["reached"] = both[f"{aggregate}_rep"] / both[aggregate]
        both["guaranteed"] = [
            guarantee(COLUMNS[name], 5, a + 1, overlap, aggregate)
            for name, a, overlap in zip(both["table"], both["of_a"], both["overlap"], strict=True)
        ]
        parts.append(both.assign(against=search)[["against", "overlap", "reached", "guaranteed"]])
    return parts


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter).parse_args()
    print(
        "| against | may share | cases | Proposition 12 | better guarantee | least reached | mean reached |"
    )
    print("|---|---|---|---|---|---|---|")
    for part in ratios(read(RECORDS)):
        for (search, overlap), group in part.groupby(["against", "overlap"]):
            figures = (
                overlap / 5,
                group["guaranteed"].min(),
                group["reached"].min(),
                group["reached"].mean(),
            )
            cells = (search, overlap, len(group), *(f"{figure:.3f}" for figure in figures))
            print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
