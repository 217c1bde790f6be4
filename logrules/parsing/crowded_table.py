"""What is read of a window in columns of a crowded log: the same as line by line, by a few sorts."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from logrules.parsing.entry_roles import TRACE_GAP_LINES, EntryRoles
from logrules.parsing.hit_line import HitLine
from logrules.parsing.line_table import Column, LineTable


def rows_read(
    table: LineTable,
    roles: EntryRoles,
    times: Counter[int],
    is_news: Callable[[HitLine], bool],
    closing: Collection[int],
) -> list[int]:
    """The rows of the table that are read; ``closing`` are those whose last answer is.

    ``times`` counts the answers of each who asks so far, and goes on counting.
    """
    read = np.zeros(len(table), bool)
    rows, askers = _answers(table, roles.askers)
    asking, first, counts = np.unique(askers, return_index=True, return_counts=True)
    before = np.array([times[one] for one in asking.tolist()], np.int64)
    nth = np.arange(len(rows)) + np.repeat(before + 1 - first, counts)
    read[rows[nth & (nth - 1) == 0]] = True
    read[rows[first + counts - 1][_among(asking, closing)]] = True
    times.update(dict(zip(asking.tolist(), counts.tolist(), strict=True)))
    naming = _rows_with(table, roles.exceptions | roles.below)
    read[naming] |= np.fromiter(map(is_news, table.at(naming)), bool)
    return np.flatnonzero(_whole_runs(read, table, _rows_with(table, roles.of_traces))).tolist()


def _answers(table: LineTable, askers: Sequence[int]) -> tuple[Column, Column]:
    """Each row in which an asker is answered, and the asker: by askers, then by rows."""
    asking = np.asarray(askers, np.int64)[table.entries] if askers else table.entries
    size = len(table)
    return divmod(np.unique(asking * size + table.rows), size)[::-1]


def _whole_runs(read: NDArray[np.bool_], table: LineTable, of_traces: Column) -> NDArray[np.bool_]:
    """The rows that are read, and those of tracebacks that stand close together with one of them."""
    apart = np.diff(table.numbers[of_traces], prepend=-np.inf) > TRACE_GAP_LINES
    runs = np.cumsum(apart)
    whole = read.copy()
    whole[of_traces] = (np.bincount(runs, read[of_traces]) > 0)[runs]
    return whole


def _rows_with(table: LineTable, entries: Collection[int]) -> Column:
    """The rows that carry one of these entries."""
    return np.unique(table.rows[_among(table.entries, entries)])


def _among(values: Column, wanted: Collection[int]) -> NDArray[np.bool_]:
    return np.isin(values, np.fromiter(wanted, np.int64))
