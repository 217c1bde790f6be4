"""What a project says of its rules: packs, what is switched off, severities, patience, its own phases and markers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.model.errors import PackError
from logrules.model.report import Severity
from logrules.ruleset.config import checked, places_of_keys
from logrules.ruleset.load import load_pack
from logrules.ruleset.rule_text import title_of
from logrules.ruleset.settings import Settings, find_settings, read_settings

RULE = """
id: {id}
cause: python-exception
title: {title}
why: a
signals: {{said: {word}}}
fixes: [{{do: a}}]
examples: {{fires: {word}, silent: calm}}
"""


@pytest.fixture(autouse=True)
def _beside_a_few(request: pytest.FixtureRequest) -> None:
    """Where a test does not ask for all that are shipped, a few of their words will do."""
    if "shipped" not in request.fixturenames:
        request.getfixturevalue("alone")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def rule(name: str, word: str = "ACME-1", title: str = "a") -> str:
    return RULE.format(id=name, word=word, title=title)


def pack_of(folder: Path, text: str):
    write(folder / "logrules.toml", text)
    return load_pack(settings=find_settings(folder))


def problems_of(folder: Path, text: str) -> list[str]:
    with pytest.raises(PackError) as fault:
        pack_of(folder, text)
    return [str(problem).removeprefix(f"{folder}/") for problem in fault.value.problems]


# Finding it.


def test_the_nearest_configuration_counts(tmp_path):
    write(tmp_path / "logrules.toml", "disable = ['performance/*']")
    write(tmp_path / "team/pyproject.toml", "[project]\nname = 'x'\n[tool.logrules]\ninstalled = false\n")
    write(tmp_path / "team/code/pyproject.toml", "[project]\nname = 'no word of us'\n")
    assert find_settings(tmp_path).path == str(tmp_path / "logrules.toml")
    found = find_settings(tmp_path / "team/code")
    assert (found.path, found.installed) == (str(tmp_path / "team/pyproject.toml"), False)


def test_a_repository_is_not_left(tmp_path):
    write(tmp_path / "logrules.toml", "disable = ['performance/*']")
    (tmp_path / "repository/.git").mkdir(parents=True)
    assert find_settings(tmp_path / "repository") == Settings()


def test_a_file_that_is_named_must_say_something(tmp_path):
    with pytest.raises(PackError, match=r"pyproject.toml: has no table \[tool.logrules\]"):
        read_settings(write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n"))
    with pytest.raises(PackError, match="cannot be read"):
        read_settings(tmp_path / "absent.toml")


# What it says.


def test_packs_are_added_in_order_and_later_ones_replace_earlier_ones(tmp_path):
    write(tmp_path / "one/acme/first.yaml", rule("acme/first"))
    write(tmp_path / "one/acme/both.yaml", rule("acme/both", title="one"))
    write(tmp_path / "two/acme/both.yaml", rule("acme/both", title="two"))
    pack = pack_of(tmp_path, "packs = ['one', 'two']")
    assert pack.origins == {
        "acme/first": str(tmp_path / "one/acme/first.yaml"),
        "acme/both": str(tmp_path / "two/acme/both.yaml"),
    }
    assert title_of(pack, "acme/both").en == "two"
    (replaced,) = pack.replaced
    assert (replaced.what, replaced.before) == ("rule acme/both", str(tmp_path / "one/acme/both.yaml"))


def test_the_file_of_an_own_row_is_its_origin(tmp_path):
    row = (
        "exceptions:\n  - {id: acme-shard, cause: dataset-corrupt, classes: [ShardError], samples: ['ShardError: 1']}\n"
    )
    write(tmp_path / "one/exceptions/acme.yaml", row)
    file = str(tmp_path / "one/exceptions/acme.yaml")
    assert pack_of(tmp_path, "packs = ['one']").origins == {"exceptions/acme-shard": file}


def test_one_pack_must_not_define_a_rule_twice(tmp_path):
    write(tmp_path / "one/a.yaml", rule("acme/same"))
    write(tmp_path / "one/b.yaml", rule("acme/same"))
    assert problems_of(tmp_path, "packs = ['one']") == [
        f"one/b.yaml:2:1: rule acme/same is already defined in {tmp_path}/one/a.yaml"
    ]


def test_a_file_that_is_named_in_two_ways_counts_once_where_it_comes_last(tmp_path):
    file = write(tmp_path / "one/acme/first.yaml", rule("acme/first"))
    write(tmp_path / "two/acme/first.yaml", rule("acme/first"))
    write(tmp_path / "logrules.toml", "packs = ['one', 'two']")
    (tmp_path / "link").symlink_to("one")
    for named in ([tmp_path / "one"], [file], [tmp_path / "link", tmp_path / "one"]):
        pack = load_pack(named, settings=find_settings(tmp_path))
        assert pack.origins == {"acme/first": str(file)}
        assert [one.before for one in pack.replaced] == [str(tmp_path / "two/acme/first.yaml")]


def test_a_folder_that_is_called_as_the_shipped_one_is_another_pack(tmp_path):
    write(tmp_path / "rules/vllm/oom.yaml", rule("cuda/out-of-memory"))
    assert pack_of(tmp_path, "packs = ['rules']").origins == {
        "cuda/out-of-memory": str(tmp_path / "rules/vllm/oom.yaml")
    }


@pytest.mark.usefixtures("shipped")
def test_rules_are_left_out_and_severities_set_the_last_word_counting(tmp_path):
    pack = pack_of(
        tmp_path,
        "disable = ['performance/*']\n[severity]\n'cuda/*' = 'info'\n'cuda/out-of-memory' = 'warning'\n",
    )
    severities = {one.id: one.severity for one in pack.rules}
    assert not [name for name in severities if name.startswith("performance/")]
    assert severities["cuda/out-of-memory"] is Severity.WARNING
    assert severities["cuda/illegal-access"] is Severity.INFO


def test_patience_is_a_projects_own(tmp_path):
    pack = pack_of(tmp_path, "[patience]\n'torchrun/*' = '30m'\n")
    assert {wait.patience_s for wait in pack.waits if wait.id.startswith("torchrun/")} == {1800.0}


OWN_WORDS = """
[[phases]]
id = "warm_up"
after = "model_load"
title = "Warm-up"
about = "Kernels are tuned."

