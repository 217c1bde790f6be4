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
        ("ping -c 3 {host|<address of the node>}; nc -zv $HEAD 6379", {}, False, Risk.LOOK),
    ],
)
def test_only_what_is_known_to_look_looks(run, env, changes, risk):
    assert usual_risk("Try it.", run, env, changes=changes) is risk


@pytest.mark.parametrize(
    ("do", "run", "risk"),
    [
        ("End what is left over.", "pgrep -af python", Risk.CHANGES_RUN),
        ("Give the job more memory.", "", Risk.CHANGES_RUN),
        ("Merge the adapters.", "", Risk.CHANGES_RUN),
        ("Ask for less.", "ray status", Risk.CHANGES_RUN),
        ("Read the reason after the colon.", "", Risk.LOOK),
        ("Ask Ray what it waits for.", "ray status", Risk.LOOK),
        ("Ended processes are of interest.", "ps aux", Risk.LOOK),
    ],
)
def test_words_that_ask_for_a_change_do_more_than_look(do, run, risk):
    assert usual_risk(do, run, {}, changes=False) is risk
