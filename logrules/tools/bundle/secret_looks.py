"""What a value looks like: nothing at all, a word or a number, or something drawn by lot."""

import re
from itertools import pairwise

import regex

from logrules.tools.bundle.secret_names import KEY_OF_ISSUER, KEY_OF_MAP, TOKEN_OF_TEXT

_NOTHING = regex.compile(
    r"""[(\[{]? (?: none|null|nil|nan|true|false|undefined|unset|empty|optional|required|missing|invalid|wrong|incorrect|expired|not|is
    |was|are|were|has|have|must|should|can|cannot|could|will|may|does|did|not\ (?:set|found|provided|given|available|configured|defined|present)|the|an?|from|for|and|or|to|in|of|on|with|by|at
    |your|you|please|if|when|str|string|bytes|int|bool|secretstr|set|found|provided|field|error|failed|file|path|name|type
    |auth(?:entication|orization)?|[*xX.•·?#_-]+ | <[^>]*>? | \$.* | %[({\w].* | \{\{?.* | \*+ | \[\S* | os\.(?:environ|getenv).*
    |getenv.* | env[.\[(].* | self\..* | args\..* | config\..* | cfg\..* | \w+\(.* | -{1,2}[a-z].* | your[-_].* | changeme
    |anonymous | default | dummy | fake | unknown | n/a | to-?do | inherit(?:ed)? | redacted | hidden | masked | placeholder | example
    |[\w-]{0,12}(?:[*•]{3,}|\.{3}|…|x{4,})\w{0,4} | <?\|.*\|>?
    |yes|no|on|off|ok|(?:files|systemd|compat|sss|nis|db|ldap|winbind)(?:\ +(?:files|systemd|compat|sss|nis|db|ldap|winbind))*
    |sha256:[\w+/]{43}=? | (?:set|unset|hidden|provided|loaded|configured)\ \([^()\n]*\)
    |(?:enabled|disabled|allowed|denied|supported|unsupported|available|unavailable|mounted|rotated|unchanged|changed)
    |(?:str|bytes|int|SecretStr)[ ]*(?:\||=).*
    |(?:typing\.)?(?:optional|union|literal|list|dict|annotated)\[[^\n]*
    |[已未][\u4e00-\u9fff]{1,4} | 无[效]? | 空 | 缺失 | 错误 | 过期 | 不存在 | 不正确 | 必填 )[.,。，；:;!?)]*""",
    regex.VERBOSE | regex.IGNORECASE | regex.DOTALL,
)
_LEFT = regex.compile(r"[A-Za-z0-9_.\-]*$")
_LEFT_CHARS = 40
# As HTTP spells names: `X-Corp-Key`.
_HEADER = regex.compile(r"(?i:(?<![a-z])x-)|(?<![\w-])(?:[A-Z][a-z0-9]{1,20}-){1,4}$")
_IDENTIFIER = regex.compile(r"\w+[_.]\w[\w.-]*|[A-Z]?[a-z]+(?:[A-Z]\w*)+|[A-Z]{6,}|api[a-z]+|\w+(?:-\w+)+")
# Neither a setting, a path, a time nor a version of something.
_CHOSEN = regex.compile(r"(?!.*\d\.\d)(?:[a-z][\w.-]{0,30}:)?(?P<word>[^\s=:/\\]{8,})")
_ASKED = regex.compile(
    r"(?<![A-Za-z])(?:is|has|have|uses?|needs?|requires?|with|without|no|want|allows?|supports?)[_.-]$",
    regex.IGNORECASE,
)
_MIN_JOINED_WORDS = 15
# Behind these a password stands, with signs, rather than a key.
SHORT_HINTS = frozenset({"pwd", "pass", "pw", "pgpass", "pin", "psk", "requirepass"})
# Behind another word these name a user's secret, or, all in capitals, an issuer's. (A `fuse_pass` is a compiler's.)
_OF_USERS = frozenset({"pwd", "pw", "pgpass", "psk"})
_OF_ISSUERS = frozenset({"token", "key", "auth", "sk", "ak", "pat", "pass", "pin", "jwt"})
# Behind any other word these do, but for the tokens of text (`tos_sk`, `pypi_token`).
_OF_ANYBODY = frozenset({"token", "sk"})
# As the names of options these say enough.
_OF_OPTIONS = frozenset({"token", "sk", "pass", "pwd", "pw", "psk", "pat"})
MIN_STRONG, MIN_HINTED, MIN_TELLING = 3, 8, 12
# What is signed or encoded is long.
MIN_SIGNED = 16
_PIECES = re.compile(r"[A-Za-z0-9]+")
# A word, maybe with a number behind it (`layer12`), in any of the usual cases, or a number, or a short mixture (`4x`).
_WORDLIKE = re.compile(r"(?:[A-Z]?[a-z]+){1,4}\d{0,6}|[A-Z]{1,15}\d{0,6}|\d+|0x[0-9a-fA-F]+|\d{1,4}[a-zA-Z]{1,3}")
_MAX_WORD = 24
# Each letter and those that follow it in words of English and of programs, the 260 most frequent pairs of them. Of the
# pairs that chance makes nearly two thirds are others, of those in 98 % of all words less than a third.
_PAIRS = (
    "abcdgilmnprstuvxy baeilorsu cacdehiklorstu dacdefilorstu eabcdefgilmnopqrstvwxy faefilortu gaehilnrsu haeiot"
    " iabcdefglmnoprstvz keis lacdeilopstuy mabeilmopsu nacdefgilnopstuv oabcdfgiklmnoprstuvw padehiloprstuy qu"
    " racdegiklmnoprstuvy sacefhiklmopstuy tacdefhilmoprstuy uabcdeilmnprst vaei waeior xcept yps ze"
)
_FOLLOWING = {row[0]: row[1:] for row in _PAIRS.split()}
_MIN_LETTERS, _MIN_UNUSUAL = 8, 0.35
# With digits and cases in between chance makes more of them: of 6,000 long names in logs of training 18 have so many,
# of tokens that are no hashes 97 %.
_MIN_BY_CHANCE = 0.5
_HASHES = re.compile(r"(?<![0-9A-Za-z])[0-9a-f-]{12,}(?![0-9A-Za-z])")
_HEXADECIMAL = re.compile(r"(?:0x)?[0-9a-fA-F_:-]+")
_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")


