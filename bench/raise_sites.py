"""The places of a package's source where it raises an error in words of its own, found by its syntax trees.

Left out is what ends no job: raises that the same function catches, abstract methods, control flow and answers to a
web client's request, and the files of a package that no job runs (tests, examples, converters, command-line helpers).
"""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_NO_JOB = re.compile(
    r"(^|/)(\w*tests?|testing|examples?|benchmarks?|docs?|scripts|tools|3rdparty|third_?party(_files)?|recipes?"
    r"|_?vendor(ed)?|thirdparty|notebooks?|infra|onnx|dashboard|agents|commands|cli|webui|gateway|experimental|apps?)/"
    r"|(^|/)(test_|convert_|conftest|setup\.py|modeling_(tf|flax)_)|_(tf|flax)_|cloudpickle|deprecated/|_test\.py|bench_"
    # Parts that stand beside training and serving: cloud set-up, registries and their servers, kernels' generators.
    r"|^ray/autoscaler/_private/(_?azure|aws|gcp|vsphere|aliyun|spark|local)|^ray/(util/spark|cluster_utils)"
    r"|^wandb/(sdk/(launch|automations|verify)|automations|apis|sync|proto|agents|sweeps|integration)"
    r"|^mlflow/(server|store|projects|sagemaker|deployments|genai|assistant|webhooks|azure|models/eval)"
    r"|^flashinfer/(data|moe_ep/kernel_src|cute_dsl)|^nemo/(export|deploy)|^sglang/multimodal_gen|^lightning/app"
    r"|^torch/(?!distributed/|_dynamo/|_inductor/|utils/|cuda/|serialization|multiprocessing/|nn/parallel/|optim/|amp/)"
    r"|^torch/(_dynamo/polyfills|distributed/_tools|distributed/_shard)|^torchgen/|^functorch/"
    r"|^huggingface_hub/(repository|inference|repocard|fastai|keras|_mcp|_webhooks|_space|_oauth)"
    # What engines find wrong with one request or with what came with it, and answer.
    r"|^vllm/(entrypoints/(openai|anthropic|cohere|pooling|serve|generate|speech_to_text|scale_out)|multimodal|parser)"
    r"|^vllm/(tool_parsers|reasoning|renderers)|^sglang/srt/(entrypoints/(openai|anthropic|ollama)|multimodal)"
    r"|^sglang/srt/(function_call|parser)|^lmdeploy/(serve/(openai|anthropic|processors)|vl/(model|media))"
    r"|^xinference/(api|client|router|model/llm/tool_parsers)|^mlflow/(pyfunc/scoring_server|rfunc|models/(docker_utils|container))"
    # Servers of their own that come with a framework: a page to click on, a marketplace of endpoints.
    r"|^(studio|unsloth_cli)/|^huggingface_hub/_(inference_endpoints|multi_commits)"
    r"|^torch/(utils/(_strobelight|benchmark|show_pickle|throughput_benchmark|bundled_inputs|bottleneck)|distributed/_spmd)"
    # Prediction with other models, trackers of boxes, ready-made programs and converters of Ultralytics.
    r"|^ultralytics/(solutions|trackers|models/(sam|fastsam|llm)|hub|utils/(export|benchmarks|plotting|tuner|callbacks)|data/(converter|split))"
    # What only starts machines, or answers at a desk.
    r"|^sky/(client|server|users|workspaces|metrics|ssh_node_pools|volumes|schemas|templates|adaptors|provision/(?!kubernetes|slurm))"
    r"|^xinference/(ui|core/(\w*upgrade|tokenizer_asset\w*|router\w*|worker_(handoff|re\w+)|lifecycle|\w+_store|model_generation)|deploy)"
    # What looks into a run from outside, or stands in for one.
    r"|^sglang/srt/(debug_utils|kv_canary)|^torch/(_inductor/(fuzzer|analysis/)|cuda/_memory_viz|utils/(_get_clean_triton|model_dump|mobile_optimizer))"
    r"|^torch/distributed/(_local_tensor|flight_recorder|rpc/_testing)|^xformers/(profiler|attn_bias_utils)|^torch_xla/debug"
    r"|^vllm/(collect_env|assets|entrypoints/launchers/run_batch)|^art/utils/(old_)?benchmarking"
    r"|^sglang/lang|^xinference/model/(audio|image|video|world)|^lmdeploy/serve/gradio|^swanlab/(converter|cmd)|^wandb/wandb_controller"
)
# Functions of engines that look at one request, or at what came with it, and whose errors are its answer.
_ENGINES = re.compile(r"^(vllm|sglang|lmdeploy|xinference|text_generation_server|tensorrt_llm)/")
_ONE_REQUEST = re.compile(
    r"^_parse_and_validate_\w+|^_?validate_\w*(request|prompt|input|token|batch_tokenization)\w*|^preprocess_input"
    r"|^(score|embed|classify)_request|^parse_(response_input|chat\w*)|^generate_chat_conv|^render_message|_get_prompt_input"
    r"|^_validate_and_reshape_mm_tensor|^v1_\w+_request|^load_(image|audio|video)|^_?load_single_item|^_call_hf_processor"
    r"|^parse_(message|tool)\w*|^_tokenize_one_request|^_wait_one_response|^normalize_batch_and|^_determine_batch_size"
    r"|^_?normalize_\w+|^_media_url|^_embed_vl|^(txt2img|ocr|speech|docanalyze|controlnet_detect|image_to_\w+|world_generate|convert_ids_to_tokens)"
    r"|^(inpainting|transcriptions|translations|rerank|wrapped_func|handle_batching_request|get_query_and_history|terminate_model)$"
    r"|^_(prepare_chat_inputs|get_processed_msgs|get_full_prompt|ensure_url|message_content_to_chat)$|^list_\w+"
    r"|^create_\w*embedding|^(delete|update|cancel|pause|resume)_(token_router|cache|launch)\w*"
    r"|^(_encode_image_input|_merge_image_patch_embeddings|process_mm_data\w*|get_replacement_\w+|_expand_\w+_in_prompt|_extract_mel)$"
    r"|^(video_to_ndarrays|encode_video\w*|get_video_bytes|_get_full_multimodal_\w+)$"
    r"|^prompt_to_messages|^call_hf_processor|^apply_chat_template|^get_(prompt|input)_\w+|^_process_(image|video|audio)\w*|^_preprocess_\w+"
)
# Raised to steer a loop or to answer a client, and what a server turns into an answer.
_NO_END = frozenset(
    {"StopIteration", "StopAsyncIteration", "GeneratorExit", "HTTPException", "KeyboardInterrupt", "CancelledError"}
    | {"VLLMValidationError", "BypassFxGraphCache", "BypassAOTAutogradCache", "CannotStaticallyLaunchKernel"}
)
_PROTOCOL = frozenset({"__getattr__", "__getattribute__", "__getitem__", "__delitem__", "__setattr__", "__delattr__"})
_LOOKUPS = frozenset({"AttributeError", "KeyError", "IndexError"})
_ENDS = frozenset({"sys.exit", "os._exit", "exit", "quit"})
_TELLS = frozenset({"error", "critical", "exception", "fatal"})
_NUMBER = re.compile(
    r"size|num|count|len|rank|world|degree|step|idx|index|max|min|dim|ratio|limit|time|total|epoch|version|gpus?|bytes|batch"
)
_PATH = re.compile(r"path|file|dir|folder|root|location")
_FORMAT = re.compile(r"%(?:\(\w+\))?[-#\d.]*([sdrifgx])|\{[^{}]*\}")
_WORDS = re.compile(r"[A-Za-z]{2,}")
# What stands in for a failure while something is tested.
_MADE_UP = re.compile(r"(?i)\A(?:mock error|test me\.?|fake \w+ exception)\Z|\bfor testing purposes\b")
_LONGEST = 1200
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Site:
    """A place that raises: file below the package's folder, line, function, the error as it is printed, source line."""

    path: str
    line: int
    function: str
    error: str
    message: str
    source: str


