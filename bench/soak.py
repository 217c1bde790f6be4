"""Real logs, broken in every way, through every form of report: nothing may raise, hang, grow or reach the terminal.

    python bench/soak.py FOLDER --minutes 60 --keep found/

Each case is a child process of its own, with a limit of the processor's time (a busy machine changes nothing) and of
memory. What fails is kept, with the number of its case: the same number makes the same case again (--only N).
"""

import argparse
import contextlib
import io
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path

FORMS = ("text", "json", "html", "markdown", "sarif", "junit", "github", "trace", "jsonl")
PARSED: dict[str, Callable[[str], object]] = {
    "json": json.loads, "sarif": json.loads, "trace": json.loads, "junit": ET.fromstring,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
}  # fmt: skip
MAX_BYTES = 128 << 10
LIMIT_CPU_S, LIMIT_MB = 60, 600
# Of address space, of which much is never touched: one case may not take the machine down.
MAX_ADDRESSES = 6 << 30
HANG_S = 900  # without an end, on a machine however busy: it waits for something that does not come
UNUSABLE = 2  # exit status
# What a report may not hold: C0 but line ends and tabs, C1, overrides of direction.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gbk", "latin-1")
ENDS = (b"\r\n", b"\r", b"\n\r", b"\0", b"\x0b", b"\xe2\x80\xa8", b" ")
SEEDS = (
    b"\x1b[31m",
    b"\x1b]0;title\x07",
    b"\0",
    b"\xff",
    b"\r",
    b"\xe2\x80\xae",
    b"%s%n",
    b"{}",
    b"<script>",
    b"]]>",
    b"::error::",
    b"9999-12-31 23:59:59 ",
    b"0000-00-00 00:00:00 ",
    b"Okt 12 10:11:12 ",
    b"[rank99999999999]: ",
    b"step -1/0 ",
    b"loss: nan ",
    b"1e400 ",
    b"[repeated 999999999x across cluster] ",
    b"100%|##########| 0/0 [00:00<?, ?it/s]",
    b"Traceback (most recent call last):\n",
)
RECORD_NAMES = (("ts", "level", "msg"), ("time", "levelname", "message"), ("@timestamp", "severity", "message"))
SEQUENCES = (
    b"\x1b[31m",
    b"\x1b[0m",
    b"\x1b[K",
    b"\x1b[",
    b"\x1b",
    b"\x9b31m",
    b"\x1b]8;;http://x\x1b\\",
    b"\x1b[2K\r",
    b"\x08",
)
NUMBERS = (b"0", b"-1", b"9" * 20, b"9" * 5_000, b"1e999", b"nan", b"inf", b"007", "٣".encode(), "²".encode())


def mutant(logs: Sequence[bytes], lot: random.Random) -> bytes:
    """One or two logs, changed one to four times."""
    data = piece(lot.choice(logs), lot)
    for _ in range(lot.randint(1, 4)):
        data = lot.choice(CHANGES)(data, logs, lot)[:MAX_BYTES]
    return data


def piece(data: bytes, lot: random.Random) -> bytes:
    """A stretch of a log, mostly its end."""
    start = max(0, len(data) - MAX_BYTES) if lot.randrange(3) else lot.randrange(len(data) + 1)
    return data[start : start + MAX_BYTES]


