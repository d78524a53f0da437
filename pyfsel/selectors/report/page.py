"""The report as one HTML page without links to elsewhere; every text of the user is escaped."""

from __future__ import annotations

from html import escape
from importlib.metadata import version
from importlib.resources import files
from math import isfinite, isnan

from pyfsel.problem.objectives import OBJECTIVES
from pyfsel.problem.wording import number_of
from pyfsel.results.answer import Status
from pyfsel.results.copies import copies_text, loses_nothing
from pyfsel.results.display import (
    aligned,
    number_text,
    percent,
    shows_raw,
    side_constraint_texts,
    unit_text,
    unit_word,
)
from pyfsel.results.drawing import STOPS
from pyfsel.results.result import Result
from pyfsel.results.sampling import sampling_facts
from pyfsel.selectors.choose import Choice
from pyfsel.selectors.evaluation.result import ALL_FEATURES, VOTE, Evaluation
from pyfsel.selectors.report.figures import Dot, Interval, intervals, line_of_dots
from pyfsel.selectors.report.findings import MOST_RELATIVES, Findings, copy_groups_of

MOST_STABLE = 12  # features in the table of stability, a screenful


def page(found: Findings) -> str:
    """Return the page.

    Parameters
    ----------
    found : Findings

    Returns
    -------
    str
        HTML in UTF-8 that needs nothing else; light or dark as the reader's device, and printable.
    """
    style = files("pyfsel.selectors.report").joinpath("style.css").read_text(encoding="utf-8")
    sections = (
        _sets(found),
        _relatives(found),
        _trade_off(found),
        _held_out(found.evaluation),
        _how_many(found.choice),
        _stability(found.evaluation, len(found.result.sets)),
        _prices(found),
        _proof(found.result),
    )
    title = f"{_several(len(found.result.sets), 'feature set')} for {found.target or found.title}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escape(title)}</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"{_header(found, title)}{''.join(sections)}{_footer(found)}</main>\n</body>\n</html>\n"
    )


def _several(number: int, noun: str) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    count = words[number] if number < len(words) else str(number)
    return f"{count} {noun}{'' if number == 1 else 's'}"


def _header(found: Findings, title: str) -> str:
    result, problem = found.result, found.result.problem
    lead = f"Each of {problem.sizes_text} out of {problem.n_features} features"
    if problem.n_sets > 1:
        lead += f"; any two share at most {problem.max_overlap}"
    return (
        f'<header><p class="kicker">{escape(found.title)}</p><h1>{escape(title)}</h1>'
        f'<p class="lead">{escape(lead)}. {escape(_what_was_sought(result))}</p></header>\n{_tiles(found)}'
    )


def _what_was_sought(result: Result) -> str:
    if result.search == "sequential":
        return "The first is the best set; each further one the best that differs enough from those before."
    best = "sum" if result.problem.aggregate == "sum" else "worst set"
    return f"All were chosen together, so that their {best} is as good as possible."


def _tiles(found: Findings) -> str:
    result = found.result
    tiles = []
    if result.status is Status.OPTIMAL:
        stepwise = result.search == "sequential" and len(result.sets) > 1
        what = "each set is a best one given those before it" if stepwise else "no better sets exist"
        tiles.append(("good", "Proved", f"{what}, for these numbers and rules"))
    elif result.sets:
        gap = "unknown" if result.gap is None else f"at most {percent(result.gap)}"
        tiles.append(("warn", "Not proved", f"better sets may exist; still possible: {gap}"))
    else:
        tiles.append(("warn", "None", "no sets were found"))
    relative = [share for share in result.relative_qualities[1:] if not isnan(share)]
    if relative:
        tiles.append(
            (
                "",
                f"{100 * min(relative):.0f} %",
                "of the first set’s quality is what the weakest alternative keeps",
            )
        )
    if result.sets:
        used = len({j for members in result.sets for j in members})
        tiles.append(("", str(used), f"different features in {number_of(len(result.sets), 'set')}"))
    if found.evaluation is not None:
        rows = {row["set"]: row for row in found.evaluation.to_dict()["sets"]}
        best = max((row["score"] for name, row in rows.items() if name != ALL_FEATURES), default=None)
        if best is not None:
            name = found.evaluation.scoring.replace("_", " ")
            tiles.append(
                ("", f"{best:.3f}", f"best held-out {name}; all features: {rows[ALL_FEATURES]['score']:.3f}")
            )
    else:
        groups = copy_groups_of(found.relatives)
        copies = sum(len(group.members) for group in groups)
        tiles.append(("warn" if copies else "", str(copies), "of them are copies of each other"))
    items = "".join(
        f'<li class="{kind}"><b>{escape(big)}</b><span>{escape(text)}</span></li>'
        for kind, big, text in tiles
    )
    return f'<ul class="tiles">{items}</ul>\n'


