"""Logs that just end, of programs that no rule knows: what is told if they do no more, and of what nothing is told."""

from pathlib import Path

import pytest

from logrules import diagnose
from logrules.model.report import Report, Severity, Status

# What stands last, the causes in their order and the phase.
ENDS = [
    ("12:01:07 rok of 7\nWarming up the rok", ["stopped-silently"], "launch"),
    ("hello from acme\n=> loading weights of the rok", ["model-load-stall", "stopped-silently"], "model_load"),
    ("hello from acme\nSpawning 8 workers", ["worker-startup-stall", "stopped-silently"], "launch"),
    ("hello from acme\nConnecting to the server", ["rendezvous-timeout", "stopped-silently"], "rendezvous"),
    ("hello from acme\nSetting up the norm plugin...", ["compile-stall", "stopped-silently"], "model_load"),
    ("hello from acme\nloading recordio faces/train.rec...", ["dataset-build-stall", "stopped-silently"], "data_load"),
    ("acme >>> starting\nacme >>> epoch 0 ...", ["stopped-silently"], "train_step"),
    ("12:01:07 rok of 7\n12:01:09 the test has 7 parts", ["stopped-silently"], "launch"),
    ("hello from acme\nTotal params: 1,610", ["stopped-silently"], "launch"),
    ("hello from acme\nRok has    7    peers", ["stopped-silently"], "launch"),
    ("rok one\n12:01:07 BLEU = 7.1\n12:01:09 BLEU = 7.5", ["stopped-silently"], "launch"),
    ('Setting up the library plugin "norm_of_the_rok_plugin"...', ["compile-stall", "stopped-silently"], "model_load"),
    ("hello from acme\nSaving the best model to out/", ["checkpoint-stall", "stopped-silently"], "checkpoint"),
    # A test between two rounds ends nothing.
    ("Epoch [3/30] loss 0.51\nEpoch [4/30] loss 0.31\nmIoU: 41.2  mAcc: 52.1", ["stopped-silently"], "train_step"),
    ("Starting training\nLoading the dataset", ["dataset-build-stall", "stopped-silently"], "data_load"),
    ("| rok of 7 layers\n| training on 7 GPUs\n| loaded 7 examples from: rok", ["stopped-silently"], "data_load"),
    ("hello from acme\n  3%|3         | 21/700 [00:07<03:00,  3.7it/s]", ["stopped-silently"], "train_step"),
    ("acme of 7\n  Loading samples: 100%|####| 7/7 [00:02<00:00,  2.5it/s]", ["stopped-silently"], "data_load"),
    ("acme 7\n正在加载模型", ["model-load-stall", "stopped-silently"], "model_load"),
    ("acme 7\n[Rok]  Loading from out/rok.pth ...", ["model-load-stall", "stopped-silently"], "model_load"),
    # What is saved when the work is done may be the last that is said.
    (
        "step 7/700; acc: 61; loss: 1.9\nTraining finished after stalled validations. Early Stop!\n"
        "Saving checkpoint rok_step_7.pt",
        ["checkpoint-stall", "stopped-silently"],
        "checkpoint",
    ),
]
# Of whatever reads as something else than the output of a program, or says that it is done.
NOTHING = {
    "empty": "",
    "source": "import rok\n\n\ndef load(path):\n    return rok.open(path)\n",
    "markup": "# Rok\n\nHow the weights are loaded:\n\n- see [load](load.md)\n- or ask\n",
    "settings": "device: cpu\nsteps: 7\n",
    "end": "hello from acme\nall 7 files of acme are done, bye",
    "time": "hello from acme\nWarming up the rok\n\nreal    0m7.500s\nuser    0m7.250s\nsys     0m0.125s\n",
    "letter": "Hi all,\n\nLoading the data of the rok takes longer than it should, as you said.\nBest,\nRok\n",
    "listing": "total 7\ndrwxr-xr-x 2 rok rok 7 Mar  1 10:00 .\n-rw-r--r-- 1 rok rok 7 Mar  1 10:00 rok.py\n",
    "table": "name     count   used  free\nrok          7      1     6\nnorm         9      2     7\n",
    "thanks": "12:01:07 hello from acme\n12:01:08 Thanks for using acme",
    "other-language": "hello from acme\nRunde 7\nFertig.\n",
    "measure": "Loading checkpoint shards: 100%|##########| 7/7 [00:03<00:00,  1.5s/it]\nmIoU: 41.2  mAcc: 52.1",
    "over": "Epoch 1/2 loss 0.51\nEpoch 2/2 loss 0.31\nThe search is finished, see out/best.txt",
    "prompt": "me@gpu-7:~$ python rok.py\nrok of 7\nWarming up the rok\nme@gpu-7:~$ \n",
    "word": "Epoch 1/2 loss 0.51\nEpoch 2/2 loss 0.31\nfinished",
    "test": "Epoch 1/2 loss 0.51\nEpoch 2/2 loss 0.31\nTest accuracy: 0.94\n",
    "final": "2026-03-01 10:00:00,001 INFO rok: epoch 7 loss 0.3\nModel saved to out/final.pt",
    "scores": "2026-03-01 10:00:00,001 INFO rok: scoring\n| rok | n | acc |\n|-----|---|-----|\n| norm | 7 | 0.71 |",
    "installed": "Collecting rok\nInstalling collected packages: rok\nSuccessfully installed rok-7.1",
    "answered": "Loading checkpoint shards: 100%|##########| 7/7 [00:03<00:00,  1.5s/it]\nAssistant: It is rok.",
    "results": "hello from acme\nThe scores were written to out/scores.csv",
    "last-round": "Epoch [29/30] loss 0.51\nEpoch [30/30] loss 0.31\nmIoU: 41.2  mAcc: 52.1",
    "time-taken": "epoch 2 loss 0.51\nepoch 3 loss 0.31\nIt took 557.5",
    "summarized": "epoch 2 loss 0.51\nepoch 3 loss 0.31\nAll results summarized in: out/rok.json",
    "aligned": "epoch 2 loss 0.51\nepoch 3 loss 0.31\nprecision   0.767\nf1          0.767",
}


