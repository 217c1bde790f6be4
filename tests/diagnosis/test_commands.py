"""What is suggested can be pasted: every command of every rule parses, values of a log stay values."""

import gzip
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules import load_rules
from logrules.engine.run import replay
from logrules.inference.command_slots import filled_command, filled_value
from logrules.model.report import Evidence, Fix, Report, Status, Text
from logrules.output.shell import commands, pasteable, with_paths
from logrules.ruleset.rule_text import card_of
from tests.conftest import MemorySource
from tests.output.test_text import FAILED, OOM

BASH = shutil.which("bash")
_TRACE = 'Traceback (most recent call last):\n  File "/app/train.py", line 3, in <module>\n    x\n{raised}\n'


def all_fixes() -> list[tuple[str, Fix]]:
    pack = load_rules()
    return [(rule.id, step.fix) for rule in pack.rules for step in card_of(pack, rule.id).steps]


def bash_faults(scripts: dict[str, str]) -> dict[str, str]:
    """What bash says of each script that it cannot parse; nothing is run."""
    faults = {}
    for name, script in scripts.items():
        done = subprocess.run([str(BASH), "-n"], input=script, capture_output=True, text=True, check=False)
        if done.returncode:
            faults[name] = f"{script!r}: {done.stderr.strip()}"
    return faults


@pytest.mark.one_in(4)
@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize("part", range(4))
def test_every_command_of_every_rule_is_parsed_by_bash(part):
    fixes = all_fixes()
    filled = [(rule, replace(fix, run=filled_command(fix.run, {}))) for rule, fix in fixes]
    scripts = {"\n".join(commands(fix, "bash")): rule for rule, fix in filled}
    assert len(scripts) > 300
    assert bash_faults({f"{rule}: {script}": script for script, rule in list(scripts.items())[part::4]}) == {}


def test_every_powershell_command_closes_what_it_opens():
    faults = [
        (rule, line)
        for rule, fix in all_fixes()
        if fix.powershell
        for line in commands(fix, "powershell")
        if not is_closed(line)
    ]
    assert faults == []


def test_every_powershell_command_is_parsed():
    tree_sitter, grammar = (pytest.importorskip(name) for name in ("tree_sitter", "tree_sitter_powershell"))
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))

    def is_parsed(script: str) -> bool:
        return not parser.parse(script.encode()).root_node.has_error

    assert is_parsed('$env:A = "b"; Get-Process | Select-Object -First 3')
    assert not is_parsed('Get-Process | Where-Object { "a')
    scripts = {
        "\n".join(commands(replace(fix, powershell=filled_command(fix.powershell, {}, powershell=True)), "powershell"))
        for _, fix in all_fixes()
        if fix.powershell or (fix.env and not fix.run)
    }
    assert len(scripts) > 100
    assert [script for script in scripts if not is_parsed(script)] == []


HOSTILE = [
    "'; touch /tmp/x; echo '", '"; reboot; "', "$(reboot)", "`reboot`", "a\nb\r\nc", "C:\\Program Files\\my $run\\",
    "-rf /", "a\\", "%PATH%", "${env:X}", "x' -or '1", "\u202eabc", "{path}", "日志 一.log", "#", "&&", "|", ">",
]  # fmt: skip


def with_slots() -> list[Fix]:
    return list(
        {fix.run: fix for _, fix in all_fixes() if fix.run and re.search(r"(?<![%$])\{[a-z_]+\}", fix.run)}.values()
    )


def filled_with(value: str, template: str | None, *, powershell: bool = False) -> str | None:
    slots = dict.fromkeys(re.findall(r"\{([a-z_]+)\}", template or ""), value)
    return filled_command(template, slots, powershell=powershell)


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_no_hostile_value_changes_what_bash_reads():
    slotted = with_slots()
    assert len(slotted) > 20
    for value in HOSTILE:
        filled = [replace(fix, run=filled_with(value, fix.run)) for fix in slotted]
        scripts = {f"{value!r} in {fix.run}": "\n".join(commands(fix, "bash")) for fix in filled}
        assert bash_faults({"all": "\n".join(scripts.values())}) == {}, value
        for script in scripts.values():
            assert "reboot" not in re.sub(r"'[^']*'|\"[^\"$`]*\"", "", script.replace("_reboot_", ""))


