"""Methods that rank answers anew, and banks that hold out users' wordings."""

import json

import yaml

from semblance.evaluation.faq import FaqRun
from semblance.provenance import ROOT
from semblance.settings import decode_json
from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs

BETTER = {"ranking": {"of": "rcl-8", "by": "hybrid", "match": "better"}}


def config(hold_out="wordings", methods=("rcl-8", "bm25", "better")):
    """A config with one table, of an own FAQ."""
    found = merged("config.yaml", "configs/own-faq.yaml")
    found["methods"]["better"] = json.loads(json.dumps(BETTER))
    found["faq"]["banks"]["mine"]["hold_out"] = hold_out
    row = {"corpora": ["mine"], "bases": ["nli-roberta-base-v2"], "methods": list(methods)}
    found["tables"]["mine"] = found["tables"]["mine"] | {"rows": [row], "control": "rcl-8"}
    found["figures"] = {}
    found["answerers"] = {}
    return found


def test_a_ranking_uses_the_model_of_another_method():
    plan = Plan(load(config()))
    place = ("mine-0", "nli-roberta-base-v2")
    better, bm25 = (Job("evaluate_faq", *place, name, 1) for name in ("better", "bm25"))
    assert Job("train", *place, "rcl-8", 1) in inputs(plan, better)
    assert Job("download_model", base=place[1]) in inputs(plan, bm25)


def test_an_untrained_ranking_has_one_run_and_a_trained_one_has_the_seeds_of_its_model():
    plan = Plan(load(config()))
    seeds = {method: set() for method in ("rcl-8", "bm25", "better")}
    for _, run in plan.evaluations:
        seeds[run.method].add(run.seed)
    assert seeds["bm25"] == {0} and seeds["better"] == seeds["rcl-8"] and len(seeds["rcl-8"]) > 1


def test_the_evaluation_knows_how_to_rank_and_what_is_asked():
    plan = Plan(load(config()))
    place = {"corpus": "mine-1", "base": "nli-roberta-base-v2", "seed": "1"}
    decoded = decode_json(FaqRun, plan.faq_run(**place, method="better"), "run")
    assert (decoded.ranking.by, decoded.ranking.match) == ("hybrid", "better")
    assert decoded.ranking.of == "rcl-8"  # the record says whose model it was
    assert decoded.protocols == ("wording",) and decoded.fold == 1
    plain = decode_json(FaqRun, plan.faq_run(**place, method="rcl-8"), "run")
    assert (plain.ranking.by, plain.ranking.match) == ("vectors", "answer")
    assert plain.ranking.of == ""


def test_the_table_of_a_bank_that_holds_out_wordings_shows_their_protocol():
    assert Plan(load(config())).table_spec("mine")["protocols"] == ["wording"]
    held = config("entries", ("rcl-8", "bm25"))
    assert Plan(load(held)).table_spec("mine")["protocols"] == ["pairs"]


def test_the_bank_with_wordings_that_the_config_for_an_own_faq_offers_can_take_the_place_of_its_own():
    lines = (ROOT / "configs/own-faq.yaml").read_text().splitlines()
    [offered] = [line for line in lines if line.startswith("    # mine: ")]
    found = merged("config.yaml", "configs/own-faq.yaml")
    found["faq"]["banks"] |= yaml.safe_load(offered.replace("#", ""))
    plan = Plan(load(found))
    assert plan.table_spec("mine")["protocols"] == ["wording"]
    assert (ROOT / found["faq"]["banks"]["mine"]["path"]).is_file()
    assert "bm25" in plan.config.answerers["mine"].methods


def test_an_own_file_keeps_answers_together_and_trains_on_wordings(plan):
    banks = Plan(load(merged("config.yaml", "configs/own-faq.yaml"))).banks
    assert (banks["mine"].together, banks["mine"].train_on) == ("answer", "wordings")
    assert plan.banks["faqir"].together is None
