"""What any line of a job tells steps: settings, versions, the machine; and steps in the words of these."""

from dataclasses import replace
from pathlib import Path

import pytest

from logrules import diagnose, load_rules
from logrules.inference import slot_values
from logrules.inference.advice import Circumstances, in_force, is_done, is_idle, renamed, steps_for
from logrules.inference.command_slots import filled_command, filled_value, is_filled
from logrules.inference.ending import Endings
from logrules.inference.rule_index import Index
from logrules.inference.run_state import JobState
from logrules.inference.slot_values import with_numbers
from logrules.model.report import Fix, Report, Text
from logrules.output.shell import commands
from logrules.parsing.captures import Captures
from logrules.ruleset.name_tables import Derivation, DerivedNumber, RenamedSetting, ToldName
from logrules.ruleset.rule_text import FixStep
from logrules.ruleset.steps import FixFile

_TOLD = load_rules().tables.told_names
_OF_ANY_LINE = [one for one in _TOLD if one.contains]
_STEP = Fix(do=Text("Go on", ""))
_OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.20 GiB is free."


def test_what_no_line_can_hold_is_not_even_compiled(monkeypatch, tmp_path: Path):
    tried = []
    bounded = slot_values.bounded
    monkeypatch.setattr(slot_values, "bounded", lambda pattern: tried.append(pattern) or bounded(pattern))
    report = _report(tmp_path, _OOM)
    assert report.diagnoses
    assert len(set(tried)) <= len(_TOLD) // 4


def test_every_name_of_any_line_has_both():
    assert all(one.samples and one.near for one in _OF_ANY_LINE)


_NUMBERS = [
    DerivedNumber("free_share", Derivation.SHARE, ("free", "total")),
    DerivedNumber("fitting", Derivation.DIVISOR, ("heads", "parallel")),
    DerivedNumber("batch", Derivation.PRODUCT, ("micro", "accumulation", "world")),
    DerivedNumber("fewer", Derivation.HALF, ("sequences",)),
    DerivedNumber("below", Derivation.MULTIPLE, ("size", "of")),
    DerivedNumber("above", Derivation.NEXT_MULTIPLE, ("size", "of")),
    DerivedNumber("both", Derivation.PRODUCT, ("left", "right")),
    DerivedNumber("above_both", Derivation.NEXT_MULTIPLE, ("whole", "both")),
]


@pytest.mark.parametrize(
    ("told", "made"),
    [
        ({"free": "54.34", "total": "79.18"}, {"free_share": "0.68"}),
        ({"free": "80", "total": "79.18"}, {}),
        ({"free": "x", "total": "0"}, {}),
        ({"heads": "28", "parallel": "8"}, {"fitting": "4"}),
        ({"heads": "28"}, {}),
        ({"micro": "5", "accumulation": "1", "world": "3"}, {"batch": "15"}),
        ({"sequences": "257"}, {"fewer": "128"}),
        ({"sequences": "1"}, {}),
        ({"size": "60", "of": "16"}, {"below": "48", "above": "64"}),
        ({"size": "64", "of": "16"}, {"below": "64", "above": "64"}),
        ({"size": "6", "of": "8"}, {"above": "8"}),
        ({"size": "6", "of": "0"}, {}),
        ({"left": "4", "right": "16", "whole": "1000"}, {"both": "64", "above_both": "1024"}),
    ],
)
def test_numbers_are_made_of_what_is_told(told: dict[str, str], made: dict[str, str]):
    assert with_numbers(told, _NUMBERS) == told | made


def test_what_is_set_already_is_done():
    step = replace(_STEP, env={"NCCL_P2P_DISABLE": "1"})
    assert is_done(step, {"NCCL_P2P_DISABLE": "1"})
    assert not is_done(step, {"NCCL_P2P_DISABLE": "0"})
    assert not is_done(_STEP, {"NCCL_P2P_DISABLE": "1"})
    assert not is_done(replace(step, run="nvidia-smi"), {"NCCL_P2P_DISABLE": "1"})


def test_a_step_of_settings_that_do_nothing_here_is_idle():
    fabric = RenamedSetting("f", "NCCL_IB_DISABLE", {"net": "^Socket"})
    step = replace(_STEP, env={"NCCL_IB_DISABLE": "1"})
    assert is_idle(step, renamed(step, in_force([fabric], {"net": "Socket"})))
    assert not is_idle(step, renamed(step, in_force([fabric], {"net": "IB"})))
    looks = replace(step, run="ip -br addr")
    assert not is_idle(looks, renamed(looks, in_force([fabric], {"net": "Socket"})))
    assert not is_idle(_STEP, _STEP)


