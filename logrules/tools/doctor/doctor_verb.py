"""`logrules doctor`: whether this machine is fit for a run."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from logrules.cli.shared_options import add_color_option, add_language_options, whole_number
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.tools.doctor.doctor import Answer, Check

ABOUT = "check whether this machine is ready for a run"
_EXAMPLES = """examples:
  logrules doctor                                           everything that can be checked on this machine
  logrules doctor --actor-gpus 2 --rollout-gpus 2 --total-gpus 8
  logrules doctor --data /data/train --output /ckpt --python /env/bin/python
  logrules doctor --only shm,disk --format json
  logrules doctor --list                                    the names of the checks

exit status: 0 nothing failed, 1 a check failed, 2 the command was unusable"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.epilog = _EXAMPLES
    parser.add_argument("--gpus", type=whole_number(0), metavar="N", help="GPUs that the run needs on this node")
    parser.add_argument("--actor-gpus", type=whole_number(0), metavar="N", help="GPUs for the actors (training)")
    parser.add_argument("--rollout-gpus", type=whole_number(0), metavar="N", help="GPUs for the rollout (generation)")
    parser.add_argument("--total-gpus", type=whole_number(0), metavar="N", help="GPUs that there should be in total")
    parser.add_argument("--data", action="append", default=[], metavar="PATH", help="data that the run reads")
    parser.add_argument(
        "--output", default=".", metavar="DIR", help="where the run writes (default: the current folder)"
    )
    parser.add_argument("--python", default=None, metavar="PATH", help="the run's Python (default: python on PATH)")
    parser.add_argument("--only", metavar="CHECKS", help="only these checks (comma-separated)")
    parser.add_argument("--list", action="store_true", help="list the checks")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="short for --format json")
    add_language_options(parser)
    add_color_option(parser)


def run(options: argparse.Namespace) -> int:
    """Examine the machine and print the answers; the exit status."""
    from logrules.tools.doctor.doctor import CHECKS, examine, render_answers, render_answers_json
    from logrules.tools.doctor.machine import Asked, Machine

    if options.list:
        for check in CHECKS:
            print(f"{check.id:12} {check.title.of(options.lang)}")
        return 0
    asked = Asked(_wanted_gpus(options), tuple(options.data), options.python or default_python(), options.output)
    answers = examine(Machine(os.environ, asked), chosen(options.only))
    if options.format == "json":
        render_answers_json(answers, sys.stdout, options.lang)
    else:
        render_answers(answers, sys.stdout, options.lang, options.color)
    return exit_status(answers)


def exit_status(answers: "Sequence[Answer]") -> int:
    """1 where a check failed, else 0."""
    from logrules.tools.doctor.doctor_finding import CheckOutcome

    return int(any(answer.outcome is CheckOutcome.FAILED for answer in answers))


def default_python() -> str:
    """The Python of the activated environment, else our own."""
    import shutil

    return next((name for name in ("python", "python3") if shutil.which(name)), sys.executable)


def chosen(only: str | None) -> "Sequence[Check]":
    """The checks that were asked for by name; all where none were."""
    from logrules.tools.doctor.doctor import CHECKS

    if only is None:
        return CHECKS
    known = {check.id: check for check in CHECKS}
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise LogrulesError(f"no check is called `{name}`; there are {', '.join(known)}")
    if not wanted:
        raise LogrulesError(f"--only names no check; there are {', '.join(known)}")
    return [known[name] for name in wanted]


def _wanted_gpus(options: argparse.Namespace) -> int | None:
    """How many GPUs the run needs here. Raises LogrulesError where the parts exceed the whole."""
    parts = [count for count in (options.actor_gpus, options.rollout_gpus) if count is not None]
    if options.total_gpus is not None and sum(parts) > options.total_gpus:
        raise LogrulesError(
            f"--actor-gpus and --rollout-gpus come to {sum(parts)}, more than --total-gpus {options.total_gpus}"
        )
    said = [count for count in (options.gpus, options.total_gpus, sum(parts) if parts else None) if count is not None]
    return max(said, default=None)
