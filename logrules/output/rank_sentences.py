"""How ranks differ, in sentences of both languages; lines that many ranks print alike, said once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from logrules.inference.evidence_lines import MAX_EVIDENCE
from logrules.model.event import rank_of_label
from logrules.model.late_pattern import late_pattern
from logrules.model.report import Comparison, Difference, DivergenceKind, Evidence, Text
from logrules.output.numbers import duration, other_ranks_said, ranks_said

_SAID: Mapping[DivergenceKind, Text] = {
    DivergenceKind.IDLE: Text(
        "{ranks}: completed all that it enqueued (#{seq}) and never entered collective #{theirs}, "
        "in which {others} wait",
        "{ranks}：已完成它提交的全部集合通信（#{seq}），没有进入 {others} 正在等待的 #{theirs}",
    ),
    DivergenceKind.LEFT: Text(
        "{ranks}: had done its work before {others} had come so far", "{ranks}：已完成工作，而 {others} 还没有"
    ),
    DivergenceKind.MISSED: Text(
        "{ranks}: never called collective #{seq} ({op}), in which {others} wait",
        "{ranks}：从未调用 {others} 正在等待的集合通信 #{seq}（{op}）",
    ),
    DivergenceKind.EXTRA: Text(
        "{ranks}: waits in collective #{seq} ({op}), which {others} never called",
        "{ranks}：在等集合通信 #{seq}（{op}），而 {others} 从未调用它",
    ),
    DivergenceKind.BEHIND: Text(
        "{ranks}: behind, waits in collective #{seq} ({op}), but {others} in #{theirs} ({their_op})",
        "{ranks}：落后，在等集合通信 #{seq}（{op}），而 {others} 在等 #{theirs}（{their_op}）",
    ),
    DivergenceKind.AHEAD: Text(
        "{ranks}: ahead, waits in collective #{seq} ({op}), but {others} in #{theirs} ({their_op})",
        "{ranks}：超前，在等集合通信 #{seq}（{op}），而 {others} 在等 #{theirs}（{their_op}）",
    ),
    DivergenceKind.OTHER_OPERATION: Text(
        "{ranks}: runs {op} as collective #{seq}, but {others} run {their_op}",
        "{ranks}：第 #{seq} 个集合通信是 {op}，而 {others} 是 {their_op}",
    ),
    DivergenceKind.OTHER_SIZE: Text(
        "{ranks}: gives {size} elements to collective #{seq} ({op}), but {others} give {their_size}",
        "{ranks}：集合通信 #{seq}（{op}）有 {size} 个元素，而 {others} 有 {their_size} 个",
    ),
    DivergenceKind.STEP_BEHIND: Text(
        "{ranks}: the last step is {step}, but that of {others} is {their_step}",
        "{ranks}：最后一步是 {step}，而 {others} 到了 {their_step}",
    ),
    DivergenceKind.FIRST_ERROR: Text(
        "{ranks}: the first to print an error, {before_s} s before any other",
        "{ranks}：最先报错，比其他 rank 早 {before_s} 秒",
    ),
    DivergenceKind.SAME_HOST: Text(
        "{host}: all failures are on this host ({ranks}); {others} elsewhere show none",
        "{host}：所有失败都在该主机上（{ranks}）；其他主机上的 {others} 没有失败",
    ),
    DivergenceKind.SLOW: Text(
        "{ranks}: takes {step_s} s a step, the others take {their_step_s} s",
        "{ranks}：每步 {step_s} 秒，其他为 {their_step_s} 秒",
    ),
}
_NOT_IN_WAIT = Text(
    "{ranks}: never came to the wait that {others} are in ({wait})", "{ranks}：没有到达 {others} 所在的等待（{wait}）"
)
_NOT_IN_COLLECTIVE = Text(
    "{ranks}: did not report; {others} wait in collective #{theirs} ({their_op})",
    "{ranks}：没有报告；{others} 在等集合通信 #{theirs}（{their_op}）",
)
_SEEN = Text("{seen} ranks seen", "看到 {seen} 个 rank")
_SEEN_OF = Text(
    "{seen} of {world} ranks seen; no line of {missing}", "看到 {world} 个 rank 中的 {seen} 个；没有 {missing} 的输出"
)
_ALL_SEEN = Text("{seen} of {world} ranks seen", "看到 {world} 个 rank 中的 {seen} 个")
_DECLINED = Text(
    "The time-outs of the ranks lie {spread} apart, more than the time-out itself ({timeout}): they are not of one "
    "hang, so no rank is named.",
    "各 rank 的超时相隔 {spread}，超过了超时本身（{timeout}）：它们不属于同一次卡住，因此不点名任何 rank。",
)
_SAME_OF = Text("the same of {ranks}", "{ranks} 相同")
_SAME_OF_SOME = Text("the same of {ranks} and perhaps others", "{ranks} 相同，可能还有其他 rank")
# What differs between lines that ranks print alike: clock readings, lengths of time, the rank itself.
_CLOCK = late_pattern(r"\d[\d:.,T-]{7,}")
_LENGTH = late_pattern(r"\b\d+(?:\.\d+)?(?= ?(?:ms|s|sec|seconds|milliseconds)\b)")
_RANK = late_pattern(r"(?i)(\brank[ =:]?|\[)\d+")


def coverage(comparison: Comparison, language: str) -> str:
    """How many of the job's ranks were seen: "6 of 8 ranks seen; no line of ranks 6-7"."""
    seen, world = len(comparison.seen), comparison.world
    if world is None:
        return _SEEN.of(language).format(seen=seen)
    missing = other_ranks_said(comparison.seen, world, language)
    if not missing:
        return _ALL_SEEN.of(language).format(seen=seen, world=world)
    return _SEEN_OF.of(language).format(seen=seen, world=world, missing=missing)


def declined(comparison: Comparison, language: str) -> str | None:
    """Why no rank is named, where that is so."""
    if comparison.spread_s is None or comparison.timeout_s is None:
        return None
    spread, timeout = duration(comparison.spread_s), duration(comparison.timeout_s)
    return _DECLINED.of(language).format(spread=spread, timeout=timeout)


def sentences(comparison: Comparison) -> Iterator[tuple[Text, tuple[Evidence, ...]]]:
    """Why nobody is named, then each difference with a line of either side, in both languages."""
    if comparison.spread_s is not None:
        yield Text.told(lambda language: declined(comparison, language) or ""), ()
    for one in comparison.differences:
        yield Text.told(partial(sentence, one)), one.evidence


def sentence(one: Difference, language: str) -> str:
    """In what some ranks are unlike the others."""
    others = ranks_said(one.others, language) if one.others else ""
    said = _text_of(one).of(language).format(ranks=ranks_said(one.ranks, language), others=others, **one.facts)
    return _closed_up(said, language)


def _closed_up(said: str, language: str) -> str:
    """Without the blank between a figure and a Chinese word where a bracket of full width, which has its own, is."""
    return said.replace("） ", "）") if language == "zh" else said


def _text_of(one: Difference) -> Text:
    if one.kind is DivergenceKind.NEVER_ARRIVED:
        return _NOT_IN_WAIT if "wait" in one.facts else _NOT_IN_COLLECTIVE
    return _SAID[one.kind]


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
    said = _SAME_OF_SOME if len(lines) >= MAX_EVIDENCE else _SAME_OF
    return _closed_up(said.of(language).format(ranks=ranks_said(ranks, language)), language)
