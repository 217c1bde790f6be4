"""Commands that read a log, for one that is compressed: ``zgrep`` for ``grep``, ``zcat … |`` before the others."""

import re
from collections.abc import Sequence

from logrules.model.record import record

# What stands between `|`, `;`, `&` and line ends; quoted text is no such mark.
_SIMPLE_COMMAND = re.compile(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^'\"\\|;&\n])+")
_FIRST_WORD = re.compile(r"\s*(\S+)")
# gzip, bzip2, xz and zstd bring these along; each also reads files that are not compressed, if it is told to (-f).
_TOOLS = {".gz": "z", ".bz2": "bz", ".xz": "xz", ".zst": "zstd"}
_NO_TOOL = (".tgz", ".tar", ".zip", ".lz4")


@record
class Unpacker:
    """How a shell reads logs that are all packed in one way: ``prefix`` of its tools, none for plain files."""

    prefix: str
    some_plain: bool = False

    @property
    def reads_plain(self) -> bool:
        """Whether the files are plain, and any program can read them."""
        return not self.prefix

    def reading(self, command: str, *logs: re.Pattern[str]) -> str:
        """The command for bash with each of its parts that reads one of ``logs`` by a tool that can expand it."""
        if self.reads_plain:
            return command
        return _SIMPLE_COMMAND.sub(lambda found: self._part(found[0], logs), command)

    def _part(self, part: str, logs: Sequence[re.Pattern[str]]) -> str:
        log = next((found for one in logs if (found := one.search(part)) is not None), None)
        word = _FIRST_WORD.match(part)
        if log is None or word is None:
            return part
        if word[1] == "grep":
            return f"{part[: word.start(1)]}{self.prefix}{part[word.start(1) :]}"
        unpack = f"{self.prefix}cat -f" if self.some_plain else f"{self.prefix}cat"
        rest = f"{part[word.start(1) : log.start()].rstrip()}{part[log.end() :]}"
        return f"{part[: word.start(1)]}{unpack} {log[0]} | {rest}"


def unpacker_of(paths: Sequence[str]) -> Unpacker | None:
    """What reads all of these files at once by their names; None where no common tool does."""
    stems = {path: next((end for end in _TOOLS if path.endswith(end)), "") for path in paths}
    archives = any(path.removesuffix(end).endswith(_NO_TOOL) for path, end in stems.items())
    packed = {end for end in stems.values() if end}
    if archives or len(packed) > 1:
        return None
    return Unpacker(_TOOLS[packed.pop()], "" in stems.values()) if packed else Unpacker("")
