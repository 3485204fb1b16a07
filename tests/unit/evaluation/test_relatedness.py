"""STS-B and SICK with a regressor: the prepared parts, what is predicted, the scores, the files."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from semblance.audit.recompute import relatedness_values
from semblance.data.prepare_relatedness import in_order
from semblance.data.sts import RELEASES, ScoredPair
from semblance.errors import InputError
from semblance.evaluation.relatedness import (
    RelatednessRun,
    correlation_rows,
    evaluate_relatedness,
)
from semblance.names import REGRESSOR, RELATEDNESS_DATASETS, RELATEDNESS_TASKS
from semblance.provenance import ROOT, input_digests, outputs_digest, read_sealed
from tests.unit.evaluation.prepared import lines, prepare, records, target
from workflow.scripts import prepare_relatedness

RELEASE_OF = {"stsb": "stsb", "sickr": "sick"}
KEY = ["task", "part", "index"]


def evaluate(demo, folder) -> None:
    run = RelatednessRun("none", "tiny", "start", "0", 1111)
    evaluate_relatedness(run, *records(demo, "base", "pairs"), target(folder))


@pytest.fixture(scope="module")
def evaluated(demo):
    """The folder with the scores of the demo's base by a regressor."""
    evaluate(demo, demo / "relatedness")
    return demo / "relatedness"


@pytest.fixture
def predicted(evaluated):
    return pd.read_parquet(evaluated / "predictions.parquet")


@pytest.fixture
def pairs(demo):
    return pd.read_parquet(demo / "pairs/pairs.parquet")


def test_the_data_sets_with_train_pairs_are_the_releases_in_three_parts():
    assert tuple(RELEASES) == RELATEDNESS_DATASETS


def test_each_part_has_its_pairs(pairs):
    counts = pairs.groupby(["task", "part"]).size()
    for (task, part), number in counts.items():
        name = RELEASES[RELEASE_OF[task]][1][part]
        text = (ROOT / "demo/data" / RELEASE_OF[task] / name).read_text().splitlines()
        assert number == len(text) - (task == "sickr")  # SICK has a header
    assert len(counts) == 6


def test_a_data_set_without_train_pairs_is_refused(tmp_path):
    settings = {"datasets": ["sts12"], "protocol": "senteval"}
    with pytest.raises(InputError, match="'sts12' has no train pairs for a regressor"):
        prepare(prepare_relatedness, settings, tmp_path / "record.json")


def test_pairs_are_numbered_by_their_words_and_then_by_their_score():
    texts = [
        ("a b", "c", 1.0),
        ("a", "b c", 2.0),
        ("a", "c", 3.0),
        ("d", "e", 0.5),
        ("f", "g", 0.5),
    ]
    pairs = [ScoredPair("stsb", "", i, *text) for i, text in enumerate(texts)]
    assert [pair.index for pair in in_order(pairs)] == [3, 4, 2, 1, 0]


def test_each_task_has_both_correlations_of_its_test_and_dev_pairs(evaluated, predicted):
    scores = {}
    for line in lines(evaluated):
        key = (line["task"], line["aggregation"], line["metric"])
        scores[key] = (float(line["value"]), int(line["n"]), line["protocol"])
    assert len(scores) == len(RELATEDNESS_TASKS) * 2 * 2
    for (task, part), pairs in predicted.groupby(["task", "part"]):
        for metric, function in (("spearman", spearmanr), ("pearson", pearsonr)):
            expected = pytest.approx(function(pairs["gold"], pairs["predicted"])[0], abs=1e-12)
            assert scores[task, REGRESSOR[part], metric] == (expected, len(pairs), "senteval")


def test_expected_scores_are_between_the_first_and_the_last_class(predicted):
    assert predicted["predicted"].between(1, 5).all() and predicted["predicted"].std() > 0


def test_gold_scores_are_those_of_the_pairs_of_their_index(predicted, pairs):
    gold = predicted.set_index(KEY)["gold"]
    assert gold.to_dict() == pairs.set_index(KEY)["score"][gold.index].to_dict()


def test_the_record_names_what_was_read_and_the_seed_of_the_regressors(evaluated, demo):
    record = read_sealed(evaluated / "record.json")
    assert record["stage"] == "evaluate_relatedness"
    assert input_digests(record)["data"] == outputs_digest(read_sealed(demo / "pairs/record.json"))
    assert record["settings"]["regressor_seed"] == 1111


def test_a_second_evaluation_gives_the_same_bytes(evaluated, demo, tmp_path):
    evaluate(demo, tmp_path)
    for name in ("scores.csv", "predictions.parquet"):
        assert (tmp_path / name).read_bytes() == (evaluated / name).read_bytes()


def test_the_recomputed_scores_are_those_of_the_evaluation():
    rng = np.random.default_rng(4)
    found = {
        "task": np.tile(["stsb", "sickr"], 30),
        "part": np.repeat(["test", "dev"], 30),
        "index": np.arange(60),
        "gold": rng.integers(0, 6, 60).astype(float),
        "predicted": rng.random(60),
    }
    again = relatedness_values(pd.DataFrame(found), "p")
    ours = {
        (row["task"], "", row["metric"], row["aggregation"], "p"): (row["value"], row["n"])
        for row in correlation_rows(found)
    }
    assert again.keys() == ours.keys()
    for key, (value, number) in again.items():
        assert (value, number) == (pytest.approx(ours[key][0], abs=1e-12), ours[key][1])
