"""A log says the same however people copied it; and what only looks copied stays as it is."""

import csv
import html
import io
from array import array
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logrules import diagnose
from logrules.model.event import Event, Worker
from logrules.model.stream import CONTINUED, JOINED
from logrules.parsing.hit_lines import hit_lines
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.window import Window
from logrules.sources.copied_text import PLAIN, GrowingForm, as_written, form_of
from logrules.sources.file import FileSource
from logrules.sources.queue import PendingLines
from logrules.sources.source import numbered_lines_of
from tests.conftest import MemorySource, fixtures

_LOGS = (
    "torch-rank1-sigkill-mid-step",
    "deepspeed-rank1-raises",
    "datasets-map-function-key-error",
    "hub-healthy-download-resumed",
    "gunicorn-worker-fails-to-boot",
    "accelerate-token-out-of-range",
    "lightning-step-hangs",
)
TRACE = """\
2026-02-03 10:00:00 INFO the run begins
Loading the shards from /srv/data/rain
Traceback (most recent call last):
  File "/srv/app/train.py", line 4, in <module>
    main(<config>)
  File "/srv/app/train.py", line 9, in main
    pour('rain', "two") & more

KeyError: 'rain'
step 3 was not reached
""".splitlines()


def _clock(number: int) -> str:
    return f"{10 + number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"


def _each(write: Callable[[int, str], str]) -> Callable[[list[str]], list[str]]:
    return lambda lines: [write(number, line) for number, line in enumerate(lines, 1)]


def _table(names: list[str], row: Callable[[int, str], list[str]]) -> Callable[[list[str]], list[str]]:
    def write(lines: list[str]) -> list[str]:
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(names)
        table.writerows(row(number, line) for number, line in enumerate(lines))
        return out.getvalue().split("\n")[:-1]

    return write


# What becomes of the lines of a log, as many as before but for the rows above.
_BY_LINE: dict[str, Callable[[list[str]], list[str]]] = {
    "quoted in a mail": _each(lambda _, line: f"> {line}"),
    "quoted in a reply": _each(lambda _, line: f"> > {line}"),
    "quoted without a blank": _each(lambda _, line: f">{line}"),
    "a list": _each(lambda _, line: f"- {line}"),
    "points": _each(lambda _, line: f"• {line}"),
    "a comment": _each(lambda _, line: f"# {line}"),
    "a comparison": _each(lambda _, line: f"+{line}"),
    "each line marked as code": _each(lambda _, line: f"`{line}`" if line else line),
    "code by its indentation": _each(lambda _, line: f"    {line}" if line else line),
    "cat -n": _each(lambda number, line: f"{number:6}\t{line}"),
    "an editor": _each(lambda number, line: f"{number:4} {line}"),
    "two blanks": _each(lambda number, line: f"  {number}  {line}"),
    "a pager": _each(lambda number, line: f"{number:4} │ {line}"),
    "a page": _each(lambda number, line: f"L{number} {line}"),
    "grep -n": _each(lambda number, line: f"{number + 400}:{line}"),
    "grep -n with lines around": _each(
        lambda number, line: f"train.log{':-'[number % 2]}{number}{':-'[number % 2]}{line}"
    ),
    "escaped": _each(lambda _, line: html.escape(line)),
    "escaped twice": _each(lambda _, line: html.escape(html.escape(line))),
    "quoted and escaped": _each(lambda _, line: html.escape(f"> {line}")),
    "no-break spaces": _each(lambda _, line: line.replace(" ", "\xa0")),
    "no-break indentation": _each(lambda _, line: line.replace("  ", "\xa0 ")),
    "quoted with numbers": _each(lambda number, line: f"> {number:3}: {line}"),
    "Windows": _each(lambda _, line: f"{line}\r"),
    "tags of a stream": _each(lambda _, line: f"stderr: {line}"),
    "a viewer": _each(lambda number, line: f"Feb 3, 2026, {_clock(number)} AM\t{line}"),
    "a console": _each(lambda number, line: f"Feb 03 {_clock(number)}  {line}"),
}
_TABLES: dict[str, Callable[[list[str]], list[str]]] = {
    "CloudWatch": _table(["timestamp", "message"], lambda at, line: [str(1770112800000 + at * 1000), line]),
    "Grafana": _table(["Time", "Line", "tsNs"], lambda at, line: [f"2026-02-03T{_clock(at)}.000Z", line, f"{at}"]),
    "Kibana": _table(
        ["@timestamp", "host", "message"], lambda at, line: [f"Feb 3, 2026 @ {_clock(at)}.000", "gpu-4", line]
    ),
}


