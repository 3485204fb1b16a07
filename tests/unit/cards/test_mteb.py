"""Which scores get the name of a task of MTEB, and the form of its files."""

import json

import pytest

from semblance.cards.card import Score
from semblance.cards.mteb import TASKS, model_meta, task_results
from semblance.provenance import ROOT
from semblance.strict_yaml import read_yaml

WHOLE = Score("simcse", "", "sts12", "spearman", "all", "senteval", 0.75, 3108, "fp32")
ORIGINAL = tuple(TASKS)


def names(*scores: Score, original=ORIGINAL) -> list[str]:
    return list(task_results(scores, "simcse", original))


def test_a_score_of_the_same_pairs_and_texts_is_one_of_mteb():
    assert names(WHOLE) == ["STS12"]
    raw = WHOLE._replace(task="stsb", protocol="raw", n=1379)
    assert names(raw) == ["STSBenchmark"]


@pytest.mark.parametrize(
    "changed",
    [
        {"protocol": "raw"},
        {"n": 3107},
        {"aggregation": "mean"},
        {"method": "simcse-whitened"},
        {"task": "sickr", "n": 4927},
        {"task": "stsb", "n": 1379},  # in SentEval's text; MTEB's is the released one
        {"task": "Average"},
        {"metric": "alignment"},
        {"metric": "pearson"},  # without the main score
    ],
)
def test_a_score_of_other_pairs_or_texts_is_none_of_mteb(changed):
    assert names(WHOLE._replace(**changed)) == []
    assert names(WHOLE, original=("sts13",)) == []  # of altered files


def test_the_counts_of_pairs_are_those_of_the_manifest():
    datasets = read_yaml(ROOT / "workflow/manifest.yaml")["datasets"]
    for name, task in TASKS.items():
        assert task.pairs in datasets[name]["expected"].values()


def test_a_result_has_the_keys_that_mteb_validates():
    pearson = WHOLE._replace(metric="pearson", value=0.8)
    result = json.loads(json.dumps(task_results([WHOLE, pearson], "simcse", ORIGINAL)))["STS12"]
    required = {"dataset_revision", "task_name", "mteb_version", "scores", "evaluation_time"}
    assert required <= result.keys()
    assert result["dataset_revision"] == TASKS["sts12"].revision
    [scores] = result["scores"]["test"]
    assert scores["main_score"] == scores["cosine_spearman"] == 0.75
    assert scores["cosine_pearson"] == 0.8
    assert (scores["hf_subset"], scores["languages"]) == ("default", ["eng-Latn"])


def test_the_description_of_a_model_names_it_and_its_revision():
    meta = model_meta("semblance/x", "weights-1", "google-bert/bert-base-uncased")
    assert (meta["name"], meta["revision"]) == ("semblance/x", "weights-1")
    assert meta["adapted_from"] == "google-bert/bert-base-uncased"
