"""Searches that take turns on one problem (`turns`), and the backends that are such."""

from pyfsel.backends.turns.columns_cpsat import ColumnsCpSat
from pyfsel.backends.turns.packing_cpsat import PackingCpSat
from pyfsel.backends.turns.partition_packing_cpsat import PartitionPackingCpSat

__all__ = ["ColumnsCpSat", "PackingCpSat", "PartitionPackingCpSat"]
