"""What the stage of the cards is told of a config's data."""

import json

from semblance.fetch.manifest import load_manifest
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs
from workflow.planning.stand_ins import card_settings
from workflow.planning.table_checks import published

MANIFEST = "workflow/manifest.yaml"


def told(*configs: str, manifest: str = MANIFEST) -> dict:
    config = load(merged("config.yaml", *configs))
    return json.loads(card_settings(config, load_manifest(manifest), published().used.datasets))


def test_the_licence_of_each_data_set_of_a_corpus_and_of_a_bank_is_reported():
    found = told()["data"]
    datasets = load_manifest(MANIFEST)
    assert found["wiki1m"]["licence"] == datasets["wiki1m"].licence
    assert {"faqir", "cough", "stsb"} <= set(found)
    assert "quora" not in found  # the manifest has it, but no corpus of the config


def test_the_pinned_tests_are_the_original_ones_and_the_demos_are_not():
    assert {"sts12", "sts13", "sts14", "sts15", "sts16", "stsb"} <= set(told()["original"])
    assert told(manifest="demo/manifest.yaml")["original"] == []


def test_the_cards_come_after_all_scores_and_answerers():
    plan = Plan(load(merged("config.yaml", "configs/own-faq.yaml")))
    waits = inputs(plan, Job("write_cards"))
    assert Job("collect_scores") in waits
    answerers = {job.name for job in waits if job.stage == "build_answerer"}
    assert answerers == set(plan.config.answerers)
