"""Tables 3 to 6 of paper 000, its numbers beside them, and what it could not show, from the table of sets."""

import pandas as pd
from paper_000_tables import PAPER_3, PAPER_5, PAPER_6
from scipy.stats import t

from paper_000.design import METHODS, SEARCHES, WHITE_BOX
from paper_000.figures import (
    SETTING,
    by_alternatives,
    complete_settings,
    difference,
    normalised,
    originals,
    spread,
)

STATUSES = ("INFEASIBLE", "NOT_SOLVED", "FEASIBLE", "OPTIMAL")
PROVED = ("INFEASIBLE", "OPTIMAL")
HEURISTIC_3 = (0.0, 9.20, 90.80, 0.0)
PAPER_4 = {1: (16.10, 7.60, 76.30), 2: (17.50, 13.27, 69.23), 3: (20.00, 20.20, 59.80),
           4: (27.00, 21.43, 51.57), 5: (28.23, 30.17, 41.60)}  # fmt: skip
PAPER_ITERATIONS = 661
OWN_TITLES = {f"{m}-own": f"{METHODS[m]}, own" for m in ("mi", "fcbf", "mrmr")}
TITLES = METHODS | OWN_TITLES


def outcomes(rows, k=5):
    """Return one row per run and number of alternatives a = 1 … 5: its status, gap and CPU seconds.

    The status of a sequential run is that of step a; its CPU seconds are shared out by the time of its steps.
    """
    runs = by_alternatives(rows[rows["k"] == k])
    last = runs[runs["number"] == runs["of_a"]].copy()
    steps = runs[runs["search"] == "seq."]
    share = steps.groupby([*SETTING, "of_a"])["seconds"].sum().rename("first")
    whole = rows[rows["search"] == "seq."].groupby(SETTING)["seconds"].sum().rename("whole")
    last = last.merge(share.reset_index(), on=[*SETTING, "of_a"], how="left")
    last = last.merge(whole.reset_index(), on=SETTING, how="left")
    part = (last["first"] / last["whole"].where(last["whole"] > 0)).fillna(1.0)
    last["cpu"] = last["cpu_seconds"].where(last["search"] != "seq.", last["cpu_seconds"] * part)
    return last[[*SETTING, "n", "overlap", "search", "of_a", "status", "gap", "cpu"]]


def shares(statuses):
    return [100 * (statuses == status).mean() for status in STATUSES]


def pair(ours, paper):
    return f"{ours:.2f} ({paper:.2f})" if paper is not None else f"{ours:.2f}"


def table_3(found, with_paper=True):
    """Return shares of statuses by method and search, beside the paper's, which are of k = 5."""
    head = ["method", "search", "cases", "infeasible", "not solved", "feasible", "optimal", "proved"]
    body = []
    for method in TITLES:
        for search in SEARCHES:
            part = found[(found["method"] == method) & (found["search"] == search)]
            if part.empty:
                continue
            heuristic = HEURISTIC_3 if search in ("rep.", "bal.") else None
            paper = PAPER_3.get((method, search), heuristic) if with_paper else None
            paper = paper or (None,) * 4
            ours = shares(part["status"])
            proved = pair(ours[0] + ours[3], None if paper[0] is None else paper[0] + paper[3])
            body.append([TITLES[method], search, len(part), *map(pair, ours, paper), proved])
    return head, body


def table_4(found):
    part = found[(found["search"] == "sim. (sum)") & found["method"].isin(WHITE_BOX)]
    body = []
    for a, group in part.groupby("of_a"):
        infeasible, _, feasible, optimal = shares(group["status"])
        body.append([a, len(group), *map(pair, (infeasible, feasible, optimal), PAPER_4[a])])
    return ["a", "cases", "infeasible", "feasible", "optimal"], body


def table_5(found):
    body = []
    for method in TITLES:
        part = found[found["method"] == method]
        if part.empty:
            continue
        means = part.groupby("search")["cpu"].mean()
        paper = dict(zip(("seq.", "sim. (min)", "sim. (sum)"), PAPER_5.get(method, ()), strict=False))
        body.append(
            [TITLES[method], *(pair(means[s], paper.get(s)) if s in means else "–" for s in SEARCHES)]
        )
    return ["method", *SEARCHES], body


def table_6(found):
    part = found[found["search"] == "sim. (sum)"]
    means = part.groupby(["of_a", "method"])["cpu"].mean().unstack("method")
    methods = [m for m in TITLES if m in means]
    body = [
        [a, *(pair(means.loc[a, m], PAPER_6[m][a - 1] if m in PAPER_6 else None) for m in methods)]
        for a in means.index
    ]
    return ["a", *(TITLES[m] for m in methods)], body


