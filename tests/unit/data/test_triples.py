"""Rows of query, positive and hard negative: one corpus whatever the form of the file."""

import gzip
import json

import pyarrow as pa
import pytest

from semblance.data.arrow import write_parquet
from semblance.data.corpus import read_rows, read_sentences
from semblance.data.raw import Raw
from semblance.data.triples import TripleSettings, read_triples, write_query_rows
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.provenance import file_digest
from semblance.strict_yaml import as_yaml

ROWS = [
    {"query": "a  cat", "pos": "the cat", "neg": "a dog"},
    {"query": "rain", "pos": "it rains", "neg": "it snows"},
]
LISTS = [{"query": "q", "pos": ["1", "2", "3"], "neg": ["x", "y"]}]


def written(folder, name, rows):
    path = folder / name
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if name.endswith(".csv"):
        lines = [list(rows[0]), *(row.values() for row in rows)]
        text = "".join(",".join(map(str, line)) + "\n" for line in lines)
    if name.endswith(".parquet"):
        write_parquet(pa.Table.from_pylist(rows), path)
    else:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.parquet"])
def test_each_form_of_a_file_makes_one_corpus_with_its_count_checked(tmp_path, name):
    path = written(tmp_path, name, ROWS)
    about = {"title": "t", "licence": "l", "homepage": None, "expected": {"triples": 2}}
    file = {"path": name, "sha256": file_digest(path), "size": path.stat().st_size, "urls": []}
    (tmp_path / "m.yaml").write_text(as_yaml({"datasets": {"mine": about | {"files": [file]}}}))
    raw = Raw(load_manifest(tmp_path / "m.yaml"), tmp_path)
    counts = write_query_rows(raw, TripleSettings("triples", ("mine",)), tmp_path)
    assert counts == {"rows": 2, "sentences": 6}
    texts, rows = read_sentences(tmp_path), read_rows(tmp_path)
    assert texts[:3] == ["a cat", "the cat", "a dog"]
    assert [*rows.query, *rows.positive, *rows.negative] == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_each_positive_of_a_list_makes_a_row_and_the_negatives_take_turns(tmp_path, name):
    found = list(read_triples(written(tmp_path, name, LISTS)))
    assert found == [("q", "1", "x"), ("q", "2", "y"), ("q", "3", "x")]


ANCHOR = {"anchor": "a", "positive": "b", "negative": "c"}
REFUSED = [
    ("a.csv", [ANCHOR], ":2: the columns are anchor"),
    ("a.jsonl", [ROWS[0], {"query": "a", "pos": "b"}], ":2: the columns are query, pos; "),
    ("a.parquet", [ROWS[0] | {"score": 1}], ":1: the columns are .*; rename them to query"),
    ("a.jsonl", [ROWS[0] | {"neg": []}], ":1: neg is missing"),
    ("a.jsonl", [ROWS[0] | {"pos": ["b", " "]}], ":1: pos is empty"),
    ("a.jsonl", [], ":1: no row"),
    ("a.txt", ROWS, ": is no .jsonl, .csv or .parquet"),
]


@pytest.mark.parametrize("name, rows, said", REFUSED)
def test_what_is_no_row_of_the_three_texts_is_refused(tmp_path, name, rows, said):
    with pytest.raises(InputError, match=name + said):
        list(read_triples(written(tmp_path, name, rows)))


def test_what_is_called_parquet_and_is_none_is_refused(tmp_path):
    written(tmp_path, "a.jsonl", ROWS).rename(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="is no Parquet file"):
        list(read_triples(tmp_path / "a.parquet"))
