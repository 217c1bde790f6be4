"""What the words of the user's own file and function names say of the phase."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from logrules.model.failure import MODULE_CODE, Frame
from logrules.model.late_pattern import late_pattern
from logrules.ruleset.tables import OwnWords

_MAX_NAME = 200
_IMPORTER = "importlib._bootstrap"
_SPAWNED = "multiprocessing/spawn.py"
_PACKAGE = "__init__.py"
# Module-level code that Cython compiled is a function of its own, `init` with the module's name behind it.
_COMPILED, _COMPILED_INIT = (".pyx", ".pxd", ".pxi"), "init"
_WHOLE = "="
_WORD = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


class OwnNames:
    """The phases that words of the user's own names speak of."""

    def __init__(self, rows: Sequence[OwnWords]) -> None:
        self._functions = _phrases((row.phase, row.functions) for row in rows)
        self._files = _phrases((row.phase, row.files) for row in rows)
        self._import = next((row.phase for row in rows if MODULE_CODE in row.functions), None)

    def of_function(self, function: str) -> str | None:
        """The phase that a function's name speaks of."""
        return _spoken(function.rpartition(".")[2], self._functions)

    def of_file(self, file: str) -> str | None:
        """The phase that a file's name, without its folders, speaks of."""
        return _spoken(file.partition(".")[0], self._files)

    def of_import(self, frames: Sequence[Frame]) -> tuple[str | None, Frame | None]:
        """The phase of imports and the frame, where one file's module-level code runs below another's."""
        modules = [frame for _, frame in _of_modules(frames)]
        # Nobody runs the file that makes a folder a package: it is imported.
        several = len(modules) > 1 or self.is_imported(frames) or any(one.file.endswith(_PACKAGE) for one in modules)
        return (self._import, modules[-1]) if self._import is not None and several else (None, None)

    def is_imported(self, frames: Sequence[Frame]) -> bool:
        """Whether the innermost frame is the module-level code of a file that Python itself imports.

        Python leaves its importer out of most tracebacks, so that the module-level code of one file stands right below
        that of another. What it cannot parse is a frame without a function. A process that is spawned imports all of it
        again, whenever that is.
        """
        *_, above, last = (None, None, *frames)
        if last is None or above is None or last.file.startswith("<"):
            return False
        if last.in_module and _IMPORTER in above.file:
            return True
        below = last.function in (MODULE_CODE, "") and above.in_module and not above.file.startswith("<")
        return below and not any(frame.file.endswith(_SPAWNED) for frame in frames)


def is_module_code(file: str, function: str) -> bool:
    """Whether a frame is of code that runs when its file is imported or run."""
    return function == MODULE_CODE or (function.partition(" ")[0] == _COMPILED_INIT and file.endswith(_COMPILED))


def only_imported(frames: Sequence[Frame]) -> AbstractSet[int]:
    """The places of frames of module-level code where an import is under way: it runs that of several files.

    Neither the file that was started nor one that it imports has then done what it is named for. A process that is
    spawned imports that file too.
    """
    if any(frame.file.endswith(_SPAWNED) for frame in frames):
        return frozenset()
    places = [place for place, _ in _of_modules(frames)]
    return frozenset(places if len(places) > 1 else ())


def _of_modules(frames: Sequence[Frame]) -> Iterator[tuple[int, Frame]]:
    """The frames of module-level code that a file holds, each with its place."""
    for place, frame in enumerate(frames):
        if is_module_code(frame.file, frame.function) and not frame.file.startswith("<"):
            yield place, frame


def words_of(name: str) -> list[str]:
    """The words of a name in snake or camel case, in lower case."""
    return [word.lower() for word in _WORD.findall(name[:_MAX_NAME])]


def _phrases(rows: Iterable[tuple[str, Iterable[str]]]) -> Mapping[tuple[str, ...], str]:
    return {
        (*([_WHOLE] if word.startswith(_WHOLE) else []), *words_of(word)): phase
        for phase, words in rows
        for word in words
        if word != MODULE_CODE
    }


def _spoken(name: str, phrases: Mapping[tuple[str, ...], str]) -> str | None:
    """The phase of the longest phrase in a name, of several as long the last: a name's last word is what it is."""
    words = words_of(name)
    if (whole := phrases.get((_WHOLE, *words))) is not None:
        return whole
    longest = max((len(phrase) for phrase in phrases), default=0)
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size, -1, -1):
            phase = phrases.get(tuple(words[start : start + size]))
            if phase is not None:
                return phase
    return None
