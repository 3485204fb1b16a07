"""The config of an own FAQ: small, valid, and with the user's wordings as the test where there are some."""

import json

import pytest
import yaml

from semblance.errors import InputError
from semblance_faq.commands import train as training
from semblance_faq.commands.config import BANK, BASE, FEWEST_WORDINGS, READY, THREADS, OwnFaq
from workflow.planning.config import load_files
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Return the plan of the config that is written for a file with so many wordings."""
    monkeypatch.chdir(tmp_path)

    def planned(wordings: int, **more: object) -> Plan:
        written = training.write_config(OwnFaq("faq.csv", f"faq-{wordings}", wordings, **more), "f")
        return Plan(load_files([str(written)]))

    return planned


@pytest.mark.parametrize("wordings", [0, FEWEST_WORDINGS])
def test_one_seed_and_one_training_are_enough(plan, wordings):
    stages = [job.stage for job in jobs(plan(wordings))]
    assert stages.count("train") == 5 and stages.count("train_final") == 1
    assert stages.count("build_answerer") == 1
    assert {"train_entropy", "evaluate_sts", "prepare_nli", "download"}.isdisjoint(stages)


def test_without_enough_wordings_the_test_asks_for_unknown_entries(plan):
    made = plan(FEWEST_WORDINGS - 1)
    assert made.banks[BANK]["hold_out"] == "entries"
    matches = [m.get("ranking", {}).get("match") for m in made.config["methods"].values()]
    assert "better" not in matches


def test_with_enough_wordings_they_are_the_test_and_known_questions_are_matched(plan):
    made = plan(FEWEST_WORDINGS)
    assert made.banks[BANK]["hold_out"] == "wordings"
    assert "tuned-hybrid-better" in made.config["answerers"][BANK]["methods"]


@pytest.mark.parametrize("wordings", [0, FEWEST_WORDINGS])
@pytest.mark.parametrize("bf16", [False, True])
def test_texts_of_one_entry_never_meet_in_a_batch(plan, wordings, bf16):
    made = plan(wordings, bf16=bf16)
    trained = [job for job in jobs(made) if job.stage in ("train", "train_final")]
    found = [made.train_settings(j.corpus, j.base, j.name, j.seed) for j in trained]
    assert {json.loads(settings)["apart"] for settings in found} == {"entries"}


@pytest.mark.parametrize(
    "gpus, thorough, threads", [(0, False, THREADS), (1, False, 1), (0, True, 1)]
)
def test_the_quick_way_trains_with_two_threads_on_a_cpu(plan, gpus, thorough, threads):
    assert plan(0, gpus=gpus, thorough=thorough).config["training"]["threads"] == threads


@pytest.mark.parametrize("gpus", [0, 1])
def test_jobs_look_for_a_gpu_only_if_the_machine_has_one(plan, gpus):
    made = plan(0, gpus=gpus)
    [first, *_] = [job for job in jobs(made) if job.stage == "train"]
    settings = json.loads(made.train_settings(first.corpus, first.base, first.name, first.seed))
    assert made.config["resources"]["gpus"] == settings["gpus"] == gpus


def test_bm25_and_the_start_model_are_always_candidates(plan):
    for wordings in (0, FEWEST_WORDINGS):
        assert {"start", "bm25", "tuned"} <= set(
            plan(wordings).config["answerers"][BANK]["methods"]
        )


def test_what_the_user_states_of_the_file_reaches_the_bank(plan):
    bank = plan(0, question_column="Frage", queries_path="asked.csv", bf16=True).banks[BANK]
    assert (bank["question_column"], bank["queries_path"]) == ("Frage", "asked.csv")
    assert "answer_column" not in bank


@pytest.fixture
def faq(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my.csv"
    path.write_text("question,answer\n" + "".join(f"question {i},answer {i}\n" for i in range(9)))
    return path


def test_the_config_is_written_once_and_a_changed_one_is_never_overwritten(faq):
    own, _ = training.read_faq(str(faq), "my-faq")
    path = training.write_config(own, "my.csv")
    assert path.name == "my-faq.yaml" and yaml.safe_load(path.read_text())["output"] == "my-faq"
    before = path.read_text()
    assert training.write_config(own, "my.csv") == path and path.read_text() == before
    path.write_text(before.replace("epochs: 10", "epochs: 20"))
    with pytest.raises(InputError, match="another config of this name is there"):
        training.write_config(own, "my.csv")
    assert "epochs: 20" in path.read_text()


def test_the_queries_of_a_file_are_counted(faq):
    rows = "".join(f"q {i},a {i},w {i}|v {i}\n" for i in range(9))
    faq.write_text("question,answer,queries\n" + rows)
    own, _ = training.read_faq(str(faq), "my-faq")
    assert own.wordings == 18 and own.path == str(faq)


@pytest.mark.parametrize("base", [BASE, *READY])
def test_every_ready_base_can_be_trained_from_and_no_other_is_fetched(plan, base):
    made = plan(0, base=base)
    fetched = {job.base for job in jobs(made) if job.stage == "download_model"}
    assert fetched == {base} and made.config["answerers"][BANK]["base"] == base


def test_an_unknown_base_is_refused_with_the_ready_ones(faq):
    own, _ = training.read_faq(str(faq), "my-faq", base="e6")
    with pytest.raises(InputError, match="no base 'e6'.*minilm, e5-small"):
        training.write_config(own, "my.csv")
