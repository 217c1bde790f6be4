"""The places at which a C or C++ library logs errors, as the table of docs/coverage.md counts them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from enforce_sites import arguments_at, enforced_sites_of
from native_sites import LOG_FORMS, native_sites_of, spelled


def written(folder: Path, file: str, source: str) -> Path:
    path = folder / "src" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return folder


def test_a_warning_is_listed_as_the_library_prints_it(tmp_path):
    folder = written(tmp_path, "misc/shm.cc", 'if (bad) {\n  WARN("could not map %s size %ld", name, size);\n}\n')
    (found,) = native_sites_of(folder, LOG_FORMS["nccl"])
    assert (found.path, found.line, found.message) == ("misc/shm.cc", 2, "could not map alpha size 7")
    assert found.text.endswith("misc/shm.cc:2 NCCL WARN could not map alpha size 7")


def test_the_same_sentence_of_a_file_is_listed_once_and_helpers_are_left_out(tmp_path):
    written(
        tmp_path, "ucp/core/ep.c", 'ucs_error("no such lane");\nucs_error("no such lane");\nucs_debug("fine so far");\n'
    )
    folder = written(tmp_path, "tools/perf/main.c", 'ucs_error("no such test");\n')
    assert [one.message for one in native_sites_of(folder, LOG_FORMS["ucx"])] == ["no such lane"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ('"split over " "two lines"', "split over two lines"),
        ('"length %" PRIu64 " of %5.1f"', "length 7 of 7"),
        (r'"said \"no\"\n"', 'said "no"'),
    ],
)
def test_literals_are_joined_and_holes_are_filled(words, message):
    assert spelled(words) == message


def test_a_check_of_gloo_is_listed_below_the_collective_that_was_called(tmp_path):
    folder = written(
        tmp_path,
        "gloo/ring.cc",
        'GLOO_ENFORCE_EQ(\n    sizes.at(rank), n,\n    "Sizes differ of ", name, " (see docs)");\nGLOO_ENFORCE(ptr);\n',
    )
    (found,) = enforced_sites_of(folder / "src")
    assert (found.path, found.line, found.message) == ("gloo/ring.cc", 1, "Sizes differ of alpha (see docs)")
    assert "[enforce fail at third_party/gloo/gloo/ring.cc:1] sizes.at(rank) == n. 7 vs 8. Sizes differ" in found.text


def test_arguments_end_where_their_brackets_do():
    assert arguments_at('f(a, b), "x, (y", {1, 2}) + g(c)', 0) == ["f(a, b)", '"x, (y"', "{1, 2}"]
