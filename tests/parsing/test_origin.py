"""Where frames and headers are from, and which frame tells the phase of a failure."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules import load_rules
from logrules.model.event import Event, Hit, Worker
from logrules.model.failure import ExceptionLink, Frame, Origin
from logrules.model.package_path import PathKind, is_own, package_path
from logrules.parsing.origin import NestedPhases, OriginResolver
from logrules.parsing.own_words import OwnNames, words_of
from logrules.ruleset.tables import Component, Nesting, OwnWords, Place

PHASES = {
    *("launch", "rendezvous", "data_load", "model_load", "rollout", "weight_sync"),
    *("train_step", "eval", "checkpoint", "serve", "shutdown"),
}
TABLE = load_rules().tables
RESOLVER = OriginResolver(TABLE.components, TABLE.own_words, TABLE.nesting)
SITE = "/opt/conda/lib/python3.11/site-packages"


def _frames(*places: tuple[str, str]) -> tuple[Frame, ...]:
    return tuple(Frame(file, 1, function) for file, function in places)


def _link(*places: tuple[str, str]) -> ExceptionLink:
    event = Event(source="log", line=1, offset=0, text="", message="", worker=Worker())
    return ExceptionLink("RuntimeError", "", _frames(*places), event)


@pytest.mark.parametrize(
    ("file", "kind", "parts"),
    [
        (f"{SITE}/torch/serialization.py", PathKind.PACKAGE, "torch/serialization.py"),
        ("/usr/local/lib/python3.10/dist-packages/vllm/utils.py", PathKind.PACKAGE, "vllm/utils.py"),
        ("/usr/lib/python3/dist-packages/yaml/loader.py", PathKind.PACKAGE, "yaml/loader.py"),
        (r"C:\Python310\Lib\site-packages\datasets\load.py", PathKind.PACKAGE, "datasets/load.py"),
        (r"C:\Python310\lib\threading.py", PathKind.STANDARD_LIBRARY, "threading.py"),
        (r"C:\work\lib\threading.py", PathKind.ELSEWHERE, "C:/work/lib/threading.py"),
        ("/home/u/lib/json.py", PathKind.ELSEWHERE, "home/u/lib/json.py"),
        ("/usr/lib/python3.10/multiprocessing/spawn.py", PathKind.STANDARD_LIBRARY, "multiprocessing/spawn.py"),
        ("<frozen importlib._bootstrap>", PathKind.STANDARD_LIBRARY, "importlib/_bootstrap.py"),
        ("<frozen runpy>", PathKind.STANDARD_LIBRARY, "runpy.py"),
        ("<string>", PathKind.ELSEWHERE, "<string>"),
        ("<ipython-input-3-0aa11>", PathKind.ELSEWHERE, "<ipython-input-3-0aa11>"),
        ("/root/.pex/installed_wheels/ab/torch-2.1.whl/torch/_ops.py", PathKind.PACKAGE, "torch/_ops.py"),
        (f"{SITE}/tool-1.0-py3.8.egg/tool/a.py", PathKind.PACKAGE, "tool/a.py"),
        ("/x/train.runfiles/pip_torch/site-packages/torch/_ops.py", PathKind.PACKAGE, "torch/_ops.py"),
        (f"{SITE}/ray/python/ray/tune/trainable.py", PathKind.PACKAGE, "ray/tune/trainable.py"),
        ("python/ray/_raylet.pyx", PathKind.PACKAGE, "ray/_raylet.pyx"),
        ("uvloop/loop.pyx", PathKind.PACKAGE, "uvloop/loop.pyx"),
        ("./tools/train.py", PathKind.ELSEWHERE, "tools/train.py"),
        ("", PathKind.ELSEWHERE, ""),
    ],
)
def test_a_path_is_cut_to_what_does_not_depend_on_the_machine(file: str, kind: PathKind, parts: str) -> None:
    found = package_path(file)
    assert (found.kind, "/".join(found.parts)) == (kind, parts)


@pytest.mark.parametrize(
    ("file", "function", "component", "phase"),
    [
        (f"{SITE}/vllm/worker/worker.py", "load_model", "vllm", "model_load"),
        (f"{SITE}/vllm/v1/worker/gpu_worker.py", "load_model", "vllm", "model_load"),
        (f"{SITE}/vllm/v1/engine/core.py", "run_busy_loop", "vllm", "serve"),
        ("/workspace/vllm/vllm/v1/engine/core.py", "run_busy_loop", "vllm", "serve"),
        ("/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", "run_batch", "sglang", "serve"),
        ("/root/verl/verl/trainer/ppo/ray_trainer.py", "_validate", "verl", "eval"),
        ("/w/DeepSpeed/deepspeed/runtime/engine.py", "save_checkpoint", "deepspeed", "checkpoint"),
        ("verl/trainer/ppo/ray_trainer.py", "fit", "verl", "train_step"),
        ("/home/u/openrlhf_fork/openrlhf/cli/train_ppo_ray.py", "train", "openrlhf", None),
        ("/tmp/ray/session_1/runtime_resources/working_dir_files/_ray_pkg_1/verl/utils/x.py", "f", "verl", None),
        ("/home/u/project/megatron/training.py", "train_step", "megatron", "train_step"),
        (f"{SITE}/pytorch_lightning/trainer/trainer.py", "Trainer.validate(self, model, **kw)", "lightning", "eval"),
        (f"{SITE}/torch/nn/modules/module.py", "_call_impl", "torch", None),
        (f"{SITE}/torch/optim/lr_scheduler.py", "__init__", "torch", "model_load"),
        (f"{SITE}/vllm/v1/structured_output/backend_x.py", "accept_tokens", "vllm", "serve"),
        (f"{SITE}/vllm/v1/structured_output/backend_x.py", "<module>", "vllm", None),
        (f"{SITE}/lmdeploy/vl/engine.py", "async_infer", "lmdeploy", "serve"),
        (f"{SITE}/ultralytics/engine/trainer.py", "__init__", "ultralytics", "launch"),
        (f"{SITE}/mmengine/runner/loops.py", "__init__", "mmengine", "data_load"),
        (f"{SITE}/keras/optimizer_v2/optimizer_v2.py", "minimize", "tensorflow", "train_step"),
        (f"{SITE}/tensorflow/python/saved_model/load.py", "load_internal", "tensorflow", "model_load"),
        ("/root/slime/slime/backends/sglang_utils/sglang_engine.py", "pause_generation", "slime", "weight_sync"),
        ("/root/verl/verl/workers/rollout/sglang_rollout/http_server_engine.py", "flush_cache", "verl", "weight_sync"),
        ("/root/verl/verl/workers/rollout/sglang_rollout/http_server_engine.py", "generate", "verl", "rollout"),
        (f"{SITE}/nemo_rl/algorithms/grpo.py", "refit_policy_generation", "nemo-rl", "weight_sync"),
        ("/root/ROLL/roll/pipeline/base_worker.py", "do_checkpoint", "roll", "checkpoint"),
        (f"{SITE}/fairseq/data/language_pair_dataset.py", "collater", "fairseq", "train_step"),
        (f"{SITE}/datasets/arrow_dataset.py", "<module>", "datasets", None),
        (f"{SITE}/torch/distributed/distributed_c10d.py", "init_process_group", "torch", "rendezvous"),
        ("/usr/lib/python3.10/argparse.py", "parse_args", "python", "launch"),
        ("/usr/lib/python3.10/runpy.py", "_run_code", "python", None),
        ("python/ray/_raylet.pyx", "ray._raylet.check_status", "ray", None),
    ],
)
def test_a_library_frame_has_its_component_and_phase(
    file: str, function: str, component: str, phase: str | None
) -> None:
    origin = RESOLVER.of_frame(file, function)
    assert (origin.component, origin.phase, origin.own) == (component, phase, False)


@pytest.mark.parametrize(
    ("file", "function"),
    [
        ("/home/u/ray/train.py", "main"),
        ("/home/u/project/datasets/builder.py", "parse"),
        ("/home/u/project/accelerate/run.py", "main"),
        ("/home/u/torch/lightning.py", "main"),
        ("/home/u/ray/worker.py", "main"),
    ],
)
def test_a_folder_that_has_a_package_s_name_is_the_user_s_own(file: str, function: str) -> None:
    origin = RESOLVER.of_frame(file, function)
    assert origin.own
    assert origin.component is None


def test_a_package_that_no_row_knows_is_not_the_user_s_own() -> None:
    assert RESOLVER.of_frame(f"{SITE}/some_unknown_package/train.py", "evaluate") == Origin()


@pytest.mark.parametrize(
    ("file", "function", "phase"),
    [
        ("/w/run.py", "train_one_epoch", "train_step"),
        ("/w/run.py", "buildTrainDataloader", "data_load"),
        ("/w/run.py", "load_checkpoint", "checkpoint"),
        ("/w/run.py", "ModelRunner.evaluate", "eval"),
        ("/w/run.py", "validity", None),
        ("/w/run.py", "retrain", None),
        ("/w/run.py", "constrain", None),
    ],
)
def test_the_words_of_the_user_s_functions_tell_the_phase(file: str, function: str, phase: str | None) -> None:
    assert RESOLVER.of_frame(file, function) == Origin(phase=phase, own=True)


def test_a_row_with_the_function_goes_before_a_longer_path_without_it() -> None:
    rows = (
        Place(path="pkg/deep/", phase="serve"),
        Place(path="pkg/", functions=("load",), phase="model_load"),
        Place(path="pkg/deep/", files=("b.py",), functions=("load",), phase="checkpoint"),
    )
    resolver = OriginResolver((Component("pkg", "engine", paths=("pkg/",), places=rows),), ())
    assert resolver.of_frame(f"{SITE}/pkg/deep/a.py", "load").phase == "model_load"
    assert resolver.of_frame(f"{SITE}/pkg/deep/b.py", "load").phase == "checkpoint"
    assert resolver.of_frame(f"{SITE}/pkg/deep/a.py", "run").phase == "serve"
    assert resolver.of_frame(f"{SITE}/pkg/a.py", "run").phase is None


def test_a_place_says_more_than_a_bare_path_of_its_component() -> None:
    place = Place(path="acme/core/", phase="serve")
    acme = Component(id="acme", group="engine", paths=("acme/", "acme/core/"), places=(place,))
    resolver = OriginResolver([acme], [])
    assert resolver.of_frame(f"{SITE}/acme/core/pool.py", "evict").phase == "serve"
    assert resolver.of_frame(f"{SITE}/acme/other.py", "evict").phase is None


def test_a_class_and_its_method_are_matched_together() -> None:
    place = Place(path="pkg/a.py", functions=("Engine.step",), phase="serve")
    resolver = OriginResolver((Component("pkg", "engine", paths=("pkg/",), places=(place,)),), ())
    assert resolver.of_frame(f"{SITE}/pkg/a.py", "pkg.a.Engine.step").phase == "serve"
    assert resolver.of_frame(f"{SITE}/pkg/a.py", "Other.step").phase is None


def test_copied_code_is_known_by_file_and_function_together_and_stays_the_user_s_own() -> None:
    assert RESOLVER.of_frame("/app/scheduler.py", "event_loop_normal") == Origin("sglang", "engine", "serve", own=True)
    assert RESOLVER.of_frame("/app/other.py", "event_loop_normal") == Origin(own=True)
    assert RESOLVER.of_frame("/app/checkpoint.py", "load_checkpoint") == Origin(phase="checkpoint", own=True)


@pytest.mark.parametrize(
    ("logger", "source", "function", "component", "phase"),
    [
        (None, "ProcessGroupNCCL.cpp", None, "c10d", None),
        (None, "gcs_placement_group_scheduler.cc", None, "ray", "rendezvous"),
        (None, "misc/socket.cc", None, "nccl", None),
        (None, "bootstrap.cc", None, "nccl", "rendezvous"),
        (None, "/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc", None, "gloo", None),
        (None, "kv_cache_utils.py", None, "vllm", "model_load"),
        (None, "comm.py", "init_distributed", "deepspeed", "rendezvous"),
        (None, f"{SITE}/torch/distributed/run.py", "parse_args", "torch", "launch"),
        ("verl.trainer.main_ppo", None, "run_ppo", "verl", None),
        ("datasets.builder", None, None, "datasets", "data_load"),
        ("torch.distributed.elastic.rendezvous.dynamic_rendezvous", None, None, "torch", "rendezvous"),
        ("vllm.engine", None, None, "vllm", None),
    ],
)
def test_a_header_says_where_a_line_is_from(
    logger: str | None, source: str | None, function: str | None, component: str, phase: str | None
) -> None:
    origin = RESOLVER.of_header(logger, source, function)
    assert origin is not None
    assert (origin.component, origin.phase) == (component, phase)


@pytest.mark.parametrize(
    ("logger", "source", "function"),
    [(None, None, None), ("root", None, None), ("__main__", None, None), (None, "core.py", None), (None, "x.cc", "f")],
)
def test_a_header_that_no_row_knows_says_nothing(logger: str | None, source: str | None, function: str | None) -> None:
    assert RESOLVER.of_header(logger, source, function) is None


TRAINER = f"{SITE}/transformers/trainer.py"
SPAWN = "/usr/lib/python3.12/multiprocessing/spawn.py"
LOADER = f"{SITE}/torch/utils/data/dataloader.py"
MODULE = f"{SITE}/torch/nn/modules/module.py"


@pytest.mark.parametrize(
    ("places", "phase", "teller"),
    [
        ([(TRAINER, "train"), (LOADER, "_next_data")], "train_step", "_next_data"),
        ([(TRAINER, "train"), (TRAINER, "evaluate"), (LOADER, "_next_data")], "eval", "evaluate"),
        ([(TRAINER, "train"), (TRAINER, "_save_checkpoint"), ("/w/a.py", "helper")], "checkpoint", "_save_checkpoint"),
        (
            [(f"{SITE}/vllm/v1/worker/gpu_worker.py", "determine_available_memory"), ("/w/a.py", "helper")],
            "model_load",
            "determine_available_memory",
        ),
        (
            [
                (f"{SITE}/vllm/worker/worker.py", "init_device"),
                (f"{SITE}/torch/distributed/distributed_c10d.py", "init_process_group"),
            ],
            "rendezvous",
            "init_process_group",
        ),
        ([(f"{SITE}/vllm/v1/engine/core.py", "run_busy_loop")], "serve", "run_busy_loop"),
        (
            [
                (f"{SITE}/verl/workers/fsdp_workers.py", "helper"),
                (f"{SITE}/vllm/v1/engine/core.py", "run_busy_loop"),
            ],
            "rollout",
            "run_busy_loop",
        ),
        ([("/w/a.py", "train_epoch"), (f"{SITE}/vllm/engine/llm_engine.py", "step")], "rollout", "step"),
        ([("/w/train.py", "<module>"), ("/w/train.py", "evaluate"), (LOADER, "__next__")], "eval", "evaluate"),
        ([("/w/train.py", "<module>"), ("/w/dataset.py", "helper")], "data_load", "helper"),
        ([("/w/test.py", "repeat_eval_ckpt"), ("/w/utils.py", "eval_one_epoch")], "eval", "repeat_eval_ckpt"),
        ([("/w/train.py", "train_one_epoch"), ("/w/net.py", "load_data_to_gpu")], "train_step", "load_data_to_gpu"),
        ([("/w/train.py", "train_one_epoch"), ("/w/net.py", "load_data")], "data_load", "load_data"),
        ([(TRAINER, "train"), ("/w/model.py", "evaluate_policy")], "train_step", "train"),
        ([("/w/train.py", "train"), ("/w/model.py", "evaluate_policy")], "eval", "evaluate_policy"),
        # What runs below a module's call recomputes activations, whatever it is called, and saves nothing.
        ([(MODULE, "_call_impl"), ("/w/blocks.py", "ckpt_forward")], "train_step", "ckpt_forward"),
        ([(MODULE, "_call_impl"), ("/w/checkpoint.py", "helper")], "train_step", "helper"),
        ([("/w/train.py", "evaluate"), (MODULE, "_call_impl"), ("/w/b.py", "ckpt_forward")], "eval", "evaluate"),
        ([("/w/checkpoint.py", "helper"), (MODULE, "_call_impl")], "checkpoint", "helper"),
        ([("/w/dataset.py", "helper"), ("/w/train.py", "load_model")], "model_load", "load_model"),
        ([("/w/main.py", "<module>"), (f"{SITE}/flash_attn/__init__.py", "<module>")], "launch", "<module>"),
        ([("<string>", "<module>"), ("/w/main.py", "<module>")], None, None),
        ([("<frozen importlib._bootstrap>", "_call"), ("/w/reward_app.py", "<module>")], "launch", "<module>"),
        ([("/w/evaluate.py", "<module>"), ("/w/reward_app.py", "<module>")], "launch", "<module>"),
        ([("/w/evaluate.py", "<module>"), ("/w/reward_app.py", "")], "launch", "<module>"),
        ([("<stdin>", "<module>"), ("/w/evaluate.py", "<module>")], "eval", "<module>"),
        ([(SPAWN, "prepare"), ("/w/main.py", "<module>"), ("/w/evaluate.py", "<module>")], "eval", "<module>"),
        ([("/w/reward_app.py", "<module>")], "rollout", "<module>"),
        ([(f"{SITE}/torch/nn/modules/module.py", "_call_impl")], None, None),
        # A package that no table knows speaks where nothing else does.
        (
            [("/w/main.py", "run"), (f"{SITE}/novel_trainer/loop.py", "save_checkpoint")],
            "checkpoint",
            "save_checkpoint",
        ),
        ([("/w/main.py", "evaluate"), (f"{SITE}/novel_trainer/loop.py", "train_epoch")], "eval", "evaluate"),
        # So do functions of known trainers that have no row, if their names have several words; no connection does.
        ([("/w/main.py", "run"), (f"{SITE}/verl/recipe/loop.py", "save_checkpoint")], "checkpoint", "save_checkpoint"),
        ([("/w/main.py", "run"), (f"{SITE}/verl/recipe/loop.py", "train")], None, None),
        ([("/w/main.py", "run"), (f"{SITE}/urllib3/connectionpool.py", "_validate_conn")], None, None),
        ([(TRAINER, "train"), (f"{SITE}/verl/recipe/loop.py", "save_checkpoint")], "train_step", "train"),
        # An engine's code of models loads, and its kernels run in every phase.
        (
            [("/w/main.py", "run"), (f"{SITE}/vllm/model_executor/models/novel.py", "load_experts_of")],
            "model_load",
            "load_experts_of",
        ),
        ([("/w/main.py", "run"), (f"{SITE}/vllm/_custom_ops.py", "load_experts_of")], None, None),
        # No weights are sent by an optimizer's step, and none are measured while they are sent.
        (
            [("/w/agent.py", "update_weights"), (f"{SITE}/keras/optimizer_v2/optimizer_v2.py", "minimize")],
            "train_step",
            "minimize",
        ),
        ([("/w/actor.py", "update_weights"), ("/w/names.py", "_validate_patterns")], "weight_sync", "update_weights"),
        ([], None, None),
    ],
)
def test_the_phase_is_what_the_frames_say_together(
    places: list[tuple[str, str]], phase: str | None, teller: str | None
) -> None:
    found, frame = RESOLVER.phase_of(_frames(*places))
    assert (found, frame.function if frame else None) == (phase, teller)


def test_the_frames_of_a_cause_go_below_the_frame_that_caught_it() -> None:
    runner = f"{SITE}/vllm/worker/model_runner.py"
    cause = _link((runner, "execute_model"), (f"{SITE}/torch/nn/modules/module.py", "_call_impl"))
    raised = _link((runner, "profile_run"), (runner, "execute_model"), ("/w/a.py", "wrapper"))
    assert RESOLVER.phase_of_chain([cause])[0] == "serve"
    assert RESOLVER.phase_of_chain([cause, raised])[0] == "model_load"


def test_what_another_process_raised_happened_while_the_one_that_passes_it_on_waited() -> None:
    raised = _link((f"{SITE}/torch/utils/data/_utils/worker.py", "_worker_loop"), ("/w/data.py", "__getitem__"))
    waited = _link(("/w/run.py", "evaluate"), (f"{SITE}/torch/utils/data/dataloader.py", "_process_data"))
    assert RESOLVER.phase_of_chain([raised, replace(waited, wraps=True)])[0] == "eval"
    assert RESOLVER.phase_of_chain([raised, waited])[0] == "train_step"


def test_an_outer_exception_tells_the_phase_where_the_cause_does_not() -> None:
    cause = _link((f"{SITE}/urllib3/connection.py", "connect"))
    raised = _link((f"{SITE}/transformers/modeling_utils.py", "from_pretrained"))
    assert RESOLVER.phase_of_chain([cause, raised])[0] == "model_load"
    assert RESOLVER.phase_of_chain([cause])[0] is None
    assert RESOLVER.phase_of_chain([]) == (None, None)


@pytest.mark.parametrize(
    ("kind", "message", "phase"),
    [
        ("TypeError", "save_model() got an unexpected keyword argument 'best'", "checkpoint"),
        ("TypeError", "Runner.evaluate() missing 1 required positional argument: 'loader'", "eval"),
        ("TypeError", "Runner.__init__() got an unexpected keyword argument 'n'", None),
        ("ValueError", "save_model() got an unexpected keyword argument 'best'", None),
        ("TypeError", "nobody calls save_model() with these", None),
    ],
)
def test_a_call_that_was_refused_tells_the_phase_by_its_name(kind: str, message: str, phase: str | None) -> None:
    link = replace(_link(("/w/run.py", "main")), type=kind, message=message)
    assert RESOLVER.phase_of_chain([link])[0] == phase


def test_a_call_in_another_process_tells_the_phase_by_its_name_where_the_driver_only_waits_in_its_loop() -> None:
    passed_on = replace(_link(("/w/run.py", "train")), wraps=True)
    told = replace(passed_on.event, hits=(Hit(7, {"called": "Actor.save_checkpoint"}),))
    assert RESOLVER.phase_of_chain([passed_on])[0] == "train_step"
    assert RESOLVER.phase_of_chain([replace(passed_on, event=told)])[0] == "checkpoint"


@pytest.mark.parametrize(
    ("places", "phase"),
    [
        ([("/w/run.py", "<module>"), (f"{SITE}/h5py/h5f.pyx", "init")], "launch"),
        (
            [("/usr/lib/python3.11/runpy.py", "_get_module_details"), (f"{SITE}/torch/__init__.py", "<module>")],
            "launch",
        ),
        ([("/w/run.py", "<module>"), ("/w/data/preprocess.py", "<module>"), (f"{SITE}/abc.py", "helper")], "launch"),
        ([("/w/evaluate.py", "<module>"), ("/w/helper.py", "work")], "eval"),
        (
            [("/w/evaluate.py", "<module>"), (f"{SITE}/odd/__init__.py", "<module>"), (f"{SITE}/odd/a.py", "set")],
            "launch",
        ),
        ([("/w/run.py", "<module>")], None),
    ],
)
def test_what_runs_while_modules_are_imported_is_the_launch(places: list[tuple[str, str]], phase: str | None) -> None:
    assert RESOLVER.phase_of(_frames(*places))[0] == phase


def test_a_nesting_may_rename_a_phase_or_keep_the_outer_one() -> None:
    rows = (
        Nesting(phases=("serve",), groups=("rl",), becomes="rollout"),
        Nesting(phases=("serve",), inside=("eval",)),
        Nesting(phases=("data_load",), inside=("serve",), becomes="rollout"),
    )
    nested, frame = NestedPhases(rows), Frame("a.py", 1, "f")
    serve, rl = Origin(phase="serve"), Origin(group="rl")
    assert nested.innermost([(frame, rl), (frame, serve)])[0] == "rollout"
    assert nested.innermost([(frame, serve), (frame, rl)])[0] == "serve"
    assert nested.innermost([(frame, Origin(phase="eval")), (frame, serve)])[0] == "eval"
    assert nested.innermost([(frame, serve), (frame, Origin(phase="data_load"))])[0] == "rollout"
    assert nested.innermost([(frame, serve), (frame, Origin(phase="eval"))])[0] == "eval"


@pytest.mark.parametrize(
    ("around", "phase"),
    [
        (("/srv/bench.py", "evaluate"), "model_load"),
        ((f"{SITE}/transformers/trainer.py", "evaluate"), "eval"),
    ],
)
def test_what_only_a_name_calls_an_evaluation_begins_with_its_set_up(around: tuple[str, str], phase: str) -> None:
    loading = (f"{SITE}/transformers/modeling_utils.py", "from_pretrained")
    assert RESOLVER.phase_of_chain([_link(around, loading)])[0] == phase


def test_a_longer_phrase_goes_before_a_shorter_one_and_the_last_word_before_others() -> None:
    names = OwnNames((OwnWords("eval", ("test_step", "model")), OwnWords("train_step", ("train", "step"), ("loss",))))
    assert names.of_function("train_test_step") == "eval"
    assert names.of_function("train_model") == "eval"
    assert names.of_function("model_train") == "train_step"
    assert names.of_file("focal_loss.py") == "train_step"
    assert names.of_file("train.py") is None


def test_a_word_may_stand_for_all_of_a_name_only():
    names = OwnNames((OwnWords("checkpoint", ("=save", "save_model"), ("=checkpoint",)),))
    assert names.of_function("_save") == names.of_function("Trainer.save_model") == "checkpoint"
    assert names.of_function("save_images") is names.of_file("checkpoint_train.py") is None
    assert names.of_file("checkpoint.py") == "checkpoint"


@pytest.mark.parametrize(
    ("function", "phase"),
    [("checkpoint", None), ("save_predictions", None), ("save_model_to_disk", "checkpoint"), ("save", "checkpoint")],
)
def test_what_is_saved_says_whether_it_is_a_checkpoint(function, phase):
    assert RESOLVER.phase_of(_frames(("/job/tool.py", function)))[0] == phase


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("trainOneEpoch", ["train", "one", "epoch"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("__getitem__", ["getitem"]),
        ("_save_ckpt", ["save", "ckpt"]),
        ("保存_model", ["保存", "model"]),
        ("", []),
    ],
)
def test_names_are_split_into_words(name: str, words: list[str]) -> None:
    assert words_of(name) == words


_PARTS = st.sampled_from(
    [
        "site-packages",
        "lib",
        "python3.10",
        "vllm",
        "ray",
        "torch",
        "C:",
        "..",
        "a.py",
        "x.egg",
        "",
        "<frozen ",
        ">",
        "é",
    ]
)
_PATHS = st.one_of(st.text(max_size=300), st.lists(_PARTS, max_size=12).map("/".join), _PARTS.map(lambda p: p * 2000))


@given(file=_PATHS, function=st.one_of(st.text(max_size=80), st.sampled_from(["a.b.", ".", "<module>", "x" * 9000])))
def test_any_text_is_taken_as_a_frame_or_a_header(file: str, function: str) -> None:
    origin = RESOLVER.of_frame(file, function)
    assert origin == RESOLVER.of_frame(file, function)
    assert origin.phase is None or origin.phase in PHASES
    header = RESOLVER.of_header(file, file, function)
    assert header is None or not header.own
    phase, teller = RESOLVER.phase_of(_frames((file, function), (file, "<module>")))
    assert (phase is None) == (teller is None)


def test_every_row_says_a_phase_of_the_vocabulary_and_lies_in_its_component() -> None:
    said = {place.phase for one in TABLE.components for place in one.places} | {one.phase for one in TABLE.components}
    assert said - {None} <= PHASES
    assert {row.phase for row in TABLE.own_words} == PHASES
    for one in TABLE.components:
        for place in one.places:
            roots = one.paths or (f"{one.id}/",)
            assert not place.path or place.path.startswith(roots), place
            assert place.path or place.logger or place.source, place


def test_no_row_stands_twice() -> None:
    ids = [one.id for one in TABLE.components]
    paths = [path for one in TABLE.components for path in one.paths]
    loggers = [logger for one in TABLE.components for logger in one.loggers]
    words = [word for row in TABLE.own_words for word in row.functions]
    for names in (ids, paths, loggers, words):
        assert sorted(names) == sorted(set(names))
    seen: dict[tuple[str, str, str], Place] = {}
    for one in TABLE.components:
        for place in one.places:
            for function in place.functions or ("",):
                for file in place.files or ("",):
                    key = (place.path or place.source or place.logger, file, function)
                    assert key not in seen, (place, seen[key])
                    seen[key] = place


def test_the_groups_that_other_tables_ask_for_exist() -> None:
    groups = {one.group for one in TABLE.components}
    groups |= {place.group for one in TABLE.components for place in one.places if place.group}
    assert groups >= {
        *("trainer", "rl", "engine", "hub", "tracker", "checkpoint", "dataset", "collective", "compiler", "launcher"),
        *("cluster", "http", "store", "cuda", "quantization", "tokenizer", "python", "storage", "serving", "config"),
        *("multiprocessing", "kernel"),
    }


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("/home/mia/train.py", True),
        ("train.py", True),
        (r"D:\runs\train.py", True),
        ("/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", False),
        (r"C:\Python311\Lib\threading.py", False),
        ("python/ray/_raylet.pyx", False),
        ("<frozen importlib._bootstrap>", False),
        ("<stdin>", False),
    ],
)
def test_whose_a_file_is_shows_in_its_path(file, own):
    assert is_own(file) is own
