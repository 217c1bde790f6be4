"""Stances: what a judgement may and may not depend on (`logrules test` runs the samples that the table carries)."""

from dataclasses import replace
from functools import cache

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.event import Event, Level, Stance, Worker
from logrules.parsing import stance as judging
from logrules.parsing.header import HeaderParser
from logrules.parsing.stance import MAX_CLAUSES, MAX_JUDGED_CHARS, StanceJudge
from logrules.ruleset import pattern
from logrules.ruleset.compile import compile_pack
from logrules.ruleset.file_adapter import adapter_of
from logrules.ruleset.load import rule_texts, shipped_rules
from logrules.ruleset.tables import Part, StanceForm, Tables

FORMS: tuple[StanceForm, ...] = (
    adapter_of(Tables)
    .validate_python(yaml.load((shipped_rules() / "stances.yaml").read_text(), yaml.CSafeLoader))
    .stances
)
JUDGE = StanceJudge(FORMS)
SAMPLES = [(form, sample) for form in FORMS for sample in form.samples]


@cache
def peeler() -> HeaderParser:
    """What reads the heads of lines: of a pack that only has the shipped formats."""
    formats = ("frameworks", "pipeline.yaml", "causes.yaml", "fixes")
    return HeaderParser(compile_pack(list(rule_texts([shipped_rules() / name for name in formats])), "formats"))


def line(text: str, level: Level | None = None) -> Event:
    """An event of the last line of the text, below the others."""
    *above, last = text.split("\n")
    header = peeler().peel(last)
    return Event(
        "log", 1, 0, last, header.message, Worker(), level=level or header.level, before=tuple(above[-2:])
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.id)
def test_form_has_samples_that_it_decides_itself(form):
    if form.part is Part.CLAUSE and form.stance is Stance.FACT:
        assert not form.samples, "words of trouble decide nothing by themselves"
        return
    assert form.near
    assert any(JUDGE.form_of(line(sample)) is form for sample in form.samples)


def test_ids_are_unique():
    assert len({form.id for form in FORMS}) == len(FORMS)


def test_texts_to_look_for_are_lower_case():
    assert [form.id for form in FORMS if any(text != text.lower() for text in form.contains)] == []


@pytest.mark.parametrize("prefix", ["(TaskRunner pid=133, ip=10.1.0.4) ", "[rank3]: ", "3: ", "[default3]:"])
@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("RuntimeError: CUDA out of memory. Tried to allocate 1.00 GiB. Try to lower the batch size.", Stance.FACT),
        ("WARNING 03-01 10:00:00 [engine.py:40] No module named 'flash_attn'", Stance.CAUGHT),
        ("a larger batch size may cause CUDA out of memory errors", Stance.ADVICE),
        ("Connection refused, retrying in 3 s", Stance.RETRY),
        ('    raise ValueError(f"{name} not found")', Stance.ECHO),
    ],
)
def test_prefixes_do_not_matter(prefix, text, stance):
    assert JUDGE.of(line(prefix + text)) is stance


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        # The statement comes first, the advice after it.
        ("Failed to open the store. Please check the address.", Stance.FACT),
        ("Please check the address. The store may have failed.", Stance.FACT),
        ("Please check the address, or the store may fail.", Stance.ADVICE),
        # Somebody else's statement in a remark on it.
        ("Loaded in 3 s. If you see CUDA out of memory, lower the batch size.", Stance.ADVICE),
        ("ERROR: out of memory, which may be caused by fragmentation", Stance.FACT),
        ("出错：显存不足。请调小 batch size", Stance.FACT),
    ],
)
def test_the_clause_that_states_decides(text, stance):
    assert JUDGE.of(line(text)) is stance


@pytest.mark.parametrize(
    ("message", "level", "stance"),
    [
        ("WARNING: kernel cannot be loaded: undefined symbol: x", Level.ERROR, Stance.CAUGHT),
        ("/srv/x.py:12: UserWarning: kernel cannot be loaded", None, Stance.CAUGHT),
        ("  /srv/x.py:12: UserWarning: kernel cannot be loaded", None, Stance.CAUGHT),
        ("server: ERROR 03-01 10:00:00 engine timed out and failed", Level.INFO, Stance.FACT),
        ("engine timed out and failed", Level.INFO, Stance.CAUGHT),
        ("engine timed out and failed", None, Stance.FACT),
    ],
)
def test_the_innermost_level_counts(message, level, stance):
    assert JUDGE.of(Event("log", 1, 0, message, message, Worker(), level=level)) is stance


def test_lines_below_do_not_matter():
    one = line('  File "/srv/a.py", line 3, in f\n    load("CUDA out of memory")')
    assert JUDGE.of(one) is JUDGE.of(replace(one, after=("RuntimeError: x", "y"))) is Stance.ECHO


def test_no_forms_make_every_line_a_fact():
    assert StanceJudge(()).of(line("if it fails, retrying in 3 s")) is Stance.FACT


def test_a_form_of_levels_asks_for_them():
    form = StanceForm("quiet", Stance.CAUGHT, "lost", levels=("none", "info"))
    judge = StanceJudge([form])
    assert judge.of(line("it is lost")) is Stance.CAUGHT
    assert judge.of(line("it is lost", Level.INFO)) is Stance.CAUGHT
    assert judge.of(line("it is lost", Level.ERROR)) is Stance.FACT


def test_a_form_that_runs_out_of_time_is_dropped_and_said(monkeypatch):
    monkeypatch.setattr(pattern, "MAX_PATTERN_CPU_S", 1e-9)
    judge = StanceJudge([StanceForm("slow", Stance.ECHO, r"(?:a|a|b?a)*c")])
    assert judge.of(line("a" * 2_000)) is Stance.FACT
    assert [text for text in judge.dropped if "slow" in text]
    assert judge.of(line("c")) is Stance.FACT


@given(st.text(max_size=400), st.sampled_from([None, *Level]), st.lists(st.text(max_size=80), max_size=2))
def test_any_text_has_a_stance(text, level, before):
    event = Event("log", 1, 0, text, text, Worker(), level=level, before=tuple(before))
    assert JUDGE.of(event) in set(Stance)
    assert list(JUDGE.dropped) == []


@pytest.mark.parametrize(("form", "sample"), SAMPLES, ids=lambda value: getattr(value, "id", None))
def test_what_a_line_with_other_digits_was_does_not_matter(form, sample):
    judge, event = StanceJudge(FORMS), line(sample)
    for digit in "0123456789":
        other = event.text.translate(dict.fromkeys(map(ord, "0123456789"), digit))
        judge.of(replace(event, text=other, message=other, before=(other,)))
    assert judge.form_of(event) is StanceJudge(FORMS).form_of(event)


FRAGMENTS = ["(", "'", '"', "a=", "  ", "\t", "If ", ". ", "may ", "fail", "1/", '": ', "F", "-", "#", "{", "错误", ","]


@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8), st.sampled_from([None, *Level]))
def test_what_lies_beyond_the_bound_does_not_matter(parts, level):
    text = "".join(parts) * (4 * MAX_JUDGED_CHARS // len("".join(parts)) + 1)
    whole = Event("log", 1, 0, text, text, Worker(), level=level, before=(text,))
    cut = text[:MAX_JUDGED_CHARS]
    assert JUDGE.form_of(whole) is JUDGE.form_of(replace(whole, text=cut, message=cut, before=(cut,)))
    assert list(JUDGE.dropped) == []


def test_clauses_are_bounded():
    assert len(judging._clauses_of("a may fail. " * 5_000)) <= MAX_CLAUSES
