"""Rows of a training corpus out of labelled pairs of premises and hypotheses."""

from semblance.data.nli import LABELS, build_rows
from semblance.data.pair import Pair


def pairs(*made: str) -> list[Pair]:
    """Return pairs given as premise, hypothesis and the first letter of the label."""
    label_of = {label[0]: label for label in LABELS}
    return [Pair(p, h, label_of[letter]) for p, h, letter in (row.split() for row in made)]


def test_contradicted_sentences_are_cycled_over_the_entailed():
    made = ("p e1 e", "q only e", "p c1 c", "p n n", "p e2 e", "r only c", "p c2 c", "p e3 e")
    found = build_rows(pairs(*made, "s c c", "s d c", "s e e"), ("contradiction",))
    assert found == [("p", "e1", "c1"), ("p", "e2", "c2"), ("p", "e3", "c1"), ("s", "e", "c")]


def test_rows_with_a_neutral_sentence_are_of_premises_that_have_one_of_each_label():
    made = ("p e1 e", "p n1 n", "q e e", "q c c", "p e2 e", "p c1 c", "p e3 e", "p n2 n", "r n n")
    assert build_rows(pairs(*made, "r c c"), ("contradiction", "neutral")) == [
        ("p", "e1", "c1", "n1"),
        ("p", "e2", "c1", "n2"),
        ("p", "e3", "c1", "n1"),
    ]
