"""The command as users meet it: verbs, exit statuses, bad input, hostile input."""

import gzip
import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import logrules
from logrules import load_rules
from logrules.cli.did_you_mean import forgotten_dashes
from logrules.cli.extension import installed_verbs
from logrules.cli.main import VERBS, main
from logrules.cli.shared_options import preferred_language

OOM = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79 GiB\n"
STEP = "{'loss': 0.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}\n"


@pytest.fixture
def log(tmp_path):
    def write(content: str | bytes, name: str = "train.log") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def diagnose(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["diagnose", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_an_error_is_status_1_and_named_first(capsys, log):
    status, out, _ = diagnose(capsys, log(STEP + OOM), "--lang", "en")
    assert status == 1
    assert out.startswith("FAILED")
    assert "rank 3" in out.splitlines()[0]


def test_nothing_wrong_is_status_0(capsys, log):
    status, out, _ = diagnose(capsys, log("hello\n"), "--lang", "en")
    assert (status, out.startswith("NOTHING WRONG FOUND")) == (0, True)


def test_json_is_one_document(capsys, log):
    status, out, _ = diagnose(capsys, log(OOM), "--format", "json")
    document = json.loads(out)
    assert (status, document["status"], document["diagnoses"][0]["cause"]) == (1, "failed", "cuda-oom")
    assert document["diagnoses"][0]["ranks"][0] == 3


def test_chinese_is_spoken_where_the_locale_is_chinese(capsys, log):
    _, out, _ = diagnose(capsys, log(OOM), "--lang", "zh")
    assert out.startswith("失败")
    assert preferred_language({"LANG": "zh_CN.UTF-8"}) == "zh"
    assert preferred_language({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}) == "en"
    assert preferred_language({}) == "en"


def test_powershell_is_spoken_when_asked(capsys, log):
    pipe = "[rank0]:[E419 10:42:28.858931807 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600010 milliseconds before timing out.\n"
    _, bash, _ = diagnose(capsys, log(pipe), "--lang", "en", "--all")
    _, powershell, _ = diagnose(capsys, log(pipe), "--lang", "en", "--all", "--shell", "powershell")
    assert "export " in bash
    assert "$env:" in powershell
    assert "export " not in powershell


def _missing(folder: Path) -> str:
    return str(folder / "no-such.log")


def _folder_without_logs(folder: Path) -> str:
    (folder / "empty").mkdir()
    return str(folder / "empty")


def _device(folder: Path) -> str:
    return os.devnull


@pytest.mark.parametrize(
    ("make", "says"),
    [(_missing, "no such file"), (_folder_without_logs, "no log in this folder"), (_device, "is a device")],
)
def test_unusable_paths_are_one_sentence_and_status_2(capsys, tmp_path, make, says):
    path = make(tmp_path)
    status, out, err = diagnose(capsys, path)
    assert (status, out) == (2, "")
    assert err.startswith("logrules: ")
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("no newline at the end", b"hello"),
        ("NUL bytes", b"a\0b\0\0\n" * 10),
        ("invalid UTF-8", b"\xff\xfe\xfd\n\xc3\x28\n"),
        ("a truncated gzip", gzip.compress(b"hello\n" * 10_000)[:-20]),
        ("only newlines", b"\n" * 1_000),
        ("only carriage returns", b"\r" * 100_000),
    ],
)
def test_odd_content_gives_a_normal_report(capsys, log, what, content):
    status, out, err = diagnose(capsys, log(content), "--format", "json")
    assert status == 0
    assert json.loads(out)["status"] == "healthy"
    assert err == ""


def test_a_truncated_archive_is_said_so_and_what_could_be_read_counts(capsys, log):
    packed = gzip.compress((STEP * 20_000 + OOM).encode())
    _, out, _ = diagnose(capsys, log(packed[:-4], "train.log.gz"), "--format", "json")
    document = json.loads(out)
    assert document["notes"]
    assert document["status"] == "failed"