def drawn_by_lot(text: str) -> int:
    """How many of the characters belong to pieces that are no words and no numbers."""
    if (found := _UUID.search(text)) is not None:
        return len(found[0])
    return sum(len(piece) for piece in _PIECES.findall(text) if not _is_word(piece))


def _is_word(piece: str) -> bool:
    return len(piece) <= _MAX_WORD and _WORDLIKE.fullmatch(piece) is not None


def is_by_chance(text: str) -> bool:
    """Whether its characters follow each other as chance makes them, and as in no name, hash or number."""
    rest = _HASHES.sub("-", text)
    return len(rest) >= MIN_SIGNED and _unusual(rest) >= _MIN_BY_CHANCE


def is_no_word(text: str) -> bool:
    """Whether it is of nothing but letters, and they follow each other as in no word."""
    return len(text) >= _MIN_LETTERS and text.isascii() and text.isalpha() and _unusual(text.lower()) >= _MIN_UNUSUAL


def is_unusual(text: str) -> bool:
    """Whether its letters and digits follow each other as in few words; less than what is there by chance."""
    return _unusual(text) >= _MIN_UNUSUAL


def _unusual(text: str) -> float:
    """The share of the pairs of letters and digits side by side that names and words hardly have."""
    pairs = [(one, other) for one, other in pairwise(text) if one.isalnum() and other.isalnum()]
    return sum(map(_is_unusual, pairs)) / len(pairs) if pairs else 0.0


def _is_unusual(pair: tuple[str, str]) -> bool:
    one, other = pair
    if one.isdecimal() or other.isdecimal():
        return one.isdecimal() != other.isdecimal()
    return (one.islower() and other.isupper()) or other.lower() not in _FOLLOWING.get(one.lower(), "")


def is_asked(left: str) -> bool:
    """Whether a name tells whether there is a secret, and not which: ``uses_password: enabled``."""
    return _ASKED.search(left) is not None


def name_before(text: str, at: int) -> tuple[str, str]:
    """What stands left of a place: the beginning of the name that goes on there, and some more with it."""
    before = text[max(0, at - _LEFT_CHARS) : at]
    return _LEFT.search(before)[0], before  # type: ignore[index]  # (it fits the empty text too)


def is_nothing(secret: str) -> bool:
    """Whether it stands for no value: a placeholder, a reference, a word of a sentence about the name."""
    return _NOTHING.fullmatch(secret.strip()) is not None or "[redacted: " in secret


def is_drawn(secret: str) -> bool:
    """Whether it looks drawn by lot, or has a letter, a digit and a sign that no word has."""
    drawn = drawn_by_lot(secret)
    mixed = any(map(str.isalpha, secret)) and any(map(str.isdecimal, secret)) and len(secret) > MIN_STRONG
    return drawn >= MIN_HINTED or (mixed and (has_signs(secret) or drawn >= MIN_STRONG)) or is_no_word(secret)