def sites_of(folder: Path) -> Iterator[Site]:
    """The sites of all modules below ``folder``, which holds packages as site-packages does."""
    seen: set[tuple[str, str, str, str]] = set()
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder).as_posix()
        if _NO_JOB.search(path) or "/" not in path:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        module = _Module(path, text.splitlines(), _names_of(tree, path))
        for site in module.sites(tree):
            key = (site.path, site.function, site.error, site.message)
            if key not in seen:
                seen.add(key)
                yield site


def _names_of(tree: ast.Module, path: str) -> Mapping[str, str]:
    """Under which dotted name the classes are printed that a module imports or defines."""
    own = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = (
                ".".join([*own.split(".")[: -node.level], *filter(None, [node.module])]) if node.level else node.module
            )
            found |= {name.asname or name.name: f"{base}.{name.name}" for name in node.names}
        elif isinstance(node, ast.ClassDef):
            found.setdefault(node.name, f"{own}.{node.name}")
    return found


@dataclass(slots=True)
class _Scope:
    """A function: its name, what is assigned to its names, the errors that handlers around the place catch."""

    name: str = "<module>"
    values: dict[str, ast.expr] = field(default_factory=dict)
    caught: frozenset[str] = frozenset()
    abstract: bool = False


@dataclass(frozen=True, slots=True)
class _Module:
    path: str
    lines: Sequence[str]
    names: Mapping[str, str]

    def sites(self, tree: ast.Module) -> Iterator[Site]:
        yield from self._block(tree.body, _Scope())

    def _block(self, body: Sequence[ast.stmt], scope: _Scope) -> Iterator[Site]:
        told: ast.Call | None = None
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    inner = _Scope(node.name, dict(scope.values), abstract=_is_abstract(node))
                    yield from self._block(node.body, inner)
                case ast.Try():
                    yield from self._try(node, scope)
                case ast.Raise(exc=ast.expr() as raised):
                    yield from self._raised(node, raised, scope)
                case ast.Assert(msg=ast.expr() as said):
                    yield from self._site(node, scope, "AssertionError", Words(scope.values).of(said))
                case ast.Expr(value=ast.Call() as call):
                    yield from self._ended(node, call, told, scope)
                    told = call if _tells(call) else None
                    continue
                case ast.Assign(targets=[ast.Name(id=name)]):
                    scope.values[name] = node.value
                case _:
                    pass
            told = None
            for inside in () if isinstance(node, _CLOSED) else _blocks_of(node):
                yield from self._block(inside, scope)

    def _try(self, node: ast.Try, scope: _Scope) -> Iterator[Site]:
        around = scope.caught
        scope.caught = around | {name for handler in node.handlers for name in _caught_by(handler)}
        yield from self._block(node.body, scope)
        scope.caught = around
        for body in (*(handler.body for handler in node.handlers), node.orelse, node.finalbody):
            yield from self._block(body, scope)

    def _raised(self, node: ast.stmt, raised: ast.expr, scope: _Scope) -> Iterator[Site]:
        if not isinstance(raised, ast.Call):
            return
        name = ast.unparse(raised.func)
        given = [*raised.args[:1], *(word.value for word in raised.keywords if word.arg in {"msg", "message"})]
        if name.rpartition(".")[2][:1].isupper() and given:
            yield from self._site(node, scope, name, Words(scope.values).of(given[0]))

    def _ended(self, node: ast.stmt, call: ast.Call, told: ast.Call | None, scope: _Scope) -> Iterator[Site]:
        """A process that ends itself: behind a line of its log, or with words of its own, which are printed bare."""
        if ast.unparse(call.func) not in _ENDS:
            return
        if told is not None:
            yield from self._site(node, scope, "", Words(scope.values).of(told.args[0]))
        elif call.args and isinstance(call.args[0], ast.JoinedStr | ast.BinOp):
            yield from self._site(node, scope, "", Words(scope.values).of(call.args[0]))

    def _site(self, node: ast.stmt, scope: _Scope, name: str, message: str) -> Iterator[Site]:
        plain = name.rpartition(".")[2]
        if scope.abstract or plain in _NO_END or plain.endswith("Warning"):
            return
        if plain in _LOOKUPS and scope.name in _PROTOCOL:
            return
        if _ENGINES.search(self.path) and _ONE_REQUEST.search(scope.name):
            return
        if name and not scope.caught.isdisjoint({plain, "Exception", "BaseException"}):
            return
        if len(_WORDS.findall(message)) > 1 and not _MADE_UP.search(message):
            source = self.lines[node.lineno - 1].strip() if node.lineno <= len(self.lines) else ""
            yield Site(self.path, node.lineno, scope.name, self._printed(name), message, source)

    def _printed(self, name: str) -> str:
        return name if hasattr(builtins, name) or "." in name else self.names.get(name, name)


