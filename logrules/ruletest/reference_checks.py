"""What is wrong with the addresses of pages that rules refer to; asked of the web, whether these still exist."""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from logrules.model.position import Problem
from logrules.ruleset.rule_file import RuleSource
from logrules.ruletest.file_contents import cards_in

_LIMIT_S = 15
_AT_ONCE = 16
# These say that the page is gone; a server that is tired or wants a login does not.
_GONE = frozenset({404, 410})
_AGENT = "logrules-check"


def references(source: RuleSource) -> Iterator[Problem]:
    """References that are no addresses of pages."""
    for _, path, card in cards_in(source):
        for number, address in enumerate(card.references):
            if not is_address(address):
                message = f"`{address}` is no address of a page"
                yield source.problem((*path, "references", number), message, code="LR111")


def is_address(text: str) -> bool:
    """Whether a text is the address of a page on the web."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and "." in parts.netloc and not re.search(r"\s", text)


def gone_references(sources: Sequence[RuleSource]) -> Iterator[Problem]:
    """The references whose page is not there any more, or whose server cannot be found."""
    places = [
        (source, (*path, "references", number), address)
        for source in sources
        for _, path, card in cards_in(source)
        for number, address in enumerate(card.references)
        if is_address(address)
    ]
    addresses = list(dict.fromkeys(address for _, _, address in places))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = dict(zip(addresses, pool.map(_trouble, addresses), strict=True))
    for source, at, address in places:
        if (trouble := answers[address]) is not None:
            yield source.problem(at, f"`{address}` {trouble}", code="LR111")


def _trouble(address: str) -> str | None:
    request = Request(address, method="GET", headers={"User-Agent": _AGENT})  # noqa: S310 (http and https alone)
    try:
        with urlopen(request, timeout=_LIMIT_S):  # noqa: S310
            return None
    except HTTPError as fault:
        return f"answers {fault.code}" if fault.code in _GONE else None
    except (URLError, OSError, ValueError) as fault:
        return f"cannot be reached: {getattr(fault, 'reason', fault)}"
