"""Searches that take turns on one problem (`turns`), and a file per backend that is such: see their names."""

from pyfsel.backends.turns.packing_cpsat import PackingCpSat, PartitionPackingCpSat

__all__ = ["PackingCpSat", "PartitionPackingCpSat"]