[[causes]]
id = "acme-quota"
family = "acme"
tier = "host"
title = "Quota"
about = "The quota is used up."

[[markers]]
id = "warm-up-begins"
contains = "ACME warm-up begins"
enters = "warm_up"
samples = ["ACME warm-up begins on 8 devices"]
"""


def test_phases_causes_and_markers_of_its_own(tmp_path, shipped):
    write(tmp_path / "one/acme/quota.yaml", rule("acme/quota").replace("python-exception", "acme-quota"))
    pack = pack_of(tmp_path, f"packs = ['one']\n{OWN_WORDS}")
    order = [phase.id for phase in pack.phases]
    assert order[order.index("model_load") + 1] == "warm_up"
    assert len(order) == len(shipped.phases) + 1
    assert [marker.enters for marker in pack.markers if marker.id == "own/warm-up-begins"] == ["warm_up"]
    assert set(_causes(pack)) - set(_causes(shipped)) == {"acme-quota"}


def test_words_of_a_pack_are_added_to_the_shipped_ones(tmp_path, shipped):
    write(
        tmp_path / "one/causes.yaml",
        "causes: [{id: acme-quota, family: acme, tier: host, title: a, about: a}]",
    )
    assert _causes(pack_of(tmp_path, "packs = ['one']")) == [*_causes(shipped), "acme-quota"]


def _causes(pack) -> list[str]:
    return [cause.id for cause in pack.tables.causes]


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("packs = 'one'", "logrules.toml:1:1: `packs` must be a list of folders"),
        ("packs = ['absent']", "absent: no such file or folder of rules"),
        ("colour = 1", "logrules.toml:1:1: `colour`: unknown key"),
        ("[logrules]\npacks = []", "logrules.toml:1:1: `logrules`: here the keys stand at the top of the file"),
        ("[tool.logrules]\npacks = []", "logrules.toml:1:1: `tool`: here the keys stand at the top of the file"),
        (
            "[severity]\n'cuda/*' = 'fatal'",
            "logrules.toml:2:1: `severity.cuda/*`: expects 'error', 'warning' or 'info'",
        ),
        ("[patience]\n'torchrun/*' = 'long'", "logrules.toml:2:1: `patience.torchrun/*`: is no length of time"),
        (
            "\ndisable = ['cuda/out-of-memry']",
            "logrules.toml:2:1: `disable` names no rule: `cuda/out-of-memry` (did you mean `cuda/out-of-memory`?)",
        ),
        ("[patience]\nnowhere = '1m'", "logrules.toml:2:1: `patience` names no wait: `nowhere`"),
        (
            "[[markers]]\nid = 'a'\nenters = 'nowhere'\ncontains = 'abcdef'\nsamples = ['abcdef']",
            "logrules.toml:3:1: unknown phase `nowhere`",
        ),
        ("# ours\ndisable = [\n", "logrules.toml:2:1: is not valid TOML: Invalid value"),
        (f"a = {'9' * 5000}", "logrules.toml: has a number of too many digits"),
        (f"a = 0x{'f' * 5000}", "logrules.toml: has a number of too many digits"),
        ("a = 1\na = 2", "logrules.toml:2:1: is not valid TOML: Cannot overwrite a value"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(tmp_path, text, problem):
    assert problems_of(tmp_path, text)[0].startswith(problem)


@given(st.text(max_size=200))
def test_any_text_is_settings_or_one_sentence(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("any")
    try:
        (folder / "logrules.toml").write_text(text, encoding="utf-8", errors="surrogatepass")
        settings = find_settings(folder)
        assert checked(settings).file.installed == settings.installed
    except PackError as fault:
        assert str(fault).startswith(str(folder))


def test_where_keys_stand():
    text = """[project]
