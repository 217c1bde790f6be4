"""The table of exceptions: its rows against their own samples, and how it chooses among rows and along a chain."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex
import yaml
from hypothesis import given
from hypothesis import strategies as st

from logrules.inference.exception_table import MAX_MESSAGE, ExceptionLineage, ExceptionTable, class_parts
from logrules.model.event import Event, Worker
from logrules.model.failure import ExceptionLink, Failure, FailureKind, Frame, Origin
from logrules.model.report import Severity
from logrules.ruleset.file_adapter import adapter_of
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import compiled
from logrules.ruleset.tables import ExceptionClass, ExceptionRow, Tables

RULES = Path(__file__).parents[2] / "rules"
EVENT = Event("train.log", 1, 0, "", "", Worker())
SUMMARY = regex.compile(r"(?P<type>[\w.]+(?:\([\w.]+\))?)(?:: (?P<message>.*))?", regex.DOTALL)

# In which function a row's samples are raised, where that is no constructor.
RAISED_BY = {
    "checkpoint-distributed-write": "all_reduce",
    "checkpoint-save-place": "save",
    "weight-loader-refused": "weight_loader",
    "dataset-record-refused": "preprocess",
    "server-exited-at-start": "wait_until_ready",
    "engine-sleep-place": "sleep",
    "jax-barrier-at-end": "shutdown",
    "checkpoint-mismatch-read": "load_checkpoint",
    "checkpoint-resume-refused": "load_checkpoint",
    "dataset-encode-refused": "encode_example",
    "parallel-check-set-up": "init_device_mesh",
    "checkpoint-read-refused": "load_state_dict",
    "checkpoint-write-refused": "_write_item",
    "export-failed": "save_pretrained",
    "weights-read-refused": "load_weights",
    "output-folder-missing": "write_summary",
    "python-too-old-subscript": "<module>",
    "arguments-of-checkpoint": "_load_state",
}


def read(path: Path, kind: type) -> Any:
    return adapter_of(kind).validate_python(yaml.load(path.read_text(), yaml.CSafeLoader))


@cache
def rows() -> Sequence[ExceptionRow]:
    return [row for path in sorted((RULES / "exceptions").iterdir()) for row in read(path, Tables).exceptions]


@cache
def classes() -> Sequence[ExceptionClass]:
    known: Sequence[ExceptionClass] = read(RULES / "classes.yaml", Tables).classes
    return known


@cache
def table() -> ExceptionTable:
    return ExceptionTable(classes(), rows())


def row_of(asked: ExceptionTable, raised: Failure) -> ExceptionRow | None:
    found = asked.match_of(raised)
    return found[0] if found is not None else None


def knows(row: ExceptionRow, raised: Failure) -> bool:
    return ExceptionTable(classes(), (row,)).match_of(raised) is not None


def frame(place: str, function: str = "run") -> Frame:
    """A frame of a component, of its group, of the user's own code or of a library that no table knows."""
    kind, _, phase = place.partition(":")
    origin = {"own": Origin(own=True, phase=phase or None), "library": Origin(phase=phase or None)}.get(
        kind, Origin(place, place)
    )
    return Frame(f"{kind}.py", 7, function, origin)


def link(summary: str, *frames: Frame) -> ExceptionLink:
    said = SUMMARY.fullmatch(summary)
    assert said is not None, summary
    return ExceptionLink(said["type"], said["message"] or "", frames, EVENT)


def failure(*chain: ExceptionLink) -> Failure:
    return Failure(1, FailureKind.EXCEPTION, Worker(), EVENT, EVENT, chain=chain)


def sample_of(row: ExceptionRow, summary: str) -> Failure:
    places = (*row.under[:1], *row.raised_in[:1])
    function = RAISED_BY.get(row.id, "__init__") if row.function is not None else "run"
    return failure(link(summary, *(frame(place, function) for place in places)))


def test_a_sample_names_the_cause_of_its_row() -> None:
    unknown, taken = [], []
    for row in rows():
        alone = ExceptionTable(classes(), (row,))
        for sample in row.samples:
            asked = sample_of(row, sample)
            best = row_of(table(), asked)
            if row_of(alone, asked) is None:
                unknown.append((row.id, sample))
            if best is None or best.cause != row.cause:
                taken.append((row.id, sample, best and best.id))
    assert unknown == []
    assert taken == []


def test_a_near_miss_is_not_known_by_the_row() -> None:
    assert [(row.id, near) for row in rows() for near in row.near if knows(row, sample_of(row, near))] == []


