"""The config of an own FAQ: small, valid, and with the user's wordings as the test where there are some."""

import functools
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance_faq.commands import train
from semblance_faq.commands.config import BANK, BASE, FEWEST_WORDINGS, READY, OwnFaq
from workflow.checks.load import load_files
from workflow.config.methods import ranking
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs

SEEDS = FOLDS = 5


def plan_of(config: dict) -> Plan:
    """Return the plan of a config that is written as that of a user's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config.yaml")
        path.write_text(train.as_yaml(config), encoding="utf-8")
        return Plan(load_files([str(path)]))


@functools.cache
def planned(wordings: int = 0, **more: object) -> Plan:
    """Return the plan for a file of so many users' wordings; ``more`` are fields of OwnFaq."""
    return plan_of(train.config_of(OwnFaq("faq.csv", "my-faq", wordings, **more)))


def stages(plan: Plan) -> Counter:
    """Return the number of jobs of each stage."""
    return Counter(job.stage for job in jobs(plan))


def trainings(plan: Plan) -> list[dict]:
    """Return the settings of each training."""
    found = [job for job in jobs(plan) if job.stage in ("train", "train_final")]
    return [json.loads(plan.train_settings(j.corpus, j.base, j.name, j.seed)) for j in found]


@pytest.mark.parametrize("wordings", [0, FEWEST_WORDINGS])
def test_one_seed_and_one_training_are_enough(wordings):
    made = planned(wordings=wordings)
    found = stages(made)
    assert (found["train"], found["train_final"], found["build_answerer"]) == (FOLDS, 1, 1)
    absent = {"train_entropy", "train_initial", "embed", "evaluate_sts"}
    assert {*absent, "prepare_nli", "download"}.isdisjoint(found)
    way = "-better" if wordings else ""
    simplest_first = [f"start{way}", "bm25", "start-hybrid", f"tuned{way}", "tuned-hybrid"]
    assert made.config.answerers[BANK].methods == simplest_first


@pytest.mark.parametrize(
    "wordings, held_out", [(FEWEST_WORDINGS - 1, "entries"), (FEWEST_WORDINGS, "wordings")]
)
def test_with_enough_wordings_they_are_the_test_and_known_questions_are_matched(wordings, held_out):
    made = planned(wordings=wordings)
    assert made.banks[BANK].hold_out == held_out
    stated = [ranking(made.config, name) for name in made.config.methods]
    matches = {way.match for way in stated if way}
    assert matches == {"better" if held_out == "wordings" else "answer"}


@pytest.mark.parametrize("wordings", [0, FEWEST_WORDINGS])
@pytest.mark.parametrize("bf16", [False, True])
def test_texts_of_one_entry_never_meet_in_a_batch(wordings, bf16):
    found = trainings(planned(wordings=wordings, bf16=bf16))
    assert {settings["apart"] for settings in found} == {"entries"}


@pytest.mark.parametrize("gpus", [0, 1])
def test_a_faq_trains_on_one_thread_and_on_a_gpu_only_if_the_machine_has_one(gpus):
    made = planned(gpus=gpus)
    [first, *_] = trainings(made)
    assert made.config.resources.gpus == first["gpus"] == gpus
    assert made.config.training.threads == 1


def test_what_the_user_states_of_the_file_reaches_the_bank():
    bank = planned(question_column="Frage", queries_path="asked.csv").banks[BANK]
    assert (bank.question_column, bank.queries_path) == ("Frage", "asked.csv")
    assert bank.answer_column is None


@pytest.mark.parametrize("base", [BASE, *READY])
def test_every_ready_base_can_be_trained_from_and_no_other_is_fetched(base):
    made = planned(base=base)
    fetched = {job.base for job in jobs(made) if job.stage == "download_model"}
    assert fetched == {base} and made.config.answerers[BANK].base == base


def test_an_unknown_base_is_refused_with_the_ready_ones():
    with pytest.raises(InputError, match="no base 'e6'.*minilm, e5-small"):
        planned(base="e6")


# --- ways that a user adds, as docs/own-faq-reference.md says ----------------------------------------


def test_rcl_that_a_user_adds_is_trained_on_folds_and_on_the_whole_bank():
    config = train.config_of(OwnFaq("faq.csv", "my-faq", FEWEST_WORDINGS))
    tuned = config["methods"]["tuned"]
    regulators = {"kind": "entropy-batch32", "phis": [0.01, 0.02, 0.03, 0.04]}
    added = {"rcl": {**tuned, "label": "RCL", "loss": "regulators", "regulators": regulators}}
    config["methods"] |= added
    config["seeds"][BANK] = list(range(1, SEEDS + 1))
    config["tables"][BANK]["rows"][0]["methods"] += added
    made = plan_of(config)
    found = stages(made)
    methods = len(added) + 1
    assert made.config.answerers[BANK].methods[-len(added) :] == list(added)
    assert (found["train"], found["train_final"]) == (methods * FOLDS * SEEDS, methods + 1)
    assert found["train_entropy"] == len(regulators["phis"]) * (FOLDS * SEEDS + 1)
