"""A training that measures alignment and uniformity: what it measures, keeps and resumes."""

import csv
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from semblance.errors import InputError
from semblance.evaluation.curve import PAIRS, geometry_measure, sample
from semblance.models import folder as model_folder
from semblance.models.encoder import Encoder
from semblance.provenance import circumstances, read_sealed
from semblance.training import run
from tests.example_settings import train_settings
from tests.unit.evaluation.prepared import write_pairs
from tests.unit.training import small

SETTINGS = train_settings(max_steps=6, evaluate_every=2, learning_rate=0.01, epochs=4)
GOLD = [5.0, 4.5, 4.0, 1.0, 0.0, 4.25]
LEFT = [f"question {i}" for i in range(len(GOLD))]
RIGHT = [f"answer {i} and more" for i in range(len(GOLD))]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> str:
    """The record of six prepared pairs, three of them with a gold score above 4."""
    return write_pairs(tmp_path_factory.mktemp("pairs"), LEFT, RIGHT, GOLD)


def train(inputs, pairs, out, *, settings=SETTINGS, **more):
    """Train and measure, as the script ``train_curve`` does."""
    measure, record = geometry_measure(pairs, inputs[0])
    kept = {"dev_record": record, "keeps_model": False}
    return small.train(inputs, out, settings, dev=measure, **kept, **more)


def test_the_measures_are_the_loops_over_near_pairs_and_over_all_distinct_sentences(inputs, pairs):
    measure, _ = geometry_measure(pairs, inputs[0])
    folder = f"{inputs[0].rpartition('/')[0]}/model"
    plain = SentenceTransformer(folder, device="cpu")

    def direction(text: str) -> np.ndarray:
        vector = plain.encode(text).astype(np.float64)
        return vector / math.sqrt(vector @ vector)

    def apart(x: np.ndarray, y: np.ndarray) -> float:
        return float((x - y) @ (x - y))

    left, right = ([direction(text) for text in texts] for texts in (LEFT, RIGHT))
    distances = [apart(left[i], right[i]) for i, gold in enumerate(GOLD) if gold > 4]
    kernels = [math.exp(-2 * apart(x, y)) for x, y in combinations([*left, *right], 2)]
    found = measure(model_folder.load(folder).eval())
    assert found["alignment"] == pytest.approx(sum(distances) / len(distances), abs=1e-5)
    assert found["uniformity"] == pytest.approx(math.log(sum(kernels) / len(kernels)), abs=1e-5)


def test_a_sample_has_evenly_spaced_near_pairs_and_as_many_others():
    gold = np.array([5.0, 0.0, 3.0] * 200)
    near, others = sample(gold, "here")
    assert len(near) == len(others) == PAIRS
    assert (gold[near] > 4).all() and (gold[others] <= 4).all()
    steps = np.diff(near // 3)  # of 200 near pairs
    assert set(steps.tolist()) <= {200 // PAIRS, -(-200 // PAIRS)}
    assert len(set(others.tolist())) == PAIRS


def test_a_sample_of_few_pairs_has_each_of_them_once():
    near, others = sample(np.array(GOLD), "here")
    assert near.tolist() == [0, 1, 5] and others.tolist() == [2, 3, 4]


def test_pairs_without_a_near_one_are_refused():
    with pytest.raises(InputError, match=r"^here: no pair has a gold score above 4; set sts\.dev"):
        sample(np.array([4.0, 1.0]), "here")


def test_the_curve_has_start_intervals_and_end_and_no_model_is_kept(inputs, pairs, tmp_path):
    train(inputs, pairs, tmp_path, settings=replace(SETTINGS, evaluate_every=4))
    with open(tmp_path / "dev.csv", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert [line["step"] for line in lines] == ["0", "4", "6"]
    assert all(float(line["alignment"]) >= 0 >= float(line["uniformity"]) for line in lines)
    assert len({line["uniformity"] for line in lines}) == 3
    record = read_sealed(tmp_path / "record.json")
    assert list(record["outputs"]) == ["dev.csv"] and not (tmp_path / "model").exists()
    assert record["training"]["best"] is None and record["training"]["step"] == 6


def test_measuring_changes_no_step_of_the_training(inputs, pairs, tmp_path, monkeypatch):
    """The weights after the last step are those of a training that measures half as often."""
    ends = []
    real = run.fit

    def fit(model, *args):
        progress = real(model, *args)
        ends.append({name: value.clone() for name, value in model.state_dict().items()})
        return progress

    monkeypatch.setattr(run, "fit", fit)
    for every in (1, 3):
        settings = replace(SETTINGS, evaluate_every=every)
        train(inputs, pairs, tmp_path / str(every), settings=settings)
    assert all((ends[0][name] == ends[1][name]).all() for name in ends[0])


@pytest.mark.parametrize("killed_at", [1, 2, 3, 5])
def test_a_killed_training_goes_on_to_the_same_bytes(inputs, pairs, tmp_path, killed_at):
    train(inputs, pairs, tmp_path / "whole")
    small.killed(killed_at, lambda: train(inputs, pairs, tmp_path / "killed", steps=1))
    train(inputs, pairs, tmp_path / "killed", steps=1)
    curves = [(tmp_path / name / "dev.csv").read_bytes() for name in ("whole", "killed")]
    assert curves[0] == curves[1]
    assert circumstances(tmp_path / "killed/record.json")["attempts"] == 2


def test_a_model_whose_vectors_are_zero_stops_the_training(inputs, pairs, tmp_path, monkeypatch):
    def zeros(self, tokens, max_length):
        return np.zeros((len(tokens.offsets) - 1, 16), np.float32)

    monkeypatch.setattr(Encoder, "encode", zeros)
    with pytest.raises(InputError, match="alignment or uniformity score is NaN"):
        train(inputs, pairs, tmp_path)
