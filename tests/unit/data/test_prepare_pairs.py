"""Corpora of positive pairs: which pairs are taken, how many, and what is counted."""

import json
import random
from pathlib import Path

import pytest

from semblance.data.corpus import NONE, read_rows, read_sentences
from semblance.data.pair import Pair
from semblance.data.pairs.captions import read as read_captions
from semblance.data.prepare_pairs import PairSettings, choose, write_positive_pairs
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest

DEMO = Path(__file__).parents[3] / "demo"
MANIFEST = DEMO / "manifest.yaml"
NUMBERED = [Pair(f"first {number}", f"second {number}") for number in range(1000)]
LABELS = ("entailment", "neutral", "contradiction")


def write(folder: Path, *settings, manifest=MANIFEST, **more) -> dict[str, int]:
    """Write a corpus of the demo's raw files; return its counts."""
    raw = Raw(load_manifest(manifest), DEMO / "data")
    return write_positive_pairs(raw, PairSettings("pairs", *settings, **more), folder)


def rows_of(folder: Path) -> list[tuple[str, str]]:
    """Return the texts of the rows of a corpus, which have no hard negatives."""
    rows = read_rows(folder)
    texts = read_sentences(folder)
    assert set(rows.negative) == {NONE}
    return [(texts[q], texts[p]) for q, p in zip(rows.query, rows.positive, strict=True)]


def test_without_a_limit_all_pairs_are_taken_and_with_one_the_first():
    assert choose(iter(NUMBERED), None, None) == NUMBERED
    assert choose(iter(NUMBERED), 10, None) == NUMBERED[:10]


def test_a_sample_follows_from_its_seed_and_keeps_the_order():
    found = choose(iter(NUMBERED), 200, 7)
    assert found == choose(iter(NUMBERED), 200, 7) != choose(iter(NUMBERED), 200, 8)
    numbers = [NUMBERED.index(pair) for pair in found]
    assert numbers == sorted(set(numbers)) and len(numbers) == 200
    assert set(found) < set(choose(iter(NUMBERED), 210, 7))  # a larger sample holds it
    assert choose(iter(NUMBERED), 5000, 7) == NUMBERED


def test_each_pair_is_drawn_equally_often():
    """Of 2,000 samples of 100 out of 1,000, each pair is in 200 ± 13.4; 6 sd hold for all."""
    times = dict.fromkeys(NUMBERED, 0)
    for seed in random.Random(0).sample(range(10**6), 2000):
        for pair in choose(iter(NUMBERED), 100, seed):
            times[pair] += 1
    assert sum(times.values()) == 200_000
    assert all(abs(count - 200) < 6 * 13.4 for count in times.values())


@pytest.mark.parametrize("seed", [None, 1])
def test_all_pairs_are_read_whatever_the_limit_is(seed):
    rest = iter(NUMBERED)
    choose(rest, 1, seed)
    assert next(rest, None) is None


def test_the_duplicates_of_questions_are_rows_without_a_hard_negative(tmp_path):
    counts = write(tmp_path, "qqp", ("qqp",), ("duplicate",))
    rows = rows_of(tmp_path)
    labelled = [
        tuple(line.split("\t")[3:5])
        for line in (DEMO / "data/qqp/train.tsv").read_text().splitlines()
        if line.endswith("\t1") and '"' not in line and line.count("\t") == 5
    ]
    assert len(rows) == counts["rows"] == 29 == len(labelled) + 1  # one goes on in a second line
    assert [row for row in rows if "good question" not in row[1]] == labelled


def test_the_rows_of_a_corpus_are_the_pairs_of_its_files(tmp_path):
    counts = write(tmp_path, "captions", ("flickr30k",))
    pairs = list(read_captions(DEMO / "data/flickr30k/results_20130124.token"))
    assert rows_of(tmp_path) == [(pair.first, pair.second) for pair in pairs]
    assert counts["rows"] == 100


def test_labels_choose_the_pairs_of_several_data_sets(tmp_path):
    one_label = []
    for label in LABELS:
        write(tmp_path / label, "nli", ("snli", "multinli"), (label,))
        one_label += rows_of(tmp_path / label)
    counts = write(tmp_path / "all", "nli", ("snli", "multinli"), LABELS)
    assert sorted(rows_of(tmp_path / "all")) == sorted(one_label)
    assert counts["rows"] == 220 + 117  # the labelled pairs of the manifest


@pytest.mark.parametrize(
    "form, labels, words",
    [
        ("qqp", (), "settings.labels: says which pairs are positive; known are duplicate"),
        ("qqp", ("neutral",), "settings.labels: unknown label 'neutral'"),
        ("captions", ("neutral",), "settings.labels: the pairs of this format have no labels"),
        ("csv", (), "settings.format: there is no semblance/data/pairs/csv.py"),
    ],
)
def test_labels_that_a_format_does_not_have_are_refused(tmp_path, form, labels, words):
    with pytest.raises(InputError, match=words):
        write(tmp_path, form, ("qqp",), labels)


@pytest.mark.parametrize(
    "counts, words", [({"duplicate": 30}, "29 found, 30"), ({"train": 47}, "48 found")]
)
def test_a_count_that_differs_from_the_manifests_is_refused(tmp_path, counts, words):
    manifest = tmp_path / "manifest.yaml"
    old = "expected: {train: 48, pairs: 47, duplicate: 29}"
    before, found, after = MANIFEST.read_text().partition(old)
    assert found
    manifest.write_text(f"{before}expected: {json.dumps(counts)}{after}")
    with pytest.raises(InputError, match=words):
        write(tmp_path, "qqp", ("qqp",), ("duplicate",), limit=3, manifest=manifest)
