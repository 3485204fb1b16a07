"""Ids in files whose columns are parted by white space: one word each, and never two alike."""

from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.errors import InputError
from semblance.exporting.trec import encoded

# A file holds no half of a surrogate pair: the readers of a FAQ refuse it.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@settings(deadline=None, max_examples=40)
@given(TEXTS)
def test_an_encoded_id_is_one_word_without_quotation_marks_and_can_be_decoded(identity):
    found = encoded(identity)
    assert found.split() == [found] and found.isprintable() and found.splitlines() == [found]
    assert not set(found) & set("\"'")
    assert unquote(found, errors="strict") == identity


@settings(deadline=None, max_examples=40)
@given(TEXTS, TEXTS)
def test_two_ids_stay_two(one, other):
    assert (encoded(one) == encoded(other)) == (one == other)


def test_an_ordinary_id_stays_as_it_is():
    assert [encoded(each) for each in ("17", "A-3_b.c/d", "Größe", "問い")] == [
        "17",
        "A-3_b.c/d",
        "Größe",
        "問い",
    ]


def test_an_empty_id_is_refused():
    with pytest.raises(InputError, match="an id is empty"):
        encoded("")
