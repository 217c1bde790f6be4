"""Generated pages are those that the rules give today (`make docs` writes them)."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_pages_are_current(shipped):
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    made = generate.pages(shipped)
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert sorted(made) == sorted(kept)
    assert [name for name in made if made[name] != kept[name]] == []