# Their bodies are walked where they are met.
_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Try)


def _blocks_of(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        inside = getattr(node, name, None)
        if isinstance(inside, list):
            yield inside
    for case in getattr(node, "cases", ()):
        yield case.body


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method only says that its class leaves it to others."""
    does = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return len(does) == 1 and isinstance(does[0], ast.Raise) and "NotImplementedError" in ast.unparse(does[0])


def _caught_by(handler: ast.ExceptHandler) -> Iterator[str]:
    if any(isinstance(node, ast.Raise) for node in ast.walk(handler)):
        return
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    for one in types:
        yield "Exception" if one is None else ast.unparse(one).rpartition(".")[2]


def _tells(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Attribute) and call.func.attr in _TELLS
    return bool(call.args) and named and "log" in ast.unparse(call.func).lower()


@dataclass(frozen=True, slots=True)
class Words:
    """Spells an expression as the message that it makes; what only the run knows is filled in by its name."""

    values: Mapping[str, ast.expr]

    def of(self, node: ast.expr | None, depth: int = 0) -> str:
        """The message, no longer than a message should be."""
        return re.sub(r"\s*\n\s*", "\n", self._of(node, depth)).strip()[:_LONGEST]

    def _of(self, node: ast.expr | None, depth: int) -> str:
        if node is None or depth > _DEEPEST:
            return ""
        match node:
            case ast.Constant(value=value):
                return str(value)
            case ast.JoinedStr(values=parts):
                return "".join(self._of(part, depth + 1) for part in parts)
            case ast.FormattedValue(value=ast.Name(id=name)) if self._has_words(name):
                return self._of(self.values[name], depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._of(left, depth + 1) + self._of(right, depth + 1)
            case ast.BinOp(left=left, op=ast.Mod()) | ast.Call(func=ast.Attribute(value=left, attr="format")):
                return _FORMAT.sub(_slot, self._of(left, depth + 1))
        passed = self._passed_on(node)
        return self._of(passed, depth + 1) if passed is not None else filled(ast.unparse(node))

    def _has_words(self, name: str) -> bool:
        """Whether a name stands for a text that the module spells out, which an f-string prints as it is."""
        match self.values.get(name):
            case ast.JoinedStr() | ast.Constant(value=str()):
                return True
            case _:
                return False

    def _passed_on(self, node: ast.expr) -> ast.expr | None:
        """The expression that another one only passes on."""
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="strip" | "lstrip" | "rstrip")):
                return value
            case ast.Call(func=func, args=[first, *_]) if ast.unparse(func).rpartition(".")[2] in {"str", "dedent"}:
                return first
            case ast.Name(id=name):
                known = self.values.get(name)
                return known if known is not node else None
            case ast.IfExp(body=body):
                return body
        return None


def filled(expression: str) -> str:
    """Something that may stand for an expression: a status, a number, a path or a word, as its names say."""
    if re.search(r"status_code|http_status", expression):
        return "500"
    if re.search(r"return_?code|exit_?code", expression):
        return "1"
    if _NUMBER.search(expression.lower()):
        return "7"
    return "/srv/run/alpha" if _PATH.search(expression.lower()) else "alpha"


def _slot(found: re.Match[str]) -> str:
    return "7" if (found[1] or "") in set("difgx") - {""} else filled(found[0])
