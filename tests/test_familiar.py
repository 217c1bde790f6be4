"""Lines that a big log repeats for ever are read ever more seldom, and those that need their neighbours always."""

from itertools import pairwise

from logrules.parsing.deduplication import FAMILIAR_LINES, RepeatFilter
from logrules.parsing.hit_lines import Found, HitLine


def line(number: int, *entries: int) -> HitLine:
    return HitLine(number, 0, b"", tuple((0, entry) for entry in entries), b"", 0, 0)


def read(familiar: RepeatFilter, lines: list[HitLine]) -> list[int]:
    return [kept.number for kept in familiar.thinned(Found("log", tuple(lines), len(lines), unfinished=False)).lines]


def test_the_first_of_a_kind_are_all_read_and_then_ever_fewer():
    kept = read(RepeatFilter(frozenset()), [line(number, 5) for number in range(1, 100_001)])
    assert kept[:FAMILIAR_LINES] == list(range(1, FAMILIAR_LINES + 1))
    apart = [later - earlier for earlier, later in pairwise(kept[FAMILIAR_LINES:])]
    assert apart == sorted(apart)
    assert len(kept) < 4 * FAMILIAR_LINES


def test_between_two_powers_of_two_one_is_always_read():
    kept = read(RepeatFilter(frozenset()), [line(number, 5) for number in range(1, 70_001)])
    assert all(any(power < number <= 2 * power for number in kept) for power in (2**bits for bits in range(16)))


def test_a_kind_is_the_set_of_its_literals():
    familiar = RepeatFilter(frozenset())
    read(familiar, [line(number, 5) for number in range(2 * FAMILIAR_LINES)])
    assert read(familiar, [line(0, 5, 6), line(1, 6)]) == [0, 1]


def test_lines_that_need_their_neighbours_are_always_read():
    familiar = RepeatFilter(frozenset({9}))
    many = [line(number, 5, 9) for number in range(2 * FAMILIAR_LINES)]
    assert len(read(familiar, many)) == len(many)


def test_how_lines_fall_into_windows_does_not_matter():
    lines = [line(number, number % 2) for number in range(4 * FAMILIAR_LINES)]
    whole = read(RepeatFilter(frozenset()), lines)
    pieces = RepeatFilter(frozenset())
    assert [number for at in range(0, len(lines), 100) for number in read(pieces, lines[at : at + 100])] == whole
