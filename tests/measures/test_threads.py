"""One thread for the libraries below, found once and again after imports."""

import sys

import threadpoolctl

from pyfsel.measures.arrays import one_thread


def n_threads():
    return {library["num_threads"] for library in threadpoolctl.threadpool_info()}


def test_libraries_have_one_thread_inside_only():
    import sklearn.tree  # noqa: F401  (loads BLAS and OpenMP)

    with threadpoolctl.threadpool_limits(limits=2):
        before = n_threads()
        with one_thread():
            assert n_threads() == {1}
        assert n_threads() == before != {1}


def test_libraries_are_looked_for_again_only_after_imports(monkeypatch):
    looked, whole = [], threadpoolctl.ThreadpoolController
    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", lambda: looked.append(None) or whole())
    for n_times, name in enumerate(("one_more_module", "and_another"), 1):
        monkeypatch.setitem(sys.modules, name, sys)
        for _ in range(3):
            with one_thread():
                pass
        assert len(looked) == n_times
