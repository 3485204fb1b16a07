"""Figures that are measured on the embeddings of models: closed forms, and a real model's own."""

import csv
import math

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from semblance.data import corpus, prepare_sts
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.evaluation.measured import measure_figure, read_stsb
from semblance.evaluation.scored import Target
from semblance.fetch.manifest import load_manifest
from semblance.figures import FigureModels, FigureSettings, StsB, retrieval
from semblance.figures.anisotropy import share_of_largest
from semblance.provenance import checked, input_digests, read_sealed, write_record
from tests.dag.tiny import ROOT
from tests.example_settings import COMPUTE
from tests.unit.evaluation.prepared import records

CAPTIONS = [(f"a dog runs on grass {i}", f"two boats at sea {i}", None) for i in range(9)]
BASE = FigureModels("none", "tiny", "start", (0,))


@pytest.fixture(scope="module")
def world(demo):
    """The demo's folder with a corpus, too."""
    corpus.write_rows(demo / "corpus", CAPTIONS)
    outputs = ["sentences.arrow", "rows.arrow"]
    write_record(demo / "corpus/record.json", "prepare_nli", outputs=outputs, started=0.0)
    return demo


@pytest.fixture(scope="module")
def stsb(world) -> StsB:
    return read_stsb(world / "sts")


@pytest.fixture(scope="module")
def plain(world) -> SentenceTransformer:
    """The tiny base, read by sentence-transformers."""
    return SentenceTransformer(str(world / "base/model"), device="cpu")


def measured(world, folder, kind: str, texts: str = "sts", **options):
    """Measure a figure of the tiny base; return its lines and its record."""
    settings = FigureSettings(kind, (BASE,), options)
    base, data = records(world, "base", texts)
    path = folder / "figures/f.csv"
    record = folder / "figures/records/f.json"
    measure_figure(settings, [base], data, str(path), Target(record, COMPUTE, "0123"))
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream)), read_sealed(record)


def test_the_test_pairs_of_stsb_are_read_and_no_others(world, stsb):
    with open(ROOT / "demo/data/stsb/sts-test.csv", encoding="utf-8") as stream:
        lines = [line.split("\t") for line in stream.read().splitlines()]
    assert [float(line[4]) > 4 for line in lines].count(True) == len(stsb.near)
    assert {text for pair in stsb.near for text in pair} < set(stsb.sentences)
    assert len(stsb.sentences) == len(set(stsb.sentences)) <= 2 * len(lines)


def test_singular_values_are_those_of_each_distinct_sentence(world, stsb, plain, tmp_path):
    lines, record = measured(world, tmp_path, "singular_values")
    matrix = np.array([plain.encode(text) for text in set(stsb.sentences)], np.float64)
    expected = np.linalg.svd(matrix, compute_uv=False)
    found = [float(line["singular_value"]) for line in lines]
    assert np.abs(np.array(found) - expected).max() < 1e-4 * expected[0]
    assert [int(line["position"]) for line in lines] == list(range(1, len(expected) + 1))
    relative = [float(line["relative"]) for line in lines]
    assert relative == [value / found[0] for value in found] and relative[0] == 1.0
    assert {(line["method"], line["seed"]) for line in lines} == {("start", "0")}
    weights = checked(world / "base/record.json")["outputs"]["model/model.safetensors"]
    pairs = checked(world / "sts/record.json")["outputs"]["pairs.parquet"]
    assert sorted(input_digests(record).values()) == sorted([weights, pairs])
    assert len({link["place"] for link in record["inputs"]}) == 2
    assert record["outputs"].keys() == {"../f.csv"}


def test_test_data_without_stsb_stop_a_measured_figure(world, tmp_path):
    raw = Raw(load_manifest(ROOT / "demo/manifest.yaml"), ROOT / "demo/data")
    settings = prepare_sts.StsSettings(("sick",), "senteval")
    prepare_sts.write_test_pairs(raw, settings, tmp_path / "sts")
    with pytest.raises(InputError, match="sts: holds no pairs of STS-B; add stsb to sts.datasets"):
        read_stsb(tmp_path / "sts")