def test_each_row_has_a_sample_a_near_miss_and_something_to_ask_for() -> None:
    ids = [row.id for row in rows()]
    assert len(ids) == len(set(ids))
    for row in rows():
        assert row.samples, row.id
        assert row.near, row.id
        assert row.classes or row.words or row.errno, row.id


def test_patterns_are_valid_and_free_of_unbounded_gaps() -> None:
    for row in rows():
        for pattern in filter(None, (row.words, row.without)):
            assert compiled("(?i)" + pattern)
            outside_sets = regex.sub(r"\[(?:\\.|[^]\\])+\]", "", pattern)
            assert not regex.search(r"(?<!\\)\.[*+]", outside_sets), row.id


def test_no_row_names_what_only_the_users_logic_raises() -> None:
    # What a program logs of its own end was raised by nobody that the log shows.
    raising = [row for row in rows() if "LoggedError" not in row.classes]
    assert not {"python-exception"} & {row.cause for row in raising}


def test_inheritance_has_no_cycle_and_ends_in_python() -> None:
    bases = {one.name: one.bases for one in classes()}
    for name in bases:
        assert ExceptionLineage.of(name, bases).distance([name]) == 0
    assert ExceptionLineage.of("huggingface_hub.errors.GatedRepoError", bases).distance(["OSError"]) == 3


def test_a_package_s_own_class_that_the_table_lacks_is_an_exception() -> None:
    bases = {one.name: one.bases for one in classes()}
    assert ExceptionLineage.of("acme.errors.LedgerError", bases).distance(["Exception"]) == 1
    assert ExceptionLineage.of("LedgerError", bases).distance(["Exception"]) is None
    assert ExceptionLineage.of("asyncio.exceptions.CancelledError", bases).distance(["Exception"]) is None


@pytest.mark.parametrize(
    "summary",
    [
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x512 and 768x512)",
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
        "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 4 but got size 3",
        "RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1",
        "RuntimeError: Trying to backward through the graph a second time",
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation",
        "RuntimeError: grad can be implicitly created only for scalar outputs",
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
        "RuntimeError: expected scalar type Float but found Half",
        "RuntimeError: shape '[2, 3]' is invalid for input of size 7",
        "RuntimeError: Given groups=1, weight of size [64, 3, 7, 7], expected input[1, 1, 8, 8] to have 3 channels",
        "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
        "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 512])",
        "ValueError: Expected input batch_size (32) to match target batch_size (16).",
        "ValueError: operands could not be broadcast together with shapes (2,3) (4,)",
        "ValueError: too many values to unpack (expected 2)",
        "ValueError: could not convert string to float: 'abc'",
        "ValueError: All arrays must be of the same length",
        "IndexError: index out of range in self",
        "IndexError: list index out of range",
        "KeyError: 'speaker_3'",
        "TypeError: 'NoneType' object is not iterable",
        "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
        "AttributeError: 'NoneType' object has no attribute 'shape'",
        "AttributeError: 'list' object has no attribute 'keys'",
        "ZeroDivisionError: division by zero",
        "AssertionError",
        "NameError: name 'foo' is not defined",
        "StopIteration",
    ],
)
@pytest.mark.parametrize("places", [("own",), ("own", "torch")])
def test_what_the_users_logic_raises_is_left(summary: str, places: tuple[str, ...]) -> None:
    assert row_of(table(), failure(link(summary, *map(frame, places)))) is None


@pytest.mark.parametrize(("function", "cause"), [("model_validate_json", None), ("__init__", "bad-config")])
def test_a_reply_that_does_not_fit_its_schema_is_no_configuration(function: str, cause: str | None) -> None:
    raised = link("pydantic_core._pydantic_core.ValidationError: 1 validation error for City", frame("own", function))
    found = row_of(table(), failure(raised))
    assert (found.cause if found else None) == cause


SMALL = (
    ExceptionClass("ConnectionError", ("OSError",)),
    ExceptionClass("ConnectionRefusedError", ("ConnectionError",)),
    ExceptionClass("requests.ConnectionError", ("RequestException",)),
    ExceptionClass("RequestException", ("OSError",)),
)


def small(*given_rows: ExceptionRow) -> ExceptionTable:
    return ExceptionTable(SMALL, given_rows)


def test_a_class_is_known_by_what_it_inherits_from() -> None:
    row = ExceptionRow("any", "peer-lost", classes=("OSError",))
    assert row_of(small(row), failure(link("ConnectionRefusedError: no"))) is row
    assert row_of(small(row), failure(link("requests.exceptions.ConnectionError: no"))) is row
    assert row_of(small(row), failure(link("ValueError: no"))) is None


