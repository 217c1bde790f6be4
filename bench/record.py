"""Runs benchmarks and keeps what they print: ``python bench/record.py start run …``, names of the scripts beside.

Each line of a table is kept in ``bench/results.jsonl`` with the date, the commit and the machine, and printed above
what the last run on such a machine said. A start that doubled is then seen by whoever runs it next.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.jsonl"


def machine() -> str:
    """What figures may be compared by."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"


def commit() -> str:
    """The commit that is checked out; with a plus where files differ from it."""
    words = ["git", "-C", str(HERE), "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def last(script: str, results: Path = RESULTS) -> Mapping[str, str] | None:
    """The newest run of a script on such a machine."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    runs = (json.loads(line) for line in reversed(lines))
    return next((run for run in runs if run["script"] == script and run["machine"] == machine()), None)


def printed_by(script: str) -> Iterator[str]:
    """The lines of a benchmark, as they come. Raises CalledProcessError where it fails."""
    words = [sys.executable, str(HERE / f"{script}.py")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        yield from (line.rstrip("\n") for line in child.stdout)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, words)


def record(script: str, results: Path = RESULTS) -> None:
    """Run one benchmark, print it beside its last run, keep it."""
    before = last(script, results)
    lines = []
    for line in printed_by(script):
        print(line, flush=True)
        lines.append(line)
    if before is not None:
        print(f"last time ({before['date']}, {before['commit']}):")
        print(*(f"  {line}" for line in before["lines"]), sep="\n")
    now = datetime.now(UTC).date().isoformat()
    run = {"date": now, "commit": commit(), "machine": machine(), "script": script, "lines": lines}
    with results.open("a", encoding="utf-8") as out:
        out.write(json.dumps(run, ensure_ascii=False) + "\n")


def main(scripts: Sequence[str]) -> None:
    """Run what was named. Raises SystemExit where there is no such script."""
    unknown = [script for script in scripts if not (HERE / f"{script}.py").is_file()]
    if unknown or not scripts:
        sys.exit(f"usage: record.py SCRIPT...; no such script beside this one: {', '.join(unknown) or '(none named)'}")
    for script in scripts:
        record(script)


if __name__ == "__main__":
    main(sys.argv[1:])
