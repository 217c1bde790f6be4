"""A matcher that counts its steps, and small patterns to try it on."""

from collections.abc import Iterator

from hypothesis import strategies as st

from logrules.ruleset.pattern_syntax import SAMPLES, Choice, Letters, LookAround, Node, Repeat, Row

_WORK = 60_000


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = inner.map("(?:{})".format)
    return st.one_of(
        st.tuples(group, st.sampled_from(["*", "+", "?", "*?"])).map("".join),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
    )


PATTERNS = st.recursive(st.sampled_from(["a", "b", "[ab]", "."]), _nested, max_leaves=6)


class Backtracker:
    """Matches as engines do, branch by branch, and counts its steps. A round that takes nothing is the last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.steps = 0

    def ends(self, node: Node, at: int) -> Iterator[int]:
        self.steps += 1
        if self.steps > _WORK:
            raise TimeoutError
        match node:
            case Letters(bits):
                if at < len(self._text) and bits >> SAMPLES.index(self._text[at]) & 1:
                    yield at + 1
            case Row(parts):
                yield from self._row(parts, at)
            case Choice(branches):
                for branch in branches:
                    yield from self.ends(branch, at)
            case Repeat(part, least, most):
                yield from self._rounds(part, least, most, at)
            case LookAround():
                yield at

    def _row(self, parts: tuple[Node, ...], at: int) -> Iterator[int]:
        if not parts:
            yield at
            return
        for end in self.ends(parts[0], at):
            yield from self._row(parts[1:], end)

    def _rounds(self, part: Node, least: int, most: int | None, at: int) -> Iterator[int]:
        if most != 0:
            for end in self.ends(part, at):
                if end > at:
                    yield from self._rounds(part, max(least - 1, 0), None if most is None else most - 1, end)
                elif least:
                    yield end
        if not least:
            yield at


def work_of(tree: Node, text: str) -> int:
    """The steps that finding all matches at the start of a text takes, as far as they are counted."""
    tried = Backtracker(text)
    try:
        for _ in tried.ends(tree, 0):
            pass
    except TimeoutError:
        pass
    return tried.steps
