"""Where a source file that a traceback prints lies: in an installed package, in the standard library, or elsewhere."""

import re
import sys
from enum import StrEnum
from functools import lru_cache

from logrules.model.late_pattern import late_pattern
from logrules.model.record import record

_MAX_CHARS = 4096
_MAX_PARTS = 64
_SITE = ("site-packages", "dist-packages")
# Cython prints paths of the tree that a package was built in, so that what it names is never a script.
_COMPILED = (".pyx", ".pxi", ".pxd")
_BUILD_ROOTS = ("python", "src")
_PYTHON_FOLDER = late_pattern(r"python\d+(?:\.\d+)?t?|python\d+\.zip|pypy\d+(?:\.\d+)?", re.IGNORECASE)
_PYTHON_HOME = late_pattern(r"python|(?:ana|mini|micro)?conda|mambaforge|miniforge|envs", re.IGNORECASE)


class PathKind(StrEnum):
    """In what a file lies."""

    PACKAGE = "package"
    STANDARD_LIBRARY = "standard library"
    ELSEWHERE = "elsewhere"


@record
class PackagePath:
    """The parts of a path: from the top package on where it is known, else all of them."""

    kind: PathKind
    parts: tuple[str, ...]


def package_path(file: str) -> PackagePath:
    """The part of a printed path that does not depend on the machine; any text is taken, none raises."""
    text = file[-_MAX_CHARS:].strip()
    if text.startswith("<frozen ") and text.endswith(">"):
        module = text[len("<frozen ") : -1]
        return PackagePath(PathKind.STANDARD_LIBRARY, (*module.split(".")[:-1], f"{module.rpartition('.')[2]}.py"))
    if text.startswith("<"):
        return PackagePath(PathKind.ELSEWHERE, (text,))
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".")][-_MAX_PARTS:]
    return _installed(parts) or _standard(parts) or _compiled(parts) or PackagePath(PathKind.ELSEWHERE, tuple(parts))


@lru_cache(maxsize=4_096)
def is_own(file: str) -> bool:
    """Whether a file is the user's own, as far as its path tells: of no package, nor of the standard library."""
    return not file.startswith("<") and package_path(file).kind is PathKind.ELSEWHERE


def _installed(parts: list[str]) -> PackagePath | None:
    for index in range(len(parts) - 2, -1, -1):
        part = parts[index].lower()
        if part not in _SITE and not part.endswith((".whl", ".egg")):
            continue
        package, *below = parts[index + 1 :]
        if len(below) > 1 and below[0] in _BUILD_ROOTS and below[1] == package:
            below = below[2:]
        return PackagePath(PathKind.PACKAGE, (package, *below))
    return None


def _standard(parts: list[str]) -> PackagePath | None:
    for index in range(len(parts) - 2, -1, -1):
        if _holds_standard_library(parts, index):
            return PackagePath(PathKind.STANDARD_LIBRARY, tuple(parts[index + 1 :]))
    return None


def _holds_standard_library(parts: list[str], index: int) -> bool:
    """Whether a folder is ``lib/python3.11`` or, as on Windows, the ``Lib`` of a Python with a module of it below."""
    if _PYTHON_FOLDER.fullmatch(parts[index]):
        return index == 0 or parts[index - 1].lower() in ("lib", "lib64", "bin")
    module = parts[index + 1].removesuffix(".py")
    under_python = any(_PYTHON_HOME.match(part) for part in parts[:index])
    return parts[index].lower() == "lib" and module in sys.stdlib_module_names and under_python


def _compiled(parts: list[str]) -> PackagePath | None:
    if not parts or not parts[-1].endswith(_COMPILED):
        return None
    while len(parts) > 1 and parts[0] in _BUILD_ROOTS:
        parts = parts[1:]
    return PackagePath(PathKind.PACKAGE, tuple(parts))
