"""What a shell completes: asked of a real bash; the script for fish has an option a line."""

import argparse
import shutil
import subprocess

import pytest

from logrules.tools.completion import completion_verb


def script(shell: str, capsys) -> str:
    parser = argparse.ArgumentParser()
    completion_verb.add_options(parser)
    assert completion_verb.run(parser.parse_args([shell])) == 0
    return capsys.readouterr().out


def completed(text: str, *words: str) -> list[str]:
    """What bash offers for the last word."""
    listed = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _logrules; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", text + ask], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("logrules", "dia"), {"diagnose"}),
        (("logrules", "his"), {"history"}),
        (("logrules", "diagnose", "--form"), {"--format"}),
        (("logrules", "diagnose", "--format", "js"), {"json", "jsonl"}),
        (("logrules", "history", "--group", "f"), {"fingerprint"}),
        (("logrules", "watch", "--metrics-p"), {"--metrics-port"}),
    ],
)
def test_bash_offers_verbs_options_and_choices(words, offered, capsys):
    assert set(completed(script("bash", capsys), *words)) == offered


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_offers_files_elsewhere(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").touch()
    assert completed(script("bash", capsys), "logrules", "diagnose", "tr") == ["train.log"]


def test_fish_has_an_option_a_line(capsys):
    lines = script("fish", capsys).splitlines()
    assert any(
        "__fish_seen_subcommand_from diagnose" in line and "-l format -x -a 'text json" in line for line in lines
    )
    assert all(line.count("'") - line.count("\\'") * 2 >= 2 for line in lines)


def test_zsh_calls_the_function_of_bash(capsys):
    assert script("zsh", capsys).endswith(script("bash", capsys))
