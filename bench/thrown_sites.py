"""The places of C++, Rust and Go sources where a framework gives up or logs an error, as a job sees it.

As ``native_sites``, without a syntax tree: the call or the stream that says the words, the literals in it, and
something that may stand for each value between them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from enforce_sites import IN_ALL_REDUCE, SAYS, arguments_at, traceback_of
from native_sites import GOES_ON, NativeSite, spelled
from raise_sites import filled

_NO_JOB = re.compile(
    r"(^|/)(\w*tests?|testing|mock\w*|fake_\w*|examples?|benches|benchmarks?|docs?|samples?|java|jni|pluginManager|stub-gen)/"
    r"|_test\.\w+$|\btest_\w+\.\w+$|\b(util_test|mock_|fake_)\w*|zz_generated|/tests\.rs$"
    # Answers to one request of a server, clients that are generated, and what only reports.
    r"|(^|/)(pkg/client|apiserver|historyserver|kubectl-plugin|informers|stats)/"
    r"|/(grpc|http)_?\w*(handler|utils|server)\w*\.|/rpc_chaos\."
    r"|^triton\w+/.*(_scheduler|scheduler_utils|rate_limiter|label_provider|(infer|stream|request|response)_?\w*)\.(cc|h)$"
    r"|^triton\w+/.*(shared_memory|sagemaker|vertex|data_compressor|metric|tracer|classification|cache_entry|tritoncache)\w*\.(cc|h)$"
    r"|^triton\w+/.*/(simple|multi_server|memory_alloc|sequence_\w+|tritonserver|common|orca\w*)\.(cc|h)$"
)
_LITERAL = re.compile(r'r?#?"(?:[^"\\]|\\.)*"#?')
_BRACES = re.compile(r"\{[^{}]{0,40}\}")
_CONTINUED = re.compile(r"\\\n\s*")


@dataclass(frozen=True, slots=True)
class Call:
    """A way to say words: its opening (up to the bracket, or to the stream), the arguments before them, the log."""

    opening: str
    before: int
    log: str
    stream: bool = False


_C10D_START = traceback_of(
    "torch/distributed/distributed_c10d.py",
    "init_process_group",
    "store = _create_c10d_store(host, port)",
    "torch.distributed.{error}",
)
_RUST = traceback_of(
    "transformers/tokenization_utils_fast.py", "__init__", "fast_tokenizer = TokenizerFast.from_file(path)", "Exception"
)
_TENSORRT = traceback_of(
    "tensorrt_llm/runtime/model_runner_cpp.py",
    "from_dir",
    "executor = trtllm.Executor(engine_dir, config)",
    "RuntimeError",
)
_RAY = "[2026-11-22 08:00:00,250 {level} 4242 4310] ({process}) {name}:{line}: {words}"
# What ends its process prints its stack behind the message.
_RAY_FATAL = _RAY.replace("{level}", "C") + "\n*** StackTrace Information ***"
_ZAP = (
    '{{"level":"error","ts":"2026-11-22T08:00:00.250Z","logger":"controllers.RayCluster","msg":"{msg}",'
    '"RayCluster":{{"name":"trainer","namespace":"ml"}},"error":"{error}"}}'
)

# What the checks of a resource say is passed on behind one sentence for each kind of resource.
_INVALID_SPEC = _ZAP.format(msg="The RayCluster spec is invalid", error="{words}")
_TRITON = "E1122 08:00:00.250000 1 model_lifecycle.cc:654] failed to load 'chat' version 1: {status}: {words}"
# How Triton spells the codes of what goes wrong while a model is loaded.
_STATUSES = {
    "INTERNAL": "Internal",
    "INVALID_ARG": "Invalid argument",
    "UNSUPPORTED": "Unsupported",
    "NOT_FOUND": "Not found",
    "UNAVAILABLE": "Unavailable",
    "ALREADY_EXISTS": "Already exists",
}

_KLOG = "E1122 08:00:00.250000       1 {name}:{line}] {words}"
_NPU = IN_ALL_REDUCE.replace(
    "{words}", "{words}\n[ERROR] 2026-11-22-08:00:00 (PID:4242, Device:2, RankID:2) ERR02007 DIST feature not supported"
)

# What controllers say, in zap's records.
_OPERATOR = (
    Call(r"\bfmt\.Errorf\(", 0, _ZAP.format(msg="Reconciler error", error="{words}")),
    Call(
        r"\b(?:log|logger|\w+Logger|Log)\.Error\((?=\s*\w)",
        1,
        _ZAP.format(msg="{words}", error="the server could not do that"),
    ),
)
# Which of Slurm's programs the sources of a folder are built into.
_SLURM = {"sbatch": "sbatch", "salloc": "salloc", "slurmd": "slurmstepd"}

# By the name of the folder's framework.
CALLS: Mapping[str, Sequence[Call]] = {
    "slurm": (
        Call(r"\b(?:error|fatal)\(", 0, "{program}: error: {words}"),
        Call(r"\bERRTAB_ENTRY\(\w+\),", 0, "srun: error: Unable to allocate resources: {words}"),
    ),
    "ofi-nccl": (
        Call(r"\bNCCL_OFI_WARN\(", 0, "node-3:4242:4310 [2] nccl_net_ofi_init:{line} NCCL WARN NET/OFI {words}"),
    ),
    "libfabric": (
        Call(r"\b(?:EFA_WARN|FI_WARN)\(", 1, "libfabric:4242:1763800000::efa:core:efa_open():{line}<warn> {words}"),
    ),
    "hccl": (
        Call(
            r"\bHCCL_ERROR\(", 0, "[ERROR] HCCL(4242,python):2026-11-22-08:00:00.250.000 [{name}:{line}] [4310]{words}"
        ),
    ),
    "torch-npu-c++": (
        Call(r"\bTORCH_CHECK\(", 1, _NPU),
        Call(
            r"\bASCEND_LOGE\(", 0, "[ERROR] PTA(4242,python):2026-11-22-08:00:00.250.000 [{name}:{line}] [4310]{words}"
        ),
    ),
    "volcano": (Call(r"\bklog\.(?:Errorf|Fatalf|Error|Fatal)\(", 0, _KLOG),),
    "nvrm": (Call(r"\bnv_printf\(\s*NV_DBG_ERRORS,", 0, "[ 4242.250000] {words}"),),
    "c10d": (
        Call(r"\bTORCH_CHECK\(", 1, IN_ALL_REDUCE),
        Call(r"\bTORCH_CHECK_WITH\((?=\s*\w+Error)", 2, IN_ALL_REDUCE),
        Call(r"\bC10_THROW_ERROR\(|\bC10D_THROW_ERROR\(", 1, _C10D_START.replace("{error}", "DistStoreError")),
        Call(r"\bC10D_ERROR\(", 0, "[E1122 08:00:00.250000000 {name}:{line}] [c10d] {words}"),
        Call(
            r"\bLOG\(ERROR\)\s*<<",
            0,
            "[rank2]:[E1122 08:00:00.250000000 {name}:{line}] [PG ID 0 Rank 2] {words}",
            stream=True,
        ),
    ),
    "ray-core": (
        Call(r"\bRAY_LOG\(FATAL\)[^<;\"]*<<", 0, _RAY_FATAL, stream=True),
        Call(r"\bRAY_LOG\(ERROR\)[^<;\"]*<<", 0, _RAY.replace("{level}", "E"), stream=True),
        Call(
            r"\bRAY_CHECK\([^;\"]{1,200}?\)\s*<<",
            0,
            _RAY_FATAL.replace("{words}", " Check failed: done {words}"),
            stream=True,
        ),
    ),
    "tensorrt-llm-c++": (
        Call(
            r"\bTLLM_CHECK_WITH_INFO\(",
            1,
            _TENSORRT.replace("{words}", "[TensorRT-LLM][ERROR] Assertion failed: {words} (/src/{path}:{line})"),
        ),
        Call(r"\bTLLM_THROW\(", 0, _TENSORRT.replace("{words}", "[TensorRT-LLM][ERROR] {words} (/src/{path}:{line})")),
        Call(r"\bTLLM_LOG_ERROR\(", 0, "[TensorRT-LLM][ERROR] {words}"),
    ),
    "tokenizers": (
        *(
            Call(rf"\bPy{kind}::new_err\(", 0, _RUST.replace("Exception:", f"{kind}:"))
            for kind in ("Exception", "ValueError", "TypeError", "KeyError")
        ),
        Call(r"#\[error\(", 0, _RUST),
        Call(r"\bErr\((?=\s*(?:format!|\"))", 0, _RUST),
        Call(
            r"\bpanic!\(",
            0,
            "thread '<unnamed>' panicked at {path}:{line}:9:\n{words}\n"
            + _RUST.replace("Exception", "pyo3_runtime.PanicException"),
        ),
    ),
    **dict.fromkeys(("kuberay", "kueue", "kubeflow-trainer"), _OPERATOR),
    "triton-server": (
        Call(r"\bLOG_ERROR\s*<<", 0, "E1122 08:00:00.250000 1 {name}:{line}] {words}", stream=True),
        *(
            Call(rf"\bStatus\(\s*(?=Status::Code::{code}\b)", 1, _TRITON.replace("{status}", said))
            for code, said in _STATUSES.items()
        ),
    ),
}
_SUFFIXES = {".c", ".cc", ".cpp", ".h", ".hpp", ".cu", ".rs", ".go"}


def thrown_sites_of(folder: Path, calls: Sequence[Call]) -> Iterator[NativeSite]:
    """The sites of all sources below ``folder``, each sentence of a file once."""
    seen: set[tuple[str, str]] = set()
    for file in sorted(one for one in folder.rglob("*") if one.suffix in _SUFFIXES):
        path = file.relative_to(folder).as_posix()
        if _NO_JOB.search(path):
            continue
        text = file.read_text(encoding="utf-8", errors="replace").partition("#[cfg(test)]")[0]
        for call in calls:
            for found in re.finditer(call.opening, text):
                words = (
                    _streamed(text, found.end())
                    if call.stream
                    else _said(arguments_at(text, found.end())[call.before :])
                )
                if not SAYS.search(words) or GOES_ON.search(words) or (path, words) in seen:
                    continue
                seen.add((path, words))
                line = text.count("\n", 0, found.start()) + 1
                shown = _in_log(call.log, path, file.name, line, words)
                yield NativeSite(path, line, words, shown)


def _in_log(form: str, path: str, name: str, line: int, words: str) -> str:
    if name == "validation.go":
        form = _INVALID_SPEC
    part = next(
        (one for one in ("raylet", "gcs_server", "core_worker") if one.removesuffix("_server") in path), "core_worker"
    )
    slots = {"{path}": path, "{name}": name, "{line}": str(line), "{process}": part, "{words}": words}
    slots["{program}"] = _SLURM.get(path.partition("/")[0], "srun")
    return re.sub("|".join(map(re.escape, slots)), lambda found: slots[found[0]], form)


def _streamed(text: str, start: int) -> str:
    """What a stream prints up to the end of its statement."""
    end, at = start, start
    while at < len(text) and text[at] != ";":
        literal = _LITERAL.match(text, at)
        at = literal.end() if literal is not None else at + 1
        end = at
    return _said([one for one in re.split(r"<<(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", text[start:end]) if one.strip()])


def _said(arguments: Sequence[str]) -> str:
    """The message that arguments make, a format's holes filled where it is the first of them."""
    if not arguments:
        return ""
    first = arguments[0].strip()
    inner = re.match(r"(?:\w+(?:::|\.))*(?:str|format!?|fmtstr|Sprintf|string)\(", first)
    if inner is not None:
        return _said(arguments_at(first, inner.end()))
    told = _LITERAL.match(first)
    if told is not None and (_BRACES.search(told[0]) or "%" in told[0]):
        return _plain(first)
    return " ".join("".join(f" {_plain(one)} " if '"' not in one else _plain(one) for one in arguments).split())


def _plain(argument: str) -> str:
    """What one argument adds: its literals as they stand, and something for each value between them."""
    if '"' not in argument:
        return filled(argument)
    parts: list[str] = []
    for piece in re.split(rf"({_LITERAL.pattern})", _CONTINUED.sub("", argument)):
        if _LITERAL.fullmatch(piece):
            body = piece.removeprefix("r").strip("#")
            edge = (" " if body[1:2] == " " else "", " " if body[-2:-1] == " " else "")
            parts.append(edge[0] + _BRACES.sub(_slot, spelled(body)) + edge[1])
        elif re.search(r"\w", piece) and re.search(r"\+|,|<<", piece):
            parts.append(filled(piece))
    return "".join(parts)


def _slot(found: re.Match[str]) -> str:
    return filled(found[0]) if re.search(r"\w", found[0]) else "alpha"
