"""SNLI, MultiNLI, ANLI, a table of several sources, and SimCSE's triples."""

import json
from collections import Counter
from pathlib import Path

import pytest

from semblance.data import nli
from semblance.data.pair import UNLABELLED, Pair
from semblance.data.pairs import nli as release
from semblance.data.pairs import nli_table
from tests.unit.data.files import DATA, WORDS, needs_data, put
from tests.unit.data.test_refusals import SNLI

MULTINLI = SNLI[:7] + ["promptID", "pairID", "genre"] + SNLI[9:]
PAIRS = [
    Pair('A "man sits', "Someone sits", "entailment"),
    Pair("x", "y", UNLABELLED),
    Pair("null", "NA", "neutral"),
    Pair("n/a", "None", "contradiction"),
]
TEXTS = {'A "man sits': 'A "man  sits', "Someone sits": "Someone\u2028sits"}  # as in the files


def rows():
    """Return the pairs as a file has them."""
    for first, second, label in PAIRS:
        texts = {"sentence1": TEXTS.get(first, first), "sentence2": TEXTS.get(second, second)}
        yield {"gold_label": label, **texts}


def table(path, header, labels=5):
    """Write the pairs as a table whose rows end with so many of five annotators' labels."""
    lines = [header]
    for row in rows():
        cells = [row.get(name, "x") for name in header]
        lines.append(cells[: len(header) - 5 + labels])
    return put(path, "".join("\t".join(line) + "\n" for line in lines))


@pytest.mark.parametrize("header", [SNLI, MULTINLI])
def test_both_releases_read_alike_in_both_formats(tmp_path, header):
    lines = [json.dumps(row | {"pairID": "1"}) + "\n" for row in rows()]
    assert list(nli.read_release(put(tmp_path / "a.jsonl", "".join(lines)))) == PAIRS
    assert list(nli.read_release(table(tmp_path / "a.txt", header))) == PAIRS
    assert list(release.read(table(tmp_path / "b.txt", header, labels=1))) == PAIRS


def test_the_context_of_anli_is_the_premise_and_a_letter_the_label(tmp_path):
    pair = {"uid": "1", "context": "A  dog ran. It won.", "hypothesis": "NA"}
    lines = [json.dumps(pair | {"label": label}) + "\n" for label in "enc"]
    labels = ("entailment", "neutral", "contradiction")
    expected = [Pair("A dog ran. It won.", "NA", label) for label in labels]
    assert list(nli.read_anli(put(tmp_path / "train.jsonl", "".join(lines)))) == expected


def test_a_table_may_have_more_columns_and_its_quotes_are_text(tmp_path):
    path = tmp_path / "pairs.tsv"
    put(path, 'source\tlabel\tsentence1\tsentence2\nx\tneutral\t"A"  b\tc"\n')
    assert list(nli_table.read(path)) == [Pair('"A" b', 'c"', "neutral")]


def pairs(*made: str) -> list[Pair]:
    """Return pairs given as premise, hypothesis and the first letter of the label."""
    label_of = {label[0]: label for label in nli.LABELS}
    return [Pair(p, h, label_of[letter]) for p, h, letter in (row.split() for row in made)]


def test_contradicted_sentences_are_cycled_over_the_entailed():
    made = ("p e1 e", "q only e", "p c1 c", "p n n", "p e2 e", "r only c", "p c2 c", "p e3 e")
    found = nli.build_rows(pairs(*made, "s c c", "s d c", "s e e"), ("contradiction",))
    assert found == [("p", "e1", "c1"), ("p", "e2", "c2"), ("p", "e3", "c1"), ("s", "e", "c")]


def test_rows_with_a_neutral_sentence_are_of_premises_that_have_one_of_each_label():
    made = ("p e1 e", "p n1 n", "q e e", "q c c", "p e2 e", "p c1 c", "p e3 e", "p n2 n", "r n n")
    assert nli.build_rows(pairs(*made, "r c c"), ("contradiction", "neutral")) == [
        ("p", "e1", "c1", "n1"),
        ("p", "e2", "c1", "n2"),
        ("p", "e3", "c1", "n1"),
    ]


def test_words_such_as_null_are_sentences_of_a_triple(tmp_path):
    words = "".join(f"{word},{word},{word}\n" for word in WORDS)
    path = put(tmp_path / "nli.csv", f'sent0,sent1,hard_neg\n"A, b","c\nd",e\n{words}')
    assert nli.read_triples(path) == [("A, b", "c d", "e"), *((w, w, w) for w in WORDS)]


@needs_data
def test_real_triples_count_42911():
    assert len(nli.read_triples(Path(DATA, "nli/nli_triples.csv.gz"))) == 42_911


@needs_data
def test_real_snli_rows_make_triples():
    path = Path(DATA, "nli/snli_sample.jsonl")
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line]
    found = list(nli.read_release(path))
    labelled = [pair for pair in found if pair.label != UNLABELLED]
    assert len(found) == len(lines) >= len(labelled)
    assert len(nli.build_rows(labelled, ("contradiction",))) > 1000


@needs_data
def test_the_real_table_has_232511_pairs_of_three_labels():
    found = Counter(pair.label for pair in nli_table.read(Path(DATA, "nli/nli_pairs.tsv.gz")))
    assert found.total() == 232_511 and set(found) == set(nli_table.LABELS)
