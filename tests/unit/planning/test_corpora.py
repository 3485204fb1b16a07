"""Training sets of a config: each key acts, and the format's labels are known."""

import re

import pytest

from semblance.config.misfits import misfits
from semblance.errors import InputError
from tests.shipped import merged
from workflow.planning.checks import check_corpus

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
        ({**NLI, "neutral": True}, "neutral", "'nli-simcse' has no neutral sentences"),
        ({**QQP, "sample_seed": 1}, "sample_seed", "has no effect without limit"),
        ({**QQP, "format": "csv"}, "format", "there is no semblance/data/pairs/csv.py"),
        ({**QQP, "labels": ["same"]}, "labels", "unknown label 'same'"),
        ({**QQP, "format": "captions"}, "labels", "have no labels"),
        ({"kind": "pairs", "format": "qqp", "datasets": ["q"]}, "labels", "says which pairs"),
    ],
)
def test_a_corpus_that_cannot_be_meant_is_refused_at_its_key(corpus, key, words):
    with pytest.raises(InputError, match=re.escape(f"config.corpora.mine.{key}: ") + f".*{words}"):
        check_corpus("mine", corpus)


@pytest.mark.parametrize(
    "corpus, key, words",
    [
        ({**NLI, "format": "qqp"}, "format", "has no effect here; it belongs to pairs"),
        ({**NLI, "labels": ["neutral"]}, "labels", "has no effect here; it belongs to pairs"),
        ({**NLI, "sample_seed": 1}, "sample_seed", "has no effect here; it belongs to pairs"),
        ({**NLI, "path": "notes.txt"}, "path", "has no effect here; it belongs to text"),
        ({**QQP, "neutral": True}, "neutral", "has no effect here; it belongs to nli"),
        ({"kind": "pairs", "datasets": ["qqp"]}, "format", "missing key"),
        ({"kind": "wiki"}, "datasets", "missing key"),
        ({"kind": "text"}, "path", "missing key"),
        ({"kind": "words"}, "kind", "'words' is no kind; known are nli, wiki, text, pairs"),
    ],
)
def test_a_key_of_another_kind_of_corpus_is_refused(corpus, key, words):
    config = merged("config.yaml")
    for name in [name for name, value in config.items() if value is None]:
        del config[name]
    config["corpora"] = {"mine": corpus}
    [error] = misfits(config)
    assert str(error).startswith(f"config.corpora.mine.{key}: {words}")