def _sets(found: Findings) -> str:
    result, problem = found.result, found.result.problem
    if not result.sets:
        return _section("The sets", f"<p>{escape(result.message or 'No sets were found.')}</p>")
    strength = problem.quality_floats * problem.unit_factor
    union = sorted({j for s in result.sets for j in s}, key=lambda j: (-strength[j], j))
    most = max((abs(strength[j]) for j in union), default=0) or 1.0
    texts = dict(zip(union, aligned([float(strength[j]) for j in union], 3), strict=True))
    letters = {name: group.letter for group in copy_groups_of(found.relatives) for name, _ in group.members}
    by_chance = set() if problem.evidence is None else set(problem.evidence.not_above_chance(union).tolist())
    rows = []
    for j in union:
        name = problem.feature_names[j]
        held = [j in members for members in result.sets]
        mark = "mark shared" if sum(held) > 1 else "mark"
        badges = "".join(
            ([f'<span class="badge">copies {letters[name]}</span>'] if name in letters else [])
            + [f'<span class="badge good">or {escape(other)}</span>' for other in problem.copies_of(j)[:3]]
            + (['<span class="badge warn">forced</span>'] if j in problem.forced else [])
            + (['<span class="badge warn">no more than chance?</span>'] if j in by_chance else [])
        )
        cells = "".join(
            f'<td class="in"><span class="{mark}" role="img" aria-label="in set {i}"></span></td>'
            if inside
            else '<td class="in"><span class="none" aria-hidden="true"></span></td>'
            for i, inside in enumerate(held)
        )
        rows.append(
            f'<tr><th scope="row">{escape(name)} {badges}</th>{cells}'
            f'<td class="hide"><div class="bar">'
            f'<i style="--share:{100 * max(strength[j], 0) / most:.0f}%"></i>'
            f"<span>{texts[j]}</span></div></td></tr>"
        )
    heads = "".join(f'<th class="set" scope="col">set {i}</th>' for i in range(len(result.sets)))
    unit = unit_word(problem) or "quality"
    foot = _set_feet(result)
    table = (
        f'<div class="scroll"><table class="sets"><thead><tr><th scope="col">feature</th>{heads}'
        f'<th scope="col" class="hide">alone, {escape(unit)}</th></tr></thead><tbody>{"".join(rows)}</tbody>'
        f"<tfoot>{foot}</tfoot></table></div>"
    )
    meaning = unit_text(problem) if problem.quality_unit else f"{problem.objective} quality"
    marked = "“No more than chance?”: not shown to tell more than chance. " if by_chance else ""
    legend = (
        '<p class="legend"><span class="mark"></span> in one set only · '
        '<span class="mark shared"></span> shared by '
        f"several. Features of one letter are copies of each other. {marked}Quality: {escape(meaning)}.</p>"
    )
    intro = (
        "<p>One row for each feature that any set uses, the strongest first; the bar shows how "
        "much it tells by "
        "itself.</p>"
    )
    return _section("The sets side by side", intro + table + legend)


def _set_feet(result: Result) -> str:
    problem = result.problem
    rows = [("quality", aligned(result.qualities, 3))]
    if shows_raw(problem):
        rows.append((f"in {unit_word(problem)}", aligned(result.raw_qualities, 3)))
    if result.sampling is not None:
        rows.append(("±", [f"{problem.unit_factor * margin:.2g}" for margin in result.sampling.margins]))
    relative = ["–" if isnan(r) else f"{100 * r:.1f} %" for r in result.relative_qualities]
    rows.append(("relative to set 0", relative))
    if result.costs is not None:
        rows.append(("cost", [f"{cost:.10g}" for cost in result.costs]))
    return "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        f'{"".join(f"<td>{text}</td>" for text in texts)}<td class="hide"></td></tr>'
        for name, texts in rows
    )


