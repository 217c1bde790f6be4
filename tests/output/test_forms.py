"""Other forms of a report, each read back by somebody else's reader; log text is only ever text."""

import io
import json
import re
from dataclasses import replace
from itertools import pairwise
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from logrules.cli.main import main
from logrules.model.report import (
    Comparison,
    Consequence,
    Diagnosis,
    Evidence,
    Fix,
    Report,
    Restart,
    Risk,
    Severity,
    Status,
    Text,
)
from logrules.model.timeline import PhaseSpan
from logrules.output.forms import forms
from logrules.output.github import render_github
from logrules.output.jsonl import event_schema, render_jsonl
from logrules.output.junit import render_junit
from logrules.output.markdown import render_markdown
from logrules.output.sarif import render_sarif
from logrules.output.trace import render_trace

EVIL = "</script><script>alert(1)</script> \x1b[2J ``` `x` ]]> & @everyone ::error::x \x00 \ufffe | # [a](javascript:1) %0A"


def report(text: str = EVIL, *, timed: bool = True) -> Report:
    line = Evidence("rank 1.log", 7, text, text, 20.0 if timed else None, {}, (text,), (text,))
    one = Diagnosis(
        "cuda/out-of-memory", "cuda-oom", "train_step", Severity.ERROR, 0.9, Text(f"Out of memory {text}", "显存不足"),
        Text("Because", "因为"), Restart.AFTER_FIX, (1, 0), (text,), (line, line),
        (Fix(Text("Look", "查看"), run="nvidia-smi", risk=Risk.LOOK), Fix(Text("Less", "减少"), flags=("--batch 1",), code="x = 1")),
        (Consequence("torch/x", "peer-lost", Text("Peer lost", "断开"), (replace(line, line=9),)),), ("https://example.com/a",),
    )  # fmt: skip
    warned = Diagnosis(
        "a/b", "straggler", "train_step", Severity.WARNING, 0.5, Text("Slow", "慢"), Text("x", "x"), Restart.RETRY
    )
    spans = tuple(
        PhaseSpan(
            worker, at if timed else None, at + 5 if timed else None, 1 + int(at), 5 + int(at), "rank 1.log", phase
        )
        for worker in ("rank 0", text)
        for at, phase in ((10.0, "launch"), (15.0, "train_step"))
    )
    return Report(Status.FAILED, "train_step", (one, warned), spans, sources=("rank 1.log",), lines=12)


def written(render, given: Report, language: str = "en") -> str:
    out = io.StringIO()
    render(given, out, language, "bash")
    return out.getvalue()


HEALTHY = Report(Status.HEALTHY, "launch")