name = 1
[tool.logrules]
packs = []
[tool.logrules."severity"]
  "a/b" = 1
[[tool.logrules.markers]]
id = 1
[[tool.logrules.markers]]
id = 2
"""
    assert places_of_keys(text, ("tool", "logrules")) == {
        (): (3, 1),
        ("packs",): (4, 1),
        ("severity",): (5, 1),
        ("severity", "a/b"): (6, 3),
        ("markers", 0): (7, 1),
        ("markers", 0, "id"): (8, 1),
        ("markers", 1): (9, 1),
        ("markers", 1, "id"): (10, 1),
    }


# Verbs.


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    write(tmp_path / "team/acme/scratch.yaml", rule("acme/scratch", "ACME-217", "Scratch is full"))
    write(tmp_path / "team/mine/oom.yaml", rule("cuda/out-of-memory", "ACME-OOM", "Our own"))
    write(tmp_path / "logrules.toml", "packs = ['team']\n")
    write(tmp_path / "train.log", "step 1\nACME-217 now\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("shipped")
def test_diagnose_uses_the_packs_and_says_what_they_replace(project, capsys):
    assert main(["diagnose", "train.log", "--lang", "en"]) == 1
    said = capsys.readouterr()
    assert "Scratch is full" in said.out
    oom = Path("rules/cuda/out-of-memory.yaml")
    assert said.err == f"logrules: rule cuda/out-of-memory of {oom} is replaced by team/mine/oom.yaml\n"


def test_a_configuration_can_be_named_or_left_out(project, capsys):
    other = write(project / "other.toml", "disable = ['*']\n")
    assert main(["diagnose", "train.log", "--settings", "none"]) == 0
    assert main(["diagnose", "train.log", "--settings", str(other)]) == 0
    assert "ACME-217 now" not in capsys.readouterr().err
    assert main(["diagnose", "train.log", "--settings", "absent.toml"]) == 2
    assert capsys.readouterr().err == "logrules: absent.toml: cannot be read: No such file or directory\n"


@pytest.mark.usefixtures("shipped")
def test_rules_say_where_they_are_from(project, capsys):
    assert main(["rules", "--origin", "scratch is full"]) == 0
    assert capsys.readouterr().out.split() == ["acme/scratch", "python-exception", "team/acme/scratch.yaml"]
    assert main(["rules", "--format", "json", "--cause", "cuda-oom"]) == 0
    assert {one["origin"] for one in json.loads(capsys.readouterr().out)} == {"logrules"}


def test_tests_are_those_of_the_projects_packs(project, capsys):
    assert main(["test"]) == 0
    assert capsys.readouterr().out == "4 examples: 0 failed\n"
    assert main(["test", "team/acme/scratch.yaml"]) == 0
    assert capsys.readouterr().out == "2 examples: 0 failed\n"


def test_an_example_holds_whatever_a_project_switches_off(project, capsys):
    write(project / "logrules.toml", "packs = ['team']\ndisable = ['acme/*']\n")
    assert main(["test", "-k", "acme/"]) == 0
    assert capsys.readouterr().out == "2 examples: 0 failed\n"


# Packs that were installed.


def install(site: Path, name: str, value: str) -> None:
    write(
        site / f"{name}-1.0.dist-info/entry_points.txt",
        f"[logrules.packs]\n{name} = {value}\n",
    )
    write(site / f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")


ASK = "import sys; from logrules.cli.main import main; sys.exit(main(['rules', '--origin', *sys.argv[1:]]))"


def asked(folder: Path, site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path.insert(0, {str(site)!r}); {ASK}"
    return subprocess.run([sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def site(tmp_path) -> Path:
    """A folder of packages with one whose code must never run."""
    folder = tmp_path / "site"
    write(folder / "acme_rules/__init__.py", "raise SystemExit('this code ran')")
    write(folder / "acme_rules/rules/acme/scratch.yaml", rule("acme/scratch", "ACME-217"))
    install(folder, "acme", "acme_rules:rules")
    return folder


def test_installed_packs_count_and_their_code_does_not_run(tmp_path, site):
    found = asked(tmp_path, site, "acme/")
    assert found.stdout.split() == ["acme/scratch", "python-exception", "acme/acme/scratch.yaml"]
    # A package that comes later is seen.
    write(site / "beta_rules/__init__.py", "")
    write(site / "beta_rules/beta/one.yaml", rule("beta/one", "BETA-1"))
    install(site, "beta", "beta_rules")
    assert asked(tmp_path, site, "beta/").stdout.split()[0] == "beta/one"
    write(tmp_path / "logrules.toml", "installed = false\n")
    assert asked(tmp_path, site, "acme/").returncode == 1


def test_an_installed_pack_without_a_folder_is_one_sentence(tmp_path, site):
    install(site, "gone", "no_such_package:rules")
    found = asked(tmp_path, site)
    assert (found.returncode, found.stdout) == (2, "")
    assert (
        found.stderr == "logrules: no_such_package:rules:1:1: the installed pack `gone` names no folder of a package\n"
    )
