"""The config of an own FAQ: small, valid, and with the user's wordings as the test where there are some."""

import json

import pytest

from semblance.errors import InputError
from semblance_faq.commands import thorough
from semblance_faq.commands.config import (
    BANK,
    BASE,
    FEWEST_WORDINGS,
    READY,
    THREADS,
    OwnFaq,
)
from tests.unit.faq.commands.planned import candidates, planned, stages
from workflow.planning.methods import ranking, trained_methods
from workflow.planning.stages import jobs

SEEDS = FOLDS = 5

# --- the quick way --------------------------------------------------------------------------------


@pytest.mark.parametrize("wordings", [0, FEWEST_WORDINGS])
def test_one_seed_and_one_training_are_enough(wordings):
    made = planned(wordings=wordings)
    found = stages(made)
    assert (found["train"], found["train_final"], found["build_answerer"]) == (FOLDS, 1, 1)
    absent = {"train_entropy", "train_initial", "mine_negatives", "embed", "evaluate_sts"}
    assert {*absent, "prepare_nli", "download"}.isdisjoint(found)
    way = "-better" if wordings else ""
    simplest_first = [f"start{way}", "bm25", "start-hybrid", f"tuned{way}", "tuned-hybrid"]
    assert candidates(made) == simplest_first


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
    made = planned(wordings=wordings, bf16=bf16)
    trained = [job for job in jobs(made) if job.stage in ("train", "train_final")]
    found = [made.train_settings(j.corpus, j.base, j.name, j.seed) for j in trained]
    assert {json.loads(settings)["apart"] for settings in found} == {"entries"}


@pytest.mark.parametrize(
    "gpus, is_thorough, threads", [(0, False, THREADS), (1, False, 1), (0, True, 1)]
)
def test_the_quick_way_trains_with_two_threads_on_a_cpu(gpus, is_thorough, threads):
    made = planned(gpus=gpus, thorough=is_thorough)
    assert made.config.training.threads == threads


@pytest.mark.parametrize("gpus", [0, 1])
def test_jobs_look_for_a_gpu_only_if_the_machine_has_one(gpus):
    made = planned(gpus=gpus)
    [first, *_] = [job for job in jobs(made) if job.stage == "train"]
    settings = json.loads(made.train_settings(first.corpus, first.base, first.name, first.seed))
    assert made.config.resources.gpus == settings["gpus"] == gpus


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


# --- the thorough way -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    return planned(500, thorough=True)


def trained(plan):
    """The methods of the answerer that have a training of their own."""
    return [name for name in candidates(plan) if name in trained_methods(plan.config)]


def test_rcl_hard_negatives_and_their_control_are_candidates_of_one_choice(large):
    assert {"tuned", "tuned-hard", "rcl", "start", "bm25"} <= set(candidates(large))
    methods = large.config.methods
    assert methods["tuned-hard"].mined_negatives and methods["rcl"].loss == "regulators"
    assert methods["tuned-hard"].label == "Tuned, hard negatives"
    assert large.config.tables[BANK].control == "tuned"
    evaluated = large.config.tables[BANK].rows[0].method_names
    assert evaluated == candidates(large)


def test_each_training_differs_from_the_control_in_what_its_name_says_alone(large):
    def settings(method):
        return json.loads(large.train_settings("faq-0", "minilm", method, 1))

    control = settings("tuned")
    changed = {
        name: {key for key in control.keys() | found.keys() if control.get(key) != found.get(key)}
        for name in trained(large)
        if (found := settings(name))
    }
    assert changed["tuned-hard"] == set() and changed["rcl"] == changed["rcl-of-2"] == {"loss"}
    assert changed["tuned-dropout-0.2"] == changed["tuned-drophead-0.1"] == {"dropout"}
    assert changed["tuned-batch-64"] == {"batch_size"}
    assert changed["rcl-batch-64"] == {"batch_size", "loss"}


def test_the_regulators_of_the_grid_are_nested_sets_with_the_batch_size_of_the_training(large):
    for size, kind in thorough.KINDS.items():
        entropy = large.config.train_entropy.kinds[kind]
        recipe = large.config.recipes[entropy.recipe]
        assert (entropy.batch_size or recipe.batch_size) == size
    sets = [large.config.methods[name].regulator_names for name in ("rcl-of-2", "rcl-of-4", "rcl")]
    assert [len(names) for names in sets] == [1, 2, 4]
    assert set(sets[0]) < set(sets[1]) < set(sets[2])


def test_the_jobs_are_those_of_five_seeds_on_the_folds_and_of_one_on_the_whole(large):
    found = stages(large)
    methods = len(trained(large))
    phis = len(thorough.PHIS) * len(thorough.KINDS)
    assert found["train"] == methods * FOLDS * SEEDS
    assert found["train_initial"] == FOLDS * SEEDS
    assert found["train_final"] == methods + 1  # the initial model of the whole bank, too
    assert found["train_entropy"] == phis * (FOLDS * SEEDS + 1)
    assert found["mine_negatives"] == FOLDS + 1
    assert found["embed"] == found["train_entropy"] + found["mine_negatives"]
    assert "download" not in found and "evaluate_sts" not in found


def test_a_batch_size_is_tried_only_where_a_fold_fills_it():
    assert thorough.batch_sizes(OwnFaq("f", "o", 0, entries=40)) == [32]
    assert thorough.batch_sizes(OwnFaq("f", "o", 0, entries=500)) == [32, 64]
    for entries, sizes in ((64, [32, 64]), (63, [32])):  # one entry stands only once in a batch
        assert thorough.batch_sizes(OwnFaq("f", "o", 640, entries=entries)) == sizes


def test_a_very_small_faq_has_no_mined_negatives_because_no_batch_could_be_filled():
    made = planned(20, thorough=True)
    assert stages(made)["mine_negatives"] == 0 and stages(made)["train_entropy"] > 0
    assert "rcl-batch-64" not in made.config.methods


@pytest.mark.parametrize("wordings, rows", [(0, 60), (FEWEST_WORDINGS - 1, 88), (50, 160)])
def test_the_rows_of_a_fold_are_counted_as_it_trains_on_them(wordings, rows):
    assert thorough.rows_of_fold(OwnFaq("f", "o", wordings, entries=100)) == rows


def test_with_wordings_each_training_matches_known_questions_and_the_main_ones_rank_with_bm25_too():
    methods = planned(500, FEWEST_WORDINGS, thorough=True).config.methods
    ranking = {"of": "rcl", "by": "hybrid", "match": "better"}
    assert methods["rcl-hybrid"].ranking.written() == ranking
    assert methods["rcl-of-2-better"].ranking.match == "better"
    assert "tuned-hard-hybrid" in methods and "rcl-of-2-hybrid" not in methods
