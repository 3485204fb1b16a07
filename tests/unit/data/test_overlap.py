"""Lexical overlap: F1 of two bags of words."""

import pytest

from semblance.data.overlap import mean_overlap, overlap
from semblance.data.pair import Pair


def by_definition(first: list[str], second: list[str]) -> float:
    """Return F1 by removing each word of the first bag from the second, one at a time."""
    rest = list(second)
    both = 0
    for word in first:
        if word in rest:
            rest.remove(word)
            both += 1
    precision = both / len(first)
    recall = both / len(second)
    if not both:
        return 0.0
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize(
    "first, second",
    [
        ("a dog runs", "a cat runs"),
        ("the the the", "the"),
        ("the dog and the cat", "the cat and the the bird"),
        ("one", "two"),
    ],
)
def test_it_is_f1_of_the_bags(first, second):
    expected = by_definition(first.split(), second.split())
    assert overlap(first, second) == pytest.approx(expected)
    assert overlap(second, first) == pytest.approx(expected)


def test_case_and_punctuation_do_not_count():
    assert overlap("Is Rome far?", "is rome FAR") == 1.0
    assert overlap("?!", "?!") == 0.0


def test_the_mean_is_in_points():
    pairs = [Pair("a b", "a b"), Pair("a b", "c d"), Pair("a b", "a c")]
    assert mean_overlap(pairs) == pytest.approx(100 * (1 + 0 + 0.5) / 3)