def contents(rows):
    """Return what is in: tables and folds by method, k and search."""
    made = rows.drop_duplicates([*SETTING, "search", "a"]).groupby(["k", "method", "search"], sort=False)
    body = []
    for (k, method, search), group in made:
        cells = group.drop_duplicates(["table", "fold"])
        body.append(
            [k, TITLES[method], search, cells["table"].nunique(), cells["fold"].nunique(), len(group)]
        )
    order = {title: at for at, title in enumerate(TITLES.values())}
    body.sort(key=lambda row: (row[0], order[row[1]], SEARCHES.index(row[2])))
    return ["k", "method", "search", "tables", "folds", "searches"], body


def original_mcc(rows):
    """Mean test MCC of original sets: of all, and where all white-box methods of the paper have one."""
    first = originals(rows).dropna(subset="mcc_test")
    body = []
    for k, of_k in first.groupby("k"):
        of_paper = of_k[of_k["method"].isin(WHITE_BOX)]
        has_all = of_paper.groupby(["table", "fold"])["method"].nunique() == of_paper["method"].nunique()
        common = of_k.merge(has_all[has_all].index.to_frame(index=False), on=["table", "fold"])
        for method, part in of_k.groupby("method"):
            same = common[common["method"] == method]["mcc_test"]
            body.append([k, TITLES[method], len(part), f"{part['mcc_test'].mean():.2f}",
                         f"{same.mean():.2f} of {len(same)}" if len(same) else "–"])  # fmt: skip
    return ["k", "method", "cases", "mean test MCC", "where the white-box methods have one"], body


def unproved(found):
    """Return the exact searches, and those that ended without a proof; a hill climb proves nothing."""
    exact = found[found["search"].isin(("seq.", "sim. (sum)", "sim. (min)")) & (found["method"] != "wrapper")]
    return exact, exact[~exact["status"].isin(PROVED)]


def climbs(rows):
    """Return by k how many climbs the Greedy Wrapper made, and their mean iterations."""
    one_by_one = (rows["method"] == "wrapper") & (rows["search"] == "seq.")
    made = rows[one_by_one & rows["iterations"].notna()]
    body = []
    for k, part in made.groupby("k"):
        first = originals(part)
        mean = first["iterations"].mean()
        all_climbs = part[part["number"] > 0]["iterations"].mean()
        body.append([k, len(first), pair(mean, PAPER_ITERATIONS), len(part), f"{all_climbs:.0f}"])
    return ["k", "original sets", "mean iterations", "climbs", "mean iterations of alternatives"], body


def at_once(rows):
    """Return the Greedy Wrapper's training quality and iterations by a, sets at once and one after another.

    Of a sequence these are its first a + 1 sets, in the settings that have sets at once.
    """
    made = rows[rows["method"] == "wrapper"]
    together, sequence = made[made["search"] != "seq."], made[made["search"] == "seq."]
    same = together[[*SETTING, "a"]].drop_duplicates().merge(sequence.drop(columns="a"), on=SETTING)
    body = []
    for search, found in (*together.groupby("search"), ("seq.", same[same["number"] <= same["a"]])):
        for a, part in found.groupby("a"):
            runs = part.groupby(SETTING)
            steps = "–" if search == "seq." else f"{runs['iterations'].first().mean():.0f}"
            means = [f"{each.mean():.2f}" for each in (runs["q_train"].mean(), runs["q_train"].min())]
            body.append([search, a, runs.ngroups, *means, steps])
    return ["search", "a", "settings", "mean quality", "smallest quality", "iterations"], body


def with_room(rows, least_number=5):
    """Return the Greedy Wrapper's mean normalised quality of later alternatives by k and τ (Figure 7d).

    Sets with room are those for which the features that each set so far has to have beside the kept ones,
    k + number · (k − overlap), are at most half of all. As in the paper a quality, which is an MCC, goes to
    [0, 1] first; what is not moved is divided as it is.
    """
    made = rows[(rows["method"] == "wrapper") & (rows["a"] == rows["a"].max())]
    needed = made["k"] + made["number"] * (made["k"] - made["overlap"])
    made = made.assign(
        value=normalised(made, "q_train"),
        not_moved=normalised(made.assign(method=""), "q_train"),
        room=needed <= made["n"] / 2,
    )
    made = made[made["features"].notna() & (made["number"] >= least_number)]
    taus = sorted(made["tau"].round(2).unique())
    body = []
    for k, of_k in made.groupby("k"):
        parts = (
            ("all", of_k, "value"),
            ("with room", of_k[of_k["room"]], "value"),
            ("all, not moved", of_k, "not_moved"),
        )
        for name, part, value in parts:
            by_tau = part.groupby(part["tau"].round(2))[value]
            means, sizes = by_tau.mean(), by_tau.size()
            cells = [f"{means[tau]:.3f} of {sizes[tau]}" if tau in means else "–" for tau in taus]
            body.append([k, name, part["table"].nunique(), *cells])
    return ["k", "sets", "tables", *(f"τ = {tau:g}" for tau in taus)], body


