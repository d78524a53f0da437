"""Instance files are read as they are written, or refused, in JSON and as MiniZinc data alike."""

import json

import pytest

FIELDS = {"forced": [5], "quality": [9, 8, 7, 3, 2, 1], "n_sets": 2, "k": 2, "max_shared": 1}
OBJECTIVE = 19
"""With feature 5 in both sets; it is 33 without."""
MODEL = """include "simultaneous_sum_literal.mzn"; int: cap; array[int] of string: ids; float: penalty;
constraint penalty <= 1; constraint sum(selected) <= cap; % labels "notes"
output ["names"];"""


def as_json(fields):
    return json.dumps({"format": "pyfsel-problem 2", **fields})


FORMATS = {
    "json": as_json,
    "dzn": lambda fields: "".join(
        f"{name} = {json.dumps(value)}; % as written\n" for name, value in fields.items()
    ),
}


@pytest.fixture(params=FORMATS)
def written(request, tmp_path):
    """Return a function that writes fields, with text before and after them, and returns the path."""

    def write(fields, before="", after=""):
        path = tmp_path / f"instance.{request.param}"
        text = FORMATS[request.param](fields)
        twice = text.rstrip()[:-1] + f", {after}}}" if request.param == "json" else f"{text}{after}"
        path.write_text(before + (twice if after else text), "utf-8")
        return path

    write.format = request.param
    return write


@pytest.mark.parametrize("before", ["", "\ufeff", "\ufeff\n", "\r\n"])
def test_a_byte_order_mark_hides_nothing(written, run, before):
    printed = run(f"solve {written(FIELDS, before)} --format json", 0).data
    assert printed["found"]["objective"] == OBJECTIVE


@pytest.mark.parametrize("name", ["k", "forced", "quality"])
def test_a_name_that_is_given_twice_is_refused(written, run, name):
    again = f'"{name}": 1' if written.format == "json" else f"{name} = 1;"
    assert f"{name}: is given twice" in run(f"solve {written(FIELDS, after=again)}", 2).err


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("forbiden", "Did you mean 'forbidden'?"),
        ("Forced", "Did you mean 'forced'?"),
        ("setsize", "Did you mean 'k'?"),
        ("max_overlap", "Did you mean 'max_shared'?"),
        ("zzz", "unknown name. Your own"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "solve --solver", "export"])
def test_an_unknown_name_is_refused(written, run, tmp_path, name, meant, command):
    model = tmp_path / "own.mzn"
    model.write_text(MODEL)
    options = {"solve": [], "solve --solver": ["--solver", model], "export": [tmp_path / "x.opb"]}[command]
    code, printed, told = run([command.split()[0], written({**FIELDS, name: [0]}), *options])
    assert (code, printed) == (2, "")
    assert f"{name}: unknown name." in told
    assert meant in told


def test_a_model_may_use_further_names(written, run, tmp_path):
    model, more = tmp_path / "own.mzn", tmp_path / "more.json"
    model.write_text(MODEL)
    more.write_text('\ufeff{"penalty": 1e-5, "ids": ["4915123456789"]}', "utf-8")
    path = written({**FIELDS, "cap": 4})
    found = run(f"solve {path} --solver {model} --data {more} --format json", 0).data["found"]
    assert found["model_claim"]["objective"] == OBJECTIVE


@pytest.mark.parametrize(
    ("more", "told"),
    {
        '{"labels": 1}': "labels: unknown name",
        '{"notes": 1}': "notes: unknown name",
        '{"names": 1}': "names: unknown name",
        '{"group": 1}': "group: unknown name",
        '{"per_feature": 1}': "per_feature: unknown name",
        '{"cap": 4, "cap": 3}': "cap: is given twice",
        '{"cap": 4294967296}': "beyond 32 bits",
        '{"cap": Infinity}': "must be a finite number",
        "[4]": "must be an object",
    }.items(),
)
def test_further_data_are_read_as_strictly(run, tmp_path, more, told):
    instance, model, data = (tmp_path / name for name in ("i.json", "own.mzn", "more.json"))
    instance.write_text(as_json({**FIELDS, "ids": ["a"], "penalty": 0.5}))
    model.write_text(MODEL)
    data.write_text(more)
    code, printed, error = run(f"solve {instance} --solver {model} --data {data}")
    assert (code, printed) == (2, "")
    assert told in error
    assert f"{data}: " in error or "32 bits" in error  # which MiniZinc alone says
