"""Development data: no pair of a test set is among them."""

from dataclasses import asdict
from unittest.mock import Mock

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


def test_the_score_is_the_mean_of_the_parts_in_points(monkeypatch):
    """Cosines 1, 0, -1 in the order of the gold scores of one part, and against it in the other."""
    angles = {"x": 0.0, "y": 0.0, "z": np.pi / 2, "w": np.pi}
    encoder, texts = Mock(), Mock()
    encoder.eval.return_value.to.return_value = encoder
    texts.encode.return_value.of = lambda texts: np.array(
        [(np.cos(angles[text]), np.sin(angles[text])) for text in texts]
    )
    monkeypatch.setattr(development, "Texts", lambda *_: texts)
    monkeypatch.setattr(development.SavedModel, "read", lambda record: Mock(max_length=64))
    monkeypatch.setattr(development.model_folder, "load", lambda folder: encoder)
    rising = [pair("x", "w", 1), pair("x", "z", 2), pair("x", "y", 3)]
    turned = [pair("x", "w", 2), pair("x", "z", 3), pair("x", "y", 1)]  # ρ = -1/2
    value, cosines = development.score("record", {"a": rising, "b": turned}, "cpu", "bf16")
    assert value == pytest.approx(100 * (1 - 0.5) / 2)
    assert cosines == pytest.approx([-1, 0, 1] * 2)
    texts.encode.assert_called_once_with(encoder, 64)
    assert encoder.precision == "bf16"


def test_resampled_pairs_show_what_other_pairs_would_and_are_the_same_for_each_seed():
    """Of r = .6 on 400 pairs and none on 900 an error of (1 - r²) / √n each, nearly independent."""
    rng = np.random.default_rng(0)
    parts, ours = {}, []
    for name, count, r in (("a", 400, 0.6), ("b", 900, 0.0)):
        gold = rng.normal(size=count)
        parts[name] = [pair("x", "y", score) for score in gold]
        ours.append(r * gold + (1 - r**2) ** 0.5 * rng.normal(size=count))
    ours, theirs = np.concatenate(ours), rng.normal(size=1300)
    drawn = development.resampled_gain(parts, ours, theirs)
    variances = [((1 - r**2) ** 2 + 1) / count for count, r in ((400, 0.6), (900, 0.0))]
    assert drawn.std() == pytest.approx(100 * np.sum(variances) ** 0.5 / 2, rel=0.15)
    assert drawn.shape == (development.DRAWS,)
    assert development.resampled_gain(parts, ours, theirs) == pytest.approx(drawn)
    assert development.resampled_gain(parts, ours, ours) == pytest.approx(0)