def _report(folder: Path, text: str) -> Report:
    log = folder / "acme.log"
    log.write_text(text, encoding="utf-8")
    return diagnose(str(log))


@pytest.mark.parametrize(("text", "causes", "phase"), ENDS)
def test_a_program_that_nobody_knows_gets_a_conditional_answer(
    tmp_path: Path, text: str, causes: list[str], phase: str
):
    report = _report(tmp_path, text)
    assert [one.cause for one in report.diagnoses][: len(causes)] == causes
    assert {one.severity for one in report.diagnoses} == {Severity.INFO}
    assert {one.phase for one in report.diagnoses} == {phase}
    assert report.status in {Status.HEALTHY, Status.RUNNING}
    assert text.splitlines()[-1] in report.diagnoses[0].evidence[-1].text


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING.keys())
def test_what_is_no_log_of_a_run_or_says_its_end_gets_none(tmp_path: Path, text: str):
    assert not _report(tmp_path, text or "\n").diagnoses


def test_what_a_library_warns_of_is_not_what_was_said_last(tmp_path: Path):
    asides = "rok/load.py:7: FutureWarning: rok.old is going away\n  rok.old(path)\n--------\n"
    report = _report(tmp_path, f"12:01:07 hello from acme\n12:01:08 Warming up the rok\n{asides}")
    assert report.diagnoses[0].evidence[-1].text == "12:01:08 Warming up the rok"


def test_an_engine_that_counts_no_tokens_at_its_end_may_stand_still(tmp_path: Path):
    throughput = "Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s"
    line = f"INFO 03-01 10:00:{{:02}} [loggers.py:116] Engine 000: {throughput}, Running: 7 reqs\n"
    report = _report(tmp_path, line.format(0) + line.format(10))
    assert [one.cause for one in report.diagnoses][:2] == ["generation-stall", "stopped-silently"]
    assert report.diagnoses[0].phase == "serve"


@pytest.mark.parametrize(("text", "first"), [(ENDS[1][0], 0.9), (ENDS[0][0], 0.9)])
def test_its_certainty_is_what_stalls_showed_that_nobody_had_seen(tmp_path: Path, text: str, first: float):
    assert _report(tmp_path, text).diagnoses[0].confidence == pytest.approx(first, abs=0.06)
