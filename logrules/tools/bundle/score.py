"""Whether a value is a secret: a sum of what speaks for it and against it, of which twenty points are enough.

A candidate has the points of its name, of the place where it stands to that name, and of what it looks like. The three
tables here are all that decides; what an issuer's own form says needs no sum (`forms`).
"""

from enum import Enum
from functools import lru_cache

import regex

from logrules.tools.bundle.secret_names import KEY_OF_ISSUER, KEY_OF_MAP, TOKEN_OF_TEXT
from logrules.tools.bundle.value_kinds import (
    MIN_HINTED,
    MIN_LONG,
    MIN_SIGNED,
    MIN_STRONG,
    drawn_by_lot,
    has_mixture,
    is_chosen,
    is_drawn,
    is_hash,
    is_issued_token,
    is_mixed_fourfold,
    is_nothing,
    is_resource_name,
    is_signed,
)

ENOUGH, NEVER = 20, -100


class Name(Enum):
    """What the name beside a value says of it: points, and for whom they are."""

    PASSWORD = 13, "a password, whatever it looks like"
    KEY = 12, "a key: `api_key`, `access key`"
    SECRET = 8, "a `secret` or `credential` that is no name of a resource"
    ISSUED = 7, "a hint behind an issuer or a user, or as an option: `hf_token`, `DB_PW`, `--sk`"
    SHORT = 5, "a password with signs, rather than a key: `pwd`, `pin`"
    HINT = 4, "a word that may say so: `token`, `auth`"
    RESOURCE = 2, "of Kubernetes, which names it: `pullSecret: hub-login`"
    BARE = 1, "a `key`, `token` or `pass` that is but a word of this field"
    NONE = 0, "no name"
    SIGNATURE = -3, "what is signed or encoded is long"
    ANY_KEY = -2, "a `key` of nobody who is known may be that of a map"
    HARMLESS = NEVER, "a token of text, the key of a cache"


class Relation(Enum):
    """How a value stands to its name: points, and what it looks like."""

    AT_HOST = 15, "`user:value@host`, of the internet for sure"
    LOGIN = 14, "`user:value@something`"
    OPTION = 10, "`--name value`"
    SET = 9, "`name=value`"
    SAID_QUOTED = 9, "`name is 'value'`"
    BEHIND_PREFIX = 9, "an issuer's prefix that begins words too"
    COLUMN = 7, "in a cell below or beside its name"
    QUOTED = 7, "`name 'value'`"
    SAID = 6, "`name is value`"
    BRACKETED = 5, "`name=[value]`, as lists and templates are"
    OF_SOMEBODY = 4, "`name for them: value`"
    ANNOUNCED = 3, "alone below its name, or some way behind a sign or a verb that tells of it"
    BESIDE = 3, "`api_key value`, as columns are apart"
    APART = 2, "`key value`, as words of prose are"
    BEFORE = 2, "`value is not a valid name`"
    BELOW = 1, "below a sentence that ends in a colon"
    FAR = 1, "some words behind the name of a program"
    ALONE = 0, "no name near it"
    IN_PROSE = -1, "some words behind a name in prose"


_TOLD_WITH_HASHES = frozenset({Name.KEY, Name.SECRET, Name.RESOURCE})
# What a value looks like, the most telling first; the first that fits counts.
_LOOKS = (
    (18, lambda value: drawn_by_lot(value) >= MIN_SIGNED),
    (11, lambda value: drawn_by_lot(value) >= MIN_LONG),
    (10, is_signed),
    (8, lambda value: drawn_by_lot(value) >= MIN_HINTED),
    (6, is_drawn),
    (5, is_chosen),
    (3, has_mixture),
    (0, lambda value: len(value) >= MIN_STRONG),
    (NEVER, lambda _: True),
)
# What counts besides.
_BESIDES = ((4, is_mixed_fourfold), (2, is_issued_token), (NEVER, is_nothing))
_LEFT = regex.compile(r"[A-Za-z0-9_.\-]*$")
_LEFT_CHARS = 40
# As HTTP spells names: `X-Corp-Key`.
_HEADER = regex.compile(r"(?i:(?<![a-z])x-)|(?<![\w-])(?:[A-Z][a-z0-9]{1,20}-){1,4}$")
_IDENTIFIER = regex.compile(r"\w+[_.]\w[\w.-]*|[A-Z]?[a-z]+(?:[A-Z]\w*)+|[A-Z]{6,}|api[a-z]+|\w+(?:-\w+)+")
_ASKED = regex.compile(
    r"(?<![A-Za-z])(?:is|has|have|uses?|needs?|requires?|with|without|no|want|allows?|supports?)[_.-]$",
    regex.IGNORECASE,
)
_SHORT = frozenset({"pwd", "pass", "pw", "pgpass", "pin", "psk", "requirepass"})
# Behind another word these name a user's secret, or, all in capitals, an issuer's. (A `fuse_pass` is a compiler's.)
_OF_USERS = frozenset({"pwd", "pw", "pgpass", "psk", "token", "sk"})
_OF_ISSUERS = frozenset({"key", "auth", "ak", "pat", "pass", "pin", "jwt"})
# As the names of options these say enough.
_OF_OPTIONS = frozenset({"token", "sk", "pass", "pwd", "pw", "psk", "pat"})


