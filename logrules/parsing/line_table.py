"""The lines with hits of a window in columns of NumPy: where there are many, few are ever made into lines.

NumPy is needed: whoever asks for this module does without where it is not installed.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from logrules.model.stream import CONTINUED
from logrules.parsing.hit_line import MAX_SLICE_BYTES, HitLine, Stretch, parts_of
from logrules.parsing.hits import Hits
from logrules.parsing.window import Window

Column: TypeAlias = NDArray[np.int64]


class LineTable:
    """All lines with hits of a window, from the top; of very long ones the parts. A line is made when asked for.

    ``numbers`` are those of its rows within the window. Each pair of ``rows`` and ``entries`` is a hit: the row that it
    lies in, and the entry of the scanner.
    """

    def __init__(self, window: Window, found: Hits) -> None:
        self._window = window
        self._found = found
        self._marks = _marks(window.data)
        # Begin and end of the part, its first hit and that behind its last, begin, end and number of the whole line.
        self._columns = _in_parts(_lines(window.data, found), window, found)
        _, _, first, behind, _, _, self.numbers = self._columns
        hits = np.arange(len(found))
        rows = np.searchsorted(first, hits, side="right") - 1
        kept = hits < behind[rows]
        self.rows: Column = rows[kept]
        self.entries: Column = np.frombuffer(found.numbers, np.intc)[kept].astype(np.int64)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[HitLine]:
        return self.at(range(len(self)))

    def at(self, rows: Sequence[int] | Column) -> Iterator[HitLine]:
        """The lines of some rows."""
        columns = self._columns[:, rows]
        continued = np.searchsorted(self._marks, columns[4], side="right").tolist()
        for row, marks in zip(columns.T.tolist(), continued, strict=True):
            start, end, first, behind, line_start, line_end, number = row
            part = Stretch(start, end, first, behind, tuple(dict.fromkeys(self._found.numbers[first:behind])))
            yield HitLine(self._window, self._found, part, line_start, line_end, number, marks)


def _lines(data: bytes, found: Hits) -> Column:
    """The columns of the lines with hits, each in one part."""
    newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    borders = np.concatenate(([-1], newlines, [len(data)]))
    # A hit ends behind its last byte, which is in its line.
    line_of_hit = np.searchsorted(newlines, np.frombuffer(found.ends, np.int64) - 1)
    first = np.flatnonzero(np.diff(line_of_hit, prepend=-1))
    behind = np.append(first, len(found))[1:]
    numbers = line_of_hit[first]
    start, end = borders[numbers] + 1, borders[numbers + 1]
    return np.stack((start, end, first, behind, start, end, numbers))


def _in_parts(lines: Column, window: Window, found: Hits) -> Column:
    """The same with the parts of very long lines in their places, of which there is room for few in a window."""
    is_long = lines[1] - lines[0] > MAX_SLICE_BYTES
    if not is_long.any():
        return lines
    parts = [
        (*line.part[:4], line.start, line.end, line.number)
        for start, end, first, behind, _, _, number in lines[:, is_long].T.tolist()
        for line in parts_of(window, Stretch(start, end, first, behind, ()), found, number, 0)
    ]
    mixed = np.concatenate((lines[:, ~is_long], np.array(parts, np.int64).T), axis=1)
    return mixed[:, np.argsort(mixed[2])]


def _marks(data: bytes) -> Column:
    """Where the marks of lines stand that are none of the file."""
    if CONTINUED[:1] not in data:
        return np.empty(0, np.int64)
    one, other = CONTINUED
    text = np.frombuffer(data, np.uint8)
    return np.flatnonzero((text[:-1] == one) & (text[1:] == other))