def test_a_setting_is_told_under_the_name_that_it_has_there():
    step = replace(
        _STEP,
        do=Text("Give --eval_strategy, not --eval_strategy_of", ""),
        flags=("--eval_strategy steps", "--eval_steps 500"),
        env={"A": "1", "B": "2"},
    )
    new = RenamedSetting("s", "--eval_strategy", {"transformers": r"^4\.40"}, "--evaluation_strategy")
    gone = RenamedSetting("a", "A", {"transformers": "."})
    told = renamed(step, in_force([new, gone], {"transformers": "4.40.1"}))
    assert told.flags == ("--evaluation_strategy steps", "--eval_steps 500")
    assert told.env == {"B": "2"}
    assert told.do.en == "Give --evaluation_strategy, not --eval_strategy_of"
    assert renamed(step, in_force([new], {"transformers": "4.50.1"})) == step


def test_a_flag_that_is_a_key_elsewhere_has_its_value_behind_an_equals_sign():
    share = RenamedSetting("s", "--share", {"trainer": "."}, "engine.share=")
    eager = RenamedSetting("e", "--eager", {"trainer": "."}, "engine.eager=True")
    step = replace(_STEP, do=Text("Lower --share", ""), flags=("--share 0.5", "--eager"))
    told = renamed(step, in_force([share, eager], {"trainer": "seen"}))
    assert told.flags == ("engine.share=0.5", "engine.eager=True")
    assert told.do.en == "Lower engine.share"


def _report(tmp_path: Path, *lines: str) -> Report:
    log = tmp_path / "train.log"
    log.write_text("\n".join(lines) + "\n")
    return diagnose(str(log))