@pytest.mark.parametrize("given", [report(), HEALTHY], ids=["failed", "healthy"])
def test_sarif_has_the_properties_that_readers_ask_for(given):
    (run,) = json.loads(written(render_sarif, given))["runs"]
    assert [result["ruleId"] for result in run["results"]] == [one.rule for one in given.diagnoses]
    if given.diagnoses:
        first = run["results"][0]
        assert first["level"] == "error"
        place = first["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] == 7
        assert place["artifactLocation"]["uri"] == "rank%201.log"


def test_no_message_of_sarif_has_a_link_that_a_log_says():
    (run,) = json.loads(written(render_sarif, report()))["runs"]
    assert "[a] (javascript:1)" in run["results"][0]["message"]["text"]
    assert "](" not in json.dumps([run["results"][0]["message"], run["tool"]])


@pytest.mark.parametrize(
    ("sources", "name"),
    [
        ((), "job"),
        (("a.log", "b.log"), "a.log, b.log"),
        (tuple(f"rank{rank}.log" for rank in range(64)), "rank0.log and 63 more"),
    ],
)
def test_a_suite_of_many_logs_does_not_list_them(sources, name):
    (suite,) = ET.fromstring(written(render_junit, replace(HEALTHY, sources=sources)))
    assert suite.get("name") == name


@pytest.mark.parametrize(("given", "tests", "failures"), [(report(), 2, 1), (HEALTHY, 1, 0)], ids=["failed", "healthy"])
def test_junit_is_read_by_another_reader(given, tests, failures):
    junitparser = pytest.importorskip("junitparser")
    read = junitparser.JUnitXml.fromstring(written(render_junit, given).encode())
    assert (read.tests, read.failures) == (tests, failures)
    cases = [case for suite in read for case in suite]
    assert len(cases) == tests
    assert sum(bool(case.result) for case in cases) >= failures


@pytest.mark.parametrize("text", ["@everyone", "acme/m7#12", "https://a.example", "www.a.example", "ann@a.example"])
def test_markdown_mentions_nobody_and_links_nothing_that_a_log_says(text):
    """Of what stands in no fence: GitHub and GitLab look for these after they have undone backslashes."""
    bare = re.sub(r"```.*?```", "", written(render_markdown, report(f"x {text}")), flags=re.DOTALL)
    assert text not in bare
    assert text not in bare.replace("\\", "")
    assert f"x {text}" in bare.replace("\\", "").replace("<!-- -->", "")


def test_markdown_shows_log_text_as_text():
    html = MarkdownIt("commonmark", {"html": True}).render(written(render_markdown, report()))
    root = ET.fromstring(f"<x>{html}</x>".replace("\ufffe", ""))
    assert {element.tag for element in root.iter()} <= {
        "x",
        "p",
        "h3",
        "strong",
        "em",
        "code",
        "pre",
        "details",
        "summary",
        "ol",
        "li",
    }
    assert "javascript" in "".join(root.itertext())
    assert root.find("details") is not None


def test_places_keep_their_folders():
    given = replace(report(), paths={"rank 1.log": "runs/42/rank 1.log"})
    result = json.loads(written(render_sarif, given))["runs"][0]
    places = [result["locations"][0] for result in result["results"] if result["locations"]]
    assert {place["physicalLocation"]["artifactLocation"]["uri"] for place in places} == {"runs/42/rank%201.log"}
    assert written(render_github, given).startswith("::error file=runs/42/rank 1.log,")


def test_sarif_help_is_lines():
    help_text = json.loads(written(render_sarif, report()))["runs"][0]["tool"]["driver"]["rules"][0]["help"]["text"]
    assert "\\x0a1" not in help_text
    assert "\\x0a2" not in help_text


def test_a_span_without_a_time_does_not_undo_the_axis():
    timed = PhaseSpan("rank 0", 10.0, 20.0, 1, 9, "a.log", "train_step")
    given = Report(Status.RUNNING, "train_step", timeline=(timed, replace(timed, start=None, end=None)))
    trace = json.loads(written(render_trace, given))
    assert trace["otherData"]["clock"] == "the log's own"
    assert [event["ts"] for event in trace["traceEvents"] if event["ph"] == "X"] == [10_000_000]


def test_annotations_are_one_line_each_whatever_the_log_says():
    lines = written(render_github, report("a\nb%0A,c:d")).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::error file=rank 1.log,line=7,title=Out of memory a\\x0ab%250A%2Cc%3Ad::Because%0A")
    assert lines[1].startswith("::warning title=Slow::")


TRACE = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ph", "pid", "tid", "name"],
                "properties": {
                    "ph": {"enum": ["M", "X", "i"]},
                    "ts": {"type": "integer", "minimum": 0},
                    "dur": {"type": "integer", "minimum": 0},
                    "s": {"enum": ["t"]},
                },
            },
        }
    },
}


@pytest.mark.parametrize("timed", [True, False])
def test_a_trace_has_a_row_a_worker_and_marks(timed):
    found = json.loads(written(render_trace, report(timed=timed)))
    jsonschema.validate(found, TRACE)
    events = found["traceEvents"]
    assert next(event["args"]["name"] for event in events if event["name"] == "thread_name") == "rank 0"
    spans = [event for event in events if event["ph"] == "X"]
    assert len(spans) == 4
    assert spans[0]["ts"] == (10_000_000 if timed else 11_000)
    assert [event["name"][:13] for event in events if event["ph"] == "i"] == ["Out of memory"] * 2


@given(text=st.text(max_size=40), timed=st.booleans())
def test_json_lines_keep_to_their_schema(text, timed):
    lines = written(render_jsonl, report(text, timed=timed)).splitlines()
    check = jsonschema.Draft202012Validator(event_schema())
    for line in lines:
        check.validate(json.loads(line))
    assert json.loads(lines[-1])["event"] == "verdict"
    assert len(lines) == 4 + 2 + 2 + 1


@given(text=st.text(max_size=60))
def test_any_text_leaves_each_form_readable(text):
    given = report(text)
    ET.fromstring(written(render_junit, given))
    json.loads(written(render_sarif, given))
    json.loads(written(render_trace, given))
    assert len(written(render_github, given).splitlines()) == 2
    folded = sum(bool(one.evidence or one.fixes or one.consequences) for one in given.diagnoses)
    assert written(render_markdown, given).count("<details>") == folded