def is_secret(name: Name, place: Relation, value: str) -> bool:
    """Whether what speaks for it is enough."""
    return score(name, place, value) >= ENOUGH


def score(name: Name, place: Relation, value: str) -> int:
    """The points of a value beside a name, in a place."""
    if name is Name.RESOURCE and not is_resource_name(value):
        name = Name.SECRET
    # Prose tells of hashes, and maps have them for keys.
    is_of_hashes = name is Name.ANY_KEY or (place is Relation.IN_PROSE and name in _TOLD_WITH_HASHES)
    return name.value[0] + place.value[0] + _look(value) + (NEVER if is_of_hashes and is_hash(value) else 0)


@lru_cache(maxsize=4_096)
def _look(value: str) -> int:
    first = next(points for points, fits in _LOOKS if fits(value))
    return first + sum(points for points, fits in _BESIDES if fits(value))


def name_of(found: "regex.Match[str]") -> Name:
    """What a name says, as a match has it in its groups `password`, `key` and `hint`, with what stands left of it."""
    left, before = name_before(found.string, found.start())
    left = left.removeprefix("u0022")
    if found["password"] is not None:
        return Name.PASSWORD
    if found["key"] is None:
        return _of_hint(found["hint"], left, before)
    return Name.RESOURCE if is_resource(left, found["key"]) else Name.KEY


def _of_hint(name: str, left: str, before: str) -> Name:
    word = name.lower()
    is_option = left.startswith("-")
    if word == "token" and TOKEN_OF_TEXT.search(left):
        return Name.HARMLESS
    if word == "key" and not is_option and KEY_OF_MAP.search(before):
        return Name.HARMLESS
    if is_option and word in _OF_OPTIONS:
        return Name.ISSUED
    is_apart = left.endswith(("_", "-")) or (name[0].isupper() and left[-1:].islower())
    is_issuers = word == "key" and KEY_OF_ISSUER.search(left) is not None
    if is_apart and (word in _OF_USERS or is_issuers or (name.isupper() and word in _OF_ISSUERS)):
        return Name.ISSUED
    if word.startswith("sig"):
        return Name.SIGNATURE
    if word in _SHORT:
        return Name.SHORT
    is_named = is_issuers or (name.isupper() and left.endswith("_")) or _HEADER.search(left)
    return Name.ANY_KEY if word == "key" and not is_option and not is_named and left.strip("_.-") else Name.HINT


def is_resource(left: str, name: str) -> bool:
    """Whether a name is but the word, as of a resource of Kubernetes: ``pullSecret: hub-login`` names one."""
    is_word = not left.endswith(("_", "-", ".")) or left.lower().endswith(("pull-", "pull_", "existing-", "existing_"))
    return name.lower().removesuffix("s") in {"secret", "credential"} and is_word


def is_identifier(name: str) -> bool:
    """Whether a name is one of programs and no word of prose: `db_passwd`, `apiKey`, `X-Auth-Token`, `AUTHTOKEN`."""
    return _IDENTIFIER.fullmatch(name.strip("-.")) is not None


def is_asked(left: str) -> bool:
    """Whether a name tells whether there is a secret, and not which: ``uses_password: enabled``."""
    return _ASKED.search(left) is not None


def name_before(text: str, at: int) -> tuple[str, str]:
    """What stands left of a place: the beginning of the name that goes on there, and some more with it."""
    before = text[max(0, at - _LEFT_CHARS) : at]
    return _LEFT.search(before)[0], before  # type: ignore[index]  # (it fits the empty text too)
