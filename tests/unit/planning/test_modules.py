"""The modules found by name that a stage runs: those of its own settings and of its base's pooling."""

import dataclasses
import json
from importlib.util import find_spec

import pytest

from semblance.errors import InputError
from semblance.named_modules import DROPOUTS, LOSSES, MASKED_WORDS, POOLINGS, VIEWS, module_names
from semblance.settings import PLAIN_RATES, DropoutSettings
from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning import modules

SHIPPED = merged("config.yaml")
del SHIPPED["bases"]["e5-small"]["pooling"]  # its own files choose one
CONFIG = load(SHIPPED)
EVERY_POOLING = [f"{POOLINGS}.{name}" for name in module_names(POOLINGS)]


def of_training(base="bert-base", **settings):
    return set(
        modules.of_training(
            CONFIG, base, json.dumps({"loss": "entropy", "views": "rows", **settings})
        )
    )


def test_a_training_runs_its_loss_its_view_its_dropouts_and_its_bases_pooling():
    dropout = {"hidden": 0.1, "attention": 0.0, "drophead": 0.2, "sampled": {}}
    assert of_training(views="twice", dropout=dropout) == {
        f"{LOSSES}.entropy",
        f"{VIEWS}.twice",
        f"{DROPOUTS}.drophead",
        f"{DROPOUTS}.sampled",
        f"{POOLINGS}.cls",
    }


def test_the_loss_of_masked_words_counts_for_the_trainings_that_have_it():
    without = {f"{LOSSES}.entropy", f"{VIEWS}.rows", f"{POOLINGS}.cls"}
    assert of_training(masked_words={"weight": 0.1}) == without | {MASKED_WORDS}
    assert find_spec(MASKED_WORDS)


def test_every_pooling_counts_where_the_bases_own_files_choose_one():
    assert modules.of_reading(CONFIG, "bert-base") == [f"{POOLINGS}.cls"]
    assert modules.of_reading(CONFIG, "e5-small") == EVERY_POOLING
    assert of_training("e5-small") == {f"{LOSSES}.entropy", f"{VIEWS}.rows", *EVERY_POOLING}


@pytest.mark.parametrize(
    "settings", [{"loss": "nobody"}, {"views": "nobody"}, {"dropout": {"nobody": 0.1}}]
)
def test_a_name_without_a_module_is_refused(settings):
    with pytest.raises(InputError, match=r"nobody\.py; known are"):
        of_training(**settings)


def test_the_names_that_are_no_modules_are_those_of_the_settings():
    plain = {field.name for field in dataclasses.fields(DropoutSettings)} - {"named"}
    assert set(PLAIN_RATES) == plain