def test_segments_that_grow_already_are_not_proposed(tmp_path: Path):
    advised = _OOM + " 9.50 GiB is reserved by PyTorch but unallocated."
    first = _report(tmp_path, advised)
    then = _report(tmp_path, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", advised)
    assert any("PYTORCH_CUDA_ALLOC_CONF" in fix.env for fix in first.diagnoses[0].fixes)
    assert not any("PYTORCH_CUDA_ALLOC_CONF" in fix.env for fix in then.diagnoses[0].fixes)


def test_a_trainer_that_starts_the_engine_is_told_its_own_keys(tmp_path: Path):
    dead = "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above)"
    engine = '  File "/app/vllm/v1/worker/gpu_model_runner.py", line 9, in capture_cuda_graph'
    frame = '  File "/app/verl/workers/rollout/vllm_rollout/vllm_async_server.py", line 9, in generate'
    told = {
        flag for fix in _report(tmp_path, "Traceback:", frame, engine, dead).diagnoses[0].fixes for flag in fix.flags
    }
    assert "actor_rollout_ref.rollout.enforce_eager=True" in told
    assert not any(flag.startswith("--") for flag in told)
    alone = _report(tmp_path, "Traceback:", engine, dead).diagnoses[0]
    assert "--enforce-eager" in {flag for fix in alone.fixes for flag in fix.flags}


def test_a_step_that_the_log_speaks_against_is_not_shown_where_no_other_fits():
    def step(do: str, **asked: str) -> FixStep:
        return FixStep(Fix(do=Text(do, "")), FixFile(do=do, **asked))

    steps = [step("Build the tokenizer", where="tokenizer"), step("Install the project", unless="packages")]
    at = Circumstances(frozenset(), said=["a file of site-packages"])
    assert steps_for(steps, load_rules().tables, at) == ()
    assert [fix.do.en for fix in steps_for(steps, load_rules().tables, Circumstances(frozenset()))] == [
        "Install the project"
    ]


def test_a_fallback_is_shown_only_where_no_other_step_is():
    wheel, general_do = "Install the wheel of {extension}", "See what is installed"
    named = FixStep(Fix(do=Text(wheel, "")), FixFile(do=wheel, when_told={"extension": "."}))
    general = FixStep(Fix(do=Text(general_do, "")), FixFile(do=general_do, fallback=True))
    told = {"extension": "torch_scatter"}

    def shown(**told: str) -> list[str]:
        at = Circumstances(frozenset(), told=told)
        return [fix.do.en for fix in steps_for([general, named], load_rules().tables, at)]

    assert shown(**told) == ["Install the wheel of torch_scatter"]
    assert shown() == ["See what is installed"]


@pytest.mark.parametrize(("library", "times"), [("pandas/core/generic.py", 1), ("pyspark/sql/dataframe.py", 0)])
def test_a_release_of_pandas_is_not_told_of_the_data_frame_of_another_library(tmp_path: Path, library: str, times: int):
    report = _report(
        tmp_path,
        "Traceback (most recent call last):",
        '  File "/home/u/table.py", line 5, in <module>',
        "    rows = rows.append(row)",
        f'  File "/env/lib/python3.10/site-packages/{library}", line 77, in __getattr__',
        "    raise AttributeError(",
        "AttributeError: 'DataFrame' object has no attribute 'append'",
    )
    assert sum("pandas==" in fix.do.en for fix in report.diagnoses[0].fixes) == times


def test_what_the_trainer_of_transformers_is_given_has_the_values_that_it_takes(tmp_path: Path):
    step = "{'loss': 2.1, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}"
    report = _report(tmp_path, "  Instantaneous batch size per device = 8", step, step, _OOM)
    flags = {flag for fix in report.diagnoses[0].fixes for flag in fix.flags}
    assert {"--fsdp full_shard", "--per_device_train_batch_size <half of 8>"} <= flags
    assert "--fsdp" not in flags


def test_what_is_lowered_begins_with_what_the_log_shows(tmp_path: Path):
    engine = "INFO 01-02 03:04:05 [core.py:9] Initializing a V1 LLM engine (v0.9.1) with config: model='m'"
    echoed = "INFO 01-02 03:04:05 [utils.py:9] non-default args: {'max_num_seqs': 8}"
    raised = "RuntimeError: CUDA out of memory occurred when warming up sampler with 8 dummy requests."
    fixes = _report(tmp_path, engine, echoed, raised).diagnoses[0].fixes
    shown = [(*fix.flags, *fix.config.values()) for fix in fixes]
    assert any("--max-num-seqs 4" in settings and "4" in settings for settings in shown)
    assert not any("{" in setting for settings in shown for setting in settings)


def test_the_shell_is_that_of_the_machine(tmp_path: Path):
    frame = '  File "C:\\work\\train.py", line 3, in <module>'
    assert _report(tmp_path, "Traceback (most recent call last):", frame, _OOM).shell == "powershell"
    assert _report(tmp_path, _OOM).shell == "bash"


def test_powershell_is_shown_no_command_of_unix():
    step = replace(_STEP, run="dmesg -T | tail")
    assert list(commands(step, "bash")) == ["dmesg -T | tail"]
    assert list(commands(step, "powershell")) == []
    assert list(commands(replace(step, powershell="Get-Process"), "powershell")) == ["Get-Process"]
    assert list(commands(replace(step, run="pip check"), "powershell")) == ["pip check"]


def test_a_slot_may_say_what_stands_there_otherwise():
    flag = "--share <less than {gpu_share|now}>"
    assert is_filled(flag, {})
    assert filled_value(flag, {}) == "--share <less than now>"
    assert filled_value(flag, {"gpu_share": "0.9"}) == "--share <less than 0.9>"
    assert filled_command("run {gpu_share|now}", {"gpu_share": ""}) == "run now"


def test_what_runs_where_nothing_is_told_is_a_command():
    step = "py-spy dump --pid {job_pid|$(pgrep -of python)}"
    assert filled_command(step, {}) == "py-spy dump --pid $(pgrep -of python)"
    assert filled_command(step, {"job_pid": "77"}) == "py-spy dump --pid 77"
    assert filled_command(step, {"job_pid": "-9"}) == "py-spy dump --pid $(pgrep -of python)"


def test_steps_for_what_ray_started_name_no_launcher(tmp_path: Path):
    lost = (
        "[E329 06:28:12.526 socket.cpp:1023] [c10d] The client socket has timed out after 600000ms while trying to "
        "connect to (10.0.0.33, 54485)."
    )
    alone = " ".join(fix.do.en for fix in _report(tmp_path, lost).diagnoses[0].fixes)
    ray = "(RayWorkerWrapper pid=5, ip=10.0.0.2) INFO worker.py:1786 -- Started a local Ray instance."
    by_ray = " ".join(fix.do.en for fix in _report(tmp_path, ray, lost).diagnoses[0].fixes)
    assert "--node_rank" in alone
    assert "--node_rank" not in by_ray
    assert "Ray placed these workers" in by_ray


def test_what_a_hostile_log_tells_by_name_is_bounded(shipped):
    index = Index(shipped)
    job = JobState(shipped, index, Captures(), Endings(index.wordings))
    for number in range(5_000):
        job.tell(f"NCCL_{number}", "1")
    job.tell("NCCL_0", "x" * 5_000)
    assert len(job.told) == 1_000
    assert job.told["NCCL_0"] == "1"
    job.tell("NCCL_0", "2")
    assert job.told["NCCL_0"] == "2"


@pytest.mark.parametrize(
    ("said", "told"), [(["try WIDTH=8 next time"], {}), (["try WIDTH=8 next time", "WIDTH=4"], {"width": "4"})]
)
def test_a_line_of_the_diagnosis_that_only_advises_a_setting_tells_none(said, told):
    name = ToldName("width", r"WIDTH=(?P<value>\d+)", ("WIDTH=",), "try WIDTH")
    assert slot_values.with_told_names({}, said, [name]) == told
