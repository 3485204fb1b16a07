"""The thorough config of an own FAQ: RCL and hard negatives beside their control, with 5 seeds."""

import json
from collections import Counter

import pytest

from semblance_faq.commands import thorough
from semblance_faq.commands import train as training
from semblance_faq.commands.config import BANK, FEWEST_WORDINGS, OwnFaq
from workflow.planning.config import load_files
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs

SEEDS = 5
FOLDS = 5


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return the plan of the thorough config, or of the quick one, for a FAQ of some size."""
    monkeypatch.chdir(tmp_path)

    def planned(entries: int, wordings: int = 0, is_thorough: bool = True) -> Plan:
        output = f"faq-{entries}-{wordings}"
        own = OwnFaq("faq.csv", output, wordings, entries=entries, thorough=is_thorough)
        return Plan(load_files([str(training.write_config(own, "faq.csv"))]))

    return planned


def counted(plan):
    return Counter(job.stage for job in jobs(plan))


def trained(plan):
    """The methods of the answerer that have a training of their own."""
    methods = plan.config["answerers"][BANK]["methods"]
    return [name for name in methods if "loss" in plan.config["methods"].get(name, {})]


def parts(plan):
    """The methods of the learning curve that are trained on a part."""
    return [name for name, method in plan.config["methods"].items() if "train_part" in method]


def test_rcl_hard_negatives_and_their_control_are_candidates_of_one_choice(plan):
    made = plan(500)
    assert {"tuned", "tuned-hard", "rcl", "start", "bm25"} <= set(
        made.config["answerers"][BANK]["methods"]
    )
    methods = made.config["methods"]
    assert methods["tuned-hard"]["mined_negatives"] and methods["rcl"]["loss"] == "regulators"
    assert methods["tuned-hard"]["label"] == "Tuned, hard negatives"
    assert made.config["tables"][BANK]["control"] == "tuned"
    asked = made.config["tables"][BANK]["rows"][0]["methods"]
    assert [name for name in asked if name not in parts(made)] == (
        made.config["answerers"][BANK]["methods"]
    )


def test_each_training_differs_from_the_control_in_what_its_name_says_alone(plan):
    made = plan(500)
    place = ("faq-0", "minilm")

    def settings(method):
        return json.loads(made.train_settings(*place, method, 1))

    control = settings("tuned")
    changed = {
        name: {key for key in control.keys() | found.keys() if control.get(key) != found.get(key)}
        for name in trained(made)
        if (found := settings(name))
    }
    assert changed["tuned-hard"] == set() and changed["rcl"] == changed["rcl-of-2"] == {"loss"}
    assert changed["tuned-dropout-0.2"] == changed["tuned-drophead-0.1"] == {"dropout"}
    assert changed["tuned-batch-64"] == {"batch_size"}
    assert changed["rcl-batch-64"] == {"batch_size", "loss"}


def test_the_regulators_of_the_grid_are_nested_sets_with_the_batch_size_of_the_training(plan):
    made = plan(500)
    for size, kind in thorough.KINDS.items():
        entropy = made.config["train_entropy"]["kinds"][kind]
        recipe = made.config["recipes"][entropy["recipe"]]
        assert entropy.get("batch_size", recipe["batch_size"]) == size
    sets = [made.config["methods"][name]["regulators"] for name in ("rcl-of-2", "rcl-of-4", "rcl")]
    assert [len(names) for names in sets] == [1, 2, 4]
    assert set(sets[0]) < set(sets[1]) < set(sets[2])


def test_the_jobs_are_those_of_five_seeds_on_the_folds_and_of_one_on_the_whole(plan):
    made = plan(500)
    found = counted(made)
    methods = len(trained(made))
    phis = len(thorough.PHIS) * len(thorough.KINDS)
    assert found["train"] == (methods + len(parts(made))) * FOLDS * SEEDS
    assert found["train_initial"] == FOLDS * SEEDS
    assert found["train_final"] == methods + 1  # the initial model of the whole bank, too
    assert found["train_entropy"] == phis * (FOLDS * SEEDS + 1)
    assert found["mine_negatives"] == FOLDS + 1
    assert found["embed"] == found["train_entropy"] + found["mine_negatives"]
    assert "download" not in found and "evaluate_sts" not in found


def test_the_learning_curve_is_always_drawn(plan):
    made = plan(500)
    assert len(parts(made)) == 2  # a quarter and a half of the entries
    assert set(parts(made)) <= set(made.config["tables"][BANK]["rows"][0]["methods"])
    assert counted(made)["draw_learning_curve"] == 1


def test_a_small_faq_has_one_batch_size_because_no_fold_fills_the_other(plan):
    small, large = plan(40), plan(500)
    assert thorough.batch_sizes(OwnFaq("f", "o", 0, entries=40)) == [32]
    assert "rcl-batch-64" not in small.config["methods"]
    assert "rcl-batch-64" in large.config["methods"]


def test_a_very_small_faq_has_no_mined_negatives_because_no_batch_could_be_filled(plan):
    found = counted(plan(20))
    assert found["mine_negatives"] == 0 and found["train_entropy"] > 0


def test_the_rows_of_a_fold_are_counted_as_it_trains_on_them():
    assert thorough.rows_of_fold(OwnFaq("f", "o", 0, entries=100)) == 60
    assert thorough.rows_of_fold(OwnFaq("f", "o", FEWEST_WORDINGS - 1, entries=100)) == 88
    assert thorough.rows_of_fold(OwnFaq("f", "o", 50, entries=100)) == 160


def test_with_wordings_the_main_trainings_match_known_questions_too(plan):
    methods = plan(500, FEWEST_WORDINGS).config["methods"]
    assert methods["rcl-hybrid-better"]["ranking"] == {
        "of": "rcl",
        "by": "hybrid",
        "match": "better",
    }
    assert "tuned-hard-better" in methods and "rcl-of-2-better" not in methods


def test_the_quick_config_trains_neither_rcl_nor_with_hard_negatives(plan):
    found = counted(plan(500, is_thorough=False))
    assert found["train"] == FOLDS and found["train_final"] == 1
    assert {"mine_negatives", "train_entropy", "train_initial", "embed"}.isdisjoint(found)


def test_the_written_file_says_how_to_write_it_again(plan, tmp_path):
    plan(40)
    assert "semblance faq train faq.csv --thorough" in (tmp_path / "faq-40-0.yaml").read_text()


def test_a_larger_batch_is_tried_only_where_a_fold_has_as_many_entries(plan):
    assert "tuned-batch-64" in plan(64, wordings=640).config["methods"]
    assert "tuned-batch-64" not in plan(63, wordings=640).config["methods"]
