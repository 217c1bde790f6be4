"""What values, settings and lines are called and what words say: names/, settings.yaml and wordings.yaml."""

from collections.abc import Mapping
from enum import StrEnum

from logrules.model.record import field, record
from logrules.ruleset.bounds import Pattern, SearchedText
from logrules.ruleset.causes import Label


@record
class OtherName:
    """What captured values are called elsewhere: steps that ask for ``id`` get the other name of the value of ``of``.

    A value with dots (a submodule) is looked up by its longest part that has a name. One without has none, or with
    ``or_itself`` its own, up to the first dot.
    """

    id: Label
    of: Label
    names: Mapping[str, str]
    or_itself: bool = False


@record
class ToldName:
    """What lines and frames of any diagnosis tell: steps that ask for ``id`` get the group ``value`` of the pattern.

    With the literals ``contains`` any line of the job tells it, whatever kind of statement that is, unless it has
    ``without``: a setting or a version that an earlier line printed. Lines of the diagnosis go first, then the latest.
    Where the pattern has a group ``name`` too, it is that name that they tell. ``samples`` maps lines to the value.
    """

    id: Label
    pattern: Pattern
    contains: tuple[SearchedText, ...] = ()
    without: Pattern | None = None
    samples: Mapping[str, str] = field(default_factory=dict)
    near: tuple[str, ...] = ()


class Derivation(StrEnum):
    """How a number is made of others: product, greatest that divides all, share of the one in the other, half.

    And the multiple of the second that is next to the first: the greatest not above it, the least not below it.
    """

    PRODUCT = "product"
    DIVISOR = "divisor"
    SHARE = "share"
    HALF = "half"
    MULTIPLE = "multiple"
    NEXT_MULTIPLE = "next_multiple"


@record
class DerivedNumber:
    """A number that steps may name, made of those that the log tells; a share is rounded down to hundredths."""

    id: Label
    how: Derivation
    of: tuple[str, ...]


@record
class FrameworkSettings:
    """Flags, keys and variables that the framework ``id`` knows, by name, or by their beginning up to a `.` or `_`.

    Where one of those that it is a ``library_of`` was seen, only its code is there, and nobody reads its settings.
    """

    id: Label
    names: tuple[str, ...]
    library_of: tuple[Label, ...] = ()


@record
class RenamedSetting:
    """A flag, key or variable that is called otherwise where the log tells of another version or another make of card.

    Where what it tells has all patterns of ``when_told``, steps show ``to``, with ``value`` if one is given. One
    without ``to`` does nothing there and is not shown. A ``to`` that ends in ``=`` is a key, with its value behind it.
    """

    id: Label
    name: Label
    when_told: Mapping[str, Pattern]
    to: str = ""
    value: str = ""


class Saying(StrEnum):
    """What the words of a line may say of its program; rules/wordings.yaml tells of each what it is."""

    COMPLAINT = "complaint"
    HARMLESS = "harmless"
    HOUSEKEEPING = "housekeeping"
    RETRY = "retry"
    USAGE = "usage"
    RESULT = "result"
    FAREWELL = "farewell"
    OUTCOME = "outcome"
    SCORE = "score"
    ROUND = "round"
    LEAVING = "leaving"
    MEASURE = "measure"
    DOING = "doing"
    DONE = "done"
    ANNOUNCEMENT = "announcement"
    ASIDE = "aside"
    TEXT = "text"
    DATA = "data"
    WARNING = "warning"
    NOTICE = "notice"
    NO_LOOP = "no-loop"
    ANSWER = "answer"
    REFUSAL = "refusal"
    TRACEBACK = "traceback"
    OPENING = "opening"
    ON_RANK = "on-rank"
    ON_LOCAL_RANK = "on-local-rank"
    ON_DEVICE = "on-device"
    ON_HOST = "on-host"


@record
class Wording:
    """Words by which a line ``says`` something; ``samples`` must have them, ``near`` must not."""

    id: Label
    says: Saying
    pattern: Pattern
    samples: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
