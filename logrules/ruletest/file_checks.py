"""What rule files show by themselves: their place, sentences of a draft, what nobody asks for, fills or can open."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePath
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from logrules.inference.slot_values import OF_ANY_RULE
from logrules.model.position import NodePath, Problem
from logrules.model.report import Risk
from logrules.ruleset import models as schema
from logrules.ruleset.framework_models import FrameworkFile
from logrules.ruleset.misspelling import near_hint
from logrules.ruleset.pack import Pack
from logrules.ruleset.pack_builder import qualified
from logrules.ruleset.pattern import compiled
from logrules.ruleset.pattern_syntax import branches_of
from logrules.ruleset.rule_file import RuleSource, placed_records
from logrules.ruleset.rule_text import SLOT, with_params
from logrules.ruleset.steps import FixFile, named_steps
from logrules.ruleset.usual_risk import asks_for_change
from logrules.ruleset.vocabulary import Vocabulary
from logrules.ruleset.when import ConditionFault, parse_when
from logrules.ruletest.file_contents import PlacedCard, cards_in, signals_in

_NAME = re.compile(r"[a-z][a-z0-9_]*")
TITLE = "Write what went wrong"
WHY = "Write why it happens."
STEP = "Write what to try first"
_DRAFTED = (TITLE, WHY, STEP)
_SENTENCE_KEYS = ("title", "why", "do")
# What a whole traceback tells without a pattern.
_TRACEBACK = ("type", "message", "file", "line", "function", "summary")
_PATTERN_KEYS = ("pattern", "except_", "says", "where", "unless", "words", "without", "function")
# More in one text are no longer read one by one.
MOST_ALTERNATIVES = 6
_LIMIT_S = 15
_AT_ONCE = 16
# These say that the page is gone; a server that is tired or wants a login does not.
_GONE = frozenset({404, 410})
_AGENT = "logrules-check"


def place(source: RuleSource) -> Iterator[Problem]:
    """A rule whose file is not called as its id says."""
    match source.file:
        case schema.RuleFile(id=name):
            parts = PurePath(source.document.path).with_suffix("").parts
            wanted = tuple(name.split("/"))
            if parts[-len(wanted) :] != wanted:
                yield source.problem(("id",), f"`{name}` belongs in a file {name}.yaml", code="LR112")


def unused_signals(source: RuleSource) -> Iterator[Problem]:
    """Signals of a rule whose name is not in its `when`; none where that cannot be understood: one may be misspelt."""
    match source.file:
        case schema.RuleFile(when=str() as when, with_=evidence) if _understood(when, source):
            asked = {*_NAME.findall(when), *evidence}
            for here in signals_in(source):
                if here.name not in asked:
                    message = f"the signal `{here.name}` is not in `when`"
                    yield here.problem("LR101", message, removes=here.at)


def _understood(when: str, source: RuleSource) -> bool:
    try:
        parse_when(when, {here.name: number for number, here in enumerate(signals_in(source))})
    except ConditionFault:
        return False
    return True


def unopened_waits(sources: Sequence[RuleSource], opened: Collection[str]) -> Iterator[Problem]:
    """Waits in ``sources`` that are not among those that markers open."""
    for source in sources:
        match source.file:
            case FrameworkFile(framework=framework, waits=waits):
                for number, wait in enumerate(waits):
                    if f"{framework}/{wait.id}" not in opened:
                        yield source.problem(("waits", number), f"no marker opens the wait `{wait.id}`", code="LR101")


def opened_waits(sources: Iterable[RuleSource]) -> Iterator[str]:
    """The waits that the markers in these files open."""
    for source in sources:
        if isinstance(source.file, FrameworkFile):
            yield from qualified((name for marker in source.file.markers for name in marker.opens), source.file)


def placeholders(source: RuleSource) -> Iterator[Problem]:
    """Sentences of a draft that nobody has written yet."""
    for at, part in placed_records(source.file):
        for key in _SENTENCE_KEYS:
            if (text := getattr(part, key, None)) in _DRAFTED:
                yield source.problem((*at, key), f"`{text}` is left for you to write", code="LR114")


def crowded_patterns(source: RuleSource) -> Iterator[Problem]:
    """Patterns of so many alternatives in one text that nobody sees which one a change is of."""
    for above, part in placed_records(source.file):
        for key in _PATTERN_KEYS:
            at, pattern = (*above, key.removesuffix("_")), getattr(part, key, None) or ""
            if pattern.count("|") < MOST_ALTERNATIVES or source.document.place((*at, 0)) != source.document.place(at):
                continue
            if len(branches_of(pattern)) > MOST_ALTERNATIVES:
                message = f"more than {MOST_ALTERNATIVES} alternatives in one text: write a list, each on its own line"
                yield source.problem(at, message, code="LR116")


def harmless_changes(source: RuleSource) -> Iterator[Problem]:
    """Steps whose words ask for a change, and which are said only to look."""
    for at, part in placed_records(source.file):
        if isinstance(part, FixFile) and part.risk is Risk.LOOK and asks_for_change(part.do):
            yield source.problem(
                (*at, "risk"), "its words ask for a change, so that it does more than look", code="LR117"
            )


def missing_captures(source: RuleSource, pack: Pack, vocabulary: Vocabulary) -> Iterator[Problem]:
    """What texts, steps, their conditions and examples of a file's cards name, and nothing takes from a log."""
    captured = frozenset(name for here in signals_in(source) for name in _groups(here.signal))
    told = captured | OF_ANY_RULE | {one.id for one in pack.tables.told_names}
    fillable = told | {one.id for one in pack.tables.other_names if one.of in told}
    fillable |= {one.id for one in pack.tables.numbers if told.issuperset(one.of)}
    asked = {*fillable, *(f"first_{metric.metric}" for metric in pack.metrics), *(one.id for one in pack.frameworks)}
    for here in cards_in(source):
        for below, text in _texts(here, vocabulary):
            yield from _unfilled(here, below, (slot[1] for slot in SLOT.finditer(text)), fillable)
        for below, step, _ in _steps(here, vocabulary):
            yield from _unfilled(here, below, _conditions(step), asked)
        for number, example in enumerate(here.card.examples.fires):
            for name in example.captures:
                yield from _unfilled(here, ("examples", "fires", number, "captures", name), (name,), captured)


