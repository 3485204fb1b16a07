"""SNLI, MultiNLI and SimCSE's triples."""

import json
import os
import re
from pathlib import Path

import pytest

from semblance.data.nli import (
    NliPair,
    Triple,
    build_rows,
    build_triples,
    read_multinli,
    read_snli,
    read_triples,
)
from semblance.errors import InputError

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")
WORDS = ["null", "NA", "n/a", "None"]  # what careless readers take for missing values

SNLI = (
    "gold_label sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse "
    "sentence1 sentence2 captionID pairID label1 label2 label3 label4 label5"
).split()
MULTINLI = SNLI[:7] + ["promptID", "pairID", "genre"] + SNLI[9:]
READERS = [(read_snli, SNLI), (read_multinli, MULTINLI)]


def fails_at(path, line, words=""):
    return pytest.raises(InputError, match=rf"\A{re.escape(f'{path}:{line}: ')}[^\n]*{words}")


def write_json(path, *rows):
    keys = ("gold_label", "sentence1", "sentence2")
    path.write_text(
        "".join(
            json.dumps({**dict(zip(keys, row, strict=True)), "pairID": "1"}) + "\n" for row in rows
        )
    )
    return path


def write_tabs(path, header, *rows, labels=5):
    lines = ["\t".join(header)]
    for label, premise, hypothesis in rows:
        cells = {name: "x" for name in header} | {
            "gold_label": label,
            "sentence1": premise,
            "sentence2": hypothesis,
        }
        lines.append("\t".join([cells[name] for name in header][: len(header) - 5 + labels]))
    path.write_text("\n".join(lines) + "\n")
    return path


ROWS = [
    ("entailment", 'A "man  sits', "Someone\u2028sits"),
    ("-", "x", "y"),
    ("neutral", "null", "NA"),
    ("contradiction", "n/a", "None"),
]
PAIRS = [
    ('A "man sits', "Someone sits", "entailment"),
    ("null", "NA", "neutral"),
    ("n/a", "None", "contradiction"),
]


@pytest.mark.parametrize("read, header", READERS)
def test_both_releases_read_alike_and_count_the_unlabelled(tmp_path, read, header):
    by_json, skipped = read(write_json(tmp_path / "a.jsonl", *ROWS))
    by_tabs = read(write_tabs(tmp_path / "a.txt", header, *ROWS))
    assert by_json == [NliPair(*pair, line) for pair, line in zip(PAIRS, (1, 3, 4), strict=True)]
    assert (
        by_tabs == ([NliPair(*pair, line) for pair, line in zip(PAIRS, (2, 4, 5), strict=True)], 1)
        and skipped == 1
    )


def test_rows_may_lack_labels_at_their_end(tmp_path):
    pairs, _ = read_multinli(write_tabs(tmp_path / "a.txt", MULTINLI, ROWS[0], labels=1))
    assert len(pairs) == 1


@pytest.mark.parametrize(
    "row, words",
    [
        (("maybe", "a", "b"), "unknown label 'maybe'"),
        (("neutral", " ", "b"), "sentence1 is empty"),
        (("neutral", "a", ""), "sentence2 is empty"),
        (("", "a", "b"), "gold_label is empty"),
    ],
)
def test_malformed_pairs_name_their_line(tmp_path, row, words):
    path = write_json(tmp_path / "a.jsonl", ROWS[0], row)
    with fails_at(path, 2, words):
        read_snli(path)
    path = write_tabs(tmp_path / "a.txt", SNLI, ROWS[0], row)
    with fails_at(path, 3, words):
        read_snli(path)


def test_missing_and_non_text_json_fields_name_their_line(tmp_path):
    path = tmp_path / "a.jsonl"
    for row, words in (
        ('{"gold_label": "neutral", "sentence1": "a"}', "sentence2 is missing"),
        ('{"gold_label": "neutral", "sentence1": null, "sentence2": "b"}', "sentence1 is missing"),
        ('{"gold_label": 1, "sentence1": "a", "sentence2": "b"}', "gold_label is not text"),
    ):
        path.write_text(row + "\n")
        with fails_at(path, 1, words):
            read_snli(path)


