"""When the core is compiled, with what, and what is said where that cannot be."""

import os
import subprocess

import pytest

from pyfsel.core import building
from pyfsel.core.building import NoCompilerError, compile_library, current_library, system_compiler


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A checkout of one source, never compiled."""
    (tmp_path / "one.c").write_text("int one(void) { return 1; }\n")
    monkeypatch.delenv("PYFSEL_CORE_LIBRARY", raising=False)
    monkeypatch.setattr(building, "SOURCES", tmp_path)
    monkeypatch.setattr(building, "LIBRARY", tmp_path / building.LIBRARY.name)
    return tmp_path


@pytest.mark.parametrize("name", ["one.c", "new.h"])
def test_it_is_compiled_where_a_source_or_a_header_is_newer(copied, name):
    library = current_library()
    first = library.stat().st_mtime_ns
    assert current_library().stat().st_mtime_ns == first
    (copied / name).touch()
    os.utime(library, (1, 1))
    assert current_library().stat().st_mtime_ns >= first
    assert not list(copied.glob(".building-*"))


def test_an_installed_library_without_sources_stays(copied):
    library = current_library()
    (copied / "one.c").unlink()
    assert current_library() == library


def test_a_source_with_an_error_leaves_the_library_as_it_was(copied):
    before = current_library().read_bytes()
    (copied / "one.c").write_text("int one(void) { return }\n")
    with pytest.raises(subprocess.CalledProcessError):
        compile_library(building.LIBRARY)
    assert building.LIBRARY.read_bytes() == before


def test_the_compiler_that_is_named_comes_first(monkeypatch):
    monkeypatch.setenv("CC", "ccache 'my cc' -m64")
    assert system_compiler() == ["ccache", "my cc", "-m64"]


def test_without_a_compiler_the_remedy_is_said(copied, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(copied))
    monkeypatch.setattr(building, "find_spec", lambda name: None)
    with pytest.raises(NoCompilerError, match=r"apt-get install gcc.*pip install ziglang=="):
        current_library()