def _relatives(found: Findings) -> str:
    if not found.result.sets or (not found.relatives and not found.result.problem.copies):
        return ""
    groups = "".join(
        f'<li><span class="badge">copies {group.letter}</span> '
        + ", ".join(
            f"<b>{escape(name)}</b> <small>({_in_sets(held_by)})</small>" for name, held_by in group.members
        )
        + "</li>"
        for group in copy_groups_of(found.relatives)
    )
    pairs = [pair for pair in found.relatives if not pair.is_copy]
    rows = "".join(
        f'<tr><th scope="row">{escape(pair.first)} <small>({_in_sets(pair.first_sets)})</small></th>'
        f'<th scope="row">{escape(pair.second)} <small>({_in_sets(pair.second_sets)})</small></th>'
        f'<td class="number">{pair.similarity:.2f}</td></tr>'
        for pair in pairs[:MOST_RELATIVES]
    )
    more = len(pairs) - MOST_RELATIVES
    below = f'<p class="legend">And {number_of(more, "more pair")}.</p>' if more > 0 else ""
    told = copies_text(found.result.problem, found.result.sets, found.result.near_copies)
    copies = told.partition(". copies=")[0]
    intro = (
        "<p>Sets that differ by name can still tell the same. Copies are nearly one column, in another unit "
        "or coding; relatives rise and fall together, 1 being a copy.</p>"
    )
    listed = f'<ul class="plain">{groups}</ul>' if groups else ""
    table = (
        '<div class="scroll"><table><thead><tr><th>feature</th><th>its relative</th>'
        f'<th class="number">alike</th></tr></thead><tbody>{rows}</tbody></table></div>'
        if rows
        else ""
    )
    said = f'<p class="legend">{escape(copies)}.</p>' if copies else ""
    return _section("Copies and close relatives", intro + listed + table + below + said)


def _in_sets(numbers: tuple[int, ...]) -> str:
    return f"set{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _trade_off(found: Findings) -> str:
    cells = [cell for cell in found.trade_off.cells if cell.is_complete] if found.trade_off else []
    cells = [cell for cell in cells if isfinite(cell.relative_quality)]
    if len(cells) < 2:
        return ""
    chosen = found.result.problem.max_overlap
    dots = [
        Dot(
            float(cell.taus[0]),
            cell.relative_quality,
            f"asked for: {cell.relative_quality:.0%}",
            cell.max_overlap == chosen,
        )
        for cell in cells
    ]
    smallest = "worst" if found.result.problem.aggregate == "min" else "average"
    figure = line_of_dots(
        dots,
        "how different any two sets must be (1: nothing shared)",
        f"{smallest} quality, relative to the best single set",
        "Quality against dissimilarity",
    )
    none = [cell for cell in found.trade_off.cells if not cell.is_complete] if found.trade_off else []
    beyond = (
        f'<p class="legend">Where no point is drawn, {len(found.result.sets)} such sets do not exist or '
        "were not found in time.</p>"
        if none
        else ""
    )
    intro = (
        "<p>Every point is a search of its own for as many sets. The steeper the line falls, the "
        "dearer it is to "
        "ask for more.</p>"
    )
    return _section("What being different costs", f"{intro}<figure>{figure}</figure>{beyond}")


