"""A user's own pairs in a config: as a test set, as the dev set, and in a table of their own."""

import json
import re

import yaml

from semblance.data.sts import RELEASES
from semblance.named_modules import OWN_PAIRS
from semblance.names import WITH_DEV_PAIRS
from semblance.provenance import ROOT
from tests.shipped import merged
from workflow.planning import modules
from workflow.planning.config import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs

MINE = {"kind": "pairs", "path": "pairs.csv"}
TESTS = Job("prepare_sts")
DEV = Job("prepare_dev")


def config(datasets=("stsb", "mine"), dev="stsb", own=MINE, tasks=None):
    """Return the shipped config with a user's own pairs."""
    found = merged("config.yaml")
    found["sts"] |= {"datasets": list(datasets), "dev": dev, "own": {"mine": own}}
    if tasks:
        found["tables"]["rcl_table1a"]["tasks"] = tasks
    return found


def test_the_data_sets_with_dev_pairs_are_those_that_are_read_so():
    assert set(WITH_DEV_PAIRS) == set(RELEASES)


def test_a_config_without_own_pairs_prepares_what_it_did(plan):
    assert json.loads(plan.test_settings()).keys() == {"datasets", "protocol"}
    assert json.loads(plan.dev_settings()) == {"dataset": "stsb", "protocol": "senteval"}
    assert modules.of_scored(plan.config, "prepare_sts") == []


def test_own_pairs_are_a_test_set_and_no_download():
    plan = Plan(load(config()))
    assert json.loads(plan.test_settings())["own"] == {"mine": MINE}
    assert "own" not in json.loads(plan.dev_settings())
    assert inputs(plan, TESTS) == [Job("download", name="stsb")]
    assert modules.of_scored(plan.config, "prepare_sts") == [OWN_PAIRS]
    assert modules.of_scored(plan.config, "prepare_dev") == []


def test_own_pairs_are_the_dev_set():
    plan = Plan(load(config(datasets=["stsb"], dev="mine")))
    assert json.loads(plan.dev_settings())["own"] == MINE
    assert "own" not in json.loads(plan.test_settings())
    assert inputs(plan, DEV) == []


def test_a_table_may_show_own_pairs_and_average_them():
    plan = Plan(load(config(tasks=["stsb", "mine"])))
    assert plan.table_spec("rcl_table1a")["tasks"] == ["stsb", "mine"]
    assert len(plan.table_spec("rcl_table1b")["tasks"]) == 7


def test_the_examples_of_the_page_on_data_are_a_config():
    page = (ROOT / "docs/data.md").read_text()
    section = page.split("## Your own sentences and scored pairs\n")[1].split("\n## ")[0]
    found = merged("config.yaml")
    for example in re.findall(r"```yaml\n(.*?)```", section, re.DOTALL):
        for key, value in yaml.safe_load(example).items():
            found[key] |= value
    plan = Plan(load(found))
    assert plan.config.bases["adapted"].base == "bert-base"
    assert set(plan.config.sts.own) == {"helpdesk", "tickets"}
    assert plan.table_spec("helpdesk")["tasks"] == ["stsb", "helpdesk"]
