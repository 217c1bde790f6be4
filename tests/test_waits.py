"""The waits of a saved log, as a report tells them."""

import pytest

from logrules import diagnose


@pytest.mark.parametrize(
    ("rest", "ended"),
    [
        ("{'loss': 1.2, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.1}\n", True),
        ("", False),
    ],
)
def test_a_wait_lasts_from_its_line_to_what_ends_it(tmp_path, rest, ended):
    log = tmp_path / "train.log"
    log.write_text("loading weights file /m/model.safetensors.index.json\nsome library says hello\n" + rest)
    (wait,) = diagnose(str(log)).waits
    assert (wait.wait, wait.first_line, wait.ended) == ("transformers/load-model", 1, ended)
    assert wait.last_line == (3 if ended else 2)
