"""The house in order: a name means one thing, and a module is neither a crumb nor a chapter."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

CODE = Path(__file__).parents[2] / "logrules"
MODULES = [path for path in sorted(CODE.rglob("*.py")) if not path.name.startswith("__")]
LONGEST, SHORTEST = 300, 30
# Each is short for a reason of its own, and used from several rooms or loaded where nothing else may be.
SHORT = {
    "engine/needed_threads": "what the pool asks and a watched command too, without what makes a pool",
    "model/errors": "every room raises some",
    "model/late_pattern": "every room has patterns of its own",
    "model/version": "read by the build",
    "output/escape": "the one way of log text into output",
    "parsing/bounded_dict": "what bounds the memory of two modules",
    "ruleset/duration": "one way to write a length of time, for rules, options and tools, without what checks rules",
}


def doubled(names: Iterator[tuple[str, Path]]) -> dict[str, list[str]]:
    where: dict[str, list[str]] = defaultdict(list)
    for name, path in names:
        where[name].append(str(path.relative_to(CODE)))
    return {name: paths for name, paths in where.items() if len(paths) > 1}


def public_classes() -> Iterator[tuple[str, Path]]:
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path


def test_no_two_modules_have_one_name():
    assert doubled((path.stem, path) for path in MODULES) == {}


def test_no_two_public_classes_have_one_name():
    assert doubled(public_classes()) == {}


def test_every_module_has_a_page_to_say():
    lines = {
        path.relative_to(CODE).with_suffix("").as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in MODULES
    }
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}
    crumbs = {name: count for name, count in lines.items() if count < SHORTEST and name not in SHORT}
    assert crumbs == {}, "fold each into its neighbour, or say why it stands alone"
    assert [name for name in SHORT if lines.get(name, SHORTEST) >= SHORTEST] == []


def test_the_architecture_page_names_what_is_there():
    page = (CODE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:rules|tests|docs|ruleset|inference|ruletest|output|notify|cli|engine|model)/[\w./]+)`", page
    )
    named = [name for name in named if "NAME" not in name]
    assert len(named) > 20
    for name in named:
        roots = (CODE / name, CODE / f"{name}.py", CODE.parent / name)
        assert any(root.exists() for root in roots), name


def test_every_module_can_be_loaded():
    """One that nobody loads would be missing from the coverage, which counts what was loaded."""
    names = [".".join(path.relative_to(CODE.parent).with_suffix("").parts) for path in MODULES]
    assert {importlib.import_module(name).__name__ for name in names} == set(names)


def test_scripts_import_what_there_is():
    """No test runs them, and a name that they use may be changed here."""
    scripts = [path for room in ("bench", "contrib", "docs", "fixtures") for path in (CODE.parent / room).rglob("*.py")]
    wanted = [
        (script.name, found.module, name.name)
        for script in scripts
        for found in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(found, ast.ImportFrom) and (found.module or "").startswith("logrules")
        for name in found.names
    ]
    assert len(wanted) > 20
    assert [one for one in wanted if not hasattr(importlib.import_module(str(one[1])), one[2])] == []


def test_records_take_their_fields_from_where_records_are_made():
    """A field of `dataclasses` would itself be taken for the default."""
    wrong = []
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"]
        if "field" in {name.name for node in imports for name in node.names}:
            records = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and is_record_here(node)]
            wrong += [f"{path.name}: {node.name}" for node in records if "field(" in ast.unparse(node)]
    assert wrong == []


def is_record_here(node: ast.ClassDef) -> bool:
    return any(ast.unparse(decorator) in {"record", "mutable_record"} for decorator in node.decorator_list)


def test_tests_stand_in_a_folder_that_is_called_like_what_they_cover():
    tests = CODE.parent / "tests"
    packages = {path.parent.name for path in CODE.glob("*/__init__.py")}
    folders = {path.parent.name for path in tests.glob("*/__init__.py")}
    assert folders == packages | {"diagnosis", "project"}
    assert not list(tests.glob("test_*.py"))