def is_identifier(name: str) -> bool:
    """Whether a name is one of programs and no word of prose: `db_passwd`, `apiKey`, `X-Auth-Token`, `AUTHTOKEN`."""
    return _IDENTIFIER.fullmatch(name.strip("-.")) is not None


def is_any_secret(left: str, name: str) -> bool:
    """Whether a name is but the word, as of a resource of Kubernetes: ``pullSecret: hub-login`` names one."""
    is_word = not left.endswith(("_", "-", ".")) or left.lower().endswith(("pull-", "pull_", "existing-", "existing_"))
    return name.lower() in {"secret", "credential", "credentials"} and is_word


def is_telling(secret: str) -> bool:
    """Whether a value is a secret though its name may mean that of a resource: drawn by lot, or with signs."""
    return drawn_by_lot(secret) >= MIN_TELLING or (is_drawn(secret) and has_signs(secret))


def is_chosen(secret: str) -> bool:
    """Whether it may be a password: of words and digits, as people make them, or drawn by lot; maybe with its user."""
    found = _CHOSEN.fullmatch(secret)
    if found is None:
        return False
    word = found["word"]
    mixed = any(map(str.isalpha, word)) and any(map(str.isdecimal, word))
    are_words = word.isascii() and word.isalpha() and len(word) >= _MIN_JOINED_WORDS
    return (mixed and word[0].isalpha()) or are_words or drawn_by_lot(word) >= MIN_HINTED or is_no_word(word)


def is_issued(name: str, left: str, before: str) -> bool:
    """Whether a name of one of the hints is of an issuer or a user, and so says as much as a full name of a key."""
    word = name.lower()
    if _is_harmless(word, left, before):
        return False
    if left.startswith("-") and word in _OF_OPTIONS:
        return True
    is_in_camel_case = name[0].isupper() and left[-1:].islower()
    if not left.endswith(("_", "-")) and not is_in_camel_case:
        return False
    if word in _OF_ANYBODY or (word == "key" and KEY_OF_ISSUER.search(left)):
        return True
    return word in _OF_USERS or (name.isupper() and word in _OF_ISSUERS)


def is_hinted(name: str, left: str, before: str, secret: str) -> bool:
    """Whether a value looks like a secret behind a name that may say so; ``left`` and ``before`` as `name_before`."""
    word = name.lower()
    if _is_harmless(word, left, before):
        return False
    if word == "key" and not left.startswith("--"):
        named = KEY_OF_ISSUER.search(left) or (name.isupper() and left.endswith("_")) or _HEADER.search(left)
        if not named and left.strip("_.-") and not _is_no_hash(secret):
            return False
    drawn = drawn_by_lot(secret)
    if word in SHORT_HINTS:
        return is_no_word(secret) or (has_mixture(secret) and (has_signs(secret) or drawn >= MIN_STRONG))
    is_long = drawn >= (MIN_SIGNED if word.startswith("sig") else MIN_HINTED) or is_mixed_fourfold(secret)
    return len(secret) >= MIN_HINTED and is_long


def _is_no_hash(secret: str) -> bool:
    """Whether it is long and drawn, and no hash: a `key` may be that of a map."""
    rest = _HASHES.sub("-", secret)
    return drawn_by_lot(rest) >= MIN_SIGNED and _HEXADECIMAL.fullmatch(rest) is None


def _is_harmless(word: str, left: str, before: str) -> bool:
    if word == "token":
        return TOKEN_OF_TEXT.search(left) is not None
    return word == "key" and not left.startswith("--") and KEY_OF_MAP.search(before) is not None


def has_mixture(secret: str) -> bool:
    """Whether it is more than a word or a number."""
    is_mixed = any(map(str.isalpha, secret)) and not secret.isalpha() and len(secret) > MIN_STRONG
    return is_mixed or is_no_word(secret)


def is_counted(secret: str) -> bool:
    """Whether it is a number, as of what there are so many."""
    return secret.replace(".", "").isdecimal() and len(secret) < MIN_HINTED


def has_signs(secret: str) -> bool:
    """Whether it has a sign that no name, path or number has."""
    return any(not char.isalnum() and char not in "_.-/:%=" for char in secret)


def is_mixed_fourfold(secret: str) -> bool:
    """Whether it has capitals, small letters, digits and a sign of no name: what is asked of passwords."""
    kinds = (str.isupper, str.islower, str.isdecimal, lambda char: char in "!#$%^&*+~@?")
    return all(any(map(kind, secret)) for kind in kinds)