@pytest.mark.parametrize("form", [form for form in forms() if form != "html"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_report_gives_the_same_bytes(tmp_path, form, language):
    log = tmp_path / "train.log"
    log.write_text("step 1 loss 0.5\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    for name in ("one", "two"):
        assert main(["diagnose", str(log), "--format", form, "--lang", language, "-o", str(tmp_path / name)]) == 1
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() != b""


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("r.json", "{"),
        ("R.JSON", "{"),
        ("r.md", "**FAILED**"),
        ("r.sarif", "{"),
        ("r.txt", "FAILED"),
        ("json", "FAILED"),
    ],
)
def test_the_ending_of_the_file_names_the_form(tmp_path, name, begin):
    log, out = tmp_path / "train.log", tmp_path / name
    log.write_text("step 1 loss 0.5\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert main(["diagnose", str(log), "--lang", "en", "-o", str(out)]) == 1
    assert out.read_text().startswith(begin)


def numbers_in(value, path=""):
    """Every text of a document that reads as a number, by its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_in(inner, path)
    elif isinstance(value, str) and re.fullmatch(r"-?\d+(?:\.\d+)?", value):
        yield path, value


@pytest.mark.parametrize("form", ["json", "sarif", "trace", "jsonl"])
def test_numbers_of_machine_forms_are_numbers(tmp_path, form):
    log, out = tmp_path / "train.log", tmp_path / "out"
    log.write_text(
        "step 1 loss 0.5\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
        " GPU 3 has a total capacity of 79.15 GiB of which 612.00 MiB is free.\n"
    )
    main(["diagnose", str(log), "--format", form, "-o", str(out)])
    text = out.read_text()
    documents = [json.loads(line) for line in text.splitlines()] if form == "jsonl" else [json.loads(text)]
    # What a line of the log captured is its text; what a shell gets is a text as well.
    kept = re.compile(r"captures|\.env\.|\.config\.|\.facts|version|schema")
    assert [one for document in documents for one in numbers_in(document) if not kept.search(one[0])] == []


@pytest.mark.parametrize(
    "given", [report(), HEALTHY, replace(report(), diagnoses=())], ids=["failed", "healthy", "bare"]
)
@pytest.mark.parametrize("ranks", [None, (), (0, 1)])
def test_markdown_has_no_section_without_content(given, ranks):
    seen = None if ranks is None else Comparison(ranks)
    lines = [line for line in written(render_markdown, replace(given, comparison=seen)).splitlines() if line.strip()]
    for above, below in pairwise([*lines, "### end"]):
        assert not (above.startswith("#") and below.startswith("#") and above != lines[0]), above
        assert not (above.startswith("**") and above.endswith(":**") and below.startswith(("**", "#", "</"))), above


TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
# The part of SARIF 2.1.0 that we write; the whole schema of OASIS says the same and allows more.
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "semanticVersion": {"type": "string"},
                                    "rules": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/rule"}},
                                },
                            }
                        },
                    },
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
    "$defs": {
        "rule": {
            "type": "object",
            "required": ["id"],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "name": {"type": "string"},
                "shortDescription": TEXT,
                "fullDescription": TEXT,
                "help": TEXT,
                "helpUri": {"type": "string", "format": "uri"},
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": -1},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": TEXT,
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "relatedLocations": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/$defs/location"}},
                "rank": {"type": "number", "minimum": -1, "maximum": 100},
                "properties": {"type": "object"},
            },
        },
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "id": {"type": "integer", "minimum": -1},
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {"type": "object", "properties": {"uri": {"type": "string"}}},
                        "region": {
                            "type": "object",
                            "properties": {"startLine": {"type": "integer", "minimum": 1}, "snippet": TEXT},
                        },
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("given", [report(), HEALTHY], ids=["failed", "healthy"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_sarif_keeps_to_its_schema(given, language):
    jsonschema.validate(json.loads(written(render_sarif, given, language)), SARIF)


@pytest.mark.parametrize(
    "name", ["/runs/42/a.log", "C:\\runs\\a b.log", "runs/#1/a?.log", "日志/a.log", "a:b.log", "-a.log"]
)
def test_a_place_is_a_uri_as_code_hosts_read_it(name):
    given = replace(report(), paths={"rank 1.log": name})
    place = json.loads(written(render_sarif, given))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    assert re.fullmatch(r"(?:file:///)?[\w./%~-]+(?::[\w./%~-]+)?", uri, re.ASCII), uri
    assert "\\" not in uri
    split = urlsplit(uri)
    is_absolute = name[0] == "/" or name[1:3] == ":\\"
    assert split.scheme == ("file" if is_absolute else ""), uri
    assert unquote(split.path).endswith(name.replace("\\", "/").lstrip("/"))