def test_no_hostile_value_changes_what_powershell_reads():
    tree_sitter, grammar = (pytest.importorskip(name) for name in ("tree_sitter", "tree_sitter_powershell"))
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    templates = {
        fix.powershell for _, fix in all_fixes() if fix.powershell and re.search(r"\{[a-z_]+\}", fix.powershell)
    }
    for value in HOSTILE:
        for template in sorted(templates):
            fix = Fix(Text("x"), run="x", powershell=filled_with(value, template, powershell=True))
            script = "\n".join(commands(fix, "powershell"))
            assert not parser.parse(script.encode()).root_node.has_error, (value, script)


# A compressed log is read by another command.
NAMES = st.text(min_size=1, max_size=40).filter(
    lambda text: "\0" not in text and "\n" not in text and not text.endswith((".gz", ".bz2", ".xz", ".zst"))
)


@given(path=NAMES)
@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_any_name_of_a_log_is_one_word(path):
    evidence = (Evidence("a", 1, "x", "main"),)
    one = replace(OOM, fixes=(Fix(Text("x"), run="printf %s train.log"),), evidence=evidence)
    shown = with_paths(Report(Status.FAILED, "eval", (one,)), {"a": path})
    run = shown.diagnoses[0].fixes[0].run
    if run != "printf %s train.log":
        done = subprocess.run([str(BASH), "-c", run], capture_output=True, check=False)
        assert done.stdout.decode("utf-8", "surrogateescape") in (path, f"./{path}")


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("it's.log", "'it''s.log'"),
        # PowerShell ends a text at each of its four single quotes, and takes a comma for a list and @ for a table.
        ("a’; reboot; ‘‚‛.log", "'a’’; reboot; ‘‘‚‚‛‛.log'"),
        ("0,1.log", "'0,1.log'"),
        ("@a.log", "'@a.log'"),
    ],
)
@pytest.mark.parametrize(
    "fix", [Fix(Text("x"), run="python t.py train.log"), Fix(Text("x"), powershell="type train.log")]
)
def test_a_log_is_one_word_of_powershell_whatever_its_name(path, word, fix):
    evidence = (Evidence("a", 1, "x", "main"),)
    shown = with_paths(Report(Status.FAILED, "eval", (replace(OOM, fixes=(fix,), evidence=evidence),)), {"a": path})
    assert [
        line.split(maxsplit=1)[1].removeprefix("t.py ") for line in commands(shown.diagnoses[0].fixes[0], "powershell")
    ] == [word]


@pytest.mark.parametrize("value", ["a,--upload-pack=x", "@x"])
def test_no_value_becomes_two_words_or_a_table_of_powershell(value):
    assert filled_command("git fetch {x}", {"x": value}, powershell=True) == f"git fetch '{value}'"


def is_closed(line: str) -> bool:
    bare = re.sub(r"`.|'[^']*'", "", re.sub(r'"(?:`.|[^"`])*"', "", line))
    return not set("'\"") & set(bare) and all(bare.count(a) == bare.count(b) for a, b in ("()", "{}", "[]"))