def test_a_wrapper_that_names_its_cause_is_both() -> None:
    row = ExceptionRow("value", "bad-config", classes=("ValueError",))
    assert row_of(small(row), failure(link("ray.exceptions.RayTaskError(ValueError): ray::f()"))) is row


def test_a_package_tells_two_classes_of_one_name_apart() -> None:
    gpu = ExceptionRow("gpu", "cuda-oom", classes=("torch.OutOfMemoryError",))
    host = ExceptionRow("host", "host-oom", classes=("ray.OutOfMemoryError",))
    asked = small(gpu, host)
    assert row_of(asked, failure(link("torch.cuda.OutOfMemoryError: x"))) is gpu
    assert row_of(asked, failure(link("ray.exceptions.OutOfMemoryError: x"))) is host
    assert all(row_of(small(row), failure(link("OutOfMemoryError: x"))) is row for row in (gpu, host))
    assert class_parts("torch.cuda.OutOfMemoryError") == ("torch", "OutOfMemoryError")


def test_the_nearer_class_goes_first() -> None:
    far = ExceptionRow("a-far", "storage-io-error", classes=("OSError",))
    near = ExceptionRow("b-near", "service-unreachable", classes=("ConnectionError",))
    assert row_of(small(far), failure(link("ConnectionRefusedError: x"))) is far
    assert row_of(small(far, near), failure(link("ConnectionRefusedError: x"))) is near


def test_the_row_that_gives_more_goes_first() -> None:
    number = ExceptionRow("number", "disk-full", classes=("OSError",), errno=(28,))
    words = ExceptionRow("words", "shm-exhausted", classes=("OSError",), errno=(28,), words="/dev/shm")
    asked = small(number, words)
    assert row_of(asked, failure(link("OSError: [Errno 28] No space left on device: '/dev/shm/a'"))) is words
    assert row_of(asked, failure(link("OSError: [Errno 28] No space left on device: '/a'"))) is number


def test_of_two_rows_that_give_as_much_the_one_that_finds_more_goes_first() -> None:
    short = ExceptionRow("a", "bad-config", words="size")
    long = ExceptionRow("b", "checkpoint-mismatch", words="size mismatch for")
    assert row_of(small(short, long), failure(link("RuntimeError: size mismatch for a.b"))) is long


@pytest.mark.parametrize(
    ("message", "known"),
    [
        ("[Errno 98] Address already in use", True),
        ("bind failed (errno: 98 - Address already in use)", True),
        ("port: 29500, code: -98, name: EADDRINUSE", True),
        ("I/O error (os error 98)", True),
        ('IoError(Os { code: 98, kind: AddrInUse, message: "x" })', True),
        ("[Errno 9] Bad file descriptor", False),
        ("exit code 98", False),
        ("[Errno 980] x", False),
    ],
)
def test_an_errno_is_read_in_each_form(message: str, *, known: bool) -> None:
    row = ExceptionRow("port", "port-in-use", errno=(98,))
    assert (row_of(small(row), failure(link(f"OSError: {message}"))) is row) is known


def test_words_ignore_case_unless_they_say_otherwise() -> None:
    row = ExceptionRow("words", "bad-config", words="must be|(?-i:SIZE)")
    assert row_of(small(row), failure(link("ValueError: x MUST BE y"))) is row
    assert row_of(small(row), failure(link("ValueError: SIZE"))) is row
    assert row_of(small(row), failure(link("ValueError: size"))) is None


def test_messages_that_differ_in_a_digit_alone_are_told_apart_by_it() -> None:
    old = ExceptionRow("old", "gpu-not-supported", classes=("RuntimeError",), words="sm_70")
    new = ExceptionRow("new", "version-mismatch", classes=("RuntimeError",), words="sm_90")
    asked = ExceptionTable(SMALL, (old, new), {"sm_70": ("sm_70",), "sm_90": ("sm_90",)})
    for architecture, row in ((80, None), (90, new), (70, old), (90, new)):
        assert row_of(asked, failure(link(f"RuntimeError: no kernel for sm_{architecture}"))) is row


def test_words_are_sought_once_for_all_messages_that_differ_in_digits_alone() -> None:
    class Counting(dict[str, tuple[str, ...]]):
        asked = 0

        def get(self, key: str, *other: Any) -> Any:
            Counting.asked += 1
            return super().get(key, *other)

    row = ExceptionRow("lost", "peer-lost", classes=("RuntimeError",), words="shard .* lost")
    asked = ExceptionTable(SMALL, (row,), Counting({"shard .* lost": ("shard",)}))
    for number in range(100, 1_000):
        assert row_of(asked, failure(link(f"RuntimeError: shard {number} is lost"))) is row
    assert Counting.asked == 1


