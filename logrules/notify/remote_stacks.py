"""Stacks of a job's processes on other hosts: by ssh, one command a host, that finds the job by its environment.

Or by one command for all nodes of a Ray cluster, where the job runs on one.
"""

import re
import shlex
import sys
from collections.abc import Mapping, Sequence

from logrules.model.errors import LogrulesError
from logrules.model.event import as_rank
from logrules.notify.job_processes import MAX_PROCESSES, RANK_VARIABLES
from logrules.notify.stack_dump import ProcessStack, stacks_of

# What a scheduler or launcher gives all processes of a job, and no other.
_JOB_KEYS = ("SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "PBS_JOBID", "LSB_JOBID", "MASTER_PORT")
_HOST = re.compile(r"[\w.@:%-]{1,255}")
_HEAD = "== logrules "
_NONE_YET = ("", "none")
# What stands for all nodes of a Ray cluster where hosts are named.
RAY = "ray"

_SCRIPT = """n=0; f=--native
for p in /proc/[0-9]*; do
  e=$(tr '\\0' '\\n' 2>/dev/null < "$p/environ") || continue
  printf '%s\\n' "$e" | grep -qxF -e {mark} || continue
  x=$(readlink "$p/exe" 2>/dev/null)
  case "${{x##*/}}" in *python*) ;; *) continue ;; esac
  n=$((n + 1)); [ $n -le {limit} ] || break
  for v in {ranks}; do
    r=$(printf '%s\\n' "$e" | sed -n "s/^$v=//p" | head -n 1)
    [ -z "$r" ] || break
  done
  echo "{head}${{p#/proc/}} $r"
  timeout 10 py-spy dump --json $f --pid "${{p#/proc/}}" 2>/dev/null && continue
  [ -z "$f" ] && continue
  # Not every host has a way to native frames.
  f=; timeout 10 py-spy dump --json --pid "${{p#/proc/}}" 2>/dev/null
done
true"""


def hosts_of(option: str) -> tuple[str, ...]:
    """The hosts of ``--inspect-hosts``, separated by commas. Raises LogrulesError for what is not a host name."""
    hosts = tuple(name.strip() for name in option.split(",") if name.strip())
    wrong = next((name for name in hosts if not _HOST.fullmatch(name) or name.startswith("-")), None)
    if wrong is not None or not hosts:
        raise LogrulesError(f"--inspect-hosts: {wrong or option!r} is not a host name")
    return hosts


def mark_of(environments: Sequence[Mapping[str, str]]) -> str | None:
    """The setting by which the job's processes are known on every host; None where they have none."""
    for key in _JOB_KEYS:
        for environment in environments:
            if (value := environment.get(key, "")) not in _NONE_YET:
                return f"{key}={value}"
    return None


def ssh_command(host: str, mark: str) -> tuple[str, ...]:
    """Asks a host for the stacks of the processes that bear the mark. It only looks."""
    ranks = " ".join(RANK_VARIABLES)
    script = _SCRIPT.format(mark=shlex.quote(mark), limit=MAX_PROCESSES, head=_HEAD, ranks=ranks)
    return ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "--", host, script)


def ray_command(known: Sequence[int]) -> tuple[str, ...]:
    """Asks all nodes of the Ray cluster for the stacks of its workers, but for those of ``known`` process ids."""
    return (sys.executable, "-m", "logrules.notify.ray_stacks", *map(str, known))


def told_of(pid: int, name: str, dump: str) -> str:
    """What a host says of a process that has a name instead of a rank."""
    return f"{_HEAD}{pid}  {' '.join(name.split())}\n{dump}\n"


def remote_stacks(host: str, told: str) -> list[ProcessStack]:
    """The stacks in what a host said; those that cannot be read are left out."""
    found: list[ProcessStack] = []
    for part in told.split(_HEAD)[1:]:
        first, _, dump = part.partition("\n")
        pid, _, rest = first.partition(" ")
        rank, _, title = rest.partition(" ")
        known = as_rank(rank)
        name = f"rank {known}" if known is not None else title or f"{host} process {pid[:12]}"
        found += stacks_of(name, dump)
    return found