def test_one_line_of_100_megabytes(tmp_path):
    path = tmp_path / "long.log"
    with path.open("wb") as out:
        for _ in range(100):
            out.write(b"x" * (1 << 20))
        out.write(b"\n" + OOM.encode())
    done = subprocess.run(
        [sys.executable, "-m", "logrules", "diagnose", "--format", "json", str(path)], capture_output=True, check=False
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["diagnoses"][0]["evidence"][0]["line"] == 2


@pytest.mark.parametrize(
    ("name", "text", "place", "says"),
    [
        ("no YAML", "id: [\n", "bad.yaml:2:1", "not valid YAML"),
        ("a list", "- a\n", "bad.yaml:1:1", "not a mapping"),
        ("empty", "", "bad.yaml:1:1", "is empty"),
        ("a key twice", "id: a/b\nid: a/c\n", "bad.yaml:2:1", "given twice"),
        ("an unknown key", "id: a/b\nsingals: {}\n", "bad.yaml:2:1", "unknown key (did you mean `signals`?)"),
        ("an alias bomb", "a: &a [x]\nb: *a\n", "bad.yaml:2:4", "aliases"),
        ("a tag that runs code", "id: !!python/object/apply:os.system ['true']\n", "bad.yaml:1:", "not valid YAML"),
        ("deep nesting", "a: " + "[" * 60 + "]" * 60, "bad.yaml:1:", "nested deeper"),
        ("not text", b"id: \xff\xfe\n", "bad.yaml:1:1", "not UTF-8"),
    ],
)
def test_broken_rules_say_file_line_and_column(capsys, log, tmp_path, name, text, place, says):
    rules = tmp_path / "my"
    rules.mkdir()
    (rules / "bad.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    status, out, err = diagnose(capsys, log(OOM), "--rules", str(rules))
    assert (status, out) == (2, "")
    assert place in err
    assert says in err
    assert "Traceback" not in err


def test_all_faults_of_a_rule_file_come_at_once(capsys, log, tmp_path):
    rule = tmp_path / "my.yaml"
    rule.write_text(
        "id: Bad Id\ncause: cuda-oom\nwhence: x\ntitle: []\nwhy: x\n"
        "signals: {a: {contains: [ab]}}\nwhen: a\nfixes: [{do: x, risk: small}]\nexamples: {fires: x}\n"
    )
    status, _, err = diagnose(capsys, log(OOM), "--rules", str(rule))
    assert status == 2
    for fault in ("my.yaml:1:1: `id`", "my.yaml:3:1: `whence`", "`title`", "contains", "`fixes.0", "`examples.silent`"):
        assert fault in err


RULE = """
id: mine/slow
cause: cuda-oom
severity: error
title: mine
why: because
signals:
  slow: {contains: needle, pattern: '%s'}
fixes: [{do: look}]
examples: {fires: needle, silent: haystack}
"""


@pytest.mark.usefixtures("impatient")
def test_a_pattern_that_backtracks_without_end_is_cut_off_and_named(capsys, log, tmp_path):
    rule = tmp_path / "mine.yaml"
    rule.write_text(RULE % "(a|a|aa)+(b|a)+$c")
    status, out, _ = diagnose(capsys, log("needle " + "a" * 5_000 + "\n"), "--rules", str(rule), "--format", "json")
    assert status == 0
    assert "mine/slow" in json.loads(out)["notes"][0]["note"]


def test_own_rules_come_on_top_of_the_shipped_ones(capsys, log, tmp_path):
    rule = tmp_path / "mine.yaml"
    rule.write_text(RULE % "needle")
    _, out, _ = diagnose(capsys, log("needle\n"), "--rules", str(rule), "--format", "json")
    assert [one["rule"] for one in json.loads(out)["diagnoses"]] == ["mine/slow"]


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_status_2(capsys, log):
    path = Path(log(OOM))
    path.chmod(0)
    status, _, err = diagnose(capsys, str(path))
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert status == 2
    assert "permission denied" in err


@pytest.mark.parametrize("verb", [*VERBS, *installed_verbs()])
def test_every_verb_has_help_with_examples(capsys, verb):
    with pytest.raises(SystemExit) as done:
        main([verb, "--help"])
    assert done.value.code == 0
    assert "examples:" in capsys.readouterr().out


def test_what_the_help_names_can_be_explained(capsys):
    known = load_rules().cards.keys()
    with pytest.raises(SystemExit):
        main(["explain", "--help"])
    named = set(re.findall(r"logrules explain ([\w-]+/[\w-]+)", capsys.readouterr().out))
    assert named
    assert named <= known


def test_help_imports_nothing_heavy():
    heavy = {"pydantic", "pyparsing", "yaml", "rich", "hyperscan", "regex", "numpy"}
    program = "import sys; from logrules.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())


def test_a_cached_pack_needs_no_yaml_and_no_schema(log):
    path = log(OOM)
    program = (
        "import sys; from logrules.cli.main import main\n"
        f"main(['diagnose', '--format', 'json', {path!r}])\nprint(*sys.modules, file=sys.stderr)"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"pydantic", "pyparsing", "yaml", "rich"} & set(done.stderr.split())


def test_a_reader_that_goes_away_is_no_fault(log):
    path = log(OOM * 100)
    program = [sys.executable, "-m", "logrules", "diagnose", path]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        complaint = running.stderr.read()
    assert b"Traceback" not in complaint


@pytest.mark.parametrize("asked", ["cuda-oom", "train_step"])
def test_explain_knows_causes_and_phases(capsys, asked):
    assert main(["explain", asked, "--lang", "en"]) == 0
    assert asked in capsys.readouterr().out


def test_explain_shows_what_a_log_would_fill_in(capsys):
    assert main(["explain", "hub/lock-timeout", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# A file lock could not be acquired: `<lock>`")
    assert "fuser -v LOCK" in out
    assert "{lock}" not in out


def test_explain_shows_the_steps_of_a_rule_before_those_of_its_cause(capsys, tmp_path):
    steps = "- do: Ask the owner first.\n  - do: Then read the manual.\n"
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme/own.yaml").write_text(
        f"cause: python-exception\ntitle: Own\nwhy: Own.\nsignals: {{said: ACME-217}}\nfixes:\n  {steps}"
        "examples: {fires: ACME-217, silent: calm}\n",
        encoding="utf-8",
    )
    assert main(["explain", "acme/own", "--lang", "en", "--rules", str(tmp_path)]) == 0
    shown = [line.split(" (")[0] for line in capsys.readouterr().out.splitlines() if line[:1].isdigit()]
    assert shown[:2] == ["1. Ask the owner first.", "2. Then read the manual."]
    assert len(shown) > 2


def test_explain_lists_every_step_by_what_it_says_to_do(capsys, shipped):
    assert main(["explain", "--steps", "--lang", "en"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(shipped.steps)
    assert not [line for line in lines if "{" in line]
    assert any(line.startswith("compare-file-size  ") and "Compare the file size" in line for line in lines)


def test_explain_says_what_may_have_been_meant(capsys):
    assert main(["explain", "cuda-oon"]) == 2
    assert "did you mean cuda-oom" in capsys.readouterr().err
    assert main(["explain", "vllm"]) == 2
    assert capsys.readouterr().err.endswith("called `vllm`; `logrules rules vllm` lists what contains it\n")


def test_rules_can_be_searched(capsys):
    assert main(["rules", "--cause", "python-exception"]) == 0
    assert "python/exception" in capsys.readouterr().out
    assert main(["rules", "no rule says this"]) == 1


@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 100])
def test_what_is_no_log_is_one_sentence_and_status_2(capsys, log, content):
    status, out, err = diagnose(capsys, log(content), "--format", "json")
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def test_errors_that_no_rule_knows_are_shown_and_status_1(capsys, log):
    text = "2025-06-01 10:00:00 INFO mesh up\n2025-06-01 10:00:01 CRITICAL aborting: quorum of the mesh broken\n"
    status, out, _ = diagnose(capsys, log(text), "--lang", "en")
    assert status == 1
    assert out.startswith("NO DIAGNOSIS")
    assert "quorum of the mesh broken" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["diagnos", "a.log"], "diagnose"),
        (["diagnose", "a.log", "--fromat", "json"], "--format"),
        (["diagnose", "a.log", "--format", "jsn"], "json"),
        (["explain", "nccl-timout"], "nccl-timeout"),
        (["rules", "--cause", "nccl-timout"], "nccl-timeout"),
        (["rules", "--phase", "rendezvos"], "rendezvous"),
        (["rules", "--framework", "vlm"], "vllm"),
    ],
)
def test_what_was_meant_is_guessed(capsys, arguments, meant):
    try:
        status = main(arguments)
    except SystemExit as left:
        status = int(left.code or 0)
    assert status == 2
    assert f"did you mean {meant}" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["nosuch.log", "'runs/42/*.log' b.log", "s3://bucket/a.log --all", "-", "there"])
