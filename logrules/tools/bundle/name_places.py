"""Where names of secrets may begin: found once by their last words, since a text has few of these.

To try all names at each character of a log took most of the time of its redaction.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

import regex

from logrules.parsing.literal_matcher import LiteralMatcher, matcher_of
from logrules.tools.bundle.secret_names import NAMED

# What each name ends with, and no letter behind it but in Chinese.
LAST_WORDS = (
    "password|passwd|passphrase|passcode|passkey|passwort|passe|pass|pgpass|requirepass|pwd|pw|kennwort|senha|keys|key"
    "|key_base|key-base|key base|keybase|secret_id|secret-id|secretid|secret id|secret_value|secret-value|secret value"
    "|secretvalue|secret|token|jfrog-art-api|client-key-data|dockerconfigjson|dockercfg|cookie|credentials|credential"
    "|connection_string|connection-string|connectionstring|connection string|auth|pat|sas|signature|sign|sig|dsn|jwt"
    "|webhook|creds|cred|pin|psk|sk|ak|ticket|license|licence|auth_code|auth-code|authcode|auth code|access_code"
    "|access-code|accesscode|access code"
)
_LONGEST_LAST = max(map(len, LAST_WORDS.split("|")))
_FOREIGN = re.compile(
    r"contrase[ñn]a|пароль|パスワード|비밀번호|密 ?[码碼钥]|口 ?令|通行码|[秘私] ?钥|令 ?牌|凭 ?[证据]|授权码|访问码"
)
# No name is longer.
MAX_NAME_CHARS = 48
ANY_NAME = regex.compile(NAMED, regex.VERBOSE | regex.IGNORECASE)


def name_places(text: str) -> list[int]:
    """Each place at which a name begins that says of what stands near it that it is secret; also inside another."""
    return [
        start + place
        for start, end in _stretches(text)
        for place in _places_within(text[max(0, start - 1) : end + 1], min(start, 1), min(len(text) - end, 1))
    ]


@lru_cache(maxsize=8_192)
def _places_within(stretch: str, before: int, behind: int) -> tuple[int, ...]:
    """Where names begin in a stretch, counted from behind its first characters, which only tell what precedes them."""
    found = ANY_NAME.finditer(stretch, before, overlapped=True)
    return tuple(one.start() - before for one in found if one.end() <= len(stretch) - behind)


def matches_at(pattern: "regex.Pattern[str]", text: str, places: Iterable[int]) -> Iterator["regex.Match[str]"]:
    """What begins at one of the places, which are in order, and matches; none inside another."""
    end = 0
    for place in places:
        if place >= end and (found := pattern.match(text, place)) is not None:
            yield found
            end = found.end()


def lines_at(text: str, places: Sequence[int]) -> Iterator[int]:
    """Where the lines begin that hold one of the places, which are in order."""
    end = -1
    for place in places:
        if place > end:
            yield text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            if end < 0:
                return


def last_words(text: str) -> list[int]:
    """The end of each word that a name may end with."""
    # In lower case it is found in a fourth of the time; of all letters only this one would become two.
    lower = text.replace("İ", "I").lower()
    # One byte for each character: no word in the list has another one.
    data = lower.encode("ascii", "replace")
    found = {end for end, _ in _last_words().find(data) if not data[end : end + 1].islower()}
    if not lower.isascii():
        found.update(one.end() for one in _FOREIGN.finditer(lower))
    return sorted(found)


@cache
def _last_words() -> LiteralMatcher:
    return matcher_of([(word.encode(), number, False) for number, word in enumerate(LAST_WORDS.split("|"))])


def places_in(short: str, text: str) -> Iterator[int]:
    """Each place at which a shorter text stands."""
    place = text.find(short)
    while place >= 0:
        yield place
        place = text.find(short, place + 1)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Parts of the text that hold all names, each to the end of one."""
    first = last = -1
    for end in last_words(text):
        begun = max(0, end - MAX_NAME_CHARS - _LONGEST_LAST)
        if begun > last or last < 0:
            if last >= 0:
                yield first, last
            first = begun
        last = end
    if last >= 0:
        yield first, last
