"""The page: figures, tables beside the paper's, and what was written by hand in findings.md of its folder.

It is made from DIR/sets.parquet alone, as Markdown and as HTML.
"""

from markdown_it import MarkdownIt

from paper_000 import beside, figures, tables
from paper_000.design import COLUMNS, N_FOLDS, counted_out, heuristic_fails
from paper_000.score import read
from pyfsel import InputError

HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The experiment of paper 000</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: .85rem; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #8886; padding: .15rem .6rem; text-align: left }
img { max-width: 100%; background: white }
</style>
"""
START = """# The experiment of paper 000

Bach's alternative feature selection (paper 000): 30 tables in five folds, five methods, k = 5 and 10, every
overlap, up to ten alternatives. Here the same searches are proved, or have a bound. The paper's numbers stand
in brackets, or in a column of their own with the population that both are taken over; ours are over what is
listed under "What is in".
"""


def report(options):
    """Write figures, page.md and page.html into a folder."""
    if not (options.records / "sets.parquet").exists():
        raise InputError(f"{options.records}: has no sets.parquet; the step score writes it")
    rows = read(options.records)
    options.folder.mkdir(parents=True, exist_ok=True)
    by_hand = options.folder / "findings.md"
    findings = by_hand.read_text("utf-8") if by_hand.exists() else ""
    text = "\n\n".join([START, findings, *sections(rows, figures.draw_all(rows, options.folder))]) + "\n"
    (options.folder / "page.md").write_text(text, "utf-8")
    html = MarkdownIt("commonmark").enable("table").render(text.replace(".png)", ".svg)"))
    (options.folder / "page.html").write_text(HEAD + html, "utf-8")


def sections(rows, drawn):
    """Yield the parts of the page in Markdown."""
    found = tables.outcomes(rows)
    yield "## What is in\n\n" + table(*tables.contents(rows))
    yield whole_tables(rows)
    yield "## Statuses, in % (Table 3)\n\n" + table(*tables.table_3(found))
    yield unproved_text(found)
    of_ten = tables.outcomes(rows, k=10)
    if len(of_ten):
        yield (
            "## The same with k = 10, a = 1 … 5 (the paper shows no such table)\n\n"
            + table(*tables.table_3(of_ten, with_paper=False))
            + f"\n\nProved: {ten_steps(rows)}."
        )
    yield "## Simultaneous search by sum, all white-box methods, in % (Table 4)\n\n" + table(
        *tables.table_4(found)
    )
    yield (
        "## Mean CPU seconds (Tables 5 and 6)\n\nOur CPU seconds are of all that a search starts; the "
        "paper's are of solver calls, on another machine, of which some stopped at the limit: what a limit "
        "cuts off is not in a mean.\n\n" + table(*tables.table_5(found))
    )
    yield "Simultaneous by sum, by a:\n\n" + table(*tables.table_6(found))
    yield (
        "Spearman's correlation of CPU seconds and the number of features (positive but noisy there):\n\n"
        + table(*beside.with_features(rows))
    )
    yield beside_text(rows)
    yield "## Original sets\n\n" + table(*tables.original_mcc(rows))
    climbs = tables.climbs(rows)
    if climbs[1]:
        yield "Greedy Wrapper, climbs of at most 1000 iterations:\n\n" + table(*climbs)
        yield (
            "Its training quality relative to the run's best (Figure 7d), mean over alternatives 5 to 10, as "
            "(Q + 1)/2, which is how the paper makes it comparable, or not moved; with room: over those of "
            "them for which at most half of the features have to be used:\n\n"
            + table(*tables.with_room(rows))
        )
    at_once = tables.at_once(rows)
    if at_once[1]:
        yield (
            "Its training quality where all sets are sought at once, and that of one set after another, "
            "means over settings:\n\n" + table(*at_once)
        )
    yield "## Within runs (Model Gain, k = 5; Figures 2 and 3)\n\n" + table(*tables.deviations(rows))
    yield "Medians, which the figures show as lines in their boxes:\n\n" + table(
        *tables.deviations(rows, "median")
    )
    yield variance_text(rows)
    yield "## Mean training quality of one search minus another (k = 5; Figure 4)\n\n" + table(
        *tables.exact_gains(rows)
    )
    yield "On test rows the gap is smaller, as in the paper:\n\n" + table(*beside.on_test_rows(rows))
    yield (
        "MI over the alternatives, sequential, k = 5 and 10 (Figure 4 of paper 003: the largest loss is that "
        "of the first alternative):\n\n" + table(*beside.over_numbers(rows))
    )
    yield "## Quality and MCC: Spearman correlation, sequential sets\n\n" + table(*tables.correlations(rows))
    folds = tables.over_folds(rows, found)
    if folds[1]:
        yield (
            "## Intervals over folds (k = 5)\n\nStudent's t over the means of folds; as they share rows for "
            "training, it is rather too narrow.\n\n" + table(*folds)
        )
    yield "## Figures\n\n" + "\n\n".join(
        f"{title}\n\n![{title}]({name}.png)" for name, title in drawn.items()
    )
    yield counting_text()


def beside_text(rows):
    """Put the single figures of the papers beside ours."""
    body = [
        [one.figure, one.place, one.population, f"{one.paper:g}", f"{one.ours:.3g}"]
        for one in beside.compare(rows)
    ]
    head = ["figure", "paper, section", "ours is taken over", "paper", "ours"]
    return "## Figures of the text, over the same population\n\n" + table(head, body)


def table(head, body):
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def whole_tables(rows):
    """Say which tables are in with which methods, where it is not all of them."""
    parts = []
    for (k, method, most), group in rows[rows["search"] == "seq."].groupby(["k", "method", "a"]):
        has = sorted(set(group["table"]))
        missing = sorted(set(COLUMNS) - set(has))
        names = f", only {', '.join(has)}" if len(has) < len(missing) else f", without {', '.join(missing)}"
        folds = ", ".join(map(str, sorted(int(fold) for fold in group["fold"].unique())))
        parts.append(
            f"- {tables.TITLES[method]}, k = {k}, a up to {most}: fold {folds} of {N_FOLDS}; {len(has)} of "
            f"{len(COLUMNS)} tables{names if missing else ''}"
        )
    return "\n".join(parts)


def unproved_text(found):
    exact, open_ones = tables.unproved(found)
    text = f"Proved: {len(exact) - len(open_ones)} of {len(exact)} cases (k = 5)."
    if len(open_ones):
        worst = open_ones["gap"].max()
        body = open_ones.groupby(["table", "method", "search"]).size().reset_index().to_numpy().tolist()
        text += f" The largest gap of the others is {worst:.2%}:\n\n"
        text += table(["table", "method", "search", "cases"], body)
    return text


def ten_steps(rows):
    """Say how many steps of sequential search with k = 10 are proved, all ten alternatives."""
    steps = rows[(rows["k"] == 10) & (rows["search"] == "seq.") & (rows["method"] != "wrapper")]
    proved = steps["status"].isin(tables.PROVED).sum()
    return f"{proved} of {len(steps)} steps of sequential search with k = 10, up to ten alternatives"


def variance_text(rows):
    """Say how much of the variance within runs optimal min-aggregation removes, against sum."""
    runs = figures.complete_settings(rows[(rows["method"] == "model-gain") & (rows["k"] == 5)])
    if runs.empty:
        return ""
    values = figures.spread(runs, "q_train", "var").groupby("search")["value"].mean()
    shares = {s: 1 - values["sim. (min)"] / values[s] for s in ("seq.", "sim. (sum)", "bal.")}
    listed = ", ".join(f"{share:.0%} of that of {search}" for search, share in shares.items())
    return f"Of the mean variance of training quality within runs, optimal min-aggregation removes {listed}\n"


def counting_text():
    """Say what follows from the numbers of features alone, of all 30 tables."""
    cases = [(n, a, overlap) for n in COLUMNS.values() for a in range(1, 6) for overlap in range(5)]
    out = sum(counted_out(n, 5, a, overlap) for n, a, overlap in cases)
    fails = sum(heuristic_fails(n, 5, a, overlap) for n, a, overlap in cases)
    return (
        f"## What needs no run\n\nOf the {len(cases)} univariate cases with k = 5 (per fold), {out} "
        f"({out / len(cases):.2%}) have no solution, by counting (Table 3: 4.67 %), and the heuristics find "
        f"none in {fails} ({fails / len(cases):.2%}; Table 3: 9.20 %)."
    )
