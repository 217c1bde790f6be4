"""What the log says for the slots of a card: what its lines captured, whose code raised, how many ranks spoke."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from math import floor, gcd, prod
from types import MappingProxyType

from logrules.inference.culprit import Culprits
from logrules.inference.failure_analysis import captures_of, places_of
from logrules.inference.failures import Failures
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.run_state import RunState
from logrules.inference.wording import sentences
from logrules.model.report import Evidence
from logrules.ruleset.name_tables import Derivation, DerivedNumber, OtherName, ToldName
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import bounded, folded, may_hold

# A message that goes on further is a dump.
_MESSAGE_LINES = 12

# The first line of a diagnosis with its neighbour, which a report quotes.
_QUOTED_LINES = 2

# What a log may tell of a diagnosis of any rule, and of a command that is watched its process.
_OF_RANKS = ("several", "suspects", "suspect_host", "all_waiting")
_OF_PLACES = ("own_place", "library_place", "calling_place", "raising_library", "only_library")
OF_ANY_RULE = frozenset(("job_pid", "last_words", "lines_above", *_OF_RANKS, *_OF_PLACES))


def titled(hypothesis: Hypothesis, failures: Failures, evidence: Sequence[Evidence]) -> dict[str, str]:
    """What a title may say: what the lines captured; the first line that captured a name decides."""
    captured = {name: value for line in reversed(evidence) for name, value in line.captures.items()}
    return {**captured, **_raised(hypothesis, failures)}


def slots_of(
    hypothesis: Hypothesis, run: RunState, evidence: Sequence[Evidence], said: Sequence[str], blamed: Culprits
) -> Callable[[], Mapping[str, str]]:
    """What sentences and steps of a diagnosis may say beyond its title: made when it is first asked for.

    That is whose code raised, what its lines ``said``, what any line of the job told, how many ranks spoke and which of
    them are ``blamed``. Beside these what they are called elsewhere, and what numbers among them come to.
    """
    record = run.failures.record_of(hypothesis.first.chain)
    places = places_of(record) if record is not None else {}
    ranks = _of_ranks(hypothesis, run.ranks.ranks, blamed)
    above = {"lines_above": str(evidence[0].line - 1)} if evidence and evidence[0].line > _QUOTED_LINES else {}
    captured = {**places, **ranks, **above, **titled(hypothesis, run.failures, evidence)}
    # Only what is no state of the session may be asked for later.
    return cache(partial(_slots, captured, said, run.told(), run.pack))


def _of_ranks(hypothesis: Hypothesis, known: frozenset[int], blamed: Culprits) -> dict[str, str]:
    """How many ranks spoke, who is blamed and, where those who wait blame nobody, how many of all wait."""
    ranks, hosts = blamed
    told = {"several": str(len(known))} if len(known) > 1 else {}
    if hosts:
        told["suspect_host"] = hosts[0]
    if ranks:
        told["suspects"] = ", ".join(map(str, ranks))
    elif hypothesis.rule.culprit == "absent" and len(known) > 1 and known <= hypothesis.reporters:
        told["all_waiting"] = str(len(known))
    return told


def _slots(captured: Mapping[str, str], said: Sequence[str], of_job: Mapping[str, str], pack: Pack) -> dict[str, str]:
    tables = pack.tables
    told = with_told_names(captured, said, tables.told_names, pack.required)
    return with_numbers(with_other_names({**of_job, **told}, tables.other_names), tables.numbers)


def said_by(hypothesis: Hypothesis, run: RunState, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The lines of a diagnosis with the rest of their messages, and the frames of their failures, as tracebacks do.

    Beside these what was raised, where no line says it: an assertion without a message, a traceback without its end.
    """
    failures = run.failures
    lines = (*(line.text for line in evidence), *_messages_go_on(hypothesis, run))
    chains = dict.fromkeys(line.chain for line in hypothesis.lines if line.chain is not None)
    raised = (_headline(failures, chain) for chain in chains)
    unsaid = (headline for headline in raised if headline and not any(headline in line for line in lines))
    return (*lines, *unsaid, *(frame for chain in chains for frame in failures.frames_of(chain)))


