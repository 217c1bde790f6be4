"""The places of C++, Rust and Go sources that docs/coverage.md counts, and which of all places are the code's own."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from code_faults import is_of_code
from thrown_sites import CALLS, thrown_sites_of


def told(folder: Path, name: str, file: str, source: str) -> list[tuple[str, str]]:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return [(one.message, one.text) for one in thrown_sites_of(folder, CALLS[name])]


@pytest.mark.parametrize(
    ("name", "file", "source", "message", "shown"),
    [
        (
            "c10d",
            "c10d/Group.cpp",
            'TORCH_CHECK(\n  size > 0, "Backend ", getName(), " has no ", op);',
            "Backend alpha has no alpha",
            "RuntimeError: ",
        ),
        (
            "ray-core",
            "raylet/main.cc",
            'RAY_LOG(FATAL).WithField(id) << "Cannot read; " << path << " is gone";',
            "Cannot read; /srv/run/alpha is gone",
            "(raylet) main.cc:1: ",
        ),
        (
            "triton-server",
            "src/model.cc",
            "return Status(\n    Status::Code::INVALID_ARG, \"must specify 'name' for \" + model);",
            "must specify 'name' for alpha",
            "version 1: Invalid argument: must",
        ),
        (
            "kuberay",
            "ray/controller.go",
            'return fmt.Errorf("secret %s not found: %w", name, err)',
            "secret alpha not found: 7",
            '"error":"secret',
        ),
        (
            "tokenizers",
            "src/model.rs",
            '#[error("Token `{0}` out of vocabulary")]\n#[cfg(test)]\nmod tests { fn a() { panic!("Expected an error") } }',
            "Token `alpha` out of vocabulary",
            "Exception: Token",
        ),
    ],
)
def test_a_place_is_told_as_its_framework_prints_it(tmp_path, name, file, source, message, shown):
    ((said, text),) = told(tmp_path, name, file, source)
    assert said == message
    assert shown in text


def test_tests_and_repeated_sentences_are_left_out(tmp_path):
    told(tmp_path, "c10d", "tests/a_test.cpp", 'TORCH_CHECK(a, "never seen here");')
    twice = 'TORCH_CHECK(a, "seen only once");\nTORCH_CHECK(b, "seen only once");'
    assert [said for said, _ in told(tmp_path, "c10d", "c10d/b.cpp", twice)] == ["seen only once"]


@pytest.mark.parametrize(
    "message",
    [
        "Expected 2D tensor for probs",
        "x must be contiguous",
        "`store` must be an instance of Store",
        "this line should not be reached, please report it",
        "Only readers can acquire read",
        "row count mismatch: q 4 vs scale 8",
        "expected tensor_args to be not None",
        "Duplicate request ID detected: 7",
    ],
)
def test_checks_of_what_code_hands_in_are_the_codes_own(message):
    assert is_of_code(message)


@pytest.mark.parametrize(
    "message",
    [
        "Unknown optimizer adamx",
        "No ZeRO files found in out/7",
        "LoRA is not enabled",
        "The weight cache daemon is gone",
    ],
)
def test_what_may_be_a_setting_or_a_file_is_not(message):
    assert not is_of_code(message)
