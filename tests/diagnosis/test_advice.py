"""The first steps of shipped rules follow from whose code raised, from what the lines tell and from where it was."""

import re
from collections.abc import Iterator

import pytest
import yaml

from logrules.engine.run import prepared
from logrules.ruleset.load import shipped_rules
from logrules.ruleset.rule_text import card_of
from logrules.ruletest.harness import run_log


@pytest.fixture(scope="module")
def on_shipped(shipped):
    return prepared(shipped)


OWN = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    step(batch)
  File "/app/loss.py", line 7, in step
    weight = table["left"]
KeyError: 'left'
"""
LIBRARY = """
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/fire/core.py", line 135, in Fire
    run(component)
ValueError: odd
"""
CALLED = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in main
    step(batch)
  File "/usr/lib/python3.11/site-packages/einops/einops.py", line 523, in reduce
    raise error(message)
ValueError: odd
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (OWN, "Open /app/loss.py:7 in step: this line raised it"),
        (LIBRARY, "Only code of fire is in the traceback"),
        (CALLED, "Open /app/train.py:9 in main: the call there led into the library"),
    ],
)
def test_a_step_says_whose_code_raised(on_shipped, log, said):
    assert any(fix.do.en.startswith(said) for fix in run_log(on_shipped, log).diagnoses[0].fixes[:3])


def test_where_only_the_end_of_a_process_is_told_no_step_speaks_of_what_is_not(on_shipped):
    log = "[launch.py:322:sigkill_handler] ['python3', '-u', 'fit.py', '--local_rank=3'] exits with return code = 1"
    (step,) = run_log(on_shipped, log).diagnoses[0].fixes
    assert step.do.en.startswith("Read what the process that ended wrote")


def test_what_a_line_tells_fills_the_steps_of_any_rule(on_shipped):
    first = run_log(on_shipped, OWN).diagnoses[0].fixes[0]
    assert first.run is not None
    assert first.run.startswith("grep -n left ")


def test_packages_that_may_not_fit_are_asked_of_what_a_library_raised(on_shipped):
    causes = [[one.cause for one in run_log(on_shipped, log).diagnoses] for log in (OWN, CALLED)]
    assert ["version-mismatch" in found for found in causes] == [False, True]


CANCELLED = "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2025-06-03T10:00:00 ***\n"
STEPS = "{'loss': 2.1, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}\n" * 3


@pytest.mark.parametrize(
    ("log", "restart", "resumes"), [(STEPS + CANCELLED, "retry", True), (CANCELLED, "after-fix", False)]
)
def test_only_a_job_that_had_come_to_its_steps_is_resumed(on_shipped, log, restart, resumes):
    found = run_log(on_shipped, log).diagnoses[0]
    assert found.restart.value == restart
    assert any("checkpoint" in fix.do.en for fix in found.fixes) == resumes


def test_the_job_that_the_log_names_is_asked_for(on_shipped):
    assert any("-j 4711" in (fix.run or "") for fix in run_log(on_shipped, CANCELLED).diagnoses[0].fixes)


LOADED = """
Traceback (most recent call last):
  File "/app/train.py", line 9, in make_data_loader
    pets = Pets(root)
  File "/app/pets.py", line 7, in __init__
    self.boxes = torch.load(root + "/boxes.pyt")
  File "/usr/lib/python3.11/site-packages/torch/serialization.py", line 254, in __init__
    super().__init__(open(name, mode))
FileNotFoundError: [Errno 2] No such file or directory: '/mnt/pets/boxes.pyt'
"""
PASSED_ON = """
Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/hydra/_internal/utils.py", line 223, in run_and_report
    raise ex
  File "/usr/lib/python3.11/site-packages/hydra/core/utils.py", line 260, in return_value
    raise self._return_value
