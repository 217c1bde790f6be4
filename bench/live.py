"""Real programs that hang, and healthy ones that pause, under a real ``logrules watch`` with short patience.

``python bench/live.py [--only NAME ...] [--at-once 4] [--no-inspect]``: the programs of fixtures/live/programs.py. Of
those that hang it prints how soon each was told of, whether that was taken back, and (with --inspect) which process and
cause were named; of the healthy ones, which were told of. The exit status is 0 where all held.
"""

import argparse
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "fixtures" / "live" / "programs.py"
sys.path.insert(0, str(PROGRAMS.parent))
from programs import BEGUN, HANGING, HEALTHY, LOOP, POLLING, SILENT, STARTED, Program  # noqa: E402 (beside the fixtures)

# The usual patience is 170 s for a loop, twice that after its first five steps, 5 min for silence and for lines that
# only say that they wait, 10 min after a start.
FACTOR = 0.06
UNIT_S = 1.0
PATIENCE_S = {
    LOOP: 170 * FACTOR,
    BEGUN: 340 * FACTOR,
    SILENT: 300 * FACTOR,
    STARTED: 600 * FACTOR,
    POLLING: 300 * FACTOR,
}
LATE_S = 5.0
LOOK_S = 15.0
LIMIT_S = 150.0
STALLS = ("stall", "diagnosis", "moved-on")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program was told of: after how much quiet (None: never), and what the last report says of it."""

    program: Program
    quiet_s: float | None
    withdrawn: bool
    report: dict[str, object]

    @property
    def in_time(self) -> bool:
        """Whether it was told within its patience and a little."""
        return self.quiet_s is not None and self.quiet_s <= PATIENCE_S[self.program.patience] + LATE_S

    @property
    def cause(self) -> str:
        """The first cause of the last report."""
        found = self.report.get("diagnoses") or []
        return str(found[0]["cause"]) if isinstance(found, list) and found else ""

    @property
    def names_the_guilty(self) -> bool:
        """Whether the process that stands in ``guilty`` is the one that the first diagnosis points at."""
        told = [str(line) for line in (self.report.get("stacks") or {}).get("said", ())]  # type: ignore[attr-defined]
        if any("moving, in" in one and " guilty" in one for one in told):
            return True
        seen = {name for one in told for name in re.findall(r"(?:process|rank) \d+", one)}
        first = (self.report.get("diagnoses") or [{}])[0]  # type: ignore[index]
        shown = " ".join(str(line["source"]) for line in first.get("evidence", ()))
        where = "; ".join(told)
        who = re.findall(r"((?:process|rank) \d+) is in [^;]*\bguilty\b", where)
        # A coroutine that waits is on no stack: of one process, it is that one.
        who = who or list(seen if len(seen) == 1 else ())
        return any(name in shown for name in who) or "suspended" in json.dumps(first)


def outcome_of(program: Program, *, inspect: bool, hangs: bool) -> Outcome:
    """Run one under watch until it was told of and looked at, or ended."""
    look = ["--inspect"] if inspect and hangs else []
    words = [sys.executable, "-m", "logrules", "watch", "--format", "jsonl", "--patience", str(FACTOR), *look, "--"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PYTHONPATH": str(HERE.parent), "UNIT": str(UNIT_S), "FOLDER": folder}
        child = subprocess.Popen(
            [*words, sys.executable, str(PROGRAMS), program.name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            env=env, start_new_session=True, text=True,
        )  # fmt: skip
        events: list[dict[str, object]] = []
        reader = Thread(target=_read, args=(child, events))
        reader.start()
        limit = time.monotonic() + LIMIT_S
        while child.poll() is None and time.monotonic() < limit and not any(e["event"] in STALLS for e in events):
            time.sleep(0.2)
        if hangs and child.poll() is None:
            time.sleep(LOOK_S if look else 4.0)
        withdrawn = any(event["event"] == "over" for event in events) and hangs
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
            child.send_signal(signal.SIGCONT)
            _end(child)
        reader.join(20)
    told = next((event for event in events if event["event"] in STALLS), None)
    quiet = None if told is None else float(str(told.get("quiet_seconds", 0)))
    report = next((event["report"] for event in events if event["event"] == "end"), {})
    return Outcome(program, quiet, withdrawn, report if isinstance(report, dict) else {})


def _read(child: "subprocess.Popen[str]", events: list[dict[str, object]]) -> None:
    events.extend(map(json.loads, child.stdout or ()))


def _end(child: "subprocess.Popen[str]") -> None:
    """The program first, so that the watcher says its last word; then all that is left of it."""
    below = subprocess.run(
        ["pgrep", "-P", str(child.pid)], capture_output=True, text=True, check=False
    ).stdout.split()  # fmt: skip
    for pid in below:
        for number in (signal.SIGTERM, signal.SIGCONT):
            _send(int(pid), number)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        for pid in below:
            _send(int(pid), signal.SIGKILL)
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        return


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return


def chosen(programs: Sequence[Program], only: Sequence[str]) -> list[Program]:
    """Those that were asked for and can run here."""
    return [
        one
        for one in programs
        if (not only or one.name in only) and (not one.needs or importlib.util.find_spec(one.needs) is not None)
    ]


def main() -> int:
    """Run them all and print how it went."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", nargs="+", default=[])
    options.add_argument("--at-once", type=int, default=4)
    options.add_argument("--no-inspect", action="store_true")
    given = options.parse_args()
    hanging, healthy = chosen(HANGING, given.only), chosen(HEALTHY, given.only)
    with ThreadPoolExecutor(given.at_once) as pool:
        hung = list(pool.map(lambda one: outcome_of(one, inspect=not given.no_inspect, hangs=True), hanging))
        well = list(pool.map(lambda one: outcome_of(one, inspect=False, hangs=False), healthy))
    right = 0
    for one in hung:
        good = one.cause in one.program.causes and one.names_the_guilty
        right += good
        said = "not told" if one.quiet_s is None else f"after {one.quiet_s:.0f} s{'' if one.in_time else ' LATE'}"
        blamed = "right" if good else f"WRONG ({one.cause}, {'the guilty' if one.names_the_guilty else 'another'})"
        taken = " WITHDRAWN" if one.withdrawn else ""
        lost = "" if one.report.get("status") == "stalled" else f" STATUS {one.report.get('status')}"
        sys.stdout.write(f"{one.program.name:22} {said:20} {blamed}{taken}{lost}\n")
    for one in well:
        if one.quiet_s is not None:
            sys.stdout.write(f"{one.program.name:22} IMAGINED: {one.cause}\n")
    in_time, gone = sum(one.in_time for one in hung), sum(one.withdrawn for one in hung)
    imagined = sum(one.quiet_s is not None for one in well)
    sys.stdout.write(
        f"hanging: {in_time} of {len(hung)} told in time, {gone} withdrawn, {right} with process and cause; "
        f"healthy: {imagined} of {len(well)} told\n"
    )
    held = in_time == len(hung) and not gone and not imagined
    return 0 if held and (given.no_inspect or right >= len(hung) - 3) else 1


if __name__ == "__main__":
    sys.exit(main())
