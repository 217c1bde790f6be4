"""Flags that are suggested are flags that there are: each is one of its program's own parser, or of its manual.

tests/diagnosis/known_flags.json is read from the frameworks' sources by bench/known_flags.py; no network is needed here.
"""

import json
import re
from functools import cache
from pathlib import Path

from logrules import load_rules
from logrules.inference.advice import Circumstances, chosen_fixes
from logrules.model.report import Fix
from logrules.ruleset.rule_text import FixStep, card_of

KNOWN = {
    name: {flag for flags in releases.values() for flag in flags.split()}
    for name, releases in json.loads((Path(__file__).parent / "known_flags.json").read_text(encoding="utf-8")).items()
}
# Programs that are not of Python, or whose flags are no text in their sources: from their manuals.
DOCUMENTED = {
    "slurm": "--account --array --conf-server --cpu-bind --dependency --exact --gpus-per-node --gres --kill-on-bad-exit --label --mem --mpi --nodes --ntasks-per-node"
    " --open-mode --overlap --partition --qos --requeue --signal --time --exclude",
    "pyxis": "--container-image --container-mounts --container-workdir --container-writable --no-container-entrypoint",
    "apptainer": "--bind --writable-tmpfs",
    "docker": "--ipc --network --platform --shm-size",
    "pip": "--extra-index-url --find-links --index-url --retries --timeout --trusted-host",
    "lmdeploy": "--backend --cache-max-entry-count --max-batch-size --max-prefill-token-num --model-format"
    " --quant-policy --session-len --tp",
    "uv": "--torch-backend",
    "horovodrun": "--gloo",
    "mpirun": "--allow-run-as-root --map-by --mca --oversubscribe --prefix -x",
    "llama.cpp": "--cache-type-k --cache-type-v --ctx-size --no-kv-offload --parallel --no-mmap -c -ctk -ctv -fa -ngl -np -ub",
    "tritonserver": "--load-model --log-verbose --model-control-mode",
    "tensorrt-llm": "--kv_cache_free_gpu_memory_fraction --max_batch_size --max_num_tokens",
    "sample-factory": "--async_rl --heartbeat_reporting_interval --serial_mode",
    "uvicorn": "--timeout-graceful-shutdown",
    "gunicorn": "--preload --workers",
    "examples of transformers": "--dataset_config_name",
}
# Programs whose parser takes what another's does.
BUILT_UPON = {"hf-trainer": "transformers", "llamafactory": "transformers", "trl": "transformers"}
MANUALS = {flag for flags in DOCUMENTED.values() for flag in flags.split()}
# One program hands its flags of this beginning on to another's parser.
HANDED_ON = {"--sglang-": "sglang"}
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")


# To ask whether the rules are what they were takes as long as a rule's steps.
load_rules_once = cache(load_rules)


def steps() -> list[tuple[str, FixStep]]:
    pack = load_rules_once()
    return [(rule.id, step) for rule in pack.rules for step in card_of(pack, rule.id).steps]


def fixes_of(rule: str, *seen: str, phase: str | None = None) -> tuple[Fix, ...]:
    """What a rule suggests where these frameworks were seen."""
    pack = load_rules_once()
    at = Circumstances(frozenset(seen), phase=phase)
    return chosen_fixes(card_of(pack, rule).steps, pack.tables.settings, at)


def is_known(flag: str, flags: set[str]) -> bool:
    """Whether a parser takes the flag; they take dashes and underscores alike, and `--no-x` for a switch `x`."""
    spelled = {flag, flag.replace("-", "_").replace("__", "--", 1), f"--{flag[2:].replace('_', '-')}"}
    return bool((spelled | {f"--{one[5:]}" for one in spelled if one[:5] in ("--no-", "--no_")}) & flags)


def test_every_flag_of_every_rule_is_one_that_there_is():
    given = {(rule, flag) for rule, step in steps() for flag in step.fix.flags}
    everything = set().union(*KNOWN.values()) | MANUALS
    faults = []
    for rule, text in sorted(given):
        found = _FLAG.match(text)
        flag = found[0] if found else text
        handed = next((start for start in HANDED_ON if flag.startswith(start)), "")
        behind = is_known(f"--{flag.removeprefix(handed)}", KNOWN[HANDED_ON[handed]]) if handed else False
        if not (behind or is_known(flag, everything)):
            faults.append((rule, text))
    assert len({flag for _, flag in given}) > 350
    assert faults == []


def test_a_log_that_shows_no_framework_gets_no_flag_of_one():
    pack = load_rules_once()
    foreign = {name for one in pack.tables.settings for name in one.names}
    faults = []
    for rule in pack.rules:
        for fix in fixes_of(rule.id):
            named = (*(_FLAG.match(flag)[0] for flag in fix.flags if _FLAG.match(flag)), *fix.config, *fix.env)
            faults += [(rule.id, name) for name in named if name in foreign]
    assert len(foreign) > 200
    assert faults == []


def test_the_engine_that_was_seen_has_its_settings_first():
    bare, served, trained = (fixes_of("cuda/out-of-memory", *seen) for seen in ((), ("vllm",), ("hf-trainer",)))
    assert not any("--gpu-memory-utilization" in flag for fix in (*bare, *trained) for flag in fix.flags)
    assert "--gpu-memory-utilization <less than {gpu_share|now}>" in served[0].flags
    assert "--mem-fraction-static 0.7" not in served[0].flags
    assert "--per_device_train_batch_size <half of {micro_batch_now|now}>" in trained[0].flags
    assert not any("--micro_train_batch_size" in flag for flag in trained[0].flags)


def test_a_framework_that_is_a_library_of_another_has_no_settings_of_its_own():
    alone, within = (
        [name for fix in fixes_of("vllm/nan-output", *seen) for name in fix.env]
        for seen in (("vllm",), ("sglang", "vllm"))
    )
    assert any(name.startswith("VLLM_") for name in alone)
    assert not any(name.startswith("VLLM_") for name in within)


def test_a_library_that_only_loads_models_has_no_flags_of_the_trainer():
    loaded, trained = (
        [flag for fix in fixes_of("slurm/time-limit", seen, phase="train_step") for flag in fix.flags]
        for seen in ("transformers", "hf-trainer")
    )
    assert "--resume_from_checkpoint <folder of the checkpoint>" in trained
    assert "--resume_from_checkpoint <folder of the checkpoint>" not in loaded


def test_a_setting_belongs_to_those_whose_parser_takes_it():
    rows = [(one.id, name) for one in load_rules().tables.settings for name in one.names if name[:2] == "--"]
    taken = {owner: flags | KNOWN.get(BUILT_UPON.get(owner, ""), set()) for owner, flags in KNOWN.items()}
    faults = [(owner, name) for owner, name in rows if owner in taken and not is_known(name, taken[owner])]
    assert faults == []
    assert len({owner for owner, _ in rows if owner in KNOWN}) > 5


def test_a_step_for_one_framework_gives_a_flag_of_it():
    faults = [
        (rule, flag, step.step.frameworks)
        for rule, step in steps()
        if step.step.frameworks and all(name in KNOWN for name in step.step.frameworks)
        for flag in step.fix.flags
        if not any(is_known(_FLAG.match(flag)[0], KNOWN[name]) for name in step.step.frameworks)
    ]
    assert faults == []


def test_the_manuals_name_what_rules_need_and_no_parser_knows():
    given = {found[0] for _, step in steps() for flag in step.fix.flags if (found := _FLAG.match(flag))}
    assert given >= MANUALS