ValueError: the mean of the rows came out odd
"""


@pytest.mark.parametrize(("log", "cause"), [(LOADED, "dataset-missing"), (PASSED_ON, "python-exception")])
def test_the_class_of_an_exception_alone_decides_nothing(on_shipped, log, cause):
    assert run_log(on_shipped, log).diagnoses[0].cause == cause


@pytest.mark.parametrize(
    ("log", "retyped"),
    [
        ("train.py: error: unrecognized arguments: –epochs 4", True),
        ("python3: can't open file '—m': [Errno 2] No such file or directory", True),
        ("train.py: error: unrecognized arguments: --epochz 4", False),
        ("python3: can't open file '/srv/ablation–b/train.py': [Errno 2] No such file or directory", False),
    ],
)
def test_a_dash_that_a_word_processor_made_is_to_be_typed_anew(on_shipped, log, retyped):
    assert ("Type the dash" in run_log(on_shipped, log).diagnoses[0].fixes[0].do.en) == retyped


WORKER = "RuntimeError: DataLoader worker (pid 71) is killed by signal: {}. "
UNREAD = "Failed to read file '{}' with error <class 'pyarrow.lib.ArrowInvalid'>: JSON parse error: Column(/a) changed"
STEP_LIMIT = "slurmstepd: error: *** {} ON n1 CANCELLED AT 2025-06-03T10:00:00 DUE TO TIME LIMIT ***"


@pytest.mark.parametrize(
    ("log", "first", "missing"),
    [
        (WORKER.format("Segmentation fault"), "What decodes or transforms a sample crashed", "killed it for memory"),
        (WORKER.format("Killed"), "See whether the kernel killed it for memory", "crashed"),
        (UNREAD.format("D:/pets/a.json"), "Parse D:/pets/a.json by itself", "line that do not parse"),
        (UNREAD.format("/pets/a.jsonl"), "Parse /pets/a.jsonl line by line", "line that do not parse"),
        (STEP_LIMIT.format("STEP 71.0"), "See how long the job was allowed to run", "Resume"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "See what is free", "DeepSpeed"),
        (CANCELLED, "See how long it ran and who cancelled it", "Resume"),
    ],
)
def test_the_steps_fit_what_the_lines_say(on_shipped, log, first, missing):
    steps = [fix.do.en for fix in run_log(on_shipped, log).diagnoses[0].fixes]
    assert steps[0].startswith(first)
    assert not any(missing in step for step in steps)


@pytest.mark.parametrize("kind", ["STEP 71.0", "JOB 71"])
def test_the_limit_of_a_step_may_be_its_own(on_shipped, kind):
    found = run_log(on_shipped, STEP_LIMIT.format(kind)).diagnoses[0]
    assert any("srun line" in fix.do.en for fix in found.fixes) == kind.startswith("STEP")
    assert found.restart.value == "after-fix"


LEANS_ON_ANOTHER = re.compile(
    r"\bdo: *['\"]?(?:(?:Otherwise|Or|Else|If not|If that|Elsewhere)\b|否则|或者?[^许]|若仍|不然)"
)


def test_every_step_stands_alone():
    # Which steps are shown hangs on the log: what a step leans on may not be there.
    files = shipped_rules().rglob("*.yaml")
    leaning = [line for path in files for line in path.read_text("utf-8").splitlines() if LEANS_ON_ANOTHER.search(line)]
    assert leaning == []


def test_every_step_is_named():
    """A step that no rule, cause or row names is never shown."""
    paths = [path for path in shipped_rules().rglob("*.yaml") if path.parent.name != "translations"]
    texts = {path: path.read_text("utf-8") for path in paths}
    files = [yaml.load(texts[path], yaml.CSafeLoader) for path in paths if path.parent.name == "fixes"]
    steps = {step["id"] for file in files for step in file["fixes"]}
    named = {
        name
        for text in texts.values()
        if (document := yaml.load(text, yaml.CSafeLoader))
        for name in named_in(document)
    }
    assert steps - named == set()


def named_in(part: object) -> Iterator[str]:
    """The names of steps, wherever a list of steps stands."""
    for key, value in part.items() if isinstance(part, dict) else ():
        if key in {"fixes", "quotes"}:
            yield from (step if isinstance(step, str) else next(iter(step)) for step in value)
        yield from named_in(value)
    for item in part if isinstance(part, list) else ():
        yield from named_in(item)


def settings_of(found) -> list[str]:
    return [name for fix in found.fixes for name in (*fix.flags, *fix.env)]


def test_a_message_of_a_framework_has_its_settings_where_nothing_else_of_it_was_seen(on_shipped):
    log = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`."
    assert any(
        flag.startswith("--gpu-memory-utilization") for flag in settings_of(run_log(on_shipped, log).diagnoses[0])
    )


@pytest.mark.parametrize(
    "log",
    [
        "step 102: Loss: 9.1 Gradient: 8.1\nstep 103: Loss: nan\nstep 104: Loss: nan",
        "Loading checkpoint from /ckpt/global_step_100\nFileNotFoundError: Checkpoint not found",
    ],
)
def test_lines_that_any_script_prints_show_no_framework(on_shipped, log):
    report = run_log(on_shipped, log)
    assert "lightrft" not in report.frameworks
    assert not any("actor" in name or "load_checkpoint" in name for name in settings_of(report.diagnoses[0]))


@pytest.mark.parametrize(
    ("log", "other"),
    [
        ("Loading extension module fused_adam...\nTime to load fused_adam op: 0.25 seconds\n", "colossalai"),
        ("step 1 loss 2.5\nsample: a red flower in a pot\n", "flower"),
    ],
)
def test_what_another_framework_or_a_sample_says_shows_no_framework(on_shipped, log, other):
    assert other not in run_log(on_shipped, log).frameworks


def test_what_stands_where_a_log_says_nothing_is_plain_words(shipped):
    steps = [step.fix for rule in shipped.rules for step in card_of(shipped, rule.id).steps]
    texts = {text for fix in steps for text in (fix.do.en, fix.do.zh, *fix.flags, *fix.env.values())}
    written = [slot for text in texts for slot in re.findall(r"\{[a-z_]+\|[^}]*\}", text)]
    assert len(written) > 20
    assert [slot for slot in written if not re.fullmatch(r"\{[a-z_]+\|(?:[\w ]+|<[\w ]+>)\}", slot)] == []


def test_what_runs_where_a_log_says_nothing_is_what_a_command_says_or_the_reader_fills_in(shipped):
    runs = {step.fix.run or "" for rule in shipped.rules for step in card_of(shipped, rule.id).steps}
    written = [slot for text in runs for slot in re.findall(r"\{[a-z_]+\|[^}]*\}", text)]
    assert [slot for slot in written if not re.fullmatch(r"\{[a-z_]+\|(?:[\w .-]+|\$\(.*\)|<[\w ]+>)\}", slot)] == []


@pytest.mark.parametrize(("nodes", "first"), [("2", True), ("1", False)])
def test_an_endpoint_that_is_each_node_itself_is_told_first_where_there_are_several(on_shipped, nodes, first):
    log = f"""INFO:torch.distributed.launcher.api:Starting elastic_operator with launch configs:
  min_nodes                : {nodes}
  rdzv_endpoint            : localhost:29500
torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError
"""
    step = run_log(on_shipped, log).diagnoses[0].fixes[0]
    assert step.do.en.startswith("The launcher was given localhost:29500 as the endpoint for 2 nodes") is first


def test_a_connection_that_was_refused_is_no_matter_of_shared_memory(on_shipped):
    log = """n1:7:9 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.0.0.3<43871> failed : Connection refused
torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5
ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
"""
    steps = run_log(on_shipped, log).diagnoses[0].fixes
    assert steps[0].do.en.startswith("Nobody listens at 10.0.0.3<43871> any more")
    assert not any("shm" in f"{step.run} {step.flags}" for step in steps)
