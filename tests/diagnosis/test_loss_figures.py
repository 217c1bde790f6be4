"""Which losses are alarming: those of the training, against where it began; not those of an evaluation."""

import pytest

from logrules import load_rules
from logrules.engine.run import prepared
from logrules.ruletest.harness import run_log

STEPS = 60


@pytest.fixture(scope="module")
def on():
    return prepared(load_rules())


def steps(losses):
    return "".join(f"step {number} loss {loss:.4f} lr 0.0001\n" for number, loss in enumerate(losses, 1))


def bars(losses):
    return "".join(
        f"Steps:  {number}%|#| {number}/100 [00:{number}<00:40, 1.0it/s, loss={loss:.4f}]\n"
        for number, loss in enumerate(losses, 1)
    )


PADDLE = "2025-03-04 05:06:07 [INFO]\t\n------------Environment Information-------------\nplatform: Linux\n"
START = "Loading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]\n"
USUAL = [2.3 + number % 7 / 10 for number in range(STEPS)]
POLICY = [(-1) ** number * (number % 5) / 100 + 0.005 for number in range(STEPS)]
# Single batches of a model that is nearly right: most are easy, one in a few is ten times as hard.
SCATTERED = [0.002 * (1, 2, 0.4, 9, 0.7, 3, 1.4, 25)[number % 8] for number in range(STEPS)]
MEMORISED = [2.0, *[0.0002 + number % 3 / 10_000 for number in range(STEPS)]]


@pytest.mark.parametrize(
    ("story", "log", "alarming"),
    [
        ("a loss that jumps", steps([*USUAL, 9.7]), True),
        ("a policy's loss lies on both sides of zero", steps([*POLICY, 0.2]), False),
        ("a loss that scatters as widely all the time", steps([*SCATTERED, 0.06]), False),
        ("a loss that has all but gone", steps([*MEMORISED, 0.0021]), False),
        ("a loss that goes to all ends of what numbers hold", "".join(f"step {n} loss={1.5 * 10.0 ** (n % 7 * 90 - 280)}\n" for n in range(STEPS)), False),
        ("a loss that had all but gone is back", steps([*MEMORISED, 1.4]), True),
        ("a test that is harder than the training", steps(USUAL) + "Test:  [ 0/60]  eta: 0:01:40  loss: 10.5\n", False),
        ("a validation in words", steps(USUAL) + "INFO - Validation - Loss: 9.7, F1: 0.9\nBest validation loss: 9.7\n", False),
        ("a training loss beside one of a validation", steps(USUAL) + "epoch 9 train loss: 9.7 val loss: 2.4\n", True),
        ("what is held out is said in front", steps(USUAL) + "dev step: 60 - loss: 9.71, f1: 0.61\nTEST in epoch 3, loss = 9.7\nEVALUATING - Epoch: [3][10/90]\tLoss 9.7\n", False),
        ("a sum that is called otherwise", steps(USUAL).replace("loss", "meta loss") + "Total train loss: 141.5\n", False),
        ("the sum of an epoch among sums", "".join(f"Total train loss: {loss}\n" for loss in [*USUAL, 9.7]), True),
        ("a name that only begins so", steps(USUAL) + "testbed step: 60 - loss: 9.71\n", True),
        ("a second run in the same log", steps(USUAL) + steps([9.9, 9.8, 9.6, *USUAL]), False),
        ("a second run behind a start of its own", steps(USUAL) + START + steps([9.9, 9.8, *USUAL]).replace("step ", "step 10"), False),
        ("a summary of the tracker", steps([0.02] * STEPS) + "wandb:                train_loss 0.6247\n", False),
        ("single batches on a bar", bars([*USUAL, 9.7]), False),
        ("single batches that are named so", steps([*USUAL, 9.7]).replace("loss", "batch_loss:"), False),
        ("a suite that begins anew behind its heading", steps(USUAL) + PADDLE + steps([9.9, 9.8]).replace("step 1 ", "step 10 "), False),
        ("a critic's loss among the actor's", "".join(f"Actor Loss: {loss:.2f}\nActor Loss: {loss:.2f}\nCritic Loss: 28.5\n" for loss in USUAL), False),
        ("a summary of that test", steps(USUAL) + "Test:  [ 0/60]  eta: 0:01:40  loss: 10.5\n* Acc@1 0.5 Acc@5 1.8 loss 11.3\n", False),
    ],
)  # fmt: skip
def test_what_is_a_spike_of_the_loss(on, story, log, alarming):
    assert ("loss-spike" in {one.cause for one in run_log(on, log).diagnoses}) is alarming


