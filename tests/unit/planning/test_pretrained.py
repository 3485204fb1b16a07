"""A base that is trained here: what the config may say of it, and that whatever takes a base takes it."""

import json
import re

import pytest

from semblance.errors import InputError
from semblance.named_modules import LOSSES, MASKED_WORDS
from semblance.settings import decode
from semblance.training.settings import MaskedWords, TrainSettings
from tests.shipped import merged
from tests.unit.run.examples import MANIFEST
from workflow.checks.load import load
from workflow.planning import modules, reads
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, jobs, log, record, records_read, wanted_by
from workflow.run.costs import Cost

PRETRAIN = {
    "batch_size": 32,
    "epochs": 1,
    "learning_rate": 1e-4,
    "max_length": 48,
    "seed": 3,
    "warmup": 0.1,
    "weight_decay": 0.01,
}
BASE = {"base": "bert-base", "corpus": "wiki1m", "pretrain": PRETRAIN}
START = Job("evaluate_sts", "none", "domain", "start", 0)
TRAINING = Job("train", "nli", "domain", "simcse-sup", 1)
MADE = Job("pretrain", "wiki1m", "domain")


def config(**changed):
    """Return the shipped config with a base that is trained here, and a table that names it."""
    found = merged("config.yaml")
    found["bases"]["domain"] = {**BASE, **changed}
    found["tables"]["simcse_table7"]["rows"] = [
        {"corpora": ["nli"], "bases": ["domain"], "methods": ["start", "simcse-sup"]}
    ]
    return found


def plan(**changed):
    return Plan(load(config(**changed)))


def test_a_base_that_is_trained_here_inherits_all_but_its_origin():
    config = plan().config
    assert config.origin("domain") == config.origin("bert-base") == config.bases["bert-base"]


def test_it_is_made_of_another_base_the_corpus_and_its_tokens():
    made = set(inputs(plan(), MADE))
    assert made == {
        Job("download_model", base="bert-base"),
        Job("prepare_wiki", "wiki1m"),
        Job("tokenise", "wiki1m", "bert-base"),
    }


@pytest.mark.parametrize("job", [START, TRAINING])
def test_what_takes_a_base_waits_for_it(job):
    found = jobs(plan())
    assert job in found
    assert MADE in inputs(plan(), job)
    assert Job("download_model", base="domain") not in found
    assert "domain" not in wanted_by(plan()).bases


def test_its_record_lies_below_the_output_folder():
    ours = plan()
    assert record(ours, MADE) == "results/bases/wiki1m/domain/record.json"
    assert records_read(ours, START, reads.model) == [record(ours, MADE)]
    assert log(MADE) == "logs/pretrain/wiki1m/domain"
    assert Job("tokenise", "nli", "bert-base") in inputs(ours, TRAINING)


def test_its_settings_are_those_of_a_training_without_a_loss_of_sentences():
    settings = decode(TrainSettings, json.loads(plan().pretrain_settings("domain")))
    assert settings.loss is None and settings.masked_words == MaskedWords(1.0, 0.15)
    assert (settings.batch_size, settings.seed, settings.clip) == (32, 3, 1.0)
    other = plan(pretrain={**PRETRAIN, "share": 0.3, "clip": 2.0})
    settings = decode(TrainSettings, json.loads(other.pretrain_settings("domain")))
    assert settings.masked_words.share == 0.3 and settings.clip == 2.0


def test_its_training_runs_the_code_of_masked_words_and_of_no_other_loss():
    ours = plan()
    found = modules.of_training(ours.config, "domain", ours.pretrain_settings("domain"))
    assert MASKED_WORDS in found
    assert not [name for name in found if name.startswith(LOSSES)]


def test_it_costs_one_pass_over_each_sentence():
    model = Cost(load(config()), MANIFEST)
    steps = 1_000_000 // 32
    tokens = 32 * 32.8  # of a Wikipedia sentence, below the limit of 48
    assert model.need(MADE).work == pytest.approx(6 * steps * tokens * 110e6 / 1e9)


TUNED = {"base": "bert-base", "corpus": "nli", "method": "simcse-sup", "seed": 4}


def tuned(**changed):
    """Return the shipped config with a base that is the model of a method."""
    found = config()
    found["bases"]["domain"] = {**TUNED, **changed}
    return found


def test_what_takes_a_base_that_a_method_tuned_waits_for_that_training():
    ours = Plan(load(tuned()))
    made = Job("train", "nli", "bert-base", "simcse-sup", 4)
    assert made in jobs(ours)
    assert made in inputs(ours, TRAINING) and made in inputs(ours, START)
    assert Job("tokenise", "nli", "bert-base") in inputs(ours, TRAINING)
    assert records_read(ours, START, reads.model) == [record(ours, made)]


@pytest.mark.parametrize(
    "changed, problem",
    [
        ({"method": "bm25"}, "domain.method: 'bm25' does not train a model of its own"),
        ({"base": "domain"}, "domain.base: 'domain' is trained here itself"),
        ({"method": "simcse-supp"}, "there is no method 'simcse-supp'; did you mean simcse-sup"),
    ],
)
def test_a_base_that_no_training_of_another_base_makes_is_refused(changed, problem):
    with pytest.raises(InputError, match=re.escape(problem)):
        load(tuned(**changed))
