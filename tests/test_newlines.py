"""Both ways of counting lines agree."""

from hypothesis import given
from hypothesis import strategies as st

from logrules.parsing.newlines import count_newlines, fast_counter


@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 300))
def test_numpy_counts_as_cpython_does(data, one, other):
    start, end = sorted((min(one, len(data)), min(other, len(data))))
    assert fast_counter()(data, start, end) == count_newlines(data, start, end) == data[start:end].count(b"\n")