def _told(text: str, tmp_path) -> tuple[object, ...]:
    log = tmp_path / "log.txt"
    log.write_text(text)
    report = diagnose(log)
    return report.status, [(one.cause, one.phase, one.ranks[:1], one.evidence[0].line) for one in report.diagnoses]


def _bare(lines: list[str]) -> list[str]:
    return [raw.decode().rstrip() for _, raw in numbered_lines_of(MemorySource("a.log", "\n".join(lines) + "\n"))]


@pytest.mark.one_in(11)
@pytest.mark.parametrize("form", {**_BY_LINE, **_TABLES})
@pytest.mark.parametrize("case", _LOGS)
def test_however_a_log_was_copied_it_is_diagnosed_the_same(case, form, tmp_path):
    bare = (fixtures() / "captured" / case / "log.txt").read_text().rstrip("\n").split("\n")
    status, told = _told("\n".join(bare) + "\n", tmp_path)
    below = int(form in _TABLES)
    wanted = [(*rest, line + below) for *rest, line in told]
    assert _told("\n".join({**_BY_LINE, **_TABLES}[form](bare)) + "\n", tmp_path) == (status, wanted)


@pytest.mark.parametrize(
    ("story", "numbers", "taken"),
    [
        ("few lines of one kind, found far into a file", (2297, 2298, 2300, 7325), True),
        ("labels of ranks", (1, 2, 5, 7), False),
        ("labels of many ranks, in the order in which they wrote", (2300, 1104, 2301, 7), False),
        ("the steps of a loop", (1200, 1300, 1400, 1500), False),
    ],
)
def test_numbers_of_lines_that_were_searched_for(story, numbers, taken):
    lines = ["event for train-0: Pulled the image", "event for train-0: Created it"] * 2
    copied = [f"{number}:  {line}" for number, line in zip(numbers, lines, strict=True)]
    assert (_bare(copied) == lines) is taken


@pytest.mark.parametrize(
    "form", [form for form in _BY_LINE if form not in {"tags of a stream", "a viewer", "a console"}]
)
def test_what_stands_round_each_line_is_taken_away(form):
    assert _bare(_BY_LINE[form](TRACE)) == TRACE


@pytest.mark.parametrize("width", [80, 120])
def test_lines_that_were_cut_at_one_width_are_put_together(width, tmp_path):
    told = [
        f"2026-02-03 10:00:{at:02} INFO shard {at} of {'/'.join(['rain'] * at)} was read by loader {at}"
        for at in range(40)
    ]
    fault = f"ValueError: the shard {'rain' * 40} has no rows"
    lines = [*told, "Traceback (most recent call last):", '  File "/srv/app/a.py", line 3, in read', fault]
    cut = [line[at : at + width] for line in lines for at in range(0, len(line), width)]
    assert len(cut) > len(lines)
    assert _bare(cut) == lines
    numbers = [number for number, _ in numbered_lines_of(MemorySource("a.log", "\n".join(cut) + "\n"))]
    assert numbers == [cut.index(line[:width]) + 1 for line in lines]
    status, ((_, _, _, line), *_) = _told("\n".join(cut) + "\n", tmp_path)
    assert (status, line) == ("failed", cut.index(fault[:width]) + 1)


def test_few_cut_lines_are_told_by_the_heads_that_all_others_have():
    lines = [
        f"[2026-02-03 10:00:0{at}] [INFO] rank {at} waits for {'those of node 7, ' * at}which load" for at in range(8)
    ]
    cut = [line[at : at + 70] for line in lines for at in range(0, len(line), 70)]
    assert _bare(cut) == lines


def test_blank_lines_between_lines_are_taken_away():
    lines = [line for line in TRACE if line]
    apart = [one for line in lines for one in (line, "")]
    source = MemorySource("a.log", "\n".join(apart) + "\n")
    assert [(number, raw.decode()) for number, raw in numbered_lines_of(source)] == [
        (2 * at + 1, line) for at, line in enumerate(lines)
    ]


def test_a_line_above_the_evidence_has_its_number_in_the_file():
    lines = [b"rain" + JOINED * 2, b"snow" + JOINED, b"KeyError: 3"]
    event = Event("a.log", 3, 0, "KeyError: 3", "KeyError: 3", Worker(), continued=-3, joined_before=(2, 1))
    assert [event.file_line_above(above) for above in range(3)] == [6, 4, 1]
    data = b"\n".join(lines)
    found = Hits()
    found.ends, found.numbers = array("q", [len(data)]), array("i", [0])
    (line,) = hit_lines(Window("a.log", 0, 0, data), found).lines
    assert (line.number, line.continued, line.joined_before) == (2, -3, (2, 1))


