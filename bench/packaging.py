"""Sdist and wheel as a user installs them: ``python bench/packaging.py --python python3.11 python3.12 python3.13``.

Builds both, asks `twine check`, then installs the wheel into fresh environments of each Python: bare, with each extra
alone, and the sdist. In each a command is run that needs just that. Prints a line a check; exit status 1 where one
failed. Needs `build` and `twine`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
LIMIT_S = 600
LOG = """INFO 07-04 10:00:01 starting
Traceback (most recent call last):
  File "/app/train.py", line 3, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79 GiB.
"""
# What a client of the Model Context Protocol says first.
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
# A cluster of this machine alone, and a log with a path that means nothing to its workers.
ON_A_CLUSTER = """
import ray, subprocess
address = ray.init(num_cpus=1, include_dashboard=False).address_info["address"]
words = ["logrules", "diagnose", "train.log", "--engine", "ray", "--ray-address", address]
print(subprocess.run(words, capture_output=True, text=True))
"""


@dataclass(frozen=True, slots=True)
class Try:
    """A command (`logrules` or `python` of the environment first), its exit status, and what it must print or write.

    ``{work}`` in it is the folder in which it runs.
    """

    words: tuple[str, ...]
    status: int
    says: str
    sent: str = ""
    written: str | None = None


DIAGNOSE = ("logrules", "diagnose", "train.log")
TRIES = {
    "": Try(DIAGNOSE, 1, "cuda-oom"),
    "html": Try((*DIAGNOSE, "--format", "html", "-o", "page.html"), 1, "cuda-oom", written="page.html"),
    "metrics": Try(("logrules", "watch", "--metrics-port", "0", "--", "python", "-c", "print('step 1')"), 0, "step 1"),
    "inspect": Try(("logrules", "inspect", "--pid", str(os.getpid())), 1, "Where the processes stand"),
    "mcp": Try(("logrules", "mcp", "--root", "."), 0, "protocolVersion", sent=json.dumps(HELLO) + "\n"),
    "remote": Try(("logrules", "diagnose", "memory://nothing/train.log"), 2, "train.log"),
    "ray": Try(("python", "-c", ON_A_CLUSTER), 0, "cuda-oom"),
    "docs": Try(("mkdocs", "build", "--strict", "-f", str(HERE / "mkdocs.yml"), "-d", "{work}/site"), 0, "<title>",
                written="site/index.html"),
}  # fmt: skip


def built(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel that is made of it."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(HERE)], check=True, capture_output=True)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def environment(python: str, folder: Path, wanted: str) -> Path | str:
    """The programs of a new environment with what is wanted, or why there is none."""
    for words in (
        [python, "-m", "venv", str(folder)],
        [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted],
    ):
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["no reason said"])[-1]
    return folder / "bin"


def fault(programs: Path, work: Path, tried: Try) -> str | None:
    """What was wrong with a command, None where it did what it should."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LOGRULES"))}
    clean |= {"PATH": f"{programs}:{os.environ['PATH']}", "LOGRULES_CACHE_DIR": str(work / "cache"), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [str(programs / tried.words[0]), *(word.replace("{work}", str(work)) for word in tried.words[1:])],
        cwd=work, env=clean, input=tried.sent, capture_output=True, text=True, check=False, timeout=LIMIT_S,
    )  # fmt: skip
    said = (work / tried.written).read_text() if tried.written and (work / tried.written).exists() else done.stdout
    if done.returncode != tried.status:
        return f"status {done.returncode}: {done.stderr.strip()[-300:]}"
    return None if tried.says in said + done.stderr else f"`{tried.says}` is not said"


def checks(pythons: Sequence[str], extras: Sequence[str], folder: Path) -> Iterator[tuple[str, str | None]]:
    """Each check by its name, with what was wrong."""
    sdist, wheel = built(folder / "dist")
    words = [sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel)]
    twine = subprocess.run(words, check=False, capture_output=True, text=True)
    yield "twine check", None if not twine.returncode else (twine.stdout + twine.stderr).strip()[-300:]
    work = folder / "work"
    work.mkdir()
    (work / "train.log").write_text(LOG)
    for python in pythons:
        packages = {
            f"[{extra}]" if extra else "wheel": f"{wheel}[{extra}]" if extra else str(wheel) for extra in extras
        }
        for name, wanted in {**packages, "sdist": str(sdist)}.items():
            programs = environment(python, folder / "env", wanted)
            tried = TRIES[name.strip("[]") if name.startswith("[") else ""]
            yield f"{Path(python).name} {name}", programs if isinstance(programs, str) else fault(programs, work, tried)
            shutil.rmtree(folder / "env", ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", default=[sys.executable], metavar="PROGRAM", help="interpreters to try")
    parser.add_argument("--extra", nargs="+", metavar="EXTRA", help="only these (default: none, then each but `dev`)")
    chosen = parser.parse_args()
    declared = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    extras = chosen.extra or ["", *(name for name in declared if name != "dev")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, wrong in checks(chosen.python, extras, Path(folder)):
            print(f"{name}: {wrong or 'right'}", flush=True)
            failed += wrong is not None
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
