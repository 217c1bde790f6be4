"""`logrules new`: any line of a log becomes a rule that holds on that line and not on the one most like it."""

import gzip
import re
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.engine.run import prepared
from logrules.model.errors import LogrulesError
from logrules.parsing.clean import clean
from logrules.ruleset.load import rule_texts, shipped_rules
from logrules.ruleset.pattern import compiled as compiled_pattern
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.collect import Collection, compiled
from logrules.ruletest.judging import run_tests
from logrules.tools.draft.scaffold import Extract, draft, near_miss
from logrules.tools.draft.variable_parts import Filled, best_literal, parts_of, pattern_of
from tests.conftest import COSTLY

LOGS = sorted((shipped_rules().parent / "fixtures/captured").glob("*/log.txt"))
FORMATS = list(rule_texts([shipped_rules() / "frameworks"]))
ACME = """\
[2025-03-01 10:00:00,250] [INFO] acme.shards: opened 128 shards
[rank1]: acme.shards: attempt 2 of 5 on shard 0017 failed, trying again
[rank1]: acme.shards: gave up on shard 0017 of 'web-2024' after 5 attempts: refused by 10.1.2.3:8080
step 3
"""


@pytest.mark.parametrize(
    ("message", "filled"),
    [
        ("gave up on shard 0017 after 5 attempts", {"shard": "0017", "after": "5"}),
        ("rank 3 of 8", {"rank": "3", "value": "8"}),
        ("open '/data/a b.bin' failed: 13", {"open": "/data/a b.bin", "failed": "13"}),
        ("cannot read /data/x.bin, line 7", {"path": "/data/x.bin", "line": "7"}),
        ("https://example.org/a?b=1 answered 503", {"url": "https://example.org/a?b=1", "answered": "503"}),
        ("at 2025-03-01 10:00:00,250 lost 10.0.0.1:8080", {"time": "2025-03-01 10:00:00,250", "address": "10.0.0.1:8080"}),
        ("id 123e4567-e89b-12d3-a456-426614174000 at 0x7f3a", {"id": "123e4567-e89b-12d3-a456-426614174000", "pointer": "0x7f3a"}),
        ("loss=1.5e-05 loss=2", {"loss": "1.5e-05", "loss2": "2"}),
        ("commit deadbeef01 is gone", {"hash": "deadbeef01"}),
        ("lost worker-7f3a of node-1eadbeef01, lease 9c1e", {"worker": "7f3a", "hash": "1eadbeef01", "lease": "9c1e"}),
        ("a bf16 step took 1e05 of -30d", {"bf": "16", "took": "1e05", "value": "-30"}),
        ("shard 17 of web-2024 at step-3", {"shard": "17", "web": "2024", "step": "3"}),
        (r"cannot map C:\Users\bob\shard_017.bin into memory", {"path": r"C:\Users\bob\shard_017.bin"}),
        ("nothing varies here", {}),
    ],
)  # fmt: skip
def test_what_varies_is_told_from_what_does_not_and_captured(message, filled):
    parts = parts_of(message)
    assert {part.name: part.text for part in parts if isinstance(part, Filled)} == filled
    found = compiled_pattern(pattern_of(parts)).search(message)
    assert found is not None
    assert found.groupdict() == filled


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=120))
def test_the_pattern_of_a_message_matches_it_and_captures_what_varies(message):
    parts = parts_of(message)
    assert "".join(part.text for part in parts) == message
    found = compiled_pattern(pattern_of(parts)).search(message)
    assert found is not None
    assert found.groupdict().keys() == {part.name for part in parts if isinstance(part, Filled)}


def test_the_pattern_of_a_whole_number_is_no_longer_than_it_needs():
    assert pattern_of(parts_of("shard 17 of web-2024, delta=-3")) == (
        r"shard (?P<shard>\d+) of web\-(?P<web>\d+), delta=(?P<delta>[-+]?\d+)"
    )


def best(line: str, logs: list[Path] = [], own: list[str] = []) -> str | None:  # noqa: B006 (nobody changes them)
    return best_literal(parts_of(line), line.encode(), logs, own)


def test_the_literal_is_a_rare_text_and_of_these_the_one_that_says_most(tmp_path):
    (tmp_path / "a.log").write_text("gave up on shard\n" * 30)
    assert best("gave up on shard 17 after 5 attempts for good") == "gave up on shard"
    assert best("gave up on shard 17 gone away", [tmp_path / "a.log"]) == "gone away"
    assert best("lost it all 17 gave up on shard", own=["gave up on shard"] * 30) == "lost it all"
    assert best("17 of 18") is None