def test_a_message_of_several_lines_in_a_table_keeps_its_lines():
    rows = [
        "Date,Host,Message",
        '2026-02-03T10:00:00Z,gpu-4,"said ""no""',
        "  and left",
        'KeyError: 3"',
        "2026-02-03T10:00:01Z,gpu-4,bye",
    ]
    found = [(number, raw.decode()) for number, raw in numbered_lines_of(MemorySource("a.csv", "\n".join(rows) + "\n"))]
    assert found[1:] == [
        (2, '2026-02-03 10:00:00.000 [log] said "no"'),
        (3, "  and left"),
        (4, "KeyError: 3"),
        (5, "2026-02-03 10:00:01.000 [log] bye"),
    ]


def test_a_bar_in_a_table_is_redrawn_as_ever():
    rows = ["timestamp,message", "1770112800000,10%|#\r20%|##\r"]
    assert _bare(rows)[1] == "2026-02-03 10:00:00.000 [log] 10%|#\r20%|##"


def test_records_in_a_table_are_read_as_records():
    rows = [
        "timestamp,message",
        '1770112800000,"{""level"":""error"",""time"":""2026-02-03T10:00:00Z"",""msg"":""gave way""}"',
    ]
    assert _bare(rows)[1] == "2026-02-03 10:00:00.000 [ERROR] gave way"


def test_of_two_labels_the_inner_one_tells_the_rank():
    lines = [f"0: {rank}: step {at} of rank {rank}" for at in range(4) for rank in range(3)]
    assert _bare(lines) == [line.removeprefix("0: ") for line in lines]


def test_typed_marks_that_a_chat_changed_are_those_that_were_typed():
    assert _bare(["KeyError: ‘rain’", "no module “a.b”…", "give it —all"]) == [
        "KeyError: 'rain'",
        'no module "a.b"...',
        "give it --all",
    ]


# Each is the whole log: nothing of it may change.
_NEAR: dict[str, list[str]] = {
    "a doctest": [">>> pour(3)", "3", ">>> pour(4)", "4", ">>> pour(5)", "Traceback (most recent call last):", ">>> "],
    "a session of Python": [">>> import a", ">>> a.b()", ">>> a.c()", ">>> exit()"],
    "a text in Markdown": ["# Title", "", "- one", "- two", "> quoted", "", "1. first", "2. second", "Text goes on."],
    "a table of metrics": ["step loss lr", *(f"{step} {2 / (step + 1):.3f} 0.001" for step in range(1, 30))],
    "a table with words": [f"{step}\ttrain\t{2 / step:.3f}" for step in range(1, 30)],
    "epochs": [f"{epoch}: loss {2 / epoch:.3f}" for epoch in range(1, 20)],
    "steps by hundreds": [f"{step}: loss {2 / step:.3f} on {'abcd'[step // 100 % 4]}{'xyz'[step // 100 % 3]}" for step in range(100, 3000, 100)],
    "labels of srun": [f"{rank}: {what}" for rank, what in enumerate(["starts up", "reads data", "waits", "is late", "Is gone", "Loads"])],
    "items of one rank": [f"0: {at}: item {at}" for at in range(20)],
    "XML": [f'<event level="info"><message>a &lt; {at} &amp; b</message></event>' for at in range(9)],
    "an address": ["GET http://a.example/?x=1&y=2", "GET http://a.example/?lt=1&gt=2", "done", "done again"],
    "what a shell runs": [f"+ python train.py --seed {at}" for at in range(9)],
    "a bar of fairseq": [f"| epoch 00{at}:    200 / 1374 loss=14.3" for at in range(9)],
    "steps of one width": [f"step {at:4} of the run: loss {2 / at:.6f}, learning rate 0.000100, tokens 000123{at:4}" for at in range(1, 40)],
    "a frame": ["╭" + "─" * 98 + "╮", *(f"│ {'raise Fault(' + 'abc' * at:96} │" for at in range(12)), "╰" + "─" * 98 + "╯"],
    "places set flush right": [f"{what:80}loader.py:{at:03}" for at, what in enumerate(["Reads a", "waits", "Loads b", "[x] c", "Tunes", "ends", "Goes"], 100)],
    "a file of data": ["step,loss,message", "1,0.5,good", "2,0.4,good", "3,0.3,good"],
    "the middle of a traceback": ['  File "a.py", line 3, in b', "    c()", '  File "c.py", line 4, in c', "    d()"],
    "times of day": [f"{hour}:00:01 the {what} was read" for hour, what in enumerate(["first", "next", "Third", "last", "rest"], 10)],
    "nodes in their order": [f"node-{at}: {what}" for at, what in enumerate(["is up", "has no GPU", "Waits", "late", "Gone"], 1)],
    "paragraphs": ["One line", "and its next", "", "Another line", "and its next", "", "A third", "and its next", ""],
}  # fmt: skip