def _unfilled(here: PlacedCard, below: NodePath, names: Iterable[str], known: Collection[str]) -> Iterator[Problem]:
    for name in dict.fromkeys(names):
        if name not in known:
            yield here.problem("LR113", f"no pattern captures `{name}`", *below, hint=near_hint(name, known))


def _groups(signal: schema.SignalFile) -> tuple[str, ...]:
    told = _TRACEBACK if signal.in_ else ()
    return (*told, *compiled(signal.pattern).groupindex) if signal.pattern else told


def _texts(here: PlacedCard, vocabulary: Vocabulary) -> Iterator[tuple[NodePath, str]]:
    """What is filled with captures, each with its place. In code braces are the language's own."""
    yield ("title",), here.card.title
    yield ("why",), here.card.why
    for below, step, params in _steps(here, vocabulary):
        texts = (step.do, step.note, step.bash, step.powershell, *step.env.values(), *step.flags)
        yield below, with_params("\n".join(filter(None, texts)), params)


def _steps(here: PlacedCard, vocabulary: Vocabulary) -> Iterator[tuple[NodePath, FixFile, Mapping[str, str]]]:
    """The steps of a card that are known, spelled out there or by name, with what stands in the slots of these."""
    for number, step in enumerate(here.card.fixes):
        if isinstance(step, FixFile):
            yield ("fixes", number), step, {}
        for name, params in named_steps(step):
            if (known := vocabulary.steps.get(name)) is not None:
                yield ("fixes", number), known, {**known.params, **params}


def _conditions(step: FixFile) -> tuple[str, ...]:
    """The names that its conditions ask for; variables have names of their own."""
    return tuple(name for name in (*step.when_told, *step.unless_told) if not name.isupper())


def references(source: RuleSource) -> Iterator[Problem]:
    """References that are no addresses of pages."""
    for here, number, address in _addresses([source]):
        if not is_address(address):
            yield here.problem("LR111", f"`{address}` is no address of a page", "references", number)


def is_address(text: str) -> bool:
    """Whether a text is the address of a page on the web."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and "." in parts.netloc and not re.search(r"\s", text)


def gone_references(sources: Iterable[RuleSource]) -> Iterator[Problem]:
    """The references whose page is not there any more, or whose server cannot be found: asked of the web."""
    places = [place for place in _addresses(sources) if is_address(place[2])]
    addresses = list(dict.fromkeys(address for _, _, address in places))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = dict(zip(addresses, pool.map(_trouble, addresses), strict=True))
    for here, number, address in places:
        if (trouble := answers[address]) is not None:
            yield here.problem("LR111", f"`{address}` {trouble}", "references", number)


def _addresses(sources: Iterable[RuleSource]) -> Iterator[tuple[PlacedCard, int, str]]:
    cards = (here for source in sources for here in cards_in(source))
    return ((here, number, address) for here in cards for number, address in enumerate(here.card.references))


def _trouble(address: str) -> str | None:
    request = Request(address, method="GET", headers={"User-Agent": _AGENT})  # noqa: S310 (http and https alone)
    try:
        with urlopen(request, timeout=_LIMIT_S):  # noqa: S310
            return None
    except HTTPError as fault:
        return f"answers {fault.code}" if fault.code in _GONE else None
    except (URLError, OSError, ValueError) as fault:
        return f"cannot be reached: {getattr(fault, 'reason', fault)}"
