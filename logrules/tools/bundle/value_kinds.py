"""What a value looks like: nothing at all, a word, a number, what people make up, or something drawn by lot."""

import re
from itertools import pairwise

import regex

_NOTHING = regex.compile(
    r"""[(\[{]? (?: none|null|nil|nan|true|false|undefined|unset|empty|optional|required|missing|invalid|wrong|incorrect|expired|not|is
    |was|are|were|has|have|must|should|can|cannot|could|will|may|does|did|not\ (?:set|found|provided|given|available|configured|defined|present)|the|an?|from|for|and|or|to|in|of|on|with|by|at
    |your|you|please|if|when|str|string|bytes|int|bool|secretstr|set|found|provided|field|error|failed|file|path|name|type
    |auth(?:entication|orization)?|[*xX.•·?#_-]+ | <[^>]*>? | \$.* | %[({\w].* | \{\{?.* | \*+ | \[\S* | os\.(?:environ|getenv).*
    |getenv.* | env[.\[(].* | self\..* | args\..* | config\..* | cfg\..* | \w+\(.* | your[-_].* | changeme
    |anonymous | default | dummy | fake | unknown | n/a | to-?do | inherit(?:ed)? | redacted | hidden | masked | placeholder | example
    |[\w-]{0,12}(?:[*•]{3,}|x{4,})\w{0,4} | [\w-]{0,8}(?:\.{3}|…)\w{0,4} | <?\|.*\|>?
    |yes|no|on|off|ok|(?:files|systemd|compat|sss|nis|db|ldap|winbind)(?:\ +(?:files|systemd|compat|sss|nis|db|ldap|winbind))*
    |sha256:[\w+/]{43}=? | (?:set|unset|hidden|provided|loaded|configured)\ \([^()\n]*\)
    |(?:enabled|disabled|applied|saved|accepted|verified|active|allowed|denied|supported|unsupported|available|unavailable|mounted|rotated|unchanged|changed)
    |(?:str|bytes|int|SecretStr)[ ]*(?:\||=).*
    |(?:typing\.)?(?:optional|union|literal|list|dict|annotated)\[[^\n]*
    |[已未][\u4e00-\u9fff]{1,4} | 无[效]? | 空 | 缺失 | 错误 | 过期 | 不存在 | 不正确 | 必填 )[.,。，；:;!?)]*""",
    regex.VERBOSE | regex.IGNORECASE | regex.DOTALL,
)
# What follows an option that has no value.
_OPTION = regex.compile(r"-{1,2}[A-Za-z].*", regex.DOTALL)
_BEHIND_HYPHEN = regex.compile(r"-{1,2}[\w-]+")
# As Kubernetes asks for them, and what refers to one.
_RESOURCE = re.compile(r"[a-z\d.-]+(?:Ref)?")
_SIGNS_OF_PASSWORDS = frozenset("!#$%^&*+~@?")
# Nor of a sum of them: `7.1e+06`, `4*x`.
_SIGNS_OF_NO_NUMBER = _SIGNS_OF_PASSWORDS - set("*+~")
# Neither a setting, a path, a time nor a version of something.
_CHOSEN = regex.compile(r"(?!.*\d\.\d)(?:[a-z][\w.-]{0,30}:)?(?P<word>[^\s=:/\\]{8,})")
_MIN_JOINED_WORDS = 15
MIN_STRONG, MIN_HINTED, MIN_LONG, MIN_SIGNED = 3, 8, 12, 16
_PIECES = re.compile(r"[A-Za-z0-9]+")
# A word, maybe with a number behind it (`layer12`), in any of the usual cases (`HTTPSConnection`), or a number, or a
# short mixture (`4x`).
_WORDLIKE = re.compile(
    r"(?:[A-Z]{2,6}(?=[A-Z][a-z]{3}))?(?:[A-Z]?[a-z]+){1,4}\d{0,6}|[A-Z]{1,15}\d{0,6}|\d+|0x[0-9a-fA-F]+|\d{1,4}[a-zA-Z]{1,3}"
)
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
# Tokens of issuers that no table has: one that is parted by - or _ may be a name of many words, and has to be longer.
_MIN_PARTED = 32
_PARTS = re.compile("[_-]")
# In one case caches and objects are named too, but an issuer puts his name in front: of ids that do that the longest
# have 27 characters (KSUID).
_ISSUED = re.compile(r"[A-Za-z]\w{1,11}[_-][A-Za-z0-9]{28,}")
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