def _messages_go_on(hypothesis: Hypothesis, run: RunState) -> Iterator[str]:
    """What stands below the first lines of its exceptions and logged errors, as far as it is their message.

    Sentences that were broken into lines stand whole before the lines themselves.
    """
    endings = run.job.endings
    for seen in {seen.order: seen for seen in hypothesis.lines}.values():
        if seen.chain is not None or endings.wordings.states_error(seen.event):
            below = [*islice(endings.wordings.lines_below(seen.event, endings.below(seen.event)), _MESSAGE_LINES)]
            yield from (*sentences(below), *below)


def _headline(failures: Failures, chain: int) -> str:
    record = failures.record_of(chain)
    first = record.message.partition("\n")[0] if record is not None else ""
    return f"{record.type}: {first}" if record is not None and record.type and first else ""


def _raised(hypothesis: Hypothesis, failures: Failures) -> Mapping[str, str]:
    """Of a rule that only says what was raised: the whole record, which had not grown yet when its first line came."""
    record = failures.record_of(hypothesis.first.chain)
    if not hypothesis.rule.fallback or record is None or not record.chain:
        return {}
    return captures_of(record)


def with_other_names(captures: Mapping[str, str], names: Iterable[OtherName]) -> dict[str, str]:
    """The captures, and beside each whose value has another name that name."""
    others = {one.id: _other(captures[one.of], one) for one in names if captures.get(one.of)}
    return {**{name: value for name, value in others.items() if value is not None}, **captures}


def with_told_names(
    captures: Mapping[str, str],
    said: Sequence[str],
    names: Iterable[ToldName],
    required: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> dict[str, str]:
    """The captures, and beside them what the lines tell of names that nothing captured, the first line first.

    ``required`` are words of patterns: one whose words no line has is not even compiled.
    """
    text = folded("\n".join(said))
    able = (one for one in names if not captures.get(one.id) and may_hold(required.get(one.pattern, ()), text))
    told = {one.id: value for one in able if (value := _told(one, said)) is not None}
    return {**captures, **told}


def _told(name: ToldName, said: Sequence[str]) -> str | None:
    """What the first line that tells it says; one that only advises it (``without``) tells nothing."""
    try:
        for line in said:
            found = bounded(name.pattern).search(line)
            if found is not None and (name.without is None or bounded(name.without).search(line) is None):
                value: str | None = found["value"]
                return value
    except TimeoutError:
        pass
    return None


def _other(value: str, name: OtherName) -> str | None:
    part, dot = value, "."
    while dot:
        if part in name.names:
            return name.names[part]
        part, dot, _ = part.rpartition(".")
    return value.partition(".")[0] if name.or_itself else None


# What a log tells is no longer a size beyond this.
_MAX_DIGITS = 12


def with_numbers(captures: Mapping[str, str], numbers: Iterable[DerivedNumber]) -> dict[str, str]:
    """The captures, and beside them the numbers that can be made of them, and of numbers made before."""
    found = dict(captures)
    for one in numbers:
        made = _made(one.how, [found.get(name, "") for name in one.of])
        if made is not None:
            found.setdefault(one.id, made)
    return found


# What is nothing at all is not told.
_OF_SIZES: Mapping[Derivation, Callable[..., int]] = {
    Derivation.HALF: lambda size: size // 2,
    Derivation.MULTIPLE: lambda size, of: size // of * of if of else 0,
    Derivation.NEXT_MULTIPLE: lambda size, of: -(-size // of) * of if of else 0,
    Derivation.PRODUCT: lambda *sizes: prod(sizes),
    Derivation.DIVISOR: gcd,
}


def _made(how: Derivation, told: Sequence[str]) -> str | None:
    """The number; None where one of those that it is made of is not told."""
    if how is Derivation.SHARE:
        return _share(*told)
    if not all(text.isdecimal() and len(text) <= _MAX_DIGITS for text in told):
        return None
    made = _OF_SIZES[how](*map(int, told))
    return str(made) if made else None


def _share(of: str, over: str) -> str | None:
    try:
        share = float(of) / float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return f"{floor(share * 100) / 100:.2f}" if 0 < share < 1 else None
