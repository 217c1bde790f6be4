"""What a step can break, told by its command."""

import pytest

from logrules.model.report import Risk
from logrules.ruleset.usual_risk import usual_risk


@pytest.mark.parametrize(
    ("run", "env", "changes", "risk"),
    [
        ("df -h | grep -E 'a|b' | tail -n 3", {}, False, Risk.LOOK),
        ("for p in $(pgrep -f train); do py-spy dump --pid $p; done", {}, False, Risk.LOOK),
        ("cat /sys/fs/cgroup/memory.max 2>/dev/null; ls /proc/<pid>/fd", {}, False, Risk.LOOK),
        ("nvidia-smi", {}, False, Risk.LOOK),
        ("sudo nvidia-smi --gpu-reset", {}, False, Risk.CHANGES_RUN),
        ("find /tmp -name lock -delete", {}, False, Risk.CHANGES_RUN),
        ("ps aux > processes.txt", {}, False, Risk.CHANGES_RUN),
        ("pip list; pip install -U torch", {}, False, Risk.CHANGES_RUN),
        ("ssh-keygen -R host", {}, False, Risk.CHANGES_RUN),
        ("", {"NCCL_DEBUG": "INFO", "PYTHONFAULTHANDLER": "1"}, False, Risk.LOOK),
        ("", {"NCCL_SOCKET_IFNAME": "eth0"}, False, Risk.CHANGES_RUN),
        ("nvidia-smi", {"NCCL_DEBUG": "INFO"}, True, Risk.CHANGES_RUN),
        ("", {}, False, Risk.SAFE),
    ],
)
def test_only_what_is_known_to_look_looks(run, env, changes, risk):
    assert usual_risk(run, env, changes=changes) is risk