@pytest.mark.parametrize(
    ("line", "literal"),
    [
        ("Could not reserve 512 blocks on device cuda:3 for request req-8f3a2c91-77", "Could not reserve"),
        ("acme_trainer_wg: lost heartbeat of acme_worker_3_Actor_1:2 for 31.5s", "lost heartbeat of"),
        ("acme.store: frob lost widget w17x in /data/a/b.bin (user=bob)", "frob lost widget"),
        ("Link to node-17.acme.local:29500 refused after 30 attempts", "refused after"),
        ("WARNING cache_dir=/home/u/.cache/acme run_id=ab12cd34 gave up", "gave up"),
        ("part-00003-of-00008.tensors could not be opened", "could not be opened"),
        ("step=1200 loss_scale=0.0: gradient overflow persists", "gradient overflow persists"),
        ("shard_loader: checksum of part-00017-abcd.bin differs: expected 9f8e7d6c, got 1a2b3c4d", "differs: expected"),
        ("acme-7.shards.tmp-9", "shards.tmp-"),
    ],
)
def test_a_literal_names_the_event_in_whole_words_without_ids_paths_and_names_of_programs(line, literal):
    assert best(line) == literal


def test_a_literal_is_not_broken_by_colours():
    parts = parts_of("the dashboard is at 7 and ready")
    assert best_literal(parts, b"the \x1b[1mdashboard\x1b[0m is at 7 and ready", [], []) == "and ready"


@pytest.mark.parametrize(
    ("others", "wanted"),
    [
        (["x", "shard 3 is fine", "gave up on nothing"], "gave up on nothing"),
        (["gave up on shard 9", "unlike"], "unlike"),
        (["gave up on shard 9", " "], None),
        ([], None),
    ],
)
def test_the_near_miss_is_the_line_most_alike_that_is_not_meant(others, wanted):
    assert near_miss("gave up on shard 7", others, r"gave up on shard (?P<shard>\d+)") == wanted


@cache
def lines_of(which: int) -> tuple[bytes, ...]:
    return tuple(LOGS[which].read_bytes().splitlines())


@COSTLY
@given(st.sampled_from(range(len(LOGS))), st.floats(0, 1, exclude_max=True))
def test_a_draft_of_any_captured_line_holds(shipped, which, share):
    log = lines_of(which)
    number = int(share * len(log))
    others = (*log[:number], *log[number + 1 :])
    extract = Extract(clean(log[number]), tuple(map(clean, others)), log[number])
    try:
        drafted = draft(extract, shipped, [], None, None)
    except LogrulesError:
        return
    pack, suite = compiled([*FORMATS, RuleText(f"{drafted.id}.yaml", drafted.text.encode()), *WORDS])
    results = list(run_tests(prepared(pack), Collection(pack, suite).tests(drafted.id)))
    assert len(results) == 2
    assert [fault.message for one in results for fault in one.faults] == []


WORDS = [*rule_texts([shipped_rules() / name for name in ("pipeline.yaml", "causes.yaml", "fixes", "stances.yaml")])]


@pytest.fixture
def folder(request, tmp_path, monkeypatch) -> Path:
    """A folder with a log, beside a few shipped words where a test does not ask for all that are shipped."""
    if "shipped" not in request.fixturenames:
        request.getfixturevalue("alone")
    (tmp_path / "train.log").write_text(ACME)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_draft_is_printed(folder, capsys):
    assert main(["new", "train.log:3"]) == 0
    printed = capsys.readouterr().out
    rule = yaml.safe_load(printed)
    assert printed.startswith("# team/")
    assert rule["examples"]["fires"]["captures"]["shard"] == "0017"
    assert rule["examples"]["silent"] == "[rank1]: acme.shards: attempt 2 of 5 on shard 0017 failed, trying again"


@pytest.mark.usefixtures("shipped")
def test_a_draft_that_is_written_passes_test_and_check(folder, capsys):
    assert main(["new", "train.log:3", "--id", "acme/lost", "--cause", "service-unreachable", "-o", "my"]) == 0
    assert main(["test", "my"]) == 0
    # What is left is what only its author knows.
    assert main(["check", "my"]) == 1
    assert set(re.findall(r"LR\d+", capsys.readouterr().out)) == {"LR114"}
    path = folder / "my/acme/lost.yaml"
    path.write_text(
        path.read_text()
        .replace("Write what went wrong", "A shard is gone")
        .replace("Write why it happens.", "Its server is down.")
        .replace("Write what to try first", "Ask the server")
    )
    assert main(["check", "my"]) == 0
    assert main(["fmt", "my", "--check"]) == 0
    assert main(["try", "acme/lost", "train.log", "--rules", "my"]) == 0


