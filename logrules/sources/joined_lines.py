"""Lines of a copied log put together: cut where a window was too narrow, or set apart by blank lines.

Only where the log proves it: many lines end at one width and none is wider, every line has a blank one below it.
A line that was put together ends with a mark for each further line that it stands for.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from logrules.model.late_pattern import late_pattern
from logrules.model.stream import JOINED

# Blocks of whole lines in, blocks of whole lines out. A line may stand for several of the file.
Join = Callable[[Iterator[bytes]], Iterator[bytes]]
_FEWEST_LINES = 6
_APART_SHARE = 0.95
# No window is narrower. So many lines end at the width at least, of so many kinds, and three times as many as at any
# width a little narrower. Fewer are enough where most lines begin as loggers begin theirs, and none of those below the
# widest does.
_NARROWEST, _NARROWER, _TIMES_NARROWER = 60, 6, 3
_FEWEST_FULL, _FEWEST_KINDS, _KIND_CHARS = 6, 4, 8
_FEWEST_HEADED, _HEADED_SHARE = 3, 0.5
_HEAD = late_pattern(r"[\[(]|.*\d")
# Of the borders, how many lie within a word or a path.
_TORN_SHARE = 0.3
_TORN = late_pattern(r"[\w/-]")
_DIGITS = late_pattern(r"\d+")
# Frames and rules are drawn to the width; what a console sets flush right ends there too, and so does padding.
_DRAWN = late_pattern(r"[|+=*#─━│┃╮╯╗╝┐┘┤╡~-]$|  $|\s\S{1,60}\.(?:py|cpp|cc|cu|h|go|rs):\d{1,6}$")
_RULE = late_pattern(rb"([^\w\s])\1{3}\Z")
# What never ends cannot fill the memory, and no more of one line is ever looked at.
_MOST_BYTES = 32_768

# What the line becomes that stands above (as far as it was put together, and its last part) with the one below; None
# where that is a line of its own.
_Together = Callable[[bytes, bytes, bytes], bytes | None]


def join_of(head: bytes) -> Join | None:
    """What puts the lines of a log together that begins so; None where they are as they were written."""
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")[:-1]]
    if len(lines) < _FEWEST_LINES:
        return None
    if _are_apart(lines):
        # The blank line below one with text goes.
        return partial(
            _put_together, together=lambda whole, last, below: whole if last.strip() and not below.strip() else None
        )
    width = _width_of([line.decode(errors="replace") for line in lines])
    return partial(_put_together, together=partial(_unwrapped, width)) if width else None


def _put_together(blocks: Iterator[bytes], together: _Together) -> Iterator[bytes]:
    """Blocks of whole lines; the last line of each is held until it is known what stands below it."""
    whole: bytes | None = None
    last, count = b"", 0
    for block in blocks:
        done: list[bytes] = []
        *lines, rest = block.split(b"\n")
        for line in lines:
            one = together(whole, last, line) if whole is not None and len(whole) < _MOST_BYTES else None
            if one is not None:
                whole, count = one, count + 1
            else:
                if whole is not None:
                    done.append(_marked(whole, count))
                whole, count = line, 0
            last = line
        if rest:  # a line without an end, or a piece of one that is too long to be held
            if whole is not None:
                done.append(_marked(whole, count))
            done.append(rest)
            whole = None
        yield b"".join(done)
    if whole is not None:
        yield _marked(whole, count)


def _marked(whole: bytes, count: int) -> bytes:
    """A line that stands for ``count`` more; what two lines make together where they meet is no mark."""
    return whole.replace(JOINED, b"") + JOINED * count + b"\n"


def _are_apart(lines: Sequence[bytes]) -> bool:
    """Whether there is a blank line below each."""
    below = [under for line, under in pairwise(lines) if line.strip()]
    blank = sum(not line.strip() for line in below)
    return 2 * len(below) >= _FEWEST_LINES and blank >= _APART_SHARE * len(below)


def _width_of(lines: Sequence[str]) -> int:
    """At how many characters the lines were cut; 0 where nothing proves that they were."""
    width = max(map(len, lines))
    if width < _NARROWEST:
        return 0
    borders = [
        (line, below) for line, below in pairwise(lines) if len(line) == width and below and not _DRAWN.search(line)
    ]
    narrower = Counter(len(line) for line in lines if width - _NARROWER <= len(line) < width)
    torn = sum(_TORN.match(line[-1]) is not None and _TORN.match(below) is not None for line, below in borders)
    if (
        len(borders) < _FEWEST_HEADED
        or len(borders) < _TIMES_NARROWER * max(narrower.values(), default=0)
        or torn < _TORN_SHARE * len(borders)
    ):
        return 0
    vary = len(borders) >= _FEWEST_FULL and len({_opening(line) for line, _ in borders}) >= _FEWEST_KINDS
    return width if vary or _are_headed(lines, width) else 0


def _are_headed(lines: Sequence[str], width: int) -> bool:
    """Whether all lines begin as loggers begin theirs but those below the widest."""
    below = [_opening(line) for above, line in pairwise(lines) if len(above) == width and line]
    begun = Counter(
        _opening(line) for above, line in zip(("", *lines), lines, strict=False) if len(above) < width and line
    )
    head, count = begun.most_common(1)[0]
    return (
        len(below) >= _FEWEST_HEADED <= count >= _HEADED_SHARE * begun.total()
        and _HEAD.match(head) is not None
        and not begun.keys() & set(below)
    )


def _opening(line: str) -> str:
    return _DIGITS.sub("0", line[:_KIND_CHARS])


def _unwrapped(width: int, whole: bytes, last: bytes, below: bytes) -> bytes | None:
    bare = last.rstrip(b"\r")
    if len(bare) < width or (len(bare) if bare.isascii() else len(bare.decode(errors="replace"))) != width:
        return None
    # A rule that was drawn to the width goes on in more of the same.
    if (rule := _RULE.search(bare)) and not below.startswith(rule[1]):
        return None
    return whole.rstrip(b"\r") + below