def test_what_must_be_absent_is() -> None:
    row = ExceptionRow("words", "disk-full", words="No space", without="/dev/shm")
    assert row_of(small(row), failure(link("OSError: no space for /DEV/SHM/a"))) is None


def test_a_place_is_sought_in_all_frames_of_the_chain() -> None:
    row = ExceptionRow("hub", "hub-unreachable", classes=("ConnectionError",), under=("hub",))
    inner = link("ConnectionRefusedError: x", frame("http"))
    outer = link("OSError: y", frame("hub"))
    assert row_of(small(row), failure(inner, outer)) is row
    assert row_of(small(row), failure(inner)) is None


def test_a_row_is_kept_from_failures_that_passed_through_other_places() -> None:
    row = ExceptionRow("name", "network-interface", classes=("OSError",), outside=("http",))
    asked = small(row)
    assert row_of(asked, failure(link("OSError: x", frame("own"), frame("python")))) is row
    assert row_of(asked, failure(link("OSError: x", frame("http"), frame("python")))) is None
    outer = link("ValueError: y", frame("http"))
    assert row_of(asked, failure(link("OSError: x", frame("python")), outer)) is None


def test_a_name_that_an_http_client_looks_up_is_a_service() -> None:
    lookup = "gaierror: [Errno -2] Name or service not known"
    named = row_of(table(), failure(link(lookup, frame("own"))))
    asked = row_of(table(), failure(link(lookup, frame("own"), frame("http"))))
    assert named is not None
    assert asked is not None
    assert (named.cause, asked.cause) == ("network-interface", "service-unreachable")


def test_who_raised_is_the_innermost_frame() -> None:
    row = ExceptionRow("raised", "dataset-corrupt", classes=("ValueError",), raised_in=("dataset",))
    asked = small(row)
    assert row_of(asked, failure(link("ValueError: x", frame("trainer"), frame("dataset")))) is row
    assert row_of(asked, failure(link("ValueError: x", frame("dataset"), frame("trainer")))) is None
    assert row_of(asked, failure(link("ValueError: x", frame("dataset"), frame("own")))) is None


def test_a_checkout_of_a_known_package_is_no_code_of_the_user() -> None:
    row = ExceptionRow("raised", "version-mismatch", classes=("TypeError",), raised_in=("library",))
    cloned = Frame("verl/trainer/main.py", 3, "run", Origin("verl", "rl", own=True))
    assert row_of(small(row), failure(link("TypeError: x", frame("own"), cloned))) is row


def test_the_users_code_and_libraries_are_places_too() -> None:
    library = ExceptionRow("library", "version-mismatch", classes=("TypeError",), raised_in=("library",))
    own = ExceptionRow("own", "dataset-missing", classes=("OSError",), under=("own:data_load",))
    asked = small(library, own)
    assert row_of(asked, failure(link("TypeError: x", frame("own"), frame("library")))) is library
    assert row_of(asked, failure(link("TypeError: x", frame("library"), frame("own")))) is None
    assert row_of(asked, failure(link("OSError: x", frame("own:data_load"), frame("python")))) is own
    assert row_of(asked, failure(link("OSError: x", frame("own"), frame("python")))) is None


def test_a_frame_that_only_passes_on_an_attribute_raised_nothing() -> None:
    row = ExceptionRow("gone", "version-mismatch", classes=("AttributeError",), raised_in=("library",))
    passed_on = failure(link("AttributeError: x", frame("own"), frame("torch", "__getattr__")))
    assert row_of(small(row), passed_on) is None


def test_what_calls_a_module_did_not_write_the_call() -> None:
    row = ExceptionRow("gone", "version-mismatch", classes=("TypeError",), raised_in=("library",))
    called = frame("module-call", "_call_impl")
    assert row_of(small(row), failure(link("TypeError: x", frame("own"), called, called))) is None
    assert row_of(small(row), failure(link("TypeError: x", frame("library"), called))) is row


def test_the_innermost_cause_goes_first() -> None:
    oom = ExceptionRow("oom", "cuda-oom", words="out of memory")
    start = ExceptionRow("start", "engine-init-failed", words="initialization failed: a long sentence")
    chain = (link("RuntimeError: out of memory"), link("RuntimeError: initialization failed: a long sentence"))
    assert row_of(small(start), failure(*chain)) is start
    assert row_of(small(start, oom), failure(*chain)) is oom