def unit_vectors(plain, texts) -> np.ndarray:
    """Return the direction of the embedding of each text, one text at a time."""
    vectors = np.array([plain.encode(text) for text in texts], np.float64)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_eqs_4_to_6_of_rcl_are_the_loops_over_the_pairs_with_a_gold_score_above_4(
    world, stsb, plain, tmp_path
):
    [line], _ = measured(world, tmp_path, "anisotropy")
    left, right = (unit_vectors(plain, side) for side in zip(*stsb.near, strict=True))
    table = [[float(u @ v) for v in right] for u in left]
    m = len(stsb.near)
    eq5 = sum(math.log(sum(math.exp(c) for c in row) / m) for row in table) / m
    eq6 = sum(c for row in table for c in row) / m**2
    assert int(line["pairs"]) == m > 2
    assert float(line["aligned"]) == pytest.approx(sum(table[i][i] for i in range(m)) / m, abs=1e-6)
    assert float(line["eq5"]) == pytest.approx(eq5, abs=1e-6)
    assert float(line["eq6"]) == pytest.approx(eq6, abs=1e-6)
    assert float(line["positive"]) == sum(c > 0 for row in table for c in row) / m**2
    assert float(line["eq5"]) > float(line["eq6"])  # Jensen's inequality


def test_the_largest_elements_hold_the_square_of_their_size():
    one = np.zeros((2, 200))
    one[:, 0], one[:, 1], one[:, 2] = 3.0, -4.0, 12.0  # 1 % of 200 elements are 2
    assert share_of_largest(one) == pytest.approx((144 + 16) / 169, abs=1e-15)
    assert share_of_largest(np.ones((3, 50))) == pytest.approx(1 / 50, abs=1e-15)
    assert share_of_largest(np.array([[1.0, 2.0], [2.0, 0.0]])) == pytest.approx((0.8 + 1) / 2)


def test_the_first_sentences_of_a_query_are_those_of_a_loop(world, plain, tmp_path):
    queries = ["a cat sleeps", "two boats at sea 3"]  # the second one is in the collection
    lines, record = measured(world, tmp_path, "retrieval", "corpus", queries=queries, top=4)
    sentences = [text for row in CAPTIONS for text in row[:2]]

    cosines = unit_vectors(plain, queries) @ unit_vectors(plain, sentences).T
    expected = []
    for query, of_query in zip(queries, cosines.tolist(), strict=True):
        near = dict(zip(sentences, of_query, strict=True))
        near.pop(query, None)
        first = sorted(near, key=near.get, reverse=True)[:4]
        expected += [(query, rank, text, near[text]) for rank, text in enumerate(first, start=1)]
    assert len(lines) == len(expected)
    for line, (query, rank, text, cosine) in zip(lines, expected, strict=True):
        assert (line["query"], int(line["rank"]), line["sentence"]) == (query, rank, text)
        assert float(line["cosine"]) == pytest.approx(cosine, abs=1e-6)
    source = checked(world / "corpus/record.json")["outputs"]["sentences.arrow"]
    assert source in input_digests(record).values()


def test_of_equal_cosines_the_sentence_that_stands_first_comes_first():
    vectors = {"q": [1.0, 0.0], "b": [2.0, 2.0], "a": [1.0, 1.0], "c": [0.0, 1.0]}
    embed = lambda texts: np.array([vectors[text] for text in texts])
    found = retrieval.rows(embed, ["c", "b", "a"], queries=("q",), top=2)
    assert [row["sentence"] for row in found] == ["b", "a"]


def test_a_collection_that_is_too_small_is_refused():
    with pytest.raises(InputError, match="^collection: has 3 sentences; with the query itself, 4"):
        list(retrieval.rows(None, ["a", "b", "c"], queries=("q",)))
