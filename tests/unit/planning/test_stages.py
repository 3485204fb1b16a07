"""The table of stages is held equal to the rules."""

import re
from pathlib import Path

import pytest

from semblance.provenance import ROOT
from workflow import extensions
from workflow.planning.stages import STAGES, awaited, job_of, log

FILES = [*sorted((ROOT / "workflow/rules").glob("*.smk")), *map(Path, extensions.RULES)]
RULES = "\n".join(path.read_text() for path in FILES)
BLOCKS = dict(re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", RULES, flags=re.M | re.S))
WILDCARDS = {
    "corpus": "nli",
    "base": "tiny",
    "seed": "3",
    "method": "rcl-8",
    "bank": "faqir",
    "table": "rcl_table1a",
    "figure": "simcse_figure3",
    "name": "mine",
}


def template(block: str, keyword: str) -> str:
    """Return the path of a rule's record or log, its folder left out."""
    [found] = re.findall(rf'{keyword}f"\{{(?:OUT|RESOURCES)\}}/(.*?)"', block)
    return found.replace("{{", "{").replace("}}", "}")


def test_every_rule_that_runs_a_command_is_a_stage():
    by_name = {f"rule {name}:" for name in STAGES if name != "download"}
    assert {f"rule {name}:" for name in BLOCKS} == by_name
    assert 'f"download_{_name}"' in RULES  # one rule for each data set


@pytest.mark.parametrize("name", BLOCKS)
def test_the_record_and_log_of_a_stage_are_those_of_its_rule(name):
    assert template(BLOCKS[name], r"    record=") == STAGES[name].record
    job = job_of(name, WILDCARDS)
    filled = template(BLOCKS[name], r"log:\s+").format(**{**WILDCARDS, "method": job.name})
    assert filled == f"{log(job)}.log"


def test_a_stage_is_local_or_uses_a_model_where_its_rule_is_local_or_asks_for_a_gpu():
    for name, block in BLOCKS.items():
        assert ("localrule: True" in block) == STAGES[name].local, name
        assert ("gpu=GPUS" in block) == STAGES[name].uses_model, name


def test_each_rule_of_models_that_trainings_wait_for_has_the_priority_of_its_own_stage(plan):
    awaited_stages = {job.stage for job in awaited(plan)}
    asked = re.findall(r'stages\.priority\(PLAN, "(\w+)", w\)', RULES)
    assert {name for name in awaited_stages if STAGES[name].uses_model} <= set(asked)
    for name in asked:
        assert f'priority(PLAN, "{name}", w)' in BLOCKS[name]