@pytest.mark.parametrize("near", _NEAR)
def test_what_only_looks_copied_stays(near):
    text = "\n".join(_NEAR[near]) + "\n"
    assert b"".join(as_written(iter([text.encode()]))) == text.encode()


def test_captured_logs_are_as_they_were_written():
    logs = sorted((fixtures() / "captured").glob("*/*log*.txt"))
    assert len(logs) > 100
    copied = [log.parent.name for log in logs if form_of(log.read_bytes()) != PLAIN and "copied" not in log.parent.name]
    assert copied == []


_FORMS = st.sampled_from(
    ["> {}", "- {}", "{number:4} {}", "{}\n", "{number}\n{}", "&lt;{}&gt; &amp;", "1770112800000,{}", "{}"]
)
_TEXTS = (
    st.text(alphabet="ab1 :|<>&;\"'{}[]\x1f\x0e\x0f\t\r", max_size=12)
    | st.just("x" * 70)
    | st.just("timestamp,message")
)


@st.composite
def _copied(draw: st.DrawFn) -> bytes:
    form = draw(_FORMS)
    lines = draw(st.lists(_TEXTS, max_size=40))
    return "".join(form.format(line, number=number) + "\n" for number, line in enumerate(lines, 1)).encode()


def _numbers(blocks: Iterator[bytes]) -> list[tuple[int, bytes]]:
    number, found = 1, []
    for line in b"".join(blocks).split(b"\n")[:-1]:
        number -= line.startswith(CONTINUED)
        found.append((number, line))
        number += 1 + line.count(JOINED)
    return [*found, (number, b"")]


@settings(max_examples=300)
@given(data=_copied(), cut=st.integers(1, 9))
def test_how_bytes_are_cut_does_not_matter_and_every_line_keeps_its_number(data, cut):
    lines = data.splitlines(keepends=True) if b"\r" not in data else [data]
    blocks = [b"".join(lines[at : at + cut]) for at in range(0, len(lines), cut)]
    whole = _numbers(as_written(iter([data])))
    assert _numbers(as_written(iter(blocks))) == whole
    assert whole[-1][0] == data.count(b"\n") + 1


def test_a_log_that_grows_is_read_so_once_its_lines_tell():
    form = GrowingForm()
    first = b"".join(form.lines(f"> step {at} goes\n".encode()) for at in range(15))
    assert first.count(b"> ") == 15
    assert [form.lines(piece) for piece in (b"> Traceback\n", b"> Key", b"> Error\n> 3\n")] == [
        b"Traceback\n",
        b"Key",
        b"> Error\n3\n",
    ]


def test_what_was_told_of_a_file_holds_for_what_comes_later():
    pieces = PendingLines("a.log")
    pieces.add("".join(f"{at:6}\t{line}\n" for at, line in enumerate(TRACE * 2, 1)).encode(), 0.0, 0.0)
    assert pieces.take().data.decode().splitlines()[: len(TRACE)] == TRACE
    pieces.add(b"    19\tbye\n", 0.0, 0.0)
    assert pieces.take().data == b"bye\n"


def test_the_ends_of_a_file_are_read_as_the_whole(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("".join(f"> 2026-02-03 10:00:{at % 60:02} step {at}\n" for at in range(3_000)))
    first, last = FileSource(log).ends(4_096)
    assert first.startswith(b"2026-02-03 10:00:00 step 0\n")
    assert last.endswith(b"step 2999\n")
    assert b"> " not in first + last


@pytest.mark.parametrize(
    "unit", [b"&lt;", b"\n", b" \n", b"> ", b"1:", b"<p>", b'"', b"a,message,", b"x" * 70 + b"\n", b"\xe2\x80\x9c"]
)
def test_hostile_text_is_read_in_proportion_to_its_length(unit):
    data = b"timestamp,message\n" + unit * (400_000 // len(unit)) + b"<\n"
    assert b"".join(as_written(iter([data, data]))).count(b"\n") >= 2