def test_what_is_said_outside_goes_before_what_only_a_class_says_inside() -> None:
    generic = ExceptionRow("reset", "peer-lost", classes=("ConnectionError",))
    telling = ExceptionRow("worker", "dataloader-worker-died", words="killed by signal")
    chain = (link("ConnectionError: reset"), link("RuntimeError: worker 3 is killed by signal: Killed"))
    assert row_of(small(generic), failure(*chain)) is generic
    assert row_of(small(generic, telling), failure(*chain)) is telling


def test_what_anything_may_be_raised_as_makes_no_row_more_specific() -> None:
    broad = ExceptionRow("a", "bad-config", classes=("RuntimeError",), words="invalid", raised_in=("library",))
    telling = ExceptionRow("b", "cuda-arch-mismatch", words="invalid device function")
    asked = small(broad, telling)
    assert row_of(asked, failure(link("RuntimeError: invalid device function", frame("torch")))) is telling


def test_a_row_for_any_exception_gives_no_class() -> None:
    anything = ExceptionRow("a", "bad-config", classes=("Exception",), under=("config",))
    named = ExceptionRow("b", "dataset-missing", classes=("KeyError",), under=("config",))
    bases = (ExceptionClass("KeyError", ("Exception",)),)
    asked = ExceptionTable(bases, (anything, named))
    assert row_of(asked, failure(link("KeyError: 'x'", frame("config")))) is named


def test_a_failure_that_is_no_exception_is_not_known() -> None:
    assert row_of(table(), failure()) is None
    assert row_of(table(), failure(link("ValueError: my reward is odd", frame("own")))) is None


def test_the_cause_does_not_hang_on_a_folders_name() -> None:
    for folder in ("shards", "latest", "old", "tmp/a"):
        found = row_of(
            table(), failure(link(f"FileNotFoundError: [Errno 2] No such file or directory: '/srv/{folder}/x.parquet'"))
        )
        assert found is not None
        assert found.cause == "dataset-missing"


def test_no_more_of_a_message_is_read_than_it_may_be_long() -> None:
    row = ExceptionRow("words", "bad-config", words="end")
    assert row_of(small(row), failure(link("ValueError: " + "x" * MAX_MESSAGE + "end"))) is None


def test_inheritance_in_a_circle_ends() -> None:
    bases = {"A": ("B",), "B": ("A",)}
    assert ExceptionLineage.of("A", bases).distance(["B"]) == 1


PIECES = st.sampled_from(
    [
        "[Errno ",
        "98]",
        "os error ",
        "(",
        ")",
        "'",
        "No such file or directory: '",
        "/data/",
        "must be ",
        "not found ",
        "host='",
        "https://",
        "[",
        "NCCL ",
        "Error(s) in ",
        " is ",
        "import ",
        ".",
        "é",
        "\n",
        "\x00",
    ]
)
MESSAGES = st.lists(PIECES | st.text(max_size=12), max_size=200).map("".join)
NAMES = st.text("abcE.()_", max_size=60) | st.sampled_from(["OSError", "torch.OutOfMemoryError", "ValueError"])


def test_a_check_that_fails_is_about_the_configuration_only_while_the_engine_starts() -> None:
    said = "AssertionError: the draft got three of four rows"
    starting, serving = frame("library:model_load"), frame("library:serve")
    row = row_of(table(), failure(link(said, starting, frame("engine"))))
    assert row is not None
    assert row.cause == "bad-config"
    assert row_of(table(), failure(link(said, serving, frame("engine")))) is None


@pytest.mark.parametrize(
    ("function", "known"),
    [("Pool.__init__", True), ("create_kv_connector", True), ("_verify_quant_args", True), ("forward", False)],
)
def test_a_check_is_about_the_configuration_where_something_is_set_up(function: str, *, known: bool) -> None:
    row = row_of(table(), failure(link("AssertionError: the draft got three of four rows", frame("engine", function))))
    assert (row is not None) is known


@given(NAMES, MESSAGES, st.lists(st.sampled_from(["own", "library", "hub", "dataset", "own:eval"]), max_size=4))
def test_any_message_has_an_answer(name: str, message: str, places: list[str]) -> None:
    one = ExceptionLink(name, message, tuple(map(frame, places)), EVENT)
    found = row_of(table(), failure(one))
    assert found is None or knows(found, failure(one))


def test_what_a_row_names_is_an_error_unless_it_only_stood_still(shipped: Pack) -> None:
    """A cause may be a mere warning when a wait shows it; raised, it ended something."""
    last = shipped.tables.tiers[-1].id
    severities = {(rule.tier == last, rule.severity) for rule in shipped.rules if rule.from_table}
    assert (False, Severity.ERROR) in severities
    assert (False, Severity.WARNING) not in severities
