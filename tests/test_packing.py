"""Candidate packing."""

from hypothesis import given, settings
from small_problems import assert_agrees, problems

from pyfsel.backends.packing import Packing


@settings(max_examples=300, deadline=None, derandomize=True)
@given(problems())
def test_agrees_with_brute_force(problem):
    assert_agrees(Packing(), problem)
