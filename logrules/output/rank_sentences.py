"""How ranks differ, in sentences of both languages; lines that many ranks print alike, said once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from logrules.inference.evidence_lines import MAX_EVIDENCE
from logrules.model.event import rank_of_label
from logrules.model.late_pattern import late_pattern
from logrules.model.report import Comparison, Difference, DivergenceKind, Evidence, Text
from logrules.output.numbers import duration, other_ranks_said, ranks_said
from logrules.ruleset.bounded_read import packaged_table

# What differs between lines that ranks print alike: clock readings, lengths of time, the rank itself.
_CLOCK = late_pattern(r"\d[\d:.,T-]{7,}")
_LENGTH = late_pattern(r"\b\d+(?:\.\d+)?(?= ?(?:ms|s|sec|seconds|milliseconds)\b)")
_RANK = late_pattern(r"(?i)(\brank[ =:]?|\[)\d+")


@cache
def _sentences() -> Mapping[str, Text]:
    """What *rank_sentences.toml* says, by kind of difference and by what else there is to say."""
    return {name: Text(**told) for name, told in packaged_table("logrules.output", "rank_sentences.toml").items()}


def _said(name: str, language: str, **facts: object) -> str:
    return _sentences()[name].of(language).format(**facts)


def coverage(comparison: Comparison, language: str) -> str:
    """How many of the job's ranks were seen: "6 of 8 ranks seen; no line of ranks 6-7"."""
    seen, world = len(comparison.seen), comparison.world
    if world is None:
        return _said("seen", language, seen=seen)
    missing = other_ranks_said(comparison.seen, world, language)
    if not missing:
        return _said("all-seen", language, seen=seen, world=world)
    return _said("seen-of", language, seen=seen, world=world, missing=missing)


def declined(comparison: Comparison, language: str) -> str | None:
    """Why no rank is named, where that is so."""
    if comparison.spread_s is None or comparison.timeout_s is None:
        return None
    spread, timeout = duration(comparison.spread_s), duration(comparison.timeout_s)
    return _said("declined", language, spread=spread, timeout=timeout)


def sentences(comparison: Comparison) -> Iterator[tuple[Text, tuple[Evidence, ...]]]:
    """Why nobody is named, then each difference with a line of either side, in both languages."""
    if comparison.spread_s is not None:
        yield Text.told(lambda language: declined(comparison, language) or ""), ()
    for one in comparison.differences:
        yield Text.told(partial(sentence, one)), one.evidence


def sentence(one: Difference, language: str) -> str:
    """In what some ranks are unlike the others."""
    others = ranks_said(one.others, language) if one.others else ""
    name: str = one.kind
    if one.kind is DivergenceKind.NEVER_ARRIVED:
        name = "not-in-wait" if "wait" in one.facts else "not-in-collective"
    said = _said(name, language, ranks=ranks_said(one.ranks, language), others=others, **one.facts)
    return _closed_up(said, language)


def _closed_up(said: str, language: str) -> str:
    """Without the blank between a figure and a Chinese word where a bracket of full width, which has its own, is."""
    return said.replace("） ", "）") if language == "zh" else said


def grouped(lines: Sequence[Evidence]) -> list[tuple[Evidence, tuple[int, ...]]]:
    """The lines, each kind once, in the order of their first; a line that no rank wrote stands for itself.

    With each come the further ranks that print the same but for clock readings and their own number.
    """
    groups: dict[object, list[Evidence]] = {}
    for place, line in enumerate(lines):
        by_rank = rank_of_label(line.worker) is not None
        alike = _CLOCK.sub("", _RANK.sub(r"\1", _LENGTH.sub("", line.text))) if by_rank else place
        groups.setdefault(alike, []).append(line)
    return [(first, _others(first, rest)) for first, *rest in groups.values()]


def _others(first: Evidence, rest: Iterable[Evidence]) -> tuple[int, ...]:
    return tuple(sorted({rank_of_label(line.worker) or 0 for line in rest} - {rank_of_label(first.worker)}))


def same_of(ranks: Sequence[int], language: str, lines: Sequence[Evidence] = ()) -> str:
    """Who else printed one of these lines; nothing where nobody did. No more ``lines`` are kept than evidence has."""
    if not ranks:
        return ""
    name = "same-of-some" if len(lines) >= MAX_EVIDENCE else "same-of"
    return _closed_up(_said(name, language, ranks=ranks_said(ranks, language)), language)
