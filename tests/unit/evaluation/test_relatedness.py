"""STS-B and SICK with a regressor: the prepared parts, what is predicted, the scores, the files."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from semblance.audit.recompute import relatedness_values
from semblance.data.pair_files import RELEASES
from semblance.data.prepare_relatedness import in_order
from semblance.data.sts import ScoredPair
from semblance.errors import InputError
from semblance.evaluation.relatedness import read_parts, score_rows
from semblance.evaluation.relatedness_run import RelatednessRun, evaluate_relatedness
from semblance.evaluation.scored import Target
from semblance.models.base import BaseSettings, build_base
from semblance.names import RELATEDNESS_DATASETS, RELATEDNESS_TASKS
from semblance.provenance import ROOT, input_digests, outputs_digest, read_sealed
from tests.dag.tiny import write_base
from tests.example_settings import COMPUTE
from workflow.scripts import prepare_relatedness

RELEASE_OF = {"stsb": "stsb", "sickr": "sick"}
RUN = RelatednessRun("none", "tiny", "start", "0", 1111)


def prepare(record, datasets=RELATEDNESS_DATASETS) -> None:
    """Prepare the demo's pairs."""
    settings = json.dumps({"datasets": list(datasets), "protocol": "senteval"})
    prepare_relatedness.main(
        ["--settings", settings, "--manifest", str(ROOT / "demo/manifest.yaml")]
        + ["--data", str(ROOT / "demo/data"), "--output", str(record)]
    )


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """The folders of a base, of the demo's prepared pairs and of the base's scores on them."""
    folder = tmp_path_factory.mktemp("relatedness")
    write_base(folder / "raw")
    settings = BaseSettings(32, folder=str(folder / "raw"), pooling="mean")
    build_base(settings, folder / "base/record.json", "", "")
    prepare(folder / "pairs/record.json")
    evaluate(folder, folder / "scores/record.json")
    return folder


def evaluate(folder, record) -> None:
    record.parent.mkdir(exist_ok=True)
    read = [str(folder / name / "record.json") for name in ("base", "pairs")]
    evaluate_relatedness(RUN, *read, Target(record, COMPUTE, "0123"))


def lines(folder) -> list[dict[str, str]]:
    with open(folder / "scores/scores.csv", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_data_sets_with_train_pairs_are_the_releases_in_three_parts():
    assert tuple(RELEASES) == RELATEDNESS_DATASETS


def test_each_part_has_its_pairs_and_a_data_set_without_train_pairs_is_refused(evaluated, tmp_path):
    pairs = pd.DataFrame(read_parts(evaluated / "pairs"))
    counts = pairs.groupby(["task", "part"]).size()
    for (task, part), number in counts.items():
        name = getattr(RELEASES[RELEASE_OF[task]], part)
        text = (ROOT / "demo/data" / RELEASE_OF[task] / name).read_text().splitlines()
        assert number == len(text) - (task == "sickr")  # SICK has a header
    assert len(counts) == 6
    with pytest.raises(InputError, match="'sts12' has no train pairs for a regressor"):
        prepare(tmp_path / "record.json", ["sts12"])


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
    found = pd.read_parquet(evaluated / "scores/predictions.parquet")
    scores = {}
    for line in lines(evaluated):
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
    found = pd.read_parquet(evaluated / "scores/predictions.parquet")
    assert found["predicted"].between(1, 5).all() and found["predicted"].std() > 0


def test_gold_scores_are_those_of_the_pairs_of_their_index(evaluated):
    found = pd.read_parquet(evaluated / "scores/predictions.parquet")
    key = ["task", "part", "index"]
    pairs = pd.DataFrame(read_parts(evaluated / "pairs")).set_index(key)["score"]
    predicted = found.set_index(key)["gold"]
    assert predicted.to_dict() == pairs[predicted.index].to_dict()


def test_the_record_names_what_was_read_and_the_seed_of_the_regressors(evaluated):
    record = read_sealed(evaluated / "scores/record.json")
    pairs = read_sealed(evaluated / "pairs/record.json")
    assert record["stage"] == "evaluate_relatedness"
    assert input_digests(record)["data"] == outputs_digest(pairs)
    assert record["settings"]["regressor_seed"] == 1111


def test_a_second_evaluation_gives_the_same_bytes(evaluated, tmp_path):
    evaluate(evaluated, tmp_path / "record.json")
    for name in ("scores.csv", "predictions.parquet"):
        assert (tmp_path / name).read_bytes() == (evaluated / "scores" / name).read_bytes()


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