def _unusual(text: str) -> float:
    """The share of the pairs of letters and digits side by side that names and words hardly have."""
    pairs = [(one, other) for one, other in pairwise(text) if one.isalnum() and other.isalnum()]
    return sum(map(_is_unusual, pairs)) / len(pairs) if pairs else 0.0


def _is_unusual(pair: tuple[str, str]) -> bool:
    one, other = pair
    if one.isdecimal() or other.isdecimal():
        return one.isdecimal() != other.isdecimal()
    return (one.islower() and other.isupper()) or other.lower() not in _FOLLOWING.get(one.lower(), "")


def is_nothing(secret: str) -> bool:
    """Whether it stands for no value: a placeholder, a reference, a word of a sentence about the name."""
    secret = secret.strip()
    return _NOTHING.fullmatch(secret) is not None or _is_option(secret) or "[redacted: " in secret


def _is_option(text: str) -> bool:
    is_drawn_too = _BEHIND_HYPHEN.fullmatch(text) is not None and drawn_by_lot(text) >= MIN_LONG
    return _OPTION.fullmatch(text) is not None and not is_drawn_too


def is_drawn(secret: str) -> bool:
    """Whether it looks drawn by lot, or has a letter, a digit and a sign that no word has."""
    drawn = drawn_by_lot(secret)
    mixed = any(map(str.isalpha, secret)) and any(map(str.isdecimal, secret)) and len(secret) > MIN_STRONG
    return drawn >= MIN_HINTED or (mixed and (has_signs(secret) or drawn >= MIN_STRONG)) or is_no_word(secret)


def is_chosen(secret: str) -> bool:
    """Whether it may be a password: of words and digits, as people make them, or drawn by lot; maybe with its user."""
    found = _CHOSEN.fullmatch(secret)
    if found is None:
        return False
    word = found["word"]
    mixed = any(map(str.isalpha, word)) and any(map(str.isdecimal, word))
    are_words = word.isascii() and word.isalpha() and len(word) >= _MIN_JOINED_WORDS
    return (mixed and word[0].isalpha()) or are_words or drawn_by_lot(word) >= MIN_HINTED or is_no_word(word)


def has_mixture(secret: str) -> bool:
    """Whether it is more than a word or a number."""
    is_mixed = any(map(str.isalpha, secret)) and not secret.isalpha() and len(secret) > MIN_STRONG
    return is_mixed or is_no_word(secret)


def is_resource_name(secret: str) -> bool:
    """Whether it may name a resource that holds a secret: of small letters, or of words."""
    return _RESOURCE.fullmatch(secret) is not None or (drawn_by_lot(secret) < MIN_HINTED and not is_signed(secret))


def is_signed(secret: str) -> bool:
    """Whether it is a password with a sign of no name: of all kinds of characters, or with digits within a word."""
    is_password = is_mixed_fourfold(secret) or (
        not _SIGNS_OF_NO_NUMBER.isdisjoint(secret) and drawn_by_lot(secret) > MIN_STRONG
    )
    return is_password and len(secret) >= MIN_HINTED


def has_signs(secret: str) -> bool:
    """Whether it has a sign that no name, path or number has."""
    return any(not char.isalnum() and char not in "_.-/:%=" for char in secret)


def is_hash(secret: str) -> bool:
    """Whether it is a hash, or a path or a name with one."""
    rest = _HASHES.sub("-", secret)
    return drawn_by_lot(rest) < MIN_HINTED or _HEXADECIMAL.fullmatch(rest) is not None


def is_mixed_fourfold(secret: str) -> bool:
    """Whether it has capitals, small letters, digits and a sign of no name: what is asked of passwords."""
    kinds = (str.isupper, str.islower, str.isdecimal, _SIGNS_OF_PASSWORDS.__contains__)
    return all(any(map(kind, secret)) for kind in kinds)


def is_issued_token(token: str) -> bool:
    """Whether it looks like an issuer's though no table has its form: of both cases and digits, as chance has them."""
    if token.isdecimal() or not any(map(str.isdecimal, token)):
        return False
    if token.lower() == token or token.upper() == token:
        return _ISSUED.match(token) is not None and is_by_chance(token)
    is_long = token.isalnum() or len(token) >= _MIN_PARTED
    return is_long and max(map(len, _PARTS.split(token))) >= MIN_SIGNED and is_by_chance(token)
