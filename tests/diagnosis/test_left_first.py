"""A process that a launcher saw end by itself, and the peers that others missed after it."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


def ended(code: int, rank: int = 3) -> str:
    return (
        f"[2025-03-04 05:06:07,100] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: {code}) "
        f"local_rank: {rank} (pid: 4242) of binary: /usr/bin/python\n"
    )


_LOSS = (
    "[2025-03-04 05:06:11,100] torch.distributed.elastic.rendezvous.dynamic_rendezvous: [WARNING] The node 'gpu-2_77_0' "
    "has failed to send a keep-alive heartbeat to the rendezvous '4242' due to an error of type "
    "RendezvousConnectionError.\n"
)


def first(on, log: str) -> tuple[str, tuple[int, ...]]:
    top = run_log(on, log).diagnoses[0]
    return top.cause, top.ranks


@pytest.mark.parametrize(
    ("story", "log", "cause"),
    [
        ("the process had ended before", ended(1) + _LOSS, "python-exception"),
        ("it ended after the peer was missed", _LOSS + ended(1), "peer-lost"),
        ("it aborted itself, which follows a message", ended(-6) + _LOSS, "peer-lost"),
        ("it was told to end", ended(-15) + _LOSS, "peer-lost"),
    ],
)
def test_what_ended_by_itself_before_explains_the_loss(on, story, log, cause):
    assert first(on, log)[0] == cause


def test_it_is_the_culprit(on):
    assert first(on, ended(1) + _LOSS)[1] == (3,)