def rows(shown):
    return "".join(f"[batch={number}/4800]:\n\t Train loss/train/total: {shown}\n" for number in range(1, 23))


@pytest.mark.parametrize(
    ("story", "log", "alarming"),
    [
        ("rows of several lines, of which another one counts", rows("11.0000"), True),
        ("one row that all ranks print", "[batch=1/4800]:\n" + "\t Train loss/train/total: 11.0000\n" * 22, False),
        ("a row of JSON", "".join(f'{{"current_steps": {n}, "loss": 0.6931}}\n' for n in range(22)), True),
        ("nothing is learned", "".join(f"{{'loss': 0.0, 'grad_norm': 0.0, 'epoch': {n / 100}}}\n" for n in range(22)), True),
        ("by heart", "".join(f"{{'loss': 0.0, 'grad_norm': {n / 1e6}, 'epoch': {n / 100}}}\n" for n in range(22)), False),
    ],
)  # fmt: skip
def test_which_loss_stands_still(on, story, log, alarming):
    assert ("training-not-converging" in {one.cause for one in run_log(on, log).diagnoses}) is alarming


NEMO = "Epoch 0: {0}%|#| {0}/100 [00:{0}<00:40, loss=nan, v_num=, reduced_train_loss={1:.2f}]\n"


FALLING = [number / 10 for number in range(20, 9, -1)]
BOTH_FORMS = "".join(f"{{'loss': nan, 'epoch': {n}}}\nEpoch {n}/40 - loss: nan\n" for n in range(1, 4))


def epochs(*losses, name="loss"):
    return "".join(f"Epoch {n}/40 - {name}: {loss}\n" for n, loss in enumerate(losses, 1))


@pytest.mark.parametrize(
    ("story", "log", "alarming"),
    [
        ("no number any more", steps([*USUAL, *[float("nan")] * 30]), True),
        ("a few numbers behind it", steps([*USUAL, float("nan"), *USUAL[:5]]), True),
        ("the next trial of a search begins well", steps([*USUAL, *[float("nan")] * 30]) + steps(USUAL), False),
        ("one step was left out", steps([*USUAL, float("nan"), *USUAL]), False),
        ("one of two ranks has none", "".join(f"[rank{n % 2}]: step {n} loss {2.5 if n % 2 else 'nan'} lr 1\n" for n in range(80)), True),
        ("a stage that computes no loss, beside what is reduced", "".join(NEMO.format(n, 8 - n / 20) for n in range(10, 60)), False),
    ],
)  # fmt: skip
def test_what_is_a_loss_that_is_no_number(on, story, log, alarming):
    assert ("loss-nan" in {one.cause for one in run_log(on, log).diagnoses}) is alarming, story


@pytest.mark.parametrize(
    ("story", "log", "alarming"),
    [
        ("no number ever again", epochs(2.0, 1.5, *["nan"] * 12), True),
        ("the next trial of a search, which learns", epochs(2.0, 1.5, "nan", "nan") + epochs(*FALLING), False),
        ("a few numbers between, as of a step that is skipped late", epochs(2.0, "nan", 1.9, 1.8, "nan"), True),
        ("numbers of another figure", epochs(2.0, "nan", "nan") + epochs(*FALLING, name="aux_loss"), True),
        ("zero in the place of what is no number", epochs(2.0, 1.5, "nan", *[0.0] * 20), True),
        ("numbers of a figure that two forms of lines show", BOTH_FORMS + epochs("nan", *FALLING), False),
    ],
)
def test_a_model_that_has_no_number_gives_none_again(on, story, log, alarming):
    assert ("loss-nan" in {one.cause for one in run_log(on, log).diagnoses}) is alarming
