"""Training sets of a config: each key acts, and the format's labels are known."""

import re

import pytest

from semblance.errors import InputError
from workflow.planning.corpora import check_corpus

QQP = {"kind": "pairs", "format": "qqp", "datasets": ["qqp"], "labels": ["duplicate"]}
NLI = {"kind": "nli", "datasets": ["nli-simcse"]}


@pytest.mark.parametrize(
    "corpus",
    [
        QQP,
        {**QQP, "limit": 10, "sample_seed": 0},
        {"kind": "pairs", "format": "captions", "datasets": ["flickr30k"]},
        NLI,
        {"kind": "nli", "datasets": ["snli", "multinli"], "neutral": True},
        {"kind": "wiki", "datasets": ["wiki1m"], "limit": 5},
    ],
)
def test_a_corpus_that_can_be_meant_is_accepted(corpus):
    check_corpus("mine", corpus)


@pytest.mark.parametrize(
    "corpus, key, words",
    [
        ({**NLI, "format": "qqp"}, "format", "has no effect here"),
        ({**NLI, "labels": ["neutral"]}, "labels", "has no effect here"),
        ({**NLI, "sample_seed": 1}, "sample_seed", "has no effect here"),
        ({**QQP, "neutral": True}, "neutral", "has no effect here"),
        ({**NLI, "neutral": True}, "neutral", "'nli-simcse' has no neutral sentences"),
        ({**QQP, "sample_seed": 1}, "sample_seed", "has no effect without limit"),
        ({"kind": "pairs", "datasets": ["qqp"]}, "format", "missing key"),
        ({**QQP, "format": "csv"}, "format", "there is no semblance/data/pairs/csv.py"),
        ({**QQP, "labels": ["same"]}, "labels", "unknown label 'same'"),
        ({**QQP, "format": "captions"}, "labels", "have no labels"),
        ({"kind": "pairs", "format": "qqp", "datasets": ["q"]}, "labels", "says which pairs"),
    ],
)
def test_a_corpus_that_cannot_be_meant_is_refused_at_its_key(corpus, key, words):
    with pytest.raises(InputError, match=re.escape(f"config.corpora.mine.{key}: ") + f".*{words}"):
        check_corpus("mine", corpus)