def test_a_log_without_a_verb_is_told_how_to_diagnose_it(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").touch()
    assert main(shlex.split(words)) == 2
    first, *_ = shlex.split(words)
    assert capsys.readouterr().err == f"logrules: {first} is not a command; to diagnose it: logrules diagnose {words}\n"


def test_without_a_word_it_helps(capsys):
    assert main([]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.splitlines()[0]) == ("", "usage: logrules [-h] [-V] [--debug] VERB ...")
    assert "diagnose" in told.err


@pytest.mark.parametrize("words", ["-V", "--version"])
def test_the_version_is_told(words, capsys):
    with pytest.raises(SystemExit) as left:
        main([words])
    assert (left.value.code, capsys.readouterr().out) == (0, f"logrules {logrules.__version__}\n")


def test_each_verb_stands_beside_what_it_does_and_a_usage_names_only_what_must_be_given(capsys):
    main([])
    told = capsys.readouterr().err
    assert "\n    completion   print" in told
    with pytest.raises(SystemExit):
        main(["inspect", "--help"])
    assert capsys.readouterr().out.splitlines()[0] == "usage: logrules inspect [options] (--pid PID | --job FOLDER)"


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("-o report.json", '{\n "schema": "logrules.report/'),
        ("-o report.md", "**FAILED** · "),
        ("-o report.txt", "FAILED  in phase"),
        ("-o json", "FAILED  in phase"),
        ("-o report.json --format text", "FAILED  in phase"),
    ],
)
def test_the_ending_of_the_file_says_in_which_form_a_report_is_written(words, begins, log, tmp_path, monkeypatch):
    path = log(OOM)
    monkeypatch.chdir(tmp_path)
    assert main(["diagnose", path, *words.split()]) == 1
    assert Path(words.split()[1]).read_text(encoding="utf-8").replace("probably ", "").startswith(begins)


