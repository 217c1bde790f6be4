"""What of a line of progress changes by itself as time passes, and what shows that something moved."""

import pytest

from logrules.inference.progress_line import progress_key


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("Load shards:  40%|####  | 4/10 [00:31<00:47,  7.9s/it]", "Load shards:  40%|####  | 4/10"),
        ("round 7: 12.5 it/s, 1,024 KiB/s read", "round 7: ,  read"),
        ("waiting for 3 hosts, 2m left, attempt 4 of 30", "waiting for 3 hosts,  left,"),
        ("Retry: 3/10 after 0.5 seconds", "after"),
        ("asked 12 times since 10:31:07.250", "asked  since"),
        ("⠋ resolve 8 packages", "resolve 8 packages"),
        ("step 31, 5 samples, 12.345.678 tokens, 20 shards", "step 31, 5 samples, 12.345.678 tokens, 20 shards"),
    ],
)
def test_clocks_rates_times_and_tries_are_left_out_and_counters_stay(line, key):
    assert progress_key(line) == key
