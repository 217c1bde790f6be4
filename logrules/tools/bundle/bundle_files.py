"""The files of a bundle, as text of which nothing leaves but through `redacted`; and all of them in one archive."""

import gzip
import io
import json
import tarfile
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from logrules.model.errors import LogrulesError, SourceError, reason_of
from logrules.model.report import Report
from logrules.model.stream import CONTINUED
from logrules.model.version import __version__
from logrules.output.atomic_write import write_file
from logrules.output.escape import safe
from logrules.output.report_json import render_json
from logrules.output.styled import Color
from logrules.output.text import render_text
from logrules.sources.file import opened
from logrules.sources.source import Source, blocks_of
from logrules.tools.bundle.redact import Redactor, Taken
from logrules.tools.doctor.doctor import Answer, render_answers
from logrules.tools.doctor.machine import Machine

MAX_CONFIG_BYTES = 1 << 20
_NAMES = "names of files"
# What decides how a run behaves; everything else in an environment is private.
TELLING = (
    "ACCELERATE_", "ASCEND_", "CUDA", "CUBLAS", "DEEPSPEED", "DS_", "FI_", "FSDP", "GLOO_", "HF_", "HIP_", "HSA_",
    "HUGGING", "LD_LIBRARY_PATH", "LOCAL_", "MASTER_", "MKL_", "NCCL_", "NNODES", "NODE_RANK", "NVIDIA_", "OMP_",
    "PET_", "PYTHON", "PYTORCH_", "RANK", "RAY_", "RCCL_", "ROCR_", "SGLANG_", "SLURM_", "TOKENIZERS_", "TORCH",
    "TP_SOCKET", "TRANSFORMERS_", "TRITON_", "UCX_", "VLLM_", "WANDB_", "WORLD_SIZE", "XLA_", "http_proxy",
    "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
)  # fmt: skip
_PACKAGES = (
    "import importlib.metadata as m\n"
    "for d in sorted({(x.metadata['Name'] or '?', x.version) for x in m.distributions()}): print(*d, sep='==')"
)


@dataclass(frozen=True, slots=True)
class BundlePart:
    """One file of the bundle. ``numbers`` are those of its lines, if they stand in front; ``marked`` some of them."""

    name: str
    text: str
    numbers: tuple[int, ...] = ()
    marked: frozenset[int] = frozenset()


def reports(report: Report, language: str) -> Iterator[BundlePart]:
    """The diagnosis, for machines and for people."""
    document, page = io.StringIO(), io.StringIO()
    render_json(report, document, language)
    render_text(report, page, language, "bash", all_diagnoses=True, color=Color.NEVER)
    yield BundlePart("report.json", document.getvalue())
    yield BundlePart("report.txt", page.getvalue())


def logs(sources: Sequence[Source], report: Report, say: Callable[[str], None]) -> Iterator[BundlePart]:
    """Of each log its end and its evidence; of one that cannot be read any more ``say`` is told in a sentence."""
    for number, source in enumerate(sources, start=1):
        lines = [line.line for one in report.diagnoses for line in one.lines if line.source == source.name]
        try:
            found = excerpt(source, lines)
        except SourceError as fault:
            say(f"{fault}; it is not in the bundle")
            continue
        stem = f"logs/{number:03d}-{_plain_name(source.name)}"
        yield BundlePart(
            f"{stem}.tail.txt",
            "\n".join(found.tail),
            tuple(range(found.tail_first, found.tail_first + len(found.tail))),
        )
        if found.shown:
            numbers, shown = zip(*found.shown, strict=True)
            yield BundlePart(f"{stem}.evidence.txt", "\n".join(shown), numbers, frozenset(lines))


def machine(answers: Sequence[Answer], asked: Machine, language: str) -> Iterator[BundlePart]:
    """Doctor's answers, the packages of the run's Python, and the environment as far as it tells."""
    out = io.StringIO()
    render_answers(answers, out, language, Color.NEVER)
    yield BundlePart("doctor.txt", out.getvalue())
    said = asked.ask_python(_PACKAGES)
    unknown = f"{asked.asked.python} could not be asked for its packages\n"
    yield BundlePart("packages.txt", said.text if said.fine else unknown)
    yield BundlePart("environment.txt", _environment(asked.env))


def configurations(paths: Sequence[str]) -> Iterator[BundlePart]:
    """The files that the user named. Raises LogrulesError where one cannot be read."""
    for number, name in enumerate(paths, start=1):
        try:
            with io.BufferedReader(opened(Path(name))) as stream:
                raw = stream.read(MAX_CONFIG_BYTES + 1)
        except OSError as fault:
            raise LogrulesError(f"{name}: cannot be read ({reason_of(fault)})") from None
        text = raw[:MAX_CONFIG_BYTES].decode("utf-8", "replace")
        cut = f"\n… cut after {MAX_CONFIG_BYTES} bytes\n" if len(raw) > MAX_CONFIG_BYTES else ""
        yield BundlePart(f"config/{number:03d}-{_plain_name(Path(name).name)}", text + cut)


