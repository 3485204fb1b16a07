"""Learning from a log: the files of the new run, what it may go over, and a refused model's end."""

import json

import pytest
import yaml

from semblance.errors import InputError
from semblance_faq.commands import learn as learning
from semblance_faq.commands import train as training
from semblance_faq.commands.config import FEWEST_WORDINGS
from semblance_faq.commands.learn import find_run, next_output
from semblance_faq.read.faq import read_own
from tests.files import contents
from tests.unit.faq.example_run import write_run
from workflow.planning.config import load_files
from workflow.planning.plan import Plan

NEW = {f"wording {number}": 1.0 for number in range(FEWEST_WORDINGS)}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a FAQ, its config, and a record that stands for the model before."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"e{i},question {i},answer {i},\n" for i in range(9))
    (tmp_path / "my.csv").write_text("id,question,answer,queries\n" + rows)
    own, _ = training.read_faq("my.csv", "my-faq")
    training.write_config(own, "my.csv")
    (tmp_path / "my-faq/answerers/faq").mkdir(parents=True)
    (tmp_path / "my-faq/answerers/faq/record.json").write_text("{}")
    return tmp_path


def write_log(place, questions, entry="e1"):
    path = place / "log.jsonl"
    lines = [{"time": "t", "kind": "chosen", "question": q, "id": entry} for q in questions]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def prepared(place, questions, output="my-faq-learned"):
    return learning.prepare(write_log(place, questions), find_run("my-faq"), output)


def test_the_run_of_a_model_is_found_by_either_of_its_folders(place):
    for name in ("my-faq", "my-faq/", "my-faq/answerers/faq"):
        before = find_run(name)
        assert (before.output, before.answerer) == ("my-faq", "faq")
    with pytest.raises(InputError, match="0 trained FAQs in it"):
        find_run(".")
    (place / "my-faq.yaml").unlink()
    with pytest.raises(InputError, match=r"my-faq\.yaml: no such config"):
        find_run("my-faq")
    (place / "my-faq.yaml").write_text("answerers: {faq: {bank: x}}\n")
    with pytest.raises(InputError, match="does not say from which file"):
        find_run("my-faq")


def test_the_next_model_has_a_folder_of_its_own():
    assert next_output("my-faq") == "my-faq-learned"
    assert next_output("my-faq-learned") == "my-faq-learned-2"
    assert next_output("my-faq-learned-2") == "my-faq-learned-3"


def test_the_config_holds_the_learned_wordings_out_and_matches_them(place):
    found = prepared(place, NEW)
    assert found.config.name == "my-faq-learned.yaml" and found.status == 0
    plan = Plan(load_files([str(found.config)]))
    bank = plan.banks["faq"]
    assert bank.queries_path == str(place / "my-faq-learned.csv")
    assert bank.hold_out == "wordings" and plan.config.output == "my-faq-learned"
    assert "tuned-better" in plan.config.answerers["faq"].methods
    queries = read_own(place / "my.csv", queries_path=bank.queries_path).queries
    assert {query.text: query.relevant for query in queries} == dict.fromkeys(NEW, ("e1",))


def test_a_config_that_was_changed_by_hand_keeps_its_changes(place):
    path = place / "my-faq.yaml"
    path.write_text(path.read_text().replace("epochs: 10", "epochs: 3"))
    config = yaml.safe_load(prepared(place, NEW).config.read_text())
    assert config["methods"]["tuned"]["on_faq"]["epochs"] == 3
    assert config["faq"]["banks"]["faq"]["hold_out"] == "wordings"
    assert config["output"] == "my-faq-learned"


def test_a_users_own_file_of_queries_is_merged_and_never_changed(place):
    asked = place / "asked.csv"
    asked.write_text("query,id\n" + "".join(f"my wording {i},e2\n" for i in range(20)))
    before = asked.read_bytes()
    (place / "my-faq.yaml").unlink()
    own, _ = training.read_faq("my.csv", "my-faq", queries=str(asked))
    training.write_config(own, "my.csv")
    found = prepared(place, [f"wording {i}" for i in range(5)])
    assert asked.read_bytes() == before
    queries = read_own("my.csv", queries_path="my-faq-learned.csv").queries
    assert len(queries) == 25 and {q.relevant for q in queries} == {("e1",), ("e2",)}
    assert found.config is not None


@pytest.mark.parametrize(
    "questions, status, line",
    [
        (list(NEW)[1:], 1, f"REFUSED: {FEWEST_WORDINGS - 1} wordings"),
        (["Question 1?"], 0, "Nothing to learn."),
    ],
)
def test_with_nothing_new_or_too_little_nothing_is_written(place, questions, status, line):
    found = prepared(place, questions)
    assert (found.config, found.status) == (None, status)
    assert found.lines[-1].startswith(line)
    assert not list(place.glob("my-faq-learned*"))


def test_an_accepted_model_is_never_learned_over(place):
    prepared(place, NEW)
    assert prepared(place, NEW).config is not None  # the same log again: it goes on
    record = place / "my-faq-learned/answerers/faq/record.json"
    record.parent.mkdir(parents=True)
    assert prepared(place, [*NEW, "one more"]).config is not None  # no model was accepted yet
    record.write_text("{}")
    with pytest.raises(InputError, match="has learned already"):
        prepared(place, NEW)


def test_what_is_not_ours_is_never_overwritten(place):
    (place / "mine.csv").write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        prepared(place, NEW, "mine")
    with pytest.raises(InputError, match="holds the model before"):
        prepared(place, NEW, "./my-faq")
    assert (place / "mine.csv").read_text() == "mine"


@pytest.mark.parametrize("now, word", [(0.5, "REFUSED"), (1.0, "ACCEPTED")])
def test_a_model_that_is_worse_is_refused_and_does_not_answer(place, model, now, word):
    (place / "my-faq/answerers/faq/record.json").unlink()
    known = {f"known {number}": 1.0 for number in range(30)}
    folder = write_run(place / "my-faq", model, known, tuple(known))
    new = write_run(place / "my-faq-learned", model, dict.fromkeys(known, now), tuple(known))
    before = contents(folder)
    is_accepted, lines = learning.accept(find_run("my-faq"), "my-faq-learned")
    assert is_accepted == (word == "ACCEPTED") and lines[-1].startswith(word)
    assert (new / "record.json").exists() == is_accepted
    assert contents(folder) == before
