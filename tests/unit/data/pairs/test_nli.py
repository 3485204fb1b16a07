"""Pairs of natural language inference: of the releases, and of a table of several sources."""

import os
from collections import Counter
from pathlib import Path

import pytest

from semblance.data import nli as releases
from semblance.data.pair import UNLABELLED, Pair
from semblance.data.pairs import nli, nli_table
from semblance.errors import InputError

ROOT = Path(__file__).parents[4]
DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")


def test_the_pairs_of_a_release_are_those_of_its_reader_in_order():
    path = ROOT / "demo/data/nli/snli_1.0/snli_1.0_train.jsonl"
    labelled, unlabelled = releases.read_snli(path)
    found = list(nli.read(path))
    assert len(found) == len(labelled) + unlabelled and unlabelled > 0
    expected = [Pair(pair.premise, pair.hypothesis, pair.label) for pair in labelled]
    assert [pair for pair in found if pair.label != UNLABELLED] == expected


def test_a_table_may_have_more_columns_and_its_quotes_are_text(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text('source\tlabel\tsentence1\tsentence2\nx\tneutral\t"A"  b\tc"\n')
    assert list(nli_table.read(path)) == [Pair('"A" b', 'c"', "neutral")]


@pytest.mark.parametrize(
    "text, words",
    [
        ("sentence1\tsentence2\na\tb\n", ":1: no column label"),
        ("label\tsentence1\tsentence2\tlabel\nneutral\ta\tb\tneutral\n", ":1: column label stands"),
        ("label\tsentence1\tsentence2\nneutral\ta\n", ":2: columns: 2, expected 3 to 3"),
        ("label\tsentence1\tsentence2\nmaybe\ta\tb\n", ":2: unknown label 'maybe'"),
        ("label\tsentence1\tsentence2\nneutral\t\tb\n", ":2: sentence1 is empty"),
        ("label\tsentence1\tsentence2\n", ":1: no pair"),
    ],
)
def test_a_wrong_table_is_refused_with_the_line(tmp_path, text, words):
    path = tmp_path / "pairs.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        list(nli_table.read(path))


@needs_data
def test_the_real_table_has_232511_pairs_of_three_labels():
    found = Counter(pair.label for pair in nli_table.read(Path(DATA, "nli/nli_pairs.tsv.gz")))
    assert found.total() == 232_511 and set(found) == set(nli_table.LABELS)
