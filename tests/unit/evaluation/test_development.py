"""Development data: no pair of a test set is among them."""

from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pytest

from semblance.data import sts
from semblance.data.arrow import write_parquet
from semblance.data.sts import ScoredPair
from semblance.evaluation import development


def pair(first, second, score=1.0, task="t"):
    return ScoredPair(task, "", 1, first, second, score)


@pytest.fixture
def parts(monkeypatch, tmp_path):
    """Test pairs on the disk; each part of the development data has these and one pair more."""
    tests = [pair("a man is here .", "A dog"), pair("Two , three", "four")]
    rows = [asdict(each) for each in tests]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    write_parquet(pa.table(columns), tmp_path / "pairs.parquet")
    shared = [pair("A man is here.", "a dog."), pair("Four", "two, three")]  # one of them turned
    monkeypatch.setattr(
        development, "read_part", lambda raw, *part: [*shared, pair("A man is here.", "four")]
    )
    return development.read_development(None, tmp_path)


def test_a_pair_of_a_test_set_is_left_out_in_either_order_whatever_its_form(parts):
    pairs, sizes = parts
    assert set(pairs) == set(sizes) == {"STS-B dev", "STS-B train", "SICK train"}
    assert set(sizes.values()) == {3}
    for own in pairs.values():
        assert [(each.sentence1, each.sentence2) for each in own] == [("a man is here .", "four")]


def test_the_parts_are_read_from_the_releases_that_the_test_sets_are_not_read_from():
    for name, part in development.PARTS.values():
        assert part in ("dev", "train") and part in sts.RELEASES[name][1]


class Encoder:
    """A model whose vectors are those of a table."""

    precision = "fp32"

    def eval(self):
        return self

    def to(self, device):
        return self


def test_the_score_is_the_mean_of_the_parts_in_points(monkeypatch, tmp_path):
    """Cosines 1, 0, -1 in the order of the gold scores of one part, and against it in the other."""
    angles = {"x": 0.0, "y": 0.0, "z": np.pi / 2, "w": np.pi}
    vectors = {text: np.array([np.cos(a), np.sin(a)]) for text, a in angles.items()}

    class Vectors:
        def of(self, texts):
            return np.array([vectors[text] for text in texts])

    class Texts:
        def __init__(self, *_):
            pass

        def encode(self, encoder, length):
            assert encoder.precision == "bf16" and length == 64
            return Vectors()

    class Model:
        folder, tokenizer, max_length = tmp_path, "", 64
        prompts = type("Prompts", (), {"default": ""})

        @classmethod
        def read(cls, record):
            return cls()

    monkeypatch.setattr(development, "Texts", Texts)
    monkeypatch.setattr(development, "SavedModel", Model)
    monkeypatch.setattr(development.model_folder, "load", lambda folder: Encoder())
    rising = [pair("x", "w", 1), pair("x", "z", 2), pair("x", "y", 3)]
    turned = [pair("x", "w", 2), pair("x", "z", 3), pair("x", "y", 1)]  # ρ = -1/2
    value = development.score("record", {"a": rising, "b": turned}, "cpu", "bf16")
    assert value == pytest.approx(100 * (1 - 0.5) / 2)
