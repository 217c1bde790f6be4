"""Text without its secrets, and how many of which kind were taken out."""

from collections import Counter
from collections.abc import Sequence

import regex

from logrules.model.errors import LogrulesError
from logrules.tools.bundle.secret_kinds import KINDS, Kind

# A pattern of the user's own may backtrack without end.
_TIMEOUT_S = 5.0


class Redactor:
    """Takes secrets out of text. ``found`` counts what was taken, by kind.

    A secret that was recognised once (beside its name, say) is taken out wherever else it stands.
    """

    def __init__(self, own: Sequence[str] = ()) -> None:
        kinds = (*(Kind("a pattern of yours", pattern, "") for pattern in own), *KINDS)
        self._kinds = [(kind, _compiled(kind)) for kind in kinds]
        self._known: dict[str, str] = {}
        self.found: Counter[str] = Counter()

    def redact(self, text: str) -> str:
        """The text with each secret replaced by the name of its kind in brackets."""
        folded = text.lower()
        for kind, pattern in self._kinds:
            if kind.hint in folded:
                text = self._without_kind(kind, pattern, text)
        return self._without_known(text)

    def _without_kind(self, kind: Kind, pattern: "regex.Pattern[str]", text: str) -> str:
        try:
            return pattern.sub(lambda match: self._without(match, kind.name), text, timeout=_TIMEOUT_S)
        except TimeoutError:
            raise LogrulesError(f"the pattern {kind.pattern} takes too long; nothing was written") from None

    def _without(self, match: "regex.Match[str]", name: str) -> str:
        group = "secret" if "secret" in match.re.groupindex else 0
        start, end = match.span(group)
        secret = match.string[start:end]
        if not secret or _is_mark(secret):
            return match.group()
        self.found[name] += 1
        if _is_telling(secret):
            self._known[secret] = name
        return match.string[match.start() : start] + mark(name) + match.string[end : match.end()]

    def _without_known(self, text: str) -> str:
        for secret, name in self._known.items():
            count = text.count(secret)
            if count:
                self.found[name] += count
                text = text.replace(secret, mark(name))
        return text


def mark(name: str) -> str:
    """What stands where a secret stood."""
    return f"[redacted: {name}]"


def _is_mark(text: str) -> bool:
    return "[redacted:" in text or set(text) <= set("*xX.•")


def _is_telling(secret: str) -> bool:
    """Whether a secret cannot be a word that stands elsewhere by chance."""
    return len(secret) >= 12 and any(letter.isdigit() for letter in secret) and "\n" not in secret  # noqa: PLR2004


def _compiled(kind: Kind) -> "regex.Pattern[str]":
    try:
        return regex.compile(kind.pattern, regex.DOTALL)
    except regex.error as fault:
        raise LogrulesError(f"--redact {kind.pattern}: not a regular expression ({fault})") from None