def _held_out(evaluation: Evaluation | None) -> str:
    if evaluation is None:
        return ""
    told = [row for row in evaluation.to_dict()["sets"] if row["estimator"] == evaluation.estimators[0]]
    rows = [
        Interval(
            _named(row["set"]),
            row["score"],
            _or_nan(row["score_low"]),
            _or_nan(row["score_high"]),
            evaluation.scores_of(row["set"]),
            not row["set"].isdecimal(),
        )
        for row in told
    ]
    name = evaluation.scoring.replace("_", " ")
    figure = intervals(rows, f"{name} on rows that were not seen", "Held-out scores with intervals")
    cells = "".join(
        f'<tr><th scope="row">{escape(row.label)}</th><td class="number">{row.mean:.3f}</td>'
        f'<td class="number">{row.low:.3f} to {row.high:.3f}</td>'
        f"<td>{escape(data['compared'] or 'the others are compared with it')}</td></tr>"
        for row, data in zip(rows, told, strict=True)
    )
    dropped = f" ({evaluation.rows.n_dropped:,} with gaps are left out)" if evaluation.rows.n_dropped else ""
    intro = (
        f"<p>In each of {evaluation.n_folds} folds the sets were selected, and a model "
        f"({escape(evaluation.estimators[0])}) trained, on the other rows only; in all of them together "
        f"{evaluation.rows.n_rows:,} rows were held out{dropped}. “All sets vote” averages the models "
        "of all sets.</p>"
    )
    table = (
        f'<div class="scroll"><table><thead><tr><th></th><th class="number">mean {escape(name)}</th>'
        '<th class="number">95 % interval of the mean</th>'
        f"<th>on the same folds, compared with {escape(rows[0].label)}</th></tr></thead>"
        f"<tbody>{cells}</tbody></table></div>"
    )
    legend = (
        '<p class="legend">Small dots: folds. Line: interval of the mean. To tell two sets apart look at the '
        "last column: it compares fold by fold, which the lines do not, and counts that training rows "
        "overlap and how many sets are compared.</p>"
    )
    return _section("Do they predict?", f"{intro}<figure>{figure}</figure>{table}{legend}")


def _how_many(choice: Choice | None) -> str:
    if choice is None:
        return ""
    rows = [
        Interval(
            number_of(row["set_size"], "feature"),
            row["score"],
            _or_nan(row["score_low"]),
            _or_nan(row["score_high"]),
            choice.evaluation.scores_of(f"k={row['set_size']} 0"),
            row["set_size"] != choice.set_size,
        )
        for row in choice.to_dict()["sizes"]
    ]
    name = choice.evaluation.scoring.replace("_", " ")
    figure = intervals(rows, f"{name} on rows that were not seen", "Held-out scores by number of features")
    cells = "".join(
        f'<tr><th scope="row">{row.label}</th><td class="number">{row.mean:.3f}</td>'
        f'<td class="number">{row.low:.3f} to {row.high:.3f}</td></tr>'
        for row in rows
    )
    intro = f'<p><span class="said">Recommended: {escape(choice.recommendation)}.</span></p>'
    table = (
        f'<div class="scroll"><table><thead><tr><th></th><th class="number">mean {escape(name)}</th>'
        f'<th class="number">95 % interval of the mean</th></tr></thead><tbody>{cells}</tbody></table></div>'
    )
    return _section("How many features?", f"{intro}<figure>{figure}</figure>{table}")


def _named(name: str) -> str:
    return {ALL_FEATURES: "all features", VOTE: "all sets vote"}.get(
        name, f"set {name}" if name.isdecimal() else name
    )


def _or_nan(number: float | None) -> float:
    return float("nan") if number is None else number


def _stability(evaluation: Evaluation | None, n_sets: int) -> str:
    if evaluation is None:
        return ""
    names = [name for name in evaluation.set_names if name.isdecimal()]
    selections = {name: evaluation.selections_of(name) for name in names}
    counts = {
        name: [
            sum(j in members for members in found) / len(found) for j in range(len(evaluation.feature_names))
        ]
        for name, found in selections.items()
    }
    often = sorted(
        range(len(evaluation.feature_names)), key=lambda j: (-max(counts[name][j] for name in names), j)
    )
    often = [j for j in often if max(counts[name][j] for name in names) > 0]
    rows = "".join(
        f'<tr><th scope="row">{escape(evaluation.feature_names[j])}</th>'
        + "".join(
            f'<td class="heat" style="--cell:{60 * counts[name][j]:.0f}%">'
            f"{f'{100 * counts[name][j]:.0f} %' if counts[name][j] else ''}</td>"
            for name in names
        )
        + "</tr>"
        for j in often[:MOST_STABLE]
    )
    stable = {row["set"]: row["stability"] for row in evaluation.to_dict()["sets"]}
    feet = "".join(f"<td>{'–' if stable[name] is None else f'{stable[name]:.2f}'}</td>" for name in names)
    heads = "".join(f'<th class="set" scope="col">set {escape(name)}</th>' for name in names)
    more = len(often) - MOST_STABLE
    below = f" {more} more features were selected less often." if more > 0 else ""
    intro = "<p>If the rows had been slightly others: in how many of the folds was a feature selected?</p>"
    table = (
        f'<div class="scroll"><table class="sets"><thead><tr><th scope="col">feature</th>{heads}</tr></thead>'
        f'<tbody>{rows}</tbody><tfoot><tr><th scope="row">stability</th>{feet}</tr></tfoot></table></div>'
    )
    legend = (
        '<p class="legend">Stability: 1 if all folds select the same, about 0 if by chance '
        "(Nogueira et al. 2018)."
        f"{below}</p>"
    )
    return _section("Would it come out again?", intro + table + legend)