def bytes_changed(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(lot.randint(1, 200) if data else 0):
        changed[lot.randrange(len(changed))] = lot.randrange(256)
    return bytes(changed)


def seeded(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    lines = data.split(b"\n")
    for _ in range(lot.randint(1, 50)):
        at = lot.randrange(len(lines))
        place = lot.choice((0, lot.randrange(len(lines[at]) + 1)))
        lines[at] = lines[at][:place] + lot.choice(SEEDS) * lot.choice((1, 1, 1, 500)) + lines[at][place:]
    return b"\n".join(lines)


def interleaved(data: bytes, logs: Sequence[bytes], lot: random.Random) -> bytes:
    mine, other = data.split(b"\n"), piece(lot.choice(logs), lot).split(b"\n")
    merged = []
    while mine or other:
        source = mine if (lot.randrange(2) and mine) or not other else other
        count = lot.randint(1, 20)
        merged += source[:count]
        del source[:count]
    return b"\n".join(merged)


def reordered(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    lines = data.split(b"\n")
    return b"\n".join(lot.choice((lot.sample(lines, len(lines)), lines[::-1], lines * 3, lines[:: lot.randint(2, 5)])))


def cut(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    return data[: lot.randrange(len(data) + 1)]


def recoded(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(lot.choice(ENCODINGS), "replace")


def other_ends(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    return data.replace(b"\n", lot.choice(ENDS))


def repeated(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    line = lot.choice(data.split(b"\n"))[:2_000] + lot.choice((b"", b"\n", b"\r"))
    return data[: MAX_BYTES // 2] + line * (MAX_BYTES // 2 // max(len(line), 1))


def recorded(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    """Each line as a JSON record, of which one writer in ten puts something else where a text belongs."""
    when, level, message = lot.choice(RECORD_NAMES)
    odd = (None, [], {"a": 1}, -1, 1e300, "9" * 600, "9999-99-99", "\x1b[31mERROR", True)
    records = []
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n")):
        record = {when: 1.7e9 + number, level: "ERROR", message: line}
        if not lot.randrange(10):
            record[lot.choice((when, level, message, "exc_info", "rank", "error"))] = lot.choice(odd)
        records.append(
            json.dumps(record, ensure_ascii=bool(lot.randrange(2)))[: lot.choice((1_000_000, 1_000_000, 200))]
        )
    return "\n".join(records).encode()


def coloured(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    """Sequences of terminals in the middle of words, whole and broken ones."""
    step, parts, at = lot.choice((3, 20, 100)), [], 0
    while at < len(data):
        size = lot.randint(1, 2 * step)
        parts += (data[at : at + size], lot.choice(SEQUENCES))
        at += size
    return b"".join(parts)


def counted(data: bytes, _logs: Sequence[bytes], lot: random.Random) -> bytes:
    """Some of the numbers are no numbers, or beyond all."""
    share = lot.choice((0.01, 0.1, 0.5))
    return re.sub(rb"\d+", lambda found: lot.choice(NUMBERS) if lot.random() < share else found[0], data)


CHANGES = (
    recorded,
    coloured,
    counted,
    bytes_changed,
    seeded,
    interleaved,
    reordered,
    cut,
    recoded,
    other_ends,
    repeated,
)


def faults(path: Path, folder: Path) -> list[str]:
    """What is wrong with the reports on a log, in this process."""
    from logrules.cli.main import main

    said, found = {}, []
    for form in FORMS:
        out, err = folder / f"report.{form}", io.StringIO()
        with contextlib.redirect_stderr(err):
            status = main(["diagnose", str(path), "--format", form, "-o", str(out), "--debug"])
        said[form] = status
        if (
            "error in logrules" in err.getvalue()
            or "not enough memory" in err.getvalue()
            or CONTROLS.search(err.getvalue())
        ):
            found.append(f"{form}: {err.getvalue()[-2_000:]}")
        if status < UNUSABLE:
            found += wrong_with(out.read_text(encoding="utf-8"), form)
    if len(set(said.values())) > 1:
        found.append(f"the exit status depends on the form: {said}")
    with contextlib.redirect_stderr(io.StringIO()):
        again = main(["diagnose", str(path), "--format", "json", "-o", str(folder / "again"), "--block-bytes", "997"])
    if again != said["json"] or (
        again < UNUSABLE and (folder / "again").read_bytes() != (folder / "report.json").read_bytes()
    ):
        found.append("the report depends on how the bytes are cut")
    return found


def wrong_with(text: str, form: str) -> list[str]:
    found = [f"{form}: {shown!r} reaches the reader" for shown in CONTROLS.findall(text)[:1]]
    try:
        PARSED.get(form, str)(text)
    except (ValueError, ET.ParseError) as fault:
        found.append(f"{form}: is not well-formed ({fault})")
    return found


def case(data: bytes) -> list[str]:
    """The same in a child, with what it cost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.log").write_bytes(data)
        begun = time.monotonic()
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_CPU_S, LIMIT_CPU_S))
            resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))
            with (folder / "faults").open("w") as stream:
                json.dump(faults(folder / "a.log", folder), stream)
            os._exit(0)
        while True:
            done, status, used = os.wait4(child, os.WNOHANG)
            if done:
                break
            if time.monotonic() - begun > HANG_S:
                os.kill(child, 9)
                os.wait4(child, 0)
                return [f"hung for {HANG_S} s"]
            time.sleep(0.02)
        if used.ru_utime + used.ru_stime >= LIMIT_CPU_S - 1:
            return [f"took {LIMIT_CPU_S} s of the processor's time"]
        if status:
            return [f"ended with {status}"]
        found = json.loads((folder / "faults").read_text())
        # All forms are made in one process, also those that draw, beside the logs that we hold.
        if used.ru_maxrss > LIMIT_MB << 10:
            found.append(f"{used.ru_maxrss >> 10} MB")
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="real logs")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one case again")
    parser.add_argument("--keep", type=Path, help="where to put what failed")
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.rglob("*") if path.suffix in {".log", ".txt"})
    logs = [data for path in paths if (data := path.read_bytes()[-(4 << 20) :])]
    end = time.monotonic() + 60 * options.minutes
    number = options.seed if options.only is None else options.only
    failed = count = 0
    while time.monotonic() < end:
        data = mutant(logs, random.Random(number))
        found = case(data)
        count += 1
        if found:
            failed += 1
            print(f"case {number} ({len(data)} bytes):", *found, sep="\n  ", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{number}.log").write_bytes(data)
        if options.only is not None:
            break
        number += 1
    print(f"{count} cases of {len(logs)} logs, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
