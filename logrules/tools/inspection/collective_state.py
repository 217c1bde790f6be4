"""What a job itself offers to say of its collectives: torch's flight recorder and NCCL's RAS. Both are only asked."""

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import sleep

from logrules.model.collective import GroupRecord
from logrules.sources.flight_dump import NoDump, dump_at
from logrules.tools.inspection.job_processes import Process

# torch writes a dump when anything is written to this pipe of a rank, beside the name that its dumps have.
_PIPE = "TORCH_NCCL_DEBUG_INFO_PIPE_FILE"
_DUMPS = ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
_RAS_ADDRESS = ("127.0.0.1", 28028)
_RAS_REQUEST = b"verbose status\n"
_MAX_RAS_BYTES = 1 << 18
_WAITS, _WAIT_S = 20, 0.25


def flight_records(processes: Sequence[Process]) -> tuple[GroupRecord, ...]:
    """What each rank's recorder holds, of the ranks here that offer it: asked for, and waited for."""
    ranked = [(one.environment, one.rank) for one in processes if one.rank is not None]
    before = {path: _written(path) for environment, rank in ranked if (path := _dump_of(environment, rank))}
    asked = {path: rank for environment, rank in ranked if (path := _asked(environment, rank))}
    for _ in range(_WAITS):
        if all(_written(path) != before[path] for path in asked):
            break
        sleep(_WAIT_S)
    records: list[GroupRecord] = []
    for path, rank in asked.items():
        if _written(path) != before[path]:
            with suppress(NoDump):
                records += dump_at(path, f"flight recorder {path.name}", rank)
    return tuple(records)


def ras_text(processes: Sequence[Process], limit_s: float) -> str:
    """What the RAS of the job's NCCL says; empty where it offers none."""
    environment = next((one.environment for one in processes if one.rank is not None), {})
    if not environment or environment.get("NCCL_RAS_ENABLE") == "0":
        return ""
    address = _ras_address(environment.get("NCCL_RAS_ADDR", ""))
    said = b""
    with suppress(OSError), socket.create_connection(address, timeout=min(limit_s, 2.0)) as asked:
        asked.settimeout(limit_s)
        asked.sendall(_RAS_REQUEST)
        while len(said) < _MAX_RAS_BYTES and (more := asked.recv(1 << 16)):
            said += more
    return said.decode("utf-8", "replace")


def _ras_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return (host.strip("[]") or _RAS_ADDRESS[0], int(port)) if port.isdecimal() else _RAS_ADDRESS


def _dump_of(environment: Mapping[str, str], rank: int) -> Path | None:
    """Where the dump of a rank is written; None where it offers none."""
    if not environment.get(_PIPE):
        return None
    dumps = next((environment[name] for name in _DUMPS if name in environment), "/tmp/nccl_trace_rank_")  # noqa: S108
    return Path(f"{dumps}{rank}")


def _asked(environment: Mapping[str, str], rank: int) -> Path | None:
    """Where the dump will be, now that it was asked for; None where nobody listens."""
    path = _dump_of(environment, rank)
    if path is None:
        return None
    try:
        # A pipe that nobody reads must not hold us.
        descriptor = os.open(f"{environment[_PIPE]}{rank}.pipe", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        os.write(descriptor, b"1\n")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return path


def _written(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
