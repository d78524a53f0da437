"""How results look in terminals and notebooks."""

import io
from html.parser import HTMLParser

import pytest
from rich.cells import cell_len
from rich.console import Console

from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.display import aligned, plain_text
from pyfsel.solving.solve import solve

Q = [9, 8, 7, 3, 2, 1]


def solved(search="simultaneous", **changes):
    arguments = {"k": 2, "n_alternatives": 2, "max_overlap": 1} | changes
    return solve(make_instance(arguments.pop("quality", Q), **arguments), "brute-force", search)


def test_the_table_names_everything():
    text = str(solved(feature_names=["age", "height", "weight", "pulse", "iron", "sodium"]))
    rows = [line.split() for line in text.splitlines()]
    assert ["0", "17", "100.0", "%", "age,", "height"] in rows
    assert ["1", "16", "94.1", "%", "1", "age,", "weight"] in rows
    assert ["2", "15", "88.2", "%", "1", "1", "height,", "weight"] in rows
    lines = [line for line in text.split("\n\n")[1].splitlines() if line[0] != " "]
    facts = dict(line.split(maxsplit=1) for line in lines)
    assert facts["status"].startswith(
        "OPTIMAL  Proved jointly: no 3 sets of 2 features that differ enough have"
    )
    assert facts["objective"] == "48, the sum of the univariate qualities"
    assert facts["asked"] == "3 sets of 2 out of 6 features, any two share at most 1"
    assert facts["search"].startswith("simultaneous by brute-force, ")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_names_fit_and_are_not_broken_inside(width):
    names = [f"rather long, no. {j}" for j in range(5)] + ["y" * 150]
    result = solved(feature_names=names, k=3, max_overlap=2)
    lines = plain_text(result.table(), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    for name in result.feature_sets[0]:
        assert any(name in line for line in lines)


def test_names_are_not_taken_as_markup():
    names = ["[bold]a[/bold]", "[/]", "[link=x]", "d", "e", "f"]
    assert "[bold]a[/bold], [/]" in str(solved(feature_names=names))


def test_html_is_escaped_and_well_formed():
    names = ["<script>alert(1)</script>", "a & b", '"q"', "d", "e", "f"]
    html = solved(feature_names=names)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert solved(feature_names=names)._repr_html_().startswith("<div>")
    open_tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag != "br":
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Reader().feed(html)
    assert open_tags == []


def test_infeasible_and_short_sequences_say_so():
    assert "INFEASIBLE  Proved: 3 such sets do not exist." in str(solved(k=4))
    text = " ".join(str(solved("sequential", k=3, max_overlap=0)).split())
    assert "status FEWER Proved for each set: no set of 3 features" in text
    assert "No further set exists beside these 2." in text
    assert "INFEASIBLE" in solved(k=4)._repr_html_()


def test_odd_qualities_and_many_sets():
    text = str(solved(quality=[0.0] * 6))
    assert "nan" not in text
    assert "–" in text
    many = Instance(quality=[5, 4, 3, 2], n_sets=10, set_size=1, max_overlap=1)
    head = str(solve(many, "brute-force", search="simultaneous")).splitlines()[:2]
    assert head[0].split() == ["most"]
    assert "shared" in head[1].split()
    alone = str(solved(n_alternatives=0))
    assert "the univariate quality of the set" in alone


def test_previous_sets_count_as_shared():
    result = solved(n_alternatives=0, previous_sets=[[0, 5]])
    assert "most" in str(result).splitlines()[0]
    assert "1 set of 2 out of 6 features, shares with the known set at most 1" in str(result)
    two = solved(n_alternatives=0, previous_sets=[[0, 5], [1, 4]])
    assert "shares with each of 2 known sets at most 1" in str(two)


def test_names_with_commas_are_in_quotes():
    names = ["a, b", "c", "d", "e", "f", "g"]
    result = solved(feature_names=names, forced=["a, b"])
    assert '"a, b", c' in str(result)
    assert 'holds "a, b"' in str(result)
    assert "&quot;a, b&quot;, c" in result._repr_html_()


def test_overlaps_of_two_digits_stay_aligned():
    problem = Instance(quality=list(range(30, 0, -1)), n_sets=3, set_size=12, max_overlap=11)
    lines = str(solve(problem, "greedy-replacement", search="simultaneous")).splitlines()
    assert len({line.index("x0") for line in lines if "x0," in line}) == 1


def test_aligned_numbers():
    assert aligned([1e-12, 5e-13]) == ["1.0000e-12", "5.0000e-13"]
    assert aligned([123456.7, 1.0]) == ["123457", "1"]
    assert aligned([0, -3]) == ["0", "-3"]
    assert aligned([]) == []


def test_colours_only_where_they_are_wanted():
    plain, coloured = io.StringIO(), io.StringIO()
    Console(file=plain).print(solved().table())
    Console(file=coloured, force_terminal=True, color_system="truecolor").print(solved().table())
    assert "\x1b[" not in plain.getvalue()
    assert "\x1b[32mOPTIMAL" in coloured.getvalue()


def test_one_set_alone_has_nothing_to_share():
    problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=1, set_size=2, max_overlap=2)
    assert "1 set of 2 out of 6 features\n" in str(solve(problem, "brute-force", search="simultaneous"))