def exact_gains(rows, measure="q_train"):
    """Mean exact minus heuristic quality by a (Figure 4), and together minus one after another."""
    pairs = [
        (m, *p, SEARCHES) for m in ("mi", "model-gain") for p in (("sim. (min)", "bal."), ("seq.", "rep."))
    ]
    pairs += [(m, "sim. (sum)", "seq.", ("seq.", "sim. (sum)")) for m in TITLES]
    body = []
    for method, better, worse, searches in pairs:
        values = difference(rows, method, better, worse, searches, measure)
        if values.empty:
            continue
        means = values.groupby("of_a")["value"].mean()
        cells = [f"{means[a]:z.5f}" if a in means else "–" for a in range(1, 6)]
        body.append([TITLES[method], f"{better} − {worse}", len(values) // len(means), *cells])
    return ["method", "difference", "settings", *(f"a = {a}" for a in range(1, 6))], body


def deviations(rows, statistic="mean"):
    """Mean, or median, of standard deviations within runs by search and a, and of means (Figures 2 and 3)."""
    runs = complete_settings(rows[(rows["method"] == "model-gain") & (rows["k"] == 5)])
    body = []
    for measure in ("q_train", "q_test", "mcc_test") if len(runs) else ():
        by = ["search", "of_a"]
        within = (spread(runs, measure, name).groupby(by)["value"] for name in ("std", "mean"))
        std, mean = (groups.agg(statistic) for groups in within)
        for search in SEARCHES:
            cells = [f"{std[search, a]:.4f}" if (search, a) in std else "–" for a in range(1, 6)]
            body.append([measure.replace("_", " "), search, *cells, f"{mean[search].mean():.4f}"])
    return ["measure", "search", *(f"sd, a = {a}" for a in range(1, 6)), f"{statistic} of means"], body


def correlations(rows):
    """Mean Spearman correlation of quality and MCC on test rows, over sets of a table and fold.

    Of sets of one size, and of all sizes together, where a quality whose level depends on k tells less.
    """
    body = []
    parts = {str(k): rows[rows["k"] == k] for k in sorted(rows["k"].unique())}
    parts |= {" and ".join(parts): rows} if len(parts) > 1 else {}
    for k, part in parts.items():
        for method, cells in of_sets(part).groupby("method"):
            means = [f"{cells[quality].mean():.2f}" for quality in ("q_train", "q_test")]
            body.append([k, TITLES[method], len(cells), *means])
    return ["k", "method", "tables × folds", "Q train with test MCC", "Q test with test MCC"], body


def of_sets(rows):
    """Return Spearman correlations of quality and test MCC over the sequential sets of a table and fold."""
    by = ["method", "table", "fold"]
    sets = rows[rows["search"] == "seq."].dropna(subset=["mcc_test"]).drop_duplicates([*by, "features"])
    body = [
        [*cell, *(group[q].corr(group["mcc_test"], method="spearman") for q in ("q_train", "q_test"))]
        for cell, group in sets.groupby(by)
        if len(group) > 2
    ]
    return pd.DataFrame(body, columns=[*by, "q_train", "q_test"])


def over_folds(rows, found):
    """Return means of each fold over its tables, and an interval for what other folds would give.

    95 %, Student's t over folds. They share rows for training, so that it is rather too narrow.
    """
    first = originals(rows[rows["k"] == 5]).dropna(subset="mcc_test")
    parts = [(f"test MCC of original sets, {TITLES[m]}", g, "mcc_test") for m, g in first.groupby("method")]
    gains = [("mi", "sim. (min)", "bal.", SEARCHES), ("mi", "seq.", "rep.", SEARCHES)]
    gains.append(("mrmr", "sim. (sum)", "seq.", ("seq.", "sim. (sum)")))
    for method, better, worse, searches in gains:
        values = difference(rows, method, better, worse, searches)
        last = values[values["of_a"] == values["of_a"].max()]
        parts.append((f"quality with a = 5, {TITLES[method]}, {better} − {worse}", last, "value"))
    runs = complete_settings(rows[(rows["method"] == "model-gain") & (rows["k"] == 5)])
    deviation = spread(runs, "q_train", "std")
    for search, group in deviation[deviation["of_a"] == 5].groupby("search"):
        parts.append((f"standard deviation of quality within runs with a = 5, {search}", group, "value"))
    fcbf = found[(found["method"] == "fcbf") & (found["search"] == "sim. (sum)")]
    infeasible = fcbf.assign(value=100 * (fcbf["status"] == "INFEASIBLE"))
    parts.append(("infeasible, FCBF, sim. (sum), in %", infeasible, "value"))
    parts += [
        (f"Q train with test MCC, {TITLES[m]}", g, "q_train") for m, g in of_sets(rows).groupby("method")
    ]
    body = []
    for name, values, column in parts:
        means = values.groupby("fold")[column].mean()
        if len(means) > 1:
            half = t.ppf(0.975, len(means) - 1) * means.sem()
            span = f"{means.mean() - half:z.3f} … {means.mean() + half:z.3f}"
            body.append([name, f"{means.mean():z.3f}", span, " ".join(f"{mean:z.3f}" for mean in means)])
    return ["mean over tables", "over folds", "95 % interval", "by fold"], body