def test_a_truncated_or_overlong_tab_row_names_its_line(tmp_path):
    path = tmp_path / "a.txt"
    for columns in (7, 15):
        path.write_text("\t".join(SNLI) + "\n" + "\t".join(["neutral"] * columns) + "\n")
        with fails_at(path, 2, f"columns: {columns}"):
            read_snli(path)


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.txt", ""),
        ("a.txt", "sentence1\tsentence2\n"),
        ("a.jsonl", ""),
        ("a.txt", "\t".join(SNLI) + "\n"),
    ],
)
def test_a_file_without_pairs_is_refused(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with fails_at(tmp_path / name, 1):
        read_snli(tmp_path / name)


def test_contradicted_sentences_are_cycled_over_the_entailed():
    made = [
        ("p", "e1", "entailment"),
        ("q", "only", "entailment"),
        ("p", "c1", "contradiction"),
        ("p", "n", "neutral"),
        ("p", "e2", "entailment"),
        ("r", "only", "contradiction"),
        ("p", "c2", "contradiction"),
        ("p", "e3", "entailment"),
        ("s", "c", "contradiction"),
        ("s", "d", "contradiction"),
        ("s", "e", "entailment"),
    ]
    triples = build_triples(NliPair(*row, line) for line, row in enumerate(made, 1))
    assert triples == [
        Triple("p", "e1", "c1"),
        Triple("p", "e2", "c2"),
        Triple("p", "e3", "c1"),
        Triple("s", "e", "c"),
    ]


def test_rows_with_a_neutral_sentence_are_of_premises_that_have_one_of_each_label():
    made = [
        ("p", "e1", "entailment"),
        ("p", "n1", "neutral"),
        ("q", "e", "entailment"),
        ("q", "c", "contradiction"),
        ("p", "e2", "entailment"),
        ("p", "c1", "contradiction"),
        ("p", "e3", "entailment"),
        ("p", "n2", "neutral"),
        ("r", "n", "neutral"),
        ("r", "c", "contradiction"),
    ]
    pairs = [NliPair(*row, line) for line, row in enumerate(made, 1)]
    assert build_rows(pairs, ("contradiction", "neutral")) == [
        ("p", "e1", "c1", "n1"),
        ("p", "e2", "c1", "n2"),
        ("p", "e3", "c1", "n1"),
    ]


def test_words_such_as_null_are_sentences_of_a_triple(tmp_path):
    path = tmp_path / "nli.csv"
    path.write_text(
        'sent0,sent1,hard_neg\n"A, b","c\nd",e\n' + "".join(f"{w},{w},{w}\n" for w in WORDS)
    )
    assert read_triples(path) == [Triple("A, b", "c d", "e"), *(Triple(w, w, w) for w in WORDS)]


@pytest.mark.parametrize(
    "content, line, words",
    [
        ("sent0,sent1,hard_neg\n", 1, "no triple"),
        ("sent0,sent1\na,b\n", 1, "no column hard_neg"),
        ('sent0,sent1,hard_neg\n"a\n",b,c\na, ,c\n', 4, "sent1 is empty"),
        ("sent0,sent1,hard_neg\na,b\n", 2, "fields: 2"),
    ],
)
def test_malformed_triples_name_their_line(tmp_path, content, line, words):
    path = tmp_path / "nli.csv"
    path.write_text(content)
    with fails_at(path, line, words):
        read_triples(path)


@needs_data
def test_real_triples_count_42911():
    assert len(read_triples(Path(DATA, "nli/nli_triples.csv.gz"))) == 42_911


@needs_data
def test_real_snli_rows_make_triples():
    path = Path(DATA, "nli/snli_sample.jsonl")
    rows = [json.loads(row) for row in path.read_text(encoding="utf-8").split("\n") if row]
    pairs, skipped = read_snli(path)
    assert len(pairs) + skipped == len(rows) and len(build_triples(pairs)) > 1000