@pytest.mark.parametrize(
    ("name", "value", "bash", "powershell"),
    [
        ("PATH", "/usr/local/cuda/bin:$PATH", '"/usr/local/cuda/bin:$PATH"', '"/usr/local/cuda/bin;${env:PATH}"'),
        ("RANK", "$SLURM_PROCID", '"$SLURM_PROCID"', '"${env:SLURM_PROCID}"'),
        ("A", "$(hostname -s | head -n1)", '"$(hostname -s | head -n1)"', '"$(hostname -s | head -n1)"'),
        ("A", "x y", "'x y'", '"x y"'),
        ("A", "it's", "'it'\\''s'", '"it\'s"'),
        ("HF_TOKEN", "<my token>", "MY_TOKEN", '"MY_TOKEN"'),
    ],
)
def test_variables_expand_where_they_should(name, value, bash, powershell):
    fix = Fix(Text("x"), env={name: value})
    assert list(commands(fix, "bash")) == [f"export {name}={bash}"]
    assert list(commands(fix, "powershell")) == [f"$env:{name} = {powershell}"]


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize("template", ["printf %s {value}", "printf %s 'a {value} b'", 'printf %s "a {value} b"'])
@given(value=st.text(min_size=1, max_size=40))
def test_a_captured_value_never_ends_a_quote(template, value):
    command = pasteable(filled_command(template, {"value": value}) or "")
    done = subprocess.run([str(BASH), "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not re.search(r"['\"`$;|&<>\n]", done.stdout)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (r"C:\work\my file.py", r"python 'C:\work\my file.py'"),
        ("a.py", "python a.py"),
        ("--help", "python <file>"),
        ("", "python <file>"),
        ("x;rm -rf ~", "python 'x_rm -rf _'"),
    ],
)
def test_a_captured_value_is_one_word_and_no_option(value, shown):
    assert filled_command("python {file}", {"file": value}) == shown
    assert filled_command("python {file}", {"file": value}, powershell=True) == shown


def test_what_is_the_commands_own_is_no_slot():
    assert filled_command("curl -w '%{http_code}' ${home}/{file}", {"file": "a"}) == "curl -w '%{http_code}' ${home}/a"


def test_a_value_in_a_place_to_fill_in_is_part_of_its_word():
    assert pasteable(filled_command("py-spy dump --pid <pid of rank {rank}>", {"rank": "3' x"})) == (
        "py-spy dump --pid PID_OF_RANK_3_X"
    )


def test_a_captured_value_expands_nothing_in_a_variable():
    assert "$" not in filled_value("{host}", {"host": "$(reboot)"})


@pytest.mark.parametrize(
    ("run", "paths", "named"),
    [
        ("grep -n nan train.log | head", {"a": "runs/42/a.txt"}, "grep -n nan runs/42/a.txt | head"),
        ("grep nan *.log", {"a": "r/my a.txt", "b": "r/b.txt"}, "grep nan 'r/my a.txt' r/b.txt"),
        ("grep nan *.log", {str(n): f"r/{n}.txt" for n in range(9)}, "grep nan r/*"),
        ("python train.py > train.log 2>&1", {"a": "a.txt"}, "python train.py > train.log 2>&1"),
        ("grep -n nan train.log | grep -v x", {"a": "a.log.gz"}, "zgrep -n nan a.log.gz | grep -v x"),
        ("df; grep -nE 'a|b; c' train.log", {"a": "a.log.zst"}, "df; zstdgrep -nE 'a|b; c' a.log.zst"),
        ('grep -n "\\"|a" *.log', {"a": "a.xz", "b": "b.xz"}, 'xzgrep -n "\\"|a" a.xz b.xz'),
        ("date; tail -n 20 *.log", {"a": "a.bz2"}, "date; bzcat a.bz2 | tail -n 20"),
        ("tail *.log | head", {"a": "a.log", "b": "a.log.1.gz"}, "zcat -f a.log a.log.1.gz | tail | head"),
        ("python train.py > train.log", {"a": "a.log.gz"}, "python train.py > train.log"),
        ("grep nan train.log", {"a": "a.log.gz", "b": "b.log.xz"}, "grep nan train.log"),
        ("grep nan train.log", {"a": "a.tar.gz"}, "grep nan train.log"),
        ("grep nan train.log", {}, "grep nan <saved output>"),
        ("grep nan train.log", {"a": "-a's.log"}, "grep nan './-a'\\''s.log'"),
    ],
)
def test_commands_name_the_real_logs(run, paths, named):
    evidence = (Evidence("a", 1, "x", "main"),)
    one = replace(OOM, fixes=(Fix(Text("x"), run=run),), evidence=evidence)
    shown = with_paths(Report(Status.FAILED, "eval", (one,)), paths)
    assert shown.diagnoses[0].fixes[0].run == named
    assert shown.paths == paths


@pytest.mark.skipif(shutil.which("zgrep") is None, reason="needs zgrep")
@pytest.mark.parametrize("run", ["grep -n -B1 -A1 nan *.log | head -60", "tail -n 2 train.log"])
def test_a_command_finds_the_same_in_a_compressed_log(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a b.log").write_text("step 1\nloss nan\nstep 2\nstep 3\n")
    Path("a b.log.gz").write_bytes(gzip.compress(Path("a b.log").read_bytes()))
    one = replace(OOM, fixes=(Fix(Text("x"), run=run),))
    found = []
    for path in ("a b.log", "a b.log.gz"):
        shown = with_paths(Report(Status.FAILED, "eval", (one,)), {"a": path}).diagnoses[0].fixes[0].run
        found.append(subprocess.run([str(BASH), "-c", str(shown)], capture_output=True, check=True).stdout)
    assert found[0] == found[1] != b""


def test_powershell_keeps_the_usual_name_of_a_compressed_log():
    one = replace(OOM, fixes=(Fix(Text("x"), run="grep a train.log", powershell="sls a train.log"),))
    shown = with_paths(Report(Status.FAILED, "eval", (one,)), {"a": "a.log.gz"})
    assert shown.diagnoses[0].fixes[0].powershell == "sls a train.log"


def test_what_has_no_diagnosis_keeps_its_paths():
    assert with_paths(replace(FAILED, diagnoses=()), {"a": "b"}).paths == {"a": "b"}


def test_a_log_that_lies_nowhere_is_for_the_reader_to_name():
    one = replace(OOM, fixes=(Fix(Text("x"), run="grep a train.log", powershell="sls a train.log"), Fix(Text("y"))))
    first, second = with_paths(Report(Status.FAILED, "eval", (one,)), {}).diagnoses[0].fixes
    assert (first.run, first.powershell) == ("grep a <saved output>", "sls a <saved output>")
    assert (second.run, second.powershell) == (None, None)


def test_no_command_leaves_the_log_to_be_filled_in():
    # `train.log` stands for it in rules, and is replaced by the names of the logs that were read.
    faults = [
        (rule, line)
        for rule, fix in all_fixes()
        for shell in ("bash", "powershell")
        for line in commands(fix, shell)
        if re.search(r"<log\b|(?<![\w$])(?:YOUR_)?LOG(?:_?FILE)?(?![\w=])", line)
    ]
    assert faults == []


def test_no_command_carries_a_comment():
    # What stands behind `#` is pasted too, and cmd, PowerShell and interactive zsh take it for arguments.
    faults = [
        (rule, line)
        for rule, fix in all_fixes()
        for shell in ("bash", "powershell")
        for line in commands(fix, shell)
        if re.search(r"\s#(?!include)", re.sub(r"'[^']*'|\"[^\"]*\"", "", line))
    ]
    assert faults == []


@pytest.mark.parametrize(
    ("log", "command"),
    [
        ("ModuleNotFoundError: No module named 'cv2'", "python -m pip install opencv-python"),
        ("ModuleNotFoundError: No module named 'PIL'", "python -m pip install pillow"),
        ("ModuleNotFoundError: No module named 'yaml'", "python -m pip install pyyaml"),
        ("ModuleNotFoundError: No module named 'webdataset'", "python -m pip install webdataset"),
        ("ImportError: libGL.so.1: cannot open shared object file: No such file", "apt-get install -y libgl1"),
        ("ImportError: libtcmalloc_x.so.4: cannot open shared object file: No such file", "install -y DEBIAN_PACKAGE"),
        ("ModuleNotFoundError: No module named 'http.client'; 'http' is not a package", "find_spec('http').origin"),
    ],
)
def test_what_is_missing_is_installed_by_its_own_name(log, command):
    report = replay([MemorySource("train.log", _TRACE.format(raised=log))], load_rules())
    steps = [line for fix in report.diagnoses[0].fixes for line in commands(fix, "bash")]
    assert any(command in line for line in steps), steps
    assert not any("pip install http" in line or "pip install lib" in line for line in steps)
