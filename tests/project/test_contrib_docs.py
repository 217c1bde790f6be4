"""The pages about where jobs run: their links lead somewhere, their commands are understood, those that can be are run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from logrules.cli.main import _parser, main

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/integrations").glob("*.md"))
OOM = "2025-06-15 10:40:00 [rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


def commands() -> list[str]:
    lines = [line for page in PAGES for line in re.findall(r"^ {4}logrules (.*)$", page.read_text(), re.MULTILINE)]
    return [re.split(r"\s+#|\s[|>]", line)[0].strip() for line in lines]


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_every_command_that_is_shown_is_understood(command):
    words = shlex.split(command)
    words = words[: words.index("--")] if "--" in words else words
    parser, _ = _parser(words, "en")
    assert parser.parse_args(words).verb == words[0]


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "docs/index.md", ROOT / "contrib/README.md"], ids=lambda page: page.name
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_are_in_contrib(page):
    there = {path.name for path in (ROOT / "contrib").rglob("*")}
    named = re.findall(r"contrib/(?:[\w./-]|@(?=\.))+\w", page.read_text(encoding="utf-8"))
    assert all((ROOT / name).exists() or Path(name).name in there for name in named)


def test_every_page_is_in_the_site():
    said = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {f"integrations/{page.name}" for page in PAGES}
    assert pages <= set(re.findall(r"\S+\.md", said))
    assert yaml.safe_load(said)["theme"]["font"] is False


def test_the_page_about_many_jobs_can_be_followed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LOGRULES_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data/runs/42/logs").mkdir(parents=True)
    (tmp_path / "data/runs/42/logs/x.log").write_text(OOM)
    (page,) = (page for page in PAGES if page.name == "fleet.md")
    kind = ""
    for line in re.findall(r"^ {4}logrules (.*)$", page.read_text(), re.MULTILINE):
        if "--engine ray" in line:
            continue  # needs a cluster: tests/engine/test_ray_cluster.py, bench/fleet.py
        words = shlex.split(re.split(r"\s+#", line)[0].replace("/data/", "data/").replace("3f2a", kind[:4]))
        assert main(words) in {0, 1}, words
        said = capsys.readouterr().out
        if "--group" in words:
            kind = said.split()[0]
    assert (tmp_path / "fleet.html").is_file()


def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("material")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    page = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=\"https?://[^\"]+\.(?:js|css|woff2?)\"", page)