@pytest.mark.parametrize("words", ["diagnose -j 0", "check -j -1", "test -j x", "diagnose --threads 0", "scan -j 0 a"])
def test_a_number_that_makes_no_sense_is_refused(words, capsys):
    with pytest.raises(SystemExit):
        main(words.split())
    assert "expects a whole number from 1 on, not `" in capsys.readouterr().err.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("diagnos a.log", "logrules: there is no command `diagnos`; did you mean diagnose?"),
        ("frobnicate", "logrules: there is no command `frobnicate`; `logrules --help` lists them"),
        ("--verson", "logrules: unrecognized arguments: --verson; did you mean --version?"),
        ("-x", "logrules: unrecognized arguments: -x"),
        ("diagnose --form json a.log", "logrules diagnose: unrecognized arguments: --form; did you mean --format?"),
        ("diagnose --langg zh a.log", "logrules diagnose: unrecognized arguments: --langg; did you mean --lang?"),
        ("diagnose --format htm a.log", "logrules diagnose: argument --format: invalid choice: 'htm'"),
        ("schema", "logrules schema: the following arguments are required: name"),
    ],
)
def test_a_wrong_command_line_is_told_in_a_sentence_and_not_in_a_usage(words, told, capsys):
    try:
        status = main(words.split())
    except SystemExit as left:
        status = int(left.code or 0)
    said = capsys.readouterr().err.splitlines()
    assert status == 2
    assert said[0].startswith(told)
    assert len(said) <= 2


def test_nothing_is_meant_by_an_option_that_no_other_is_like(capsys):
    """The two hyphens that all begin with made `--format` of `--foo`."""
    with pytest.raises(SystemExit):
        main(["diagnose", "--foo", "a.log"])
    assert capsys.readouterr().err.splitlines()[0] == "logrules diagnose: unrecognized arguments: --foo"


def test_a_wrong_option_is_told_where_the_right_ones_are_listed(capsys):
    with pytest.raises(SystemExit):
        main(["diagnose", "--langg", "zh", "a.log"])
    assert capsys.readouterr().err.splitlines()[-1] == "`logrules diagnose --help` lists the options"


@pytest.mark.parametrize(
    ("words", "begins"), [("help", "usage: logrules [-h]"), ("help watch", "usage: logrules watch")]
)
def test_help_may_be_asked_for_as_a_verb(words, begins, capsys):
    with pytest.raises(SystemExit) as left:
        main(words.split())
    assert (left.value.code, capsys.readouterr().out.startswith(begins)) == (0, True)


def test_an_option_before_the_verb_is_told_where_it_belongs(capsys):
    assert main(["--lang", "en", "diagnose", "a.log"]) == 2
    assert capsys.readouterr().err.startswith("logrules: --lang: options go after the command")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("sh train.sh", "sh train.sh"),
        ("sh -c 'exit 3'", "sh -c 'exit 3'"),
        ("--quiet sh train.sh --epochs 3", "sh train.sh --epochs 3"),
        ("RANK=0 sh train.sh", "env RANK=0 sh train.sh"),
        ("./train.sh", "./train.sh"),
    ],
)
def test_a_command_without_its_dashes_is_told_whole(words, meant, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.sh").write_text("#!/bin/sh\n")
    (tmp_path / "train.sh").chmod(0o755)
    assert main(["watch", "--lang", "en", *shlex.split(words)]) == 2
    assert capsys.readouterr().err.endswith(f"is a program and no log; to start it: logrules watch -- {meant}\n")


def test_a_launcher_that_is_not_here_is_told_by_the_script_behind_it():
    words = ["nolauncher", "train.py"]
    told = forgotten_dashes(["watch", *words], words, unknown=False)
    assert told == "nolauncher is a program and no log; to start it: logrules watch -- nolauncher train.py"
    assert forgotten_dashes(["watch", "a.log", "b.log"], ["a.log", "b.log"], unknown=False) is None


def test_a_log_that_anybody_may_execute_is_no_program(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("step 1\n")
    log.chmod(0o777)
    assert forgotten_dashes(["watch", str(log), "b.log"], [str(log), "b.log"], unknown=False) is None


def test_the_document_of_a_report_is_what_the_command_line_prints(tmp_path, capsys):
    log = tmp_path / "train.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    assert main(["diagnose", str(log), "--format", "json"]) == 1
    assert json.loads(logrules.to_json(logrules.diagnose(log))) == json.loads(capsys.readouterr().out)