@pytest.mark.usefixtures("shipped")
def test_a_line_that_is_no_fact_is_asked_for_as_what_it_is(folder, capsys):
    assert main(["new", "train.log:2", "--id", "acme/again", "-o", "my"]) == 0
    assert yaml.safe_load((folder / "my/acme/again.yaml").read_text())["signals"]["said"]["stance"] == ["retry"]
    assert main(["test", "my"]) == 0


def test_no_file_is_overwritten(folder, capsys):
    assert main(["new", "train.log:3", "--id", "acme/lost", "-o", "my"]) == 0
    before = (folder / "my/acme/lost.yaml").read_text()
    assert main(["new", "train.log:2", "--id", "acme/lost", "-o", "my"]) == 2
    assert (folder / "my/acme/lost.yaml").read_text() == before
    assert "exists already" in capsys.readouterr().err


def test_the_first_pack_of_the_settings_is_where_it_goes_to_be_edited_and_nothing_is_written_unasked(
    folder, capsys, monkeypatch
):
    monkeypatch.setenv("VISUAL", f"{sys.executable} -c pass")
    (folder / "logrules.toml").write_text('packs = ["team-rules"]\n')
    (folder / "team-rules").mkdir()
    assert main(["new", "train.log:3", "--id", "acme/lost"]) == 0
    assert "cause:" in capsys.readouterr().out
    assert not list((folder / "team-rules").iterdir())
    assert main(["new", "train.log:3", "--id", "acme/lost", "--edit"]) == 0
    assert (folder / "team-rules/acme/lost.yaml").is_file()


def test_the_editor_is_opened_if_asked(folder, monkeypatch):
    monkeypatch.setenv("VISUAL", f'{sys.executable} -c \'import sys; open(sys.argv[1], "a").write("# seen")\'')
    assert main(["new", "train.log:3", "--id", "acme/lost", "-o", "my", "--edit"]) == 0
    assert (folder / "my/acme/lost.yaml").read_text().endswith("# seen")


def test_a_packed_log_is_read_as_ever(folder, capsys):
    (folder / "train.log.gz").write_bytes(gzip.compress(ACME.encode()))
    assert main(["new", "train.log.gz:3"]) == 0
    assert "gave up on shard" in capsys.readouterr().out


@pytest.mark.usefixtures("shipped")
def test_a_line_that_is_known_is_said_to_be(folder, capsys):
    (folder / "train.log").write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert main(["new", "train.log:1"]) == 0
    assert "cuda/out-of-memory already fires on this line" in capsys.readouterr().err


@pytest.mark.usefixtures("shipped")
def test_that_a_log_of_this_line_alone_just_ends_is_no_news(folder, capsys):
    (folder / "train.log").write_text("[rank1]: acme.shards: gave up on shard 0017 of web-2024 after 5 attempts\n")
    assert main(["new", "train.log:1"]) == 0
    assert "already fires" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train.log"], "name a log and a line, as train.log:1042"),
        (["train.log:0"], "name a log and a line"),
        (["train.log:9"], "train.log: has no line 9, only 4"),
        (["none.log:1"], "none.log"),
        (["train.log:4"], "no text that a program would always print: `step 3`"),
        (["train.log:3", "train.log:4"], "begin with no text that all of them have"),
        (["train.log:3", "--id", "Acme"], "`Acme` is not an id"),
        (["train.log:3", "--cause", "bad-luck"], "unknown cause `bad-luck`"),
        (["train.log:3", "--edit"], "--edit needs a place"),
    ],
)
def test_mistakes_are_one_sentence(folder, capsys, words, says):
    assert main(["new", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert said.out == ""


def test_several_lines_show_what_varies(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text(
        "step 1\n[rank1]: lease web-17-ab of shard red lost after 31.5 s\nstep 2\n"
        "[rank3]: lease web-9-cd of shard blue lost after 30 s\n"
    )
    assert main(["new", "a.log:2", "a.log:4", "--id", "acme/lost", "-o", "my"]) == 0
    said = yaml.safe_load(Path("my/acme/lost.yaml").read_text())["signals"]["said"]
    assert not {"ab", "red"} & set(re.findall(r"[a-z]+", said["contains"]))
    for line in Path("a.log").read_text().splitlines()[1::2]:
        assert said["contains"] in line
        assert compiled_pattern(said["pattern"]).search(line)
    capsys.readouterr()
    assert main(["new", "a.log:2", "a.log:1000"]) == 2
    assert "has no line 1000" in capsys.readouterr().err