def redacted(parts: Sequence[BundlePart], redactor: Redactor) -> tuple[list[BundlePart], list[Taken]]:
    """The parts as they may leave, and what was taken out of which. Their names are looked through as well."""
    names = "\n".join(part.name for part in parts)
    clean, taken = redactor.redact({_NAMES: names, **{part.name: part.text for part in parts}})
    told = [replace(part, text=_laid_out(part, clean[part.name])) for part in parts]
    renamed = [
        replace(part, name=name) for part, name in zip(told, map(_plain_path, clean[_NAMES].split("\n")), strict=True)
    ]
    return renamed, [_numbered(one, parts) for one in taken]


def _numbered(one: Taken, parts: Sequence[BundlePart]) -> Taken:
    """The same with the line numbers that stand in the part."""
    numbers = next((part.numbers for part in parts if part.name == one.place), ())
    return replace(one, lines=tuple(numbers[line - 1] for line in one.lines)) if numbers else one


def manifest(parts: Sequence[BundlePart], taken: Sequence[Taken]) -> BundlePart:
    """What the bundle holds, and what was taken out of it, by kind and place."""
    said = {
        "schema": "logrules.bundle/1",
        "logrules": __version__,
        "files": [{"name": part.name, "bytes": len(part.text.encode())} for part in parts],
        "redacted": [{"file": one.place, "kind": one.kind, "count": one.count, "lines": one.lines} for one in taken],
    }
    return BundlePart("MANIFEST.json", json.dumps(said, ensure_ascii=False, indent=1) + "\n")


def _laid_out(part: BundlePart, text: str) -> str:
    """The text with its numbers in front, overlong lines cut, and nothing in it that a terminal would obey."""
    lines = [safe(line if len(line) <= MAX_LINE_CHARS or not part.numbers else _cut(line)) for line in text.split("\n")]
    if not part.numbers:
        return "\n".join(lines)
    shown, before = [], part.numbers[0] - 1
    for number, line in zip(part.numbers, lines, strict=True):
        if number != before + 1:
            shown.append("       …\n")
        shown.append(f"{'>' if number in part.marked else ' '}{number:>7}  {line}\n")
        before = number
    return "".join(shown)


def _cut(line: str) -> str:
    return f"{line[:MAX_LINE_CHARS]} … (of {len(line)} characters or more)"


def _environment(env: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in sorted(env.items()) if name.startswith(TELLING))


def _plain_name(name: str) -> str:
    """A name that no archive tool takes for a path."""
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)
    return kept.lstrip(".")[-100:] or "log"


def _plain_path(name: str) -> str:
    return "/".join(_plain_name(part) for part in name.split("/"))


TAIL_LINES = 500
CONTEXT_LINES = 20
# One line of a hundred megabytes says no more than its beginning. It is cut for good once its secrets are out:
# what is left of one that was cut in the middle could not be recognised.
MAX_LINE_CHARS = 4_000
_KEPT_LINE_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Excerpt:
    """``tail`` begins with line ``tail_first``; ``shown`` are numbered lines round the evidence."""

    tail: tuple[str, ...]
    tail_first: int
    shown: tuple[tuple[int, str], ...]


def excerpt(source: Source, lines: Sequence[int]) -> Excerpt:
    """Read a saved source once: its last lines, and what stands round the given line numbers."""
    wanted = sorted({near for line in lines for near in range(max(line - CONTEXT_LINES, 1), line + CONTEXT_LINES + 1)})
    last: deque[bytes] = deque()
    held, number = 0, 1
    shown: list[tuple[int, str]] = []
    for block in blocks_of(source):
        data = block.replace(b"\n" + CONTINUED, b"\\n")  # a record is one line of the file
        count = data.count(b"\n")
        if here := wanted[bisect_left(wanted, number) : bisect_left(wanted, number + count + 1)]:
            found = data.split(b"\n")
            shown += [(at, _text(found[at - number])) for at in here if at < number + count or found[-1]]
        number += count
        last.append(data)
        held += count
        while len(last) > 1 and held - last[0].count(b"\n") > TAIL_LINES:
            held -= last.popleft().count(b"\n")
    whole = b"".join(last).split(b"\n")
    tail = (whole if whole[-1] else whole[:-1])[-TAIL_LINES:]
    total = number if last and not last[-1].endswith(b"\n") else number - 1
    return Excerpt(tuple(_text(raw) for raw in tail), max(total - len(tail) + 1, 1), tuple(shown))


def _text(raw: bytes) -> str:
    return raw[:_KEPT_LINE_BYTES].rstrip(b"\r").decode("utf-8", "replace")


def write_archive(parts: Sequence[BundlePart], path: Path, folder: str) -> None:
    """Write the parts into ``folder`` of a new archive. Raises UnwritableError; nothing is left then."""
    # Secrets may be left in it all the same: it is for its owner's eyes.
    write_file(path, _packed(parts, folder), new_mode=0o600)


def _packed(parts: Sequence[BundlePart], folder: str) -> bytes:
    packed = io.BytesIO()
    # Without the name and the time of the packing, which gzip would put into the header.
    zipped = gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0)
    with zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for part in parts:
            raw = part.text.encode()
            entry = tarfile.TarInfo(f"{folder}/{part.name}")
            entry.size, entry.mode = len(raw), 0o600
            archive.addfile(entry, io.BytesIO(raw))
    return packed.getvalue()
