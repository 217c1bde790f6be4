"""Which flags the frameworks' own parsers take, read from their unpacked sources into tests/diagnosis/known_flags.json.

    python -m pip download --no-deps -d wheels accelerate sglang ...    # then unpack each into a folder of its own
    python bench/known_flags.py vllm=wheels/vllm-0.9.1 torchrun=wheels/torch-2.7.0 ...

Nothing of a framework is imported or run: its files are parsed, and what is given to ``add_argument`` as text, and the
fields of classes of arguments (whose parsers make a flag of each field), are its flags. A folder is named
``<distribution>-<version>``. Several releases of one may stand
side by side: logs are of old ones too. What is given replaces what the table had of it; the rest stays.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TABLE = Path(__file__).parent.parent / "tests" / "diagnosis" / "known_flags.json"
_MAX_FILE_BYTES = 2_000_000
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
# Classes whose fields a parser makes flags of: HfArgumentParser, ServerArgs, and the like.
_ARGUMENTS = re.compile(r"\w*(?:Arguments|Args|Config)$")
# Where the parsers are that a framework's flags go through, as ends of paths.
_PARSERS = {
    "accelerate": r"commands/launch\.py",
    "deepspeed": r"launcher/runner\.py|deepspeed/__init__\.py",
    "lightrft": r"lightrft/.*\.py|train_\w+\.py",
    "llamafactory": r"hparams/\w+\.py",
    "megatron": r"megatron/training/.*(?:arguments|config)\w*\.py|megatron/core/.*config\w*\.py",
    "openrlhf": r"openrlhf/cli/\w+\.py",
    "ray": r"ray/scripts/scripts\.py|dashboard/modules/job/cli\.py",
    "sglang": r"srt/server_args\.py|arg_groups/fields/\w+\.py",
    "slime": r"slime/.*arguments\.py",
    "text-generation-inference": r"launcher/src/main\.rs",
    "torchrun": r"torch/distributed/run\.py",
    "transformers": r"training_args\w*\.py|hf_argparser\.py|run_\w+\.py",
    "trl": r"trl/.*\.py",
    "vllm": r"engine/arg_utils\.py|entrypoints/.*cli_args\.py|utils/argparse_utils\.py",
}
_FIELD_OF_CLAP = re.compile(r"^    (\w+): ", re.MULTILINE)


def flags_of(folder: Path, parsers: str) -> list[str]:
    """Every flag in the files of a folder whose paths end as ``parsers`` (a pattern) says."""
    found: set[str] = set()
    wanted = re.compile(rf".*(?:{parsers})$")
    for path in sorted(folder.rglob("*")):
        if wanted.match(path.as_posix()) and path.is_file() and path.stat().st_size < _MAX_FILE_BYTES:
            text = path.read_text(encoding="utf-8", errors="replace")
            found.update(_flags_in(ast.parse(text)) if path.suffix == ".py" else _flags_of_clap(text))
    return sorted(found)


def _flags_of_clap(text: str) -> Iterator[str]:
    """The fields of `struct Args`, of which clap (Rust) makes flags."""
    fields = text.partition("struct Args {")[2].partition("\n}")[0]
    return (f"--{name.replace('_', '-')}" for name in _FIELD_OF_CLAP.findall(fields))


def _flags_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node.func) in ("add_argument", "option", "Option"):
            for given in node.args:
                if isinstance(given, ast.Constant) and isinstance(given.value, str) and _FLAG.fullmatch(given.value):
                    yield given.value
        elif isinstance(node, ast.ClassDef) and (_ARGUMENTS.fullmatch(node.name) or _is_struct(node)):
            for line in node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.target.id.islower():
                    yield f"--{line.target.id}"


def _is_struct(node: ast.ClassDef) -> bool:
    """Whether it is a group of arguments of SGLang, which keeps them in structures of msgspec."""
    return any(isinstance(base, ast.Attribute) and base.attr == "Struct" for base in node.bases)


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def main(given: list[str]) -> None:
    """Read the folders that are named and write the table anew."""
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    for word in given:
        name, _, folder = word.partition("=")
        distribution, _, version = Path(folder).name.rpartition("-")
        flags = flags_of(Path(folder), _PARSERS[name])
        table.setdefault(name, {})[f"{distribution} {version}"] = " ".join(flags)
        print(f"{name}: {len(flags)} flags of {distribution} {version}")
    TABLE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
