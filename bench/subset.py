"""A checkout with only some of the rules: what speed depends on is how many literals are looked for."""

import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOME = ("formats", "python", "torch", "nccl", "vocabulary.yaml", "phases/deepspeed.yaml", "phases/megatron.yaml")


def checkout_with_some_rules(folder: Path) -> Path:
    """Copy the package and a few hundred literals' worth of rules below ``folder``; its root."""
    root = folder / "some-rules"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(HERE.parent / "logrules", root / "logrules", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "bench").mkdir()
    shutil.copy(HERE / "literals.py", root / "bench")
    for name in SOME:
        source, target = HERE.parent / "rules" / name, root / "rules" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    return root
