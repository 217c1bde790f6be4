"""The places at which a package raises errors of its own, as the table of docs/coverage.md counts them."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from raise_sites import Site, filled, sites_of


def sites(folder: Path, source: str, file: str = "pack/core.py") -> list[Site]:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(source))
    return list(sites_of(folder))


def test_an_error_is_listed_with_its_words_and_its_printed_class(tmp_path):
    (found,) = sites(
        tmp_path,
        """
        from pack.errors import BadPlan
        def plan(size, path):
            if size:
                raise BadPlan(f"no plan for {size} parts of {path}")
        """,
    )
    assert (found.error, found.message) == ("pack.errors.BadPlan", "no plan for 7 parts of /srv/run/alpha")
    assert (found.function, found.line) == ("plan", 5)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('raise ValueError("cannot " + "do this")', "cannot do this"),
        ('raise ValueError("cannot load %s" % name)', "cannot load alpha"),
        ('raise ValueError("needs {} parts".format(count))', "needs alpha parts"),
        ('msg = "was said before"\n    raise ValueError(msg)', "was said before"),
        ('assert name, "a name is needed"', "a name is needed"),
        (
            'said = f"part {name} is gone"\n    raise ValueError(f"{said}, look again")',
            "part alpha is gone, look again",
        ),
        ('logger.error("all is lost")\n    sys.exit(1)', "all is lost"),
    ],
)
def test_messages_are_spelled_as_they_are_made(tmp_path, body, message):
    assert [one.message for one in sites(tmp_path, f"def run(name, count):\n    {body}\n")] == [message]


@pytest.mark.parametrize(
    "body",
    [
        'raise NotImplementedError("left to its children")',
        'try:\n        raise ValueError("caught at once")\n    except ValueError:\n        pass',
        'x = 1\n    raise HTTPException("answer the client")',
        "x = 1\n    raise ValueError(text)",
        "x = 1\n    raise\n",
    ],
)
def test_what_ends_no_job_or_says_nothing_is_left_out(tmp_path, body):
    assert sites(tmp_path, f"def run(text):\n    {body}\n") == []


@pytest.mark.parametrize("file", ["pack/tests/core.py", "pack/examples/core.py", "pack/convert_weights.py", "setup.py"])
def test_files_that_no_job_runs_are_left_out(tmp_path, file):
    assert sites(tmp_path, 'def run(x):\n    x()\n    raise ValueError("this was raised")\n', file) == []


@pytest.mark.parametrize(("name", "value"), [("world_size", "7"), ("self.cache_dir", "/srv/run/alpha"), ("x", "alpha")])
def test_holes_are_filled_by_their_names(name, value):
    assert filled(name) == value
