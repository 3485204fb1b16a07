"""Which weights a config deletes after their use, and that each job that reads them names them."""

import re

import pytest

from semblance import layout
from tests.shipped import merged
from tests.unit.planning.test_stages import BLOCKS
from tests.unit.run.examples import OWN_FAQ, cost
from workflow.checks.load import load
from workflow.planning import reads
from workflow.planning.plan import Plan, deletes_models
from workflow.planning.stages import STAGES, Job, weights_read
from workflow.run.needs import WITHOUT_WEIGHTS

BASE = "nli-roberta-base-v2"
EVALUATIONS = [f"evaluate_{tests}" for tests in ("sts", "faq", "transfer")]
# The rules whose commands load a trained model; train_final reads records alone.
READERS = {"train_entropy", "embed", "measure_figure", *EVALUATIONS}


def plan(models: str) -> Plan:
    config = merged(*OWN_FAQ)
    config["keep"] = {"models": models}
    return Plan(load(config))


def weights_of(plan: Plan, method: str) -> list[str]:
    """Return the weights that the evaluation of a method on a fold names."""
    return weights_read(plan, Job("evaluate_faq", "mine-0", BASE, method, 1), reads.model)


def test_the_papers_keep_every_model_and_the_own_faq_the_final_ones():
    assert not deletes_models(load(merged("config.yaml")))
    assert deletes_models(load(merged(*OWN_FAQ)))


def test_where_every_model_stays_no_job_names_weights():
    assert weights_of(plan("all"), "continued") == []


def test_the_weights_that_go_are_inputs_of_the_jobs_that_read_them():
    final = plan("final")
    folder = f"{final.out}/models/mine-0/{BASE}"
    assert weights_of(final, "continued") == [f"{folder}/continued/seed-1/{layout.WEIGHTS}"]
    entropy = Job("train_entropy", "mine-0", BASE, "entropy-0.01", 1)
    initial = f"{folder}/initial/seed-1/{layout.WEIGHTS}"
    assert weights_read(final, entropy, reads.start_of_entropy) == [initial]


@pytest.mark.parametrize("method", ["start", "bm25"])
def test_a_base_stays(method):
    assert weights_of(plan("final"), method) == []


def test_a_ranking_reads_the_weights_of_the_method_that_it_ranks_with():
    config = merged(*OWN_FAQ)
    hybrid = {"ranking": {"of": "continued", "by": "hybrid"}}
    config["methods"]["both"] = hybrid
    final = Plan(load(config))
    assert weights_of(final, "both") == weights_of(final, "continued") != []


def test_the_rules_the_plan_and_verify_agree_on_what_goes():
    marked = {name for name, block in BLOCKS.items() if "after_use(" in block}
    assert marked == set(layout.DELETE_WEIGHTS)


def test_each_rule_that_reads_a_trained_model_names_its_weights():
    naming = {
        name for name, block in BLOCKS.items() if re.search("weights=(lambda|weights_of)", block)
    }
    assert naming == READERS
    assert set(STAGES) > READERS


def test_weights_that_go_take_room_only_while_they_are_used():
    job = Job("train", "mine-0", BASE, "continued", 1)
    all_stay, some_go = cost("keep.models = all", OWN_FAQ), cost(names=OWN_FAQ)
    stays, goes = all_stay.need(job), some_go.need(job)
    assert goes.disk == WITHOUT_WEIGHTS
    assert goes.scratch == stays.scratch + stays.disk
    final = Job("train_final", "mine-all", BASE, "continued", 1)
    assert some_go.need(final) == all_stay.need(final)