def _prices(found: Findings) -> str:
    result = found.result
    texts = side_constraint_texts(result.problem)
    if not texts or result.objective is None:
        return ""
    items = "".join(f"<li>Each set {escape(text)}.</li>" for text in texts)
    rows = "".join(
        f"<li>Without {escape(price.constraint)}: {number_text(price.objective)} instead of "
        f'{number_text(result.objective)}, <span class="said">'
        f"{_gain(price.objective, result.objective)}</span>"
        f"{'' if price.is_proved else ' (at least; not proved to be the best)'}.</li>"
        for price in found.prices
    )
    intro = "<p>What the sets had to satisfy, and how much quality each rule takes away.</p>"
    return _section("What the rules cost", f'{intro}<ul class="plain">{items}{rows}</ul>')


def _gain(without: float, objective: float) -> str:
    if objective <= 0 or abs(without - objective) < 1e-9 * abs(objective):
        return "it costs nothing" if without <= objective else f"it costs {number_text(without - objective)}"
    return f"it costs {percent((without - objective) / without)}"


def _proof(result: Result) -> str:
    problem = result.problem
    items = []
    if result.status is Status.OPTIMAL:
        items.append(
            '<span class="said">Optimal.</span> A search that leaves nothing out has shown that '
            + (
                "each set is a best one given those before it."
                if result.search == "sequential" and len(result.sets) > 1
                else "no others are better."
            )
        )
    elif result.status is Status.INFEASIBLE:
        items.append('<span class="said">There are none.</span> It is proved that no sets satisfy all rules.')
    elif result.sets:
        stop = STOPS[result.stop_reason]
        items.append(
            f'<span class="said">Not proved.</span> Better sets may exist{"; " + stop if stop else ""}.'
        )
    else:
        items.append('<span class="said">Nothing was found,</span> and nothing is proved.')
    if result.bound is not None and result.objective is not None:
        items.append(
            f"The {'sum' if problem.aggregate == 'sum' else 'smallest'} of the qualities is "
            f"{number_text(result.objective)}; more than {number_text(result.bound)} is impossible."
        )
    if problem.copies and result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        more = ", which loses nothing here" if loses_nothing(problem) else ""
        items.append(f"It is proved among one representative of each group of copies{more}.")
    elif result.status in (Status.OPTIMAL, Status.INFEASIBLE):
        items.append("It is proved among all columns as they are: copies count as different features.")
    if result.certificate is not None:
        items.append(f"What others can check without pyfsel: {escape(str(result.certificate))}.")
    if result.confirmation is not None:
        items.append(f"A second, independent proof: {escape(str(result.confirmation))}.")
    for name, text in sampling_facts(problem, result.sets, result.sampling):
        items.append(f"{name.capitalize()}: {escape(text)}.")
    items.append(
        "Every set was checked again by a program that knows nothing of how it was found, and its quality "
        "computed anew."
    )
    items.append(
        "All this is about the numbers in this table. They are estimates from a sample: what is "
        "best here need "
        "not be the cause of anything, and held-out scores tell how well the sets predict."
    )
    listed = "".join(f"<li>{item}</li>" for item in items)
    return _section("What is proved", f'<ul class="plain">{listed}</ul>')


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{content}\n</section>\n"


def _footer(found: Findings) -> str:
    result = found.result
    objective = OBJECTIVES[result.problem.objective].title
    missing = f" Left out: {escape('; '.join(found.missing))}." if found.missing else ""
    rule = f" {escape(found.overlap_rule)}." if found.overlap_rule else ""
    return (
        f"<footer><p>{escape(found.described)}; {escape(objective)}, {escape(result.search)} search by "
        f"<code>{escape(result.backend)}</code> in {result.runtime:.1f} s.{rule}{missing} Made by pyfsel "
        f"{escape(version('pyfsel'))}.</p></footer>\n"
    )
