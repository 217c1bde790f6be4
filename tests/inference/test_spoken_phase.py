"""Where a job that no marker knows is, by its own last words."""

import pytest

from logrules.inference.wording import Wordings, is_under_way, spoken_phase
from logrules.model.event import Event
from logrules.ruleset.pack import Pack
from logrules.ruleset.pattern import bounded
from tests.conftest import event

# One of each form that scripts use: a verb and its object, a participle, a figure of a step.
SAID = [
    ("Namespace(batch_size=32, lr=0.1)", "launch"),
    ("Spawning 8 workers", "launch"),
    ("Waiting for the scheduler at 10.0.0.3", "rendezvous"),
    ("loading recordio faces/train.rec", "data_load"),
    ("Setting up the norm plugin...", "model_load"),
    ("Capturing the decode graphs", "model_load"),
    ("==> training!", "train_step"),
    ("epoch 0 ...", "train_step"),
    ("testing the net on 50 items", "eval"),
    ("Avg generation throughput: 0.0 tokens/s", "serve"),
    ("Initializing process group with 8 ranks", "rendezvous"),
    ("Connecting to tcp://10.0.0.3:41000", "rendezvous"),
    ("Loading annotations of the validation split", "data_load"),
    ("built the data loaders", "data_load"),
    ("Loading pretrained weights of the backbone", "model_load"),
    ("Generating responses to 512 prompts", "rollout"),
    ("Start training: 20 epochs", "train_step"),
    ("Training the adapters...", "train_step"),
    ("Evaluating on 5000 items", "eval"),
    ("Saving checkpoint to out/last.pt", "checkpoint"),
    ("wrote the weights to out/", "checkpoint"),
    ("Cleaning up temporary files", "shutdown"),
]
# What sounds like a phase, and is of another or of none.
NOT_SAID = [
    ("Initializing the lr scheduler", "rendezvous"),
    ("Initializing the HTTP server", "rendezvous"),
    ("Loading the graph of ogbn", "model_load"),
    ("Loaded out/last.pt of epoch 7", "train_step"),
    ("Saving checkpoint of epoch 7", "train_step"),
    ("best epoch: 7", "train_step"),
]
UNDER_WAY = [
    "Loading the dataset",
    "epoch 0 ...",
    "  Loading 7 files",
    "Setting up the plugin...",
    "now computing image statistics…",
    "Indexing ...",
    "Training the adapters...",
]
NOT_UNDER_WAY = [
    "Loading the dataset took 12 s",  # it says how it went
    "Loading model: done",
    "Downloading data: 37% of 2 GB",  # a bar, which its pace judges
    "Missing keys in the state dict ...",  # no doing of the job
    "Exiting the program ...",
    "Computing image statistics",  # of no phase, and nothing says that it goes on
    "Training samples of the split",  # a heading
    "Finished",
    "See below ...",
    "",
]


def _lines(*messages: str) -> list[Event]:
    return [event(number, text=message) for number, message in enumerate(messages, start=1)]


@pytest.mark.parametrize(("message", "phase"), SAID)
def test_a_line_says_where_its_writer_is(shipped: Pack, message: str, phase: str):
    assert spoken_phase(shipped.phases, _lines(message), 0) == phase


@pytest.mark.parametrize(("message", "phase"), NOT_SAID)
def test_other_things_bear_the_same_names(shipped: Pack, message: str, phase: str):
    assert spoken_phase(shipped.phases, _lines(message), 0) != phase


def test_the_last_line_that_says_so_counts(shipped: Pack):
    said = _lines("Loading the dataset", "Building the model", "seed = 42")
    assert spoken_phase(shipped.phases, said, 0) == "model_load"


@pytest.mark.parametrize("after", [2, 3])
def test_what_was_said_before_a_marker_spoke_is_past(shipped: Pack, after: int):
    said = _lines("Loading the dataset", "Building the model", "seed = 42")
    assert spoken_phase(shipped.phases, said, after) is None


def test_what_was_said_long_before_the_end_may_be_over(shipped: Pack):
    assert spoken_phase(shipped.phases, _lines("Loading the dataset", *["seed = 42"] * 6), 0) is None


@pytest.mark.parametrize("message", UNDER_WAY)
def test_what_a_last_line_says_in_the_present_is_under_way(shipped: Pack, message: str):
    assert is_under_way(shipped.phases, _lines("seed = 42", message), Wordings(shipped.tables.wordings))


@pytest.mark.parametrize("message", NOT_UNDER_WAY)
def test_what_is_done_or_no_doing_is_not(shipped: Pack, message: str):
    assert not is_under_way(shipped.phases, _lines("Loading the dataset", message), Wordings(shipped.tables.wordings))


def test_nothing_is_under_way_where_nothing_was_said(shipped: Pack):
    assert not is_under_way(shipped.phases, [], Wordings(shipped.tables.wordings))


def test_words_that_take_too_long_to_look_for_tell_nothing(shipped: Pack, monkeypatch: pytest.MonkeyPatch):
    def late(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(type(bounded("x")), "search", late)
    assert spoken_phase(shipped.phases, _lines("Loading the dataset"), 0) is None
