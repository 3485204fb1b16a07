"""STS-B and SICK with a regressor: the prepared parts, what is predicted, the scores, the files."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from semblance.audit.recompute import relatedness_values
from semblance.data.prepare_relatedness import in_order
from semblance.data.sts import RELEASES, ScoredPair
from semblance.errors import InputError
from semblance.evaluation.prepared import read_columns
from semblance.evaluation.relatedness import (
    COLUMNS,
    RelatednessRun,
    evaluate_relatedness,
    score_rows,
)
from semblance.evaluation.scored import Target
from semblance.names import RELATEDNESS_DATASETS, RELATEDNESS_TASKS
from semblance.provenance import ROOT, input_digests, outputs_digest, read_sealed
from tests.example_settings import COMPUTE
from tests.unit.evaluation.prepared import lines, prepare, records
from workflow.scripts import prepare_relatedness

RELEASE_OF = {"stsb": "stsb", "sickr": "sick"}
RUN = RelatednessRun("none", "tiny", "start", "0", 1111)


@pytest.fixture(scope="module")
def evaluated(demo):
    """The demo's folder with the scores of its base by a regressor, too."""
    evaluate(demo, demo / "relatedness/record.json")
    return demo


def evaluate(folder, record) -> None:
    record.parent.mkdir(exist_ok=True)
    evaluate_relatedness(RUN, *records(folder, "base", "pairs"), Target(record, COMPUTE, "0123"))


def test_the_data_sets_with_train_pairs_are_the_releases_in_three_parts():
    assert tuple(RELEASES) == RELATEDNESS_DATASETS


def test_each_part_has_its_pairs_and_a_data_set_without_train_pairs_is_refused(evaluated, tmp_path):
    pairs = pd.DataFrame(read_columns(evaluated / "pairs/pairs.parquet", COLUMNS))
    counts = pairs.groupby(["task", "part"]).size()
    for (task, part), number in counts.items():
        name = RELEASES[RELEASE_OF[task]][1][part]
        text = (ROOT / "demo/data" / RELEASE_OF[task] / name).read_text().splitlines()
        assert number == len(text) - (task == "sickr")  # SICK has a header
    assert len(counts) == 6
    with pytest.raises(InputError, match="'sts12' has no train pairs for a regressor"):
        settings = {"datasets": ["sts12"], "protocol": "senteval"}
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


def test_each_task_has_both_correlations_of_its_test_and_dev_pairs(evaluated):
    found = pd.read_parquet(evaluated / "relatedness/predictions.parquet")
    scores = {}
    for line in lines(evaluated / "relatedness/record.json"):
        key = (line["task"], line["aggregation"], line["metric"])
        scores[key] = (float(line["value"]), int(line["n"]), line["protocol"])
    assert len(scores) == len(RELATEDNESS_TASKS) * 2 * 2
    of_part = {"test": "regressor", "dev": "regressor-dev"}
    for (task, part), pairs in found.groupby(["task", "part"]):
        for metric, function in (("spearman", spearmanr), ("pearson", pearsonr)):
            expected = function(pairs["gold"], pairs["predicted"])[0]
            value, number, protocol = scores[task, of_part[part], metric]
            assert value == pytest.approx(expected, abs=1e-12)
            assert (number, protocol) == (len(pairs), "senteval")


def test_expected_scores_are_between_the_first_and_the_last_class(evaluated):
    found = pd.read_parquet(evaluated / "relatedness/predictions.parquet")
    assert found["predicted"].between(1, 5).all() and found["predicted"].std() > 0


def test_gold_scores_are_those_of_the_pairs_of_their_index(evaluated):
    found = pd.read_parquet(evaluated / "relatedness/predictions.parquet")
    key = ["task", "part", "index"]
    pairs = pd.DataFrame(read_columns(evaluated / "pairs/pairs.parquet", COLUMNS)).set_index(key)[
        "score"
    ]
    predicted = found.set_index(key)["gold"]
    assert predicted.to_dict() == pairs[predicted.index].to_dict()


def test_the_record_names_what_was_read_and_the_seed_of_the_regressors(evaluated):
    record = read_sealed(evaluated / "relatedness/record.json")
    pairs = read_sealed(evaluated / "pairs/record.json")
    assert record["stage"] == "evaluate_relatedness"
    assert input_digests(record)["data"] == outputs_digest(pairs)
    assert record["settings"]["regressor_seed"] == 1111


def test_a_second_evaluation_gives_the_same_bytes(evaluated, tmp_path):
    evaluate(evaluated, tmp_path / "record.json")
    for name in ("scores.csv", "predictions.parquet"):
        assert (tmp_path / name).read_bytes() == (evaluated / "relatedness" / name).read_bytes()


def test_the_recomputed_scores_are_those_of_the_evaluation():
    rng = np.random.default_rng(4)
    parts = np.repeat(["test", "dev"], 30)
    found = {
        "task": np.tile(["stsb", "sickr"], 30),
        "part": parts,
        "index": np.arange(60),
        "gold": rng.integers(0, 6, 60).astype(float),
        "predicted": rng.random(60),
    }
    again = relatedness_values(pd.DataFrame(found), "p")
    ours = {
        (row["task"], "", row["metric"], row["aggregation"], "p"): (row["value"], row["n"])
        for row in score_rows(found)
    }
    assert again.keys() == ours.keys()
    for key, (value, number) in again.items():
        assert value == pytest.approx(ours[key][0], abs=1e-12) and number == ours[key][1]
