"""A changed file answered by the model as it is: which entries it has, what it says, what it leaves alone."""

import csv
import hashlib
import json
import shutil

import numpy as np
import pytest

from faq.tests.example_faq import write_example
from faq.tests.example_run import ENTRIES, write_run
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.errors import InputError
from semblance.provenance import read_sealed, record_digest, write_sealed
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import changed_file, check_answerer, read_answerer
from semblance_faq.commands import cli
from semblance_faq.commands import train as training
from semblance_faq.commands.update import ANSWERS_ALONE, continued, entries_now, find_run, update
from tests.files import contents

BEFORE = (
    FaqEntry("a", "When do you open?", "At nine.", ("hours", "opening times")),
    FaqEntry("b", "Where are you?", "In Main Street."),
    FaqEntry("c", "Who may come?", "Everybody.", ("entry for children",)),
)
HELD_OUT = {f"wording {number}": 1.0 for number in range(9)}


def bank(*rows, queries=()):
    pairs = tuple(FaqPair(key, question, answer, question) for key, question, answer in rows)
    return Faq("mine", pairs, tuple(queries))


def test_questions_say_which_entry_is_which_and_answers_where_a_question_was_reworded():
    entries, changes = continued(
        BEFORE,
        bank(
            ("1", "when do you OPEN", "At ten."),  # another answer, and another spelling
            ("2", "Who is welcome?", "Everybody."),  # the question of this answer is gone
            ("3", "Is there parking?", "No."),
        ),
    )
    assert changes == (1, 2, 1)  # parking; two others; "Where are you?" is gone
    assert [entry.wordings for entry in entries] == [
        ("hours", "opening times"),
        ("entry for children",),
        (),
    ]


def test_a_file_that_has_not_changed_has_no_changes_even_if_one_question_has_two_answers():
    twice = (*BEFORE, FaqEntry("d", "When do you open?", "On Sundays at ten."))
    rows = [(entry.id, entry.question, entry.answer) for entry in twice]
    assert continued(twice, bank(*rows))[1] == (0, 0, 0)


def test_of_two_entries_with_one_question_each_keeps_its_own_wordings():
    twice = (
        FaqEntry("a", "Opening hours?", "At nine.", ("weekday hours",)),
        FaqEntry("b", "Opening hours?", "At ten.", ("sunday hours",)),
    )
    rows = [("a", "Opening hours?", "At eight."), ("b", "Opening hours?", "At ten.")]
    entries, changes = continued(twice, bank(*rows))
    assert changes == (0, 1, 0)
    assert [entry.wordings for entry in entries] == [("weekday hours",), ("sunday hours",)]


def test_another_spelling_is_no_change():
    rows = [("a", "Opening\u00a0hours ?", "at nine"), ("b", "Do you have WIFI?", "Yes!")]
    before = (
        FaqEntry("a", "Opening hours?", "At nine."),
        FaqEntry("b", "Do you have wifi?", "Yes."),
    )
    entries, changes = continued(before, bank(*rows))
    assert changes == (0, 0, 0)
    assert [entry.answer for entry in entries] == ["at nine", "Yes!"]  # as the file has them now
    assert continued(before, bank(("a", "Opening hours?", "At 1.5."), rows[1]))[1] == (0, 1, 0)


def test_an_answer_that_two_new_entries_share_is_no_sign_of_a_reworded_question():
    wifi = FaqEntry("a", "Do you have wifi?", "Yes.", ("internet access",))
    entries, changes = continued([wifi], bank(("1", "Parking?", "Yes."), ("2", "Dogs?", "Yes.")))
    assert changes == (2, 0, 1) and all(entry.wordings == () for entry in entries)


def test_a_wording_that_has_an_entry_of_its_own_now_leaves_the_other():
    rows = [(entry.id, entry.question, entry.answer) for entry in BEFORE]
    entries, _ = continued(BEFORE, bank(*rows, ("d", "Opening times?", "See the door.")))
    assert entries[0].wordings == ("hours",)


def test_a_wording_that_the_file_has_at_another_entry_leaves_the_first():
    rows = [(entry.id, entry.question, entry.answer) for entry in BEFORE]
    moved = FaqQuery("q", "Opening times", "Where are you?", ("b",))
    entries, _ = continued(BEFORE, bank(*rows, queries=[moved]))
    assert [entry.wordings for entry in entries[:2]] == [("hours",), ("Opening times",)]


def test_wordings_of_the_file_take_the_place_of_those_that_their_entries_had():
    rows = [(entry.id, entry.question, entry.answer) for entry in BEFORE]
    own = FaqQuery("q", "how late", "When do you open?", ("a", "b"))
    entries, _ = continued(BEFORE, bank(*rows, queries=[own]))
    assert [entry.wordings for entry in entries] == [
        ("how late",),
        ("how late",),
        ("entry for children",),
    ]


@pytest.fixture
def place(tmp_path, monkeypatch, model):
    """A trained FAQ with its config, and its file with one entry more and one answer changed."""
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "my-faq", model, HELD_OUT)
    write_file(tmp_path / "my.csv", [(f"e{i}", f"question {i}", f"answer {i}") for i in range(9)])
    own, _ = training.read_faq("my.csv", "my-faq")
    training.write_config(own, "my.csv")
    [reset, ship] = ENTRIES
    rows = [
        (reset.id, reset.question, reset.answer),
        (ship.id, ship.question, "Within a week."),
        ("pay", "How do I pay?", "By card."),
    ]
    write_file(tmp_path / "my.csv", rows)
    return tmp_path


def test_the_run_of_a_model_is_found_by_either_of_its_folders(place):
    for name in ("my-faq", "my-faq/", "my-faq/answerers/faq"):
        before = find_run(name)
        assert (before.output, before.answerer) == ("my-faq", "faq")
    with pytest.raises(InputError, match="no answerer: it has no record"):
        find_run(".")
    (place / "my-faq.yaml").unlink()
    with pytest.raises(InputError, match=r"my-faq\.yaml: no such config"):
        find_run("my-faq")
    (place / "my-faq.yaml").write_text("answerers: {faq: {bank: x}}\n")
    with pytest.raises(InputError, match="does not say from which file"):
        find_run("my-faq")


@pytest.fixture
def updated(place):
    """The folder of the answerer after an update."""
    update("my.csv", "my-faq")
    return place / "my-faq-updated/answerers/faq"


def write_file(path, rows):
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("id", "question", "answer"), *rows])


def test_an_update_answers_from_the_new_entries_with_the_model_and_limits_of_before(place):
    untouched = contents(place / "my-faq")
    lines = update("my.csv", "my-faq")
    assert "3 entries: 1 new, 1 other, 0 gone" in lines
    assert any(line.startswith("A training is due: the changes are 100%") for line in lines)
    assert contents(place / "my-faq") == untouched
    folder = place / "my-faq-updated/answerers/faq"
    now, before = Answerer.open(folder), Answerer.open(place / "my-faq/answerers/faq")
    assert now.stored.settings == before.stored.settings
    assert now.ask("How do I pay?").answers[0].answer == "By card."
    assert "Within two days." not in {entry.answer for entry in now.stored.entries}
    reset, *_ = ENTRIES
    assert now.stored.entries[0].wordings == reset.wordings
    asked = before.stored.bank.texts
    kept = [text for text in now.stored.bank.texts if text in asked]
    for text in kept:  # the model embeds a text as it did, up to the order of sums
        places = (each.stored.bank.texts.index(text) for each in (now, before))
        own, old = (each.stored.vectors[p] for each, p in zip((now, before), places, strict=True))
        np.testing.assert_allclose(own, old, atol=1e-5)
    assert check_answerer(folder).problems == []


def test_a_second_update_replaces_the_first(place, updated):
    write_file(place / "my.csv", [("a", "Why?", "Because.")])
    update("my.csv", "my-faq-updated")  # the updated one leads to the trained one
    [entry] = Answerer.open(updated).stored.entries
    assert entry.question == "Why?"


def test_a_second_update_keeps_the_wordings_of_the_first(place):
    (place / "queries.csv").write_text("id,query\npay,with a card?\n")
    assert "2 wordings: 1 new, 0 gone" in update("my.csv", "my-faq", queries="queries.csv")
    lines = update("my.csv", "my-faq-updated")
    assert "2 wordings: 0 new, 0 gone" in lines
    [pay] = [
        e
        for e in Answerer.open(place / "my-faq-updated/answerers/faq").stored.entries
        if e.id == "pay"
    ]
    assert pay.wordings == ("with a card?",)


@pytest.mark.parametrize("match", ["answer", "better"])
def test_an_update_says_where_its_wordings_are_not_compared(model, match, tmp_path):
    answerer = read_answerer(write_example(tmp_path, model, match=match))
    rows = [(entry.id, entry.question, entry.answer) for entry in answerer.entries]
    lines = entries_now(bank(*rows), answerer, answerer)[1]
    assert any(entry.wordings for entry in answerer.entries)
    assert (ANSWERS_ALONE in lines) == (match == "answer")


def test_an_update_may_go_to_any_folder(place, monkeypatch):
    (place / "with blank").mkdir()
    monkeypatch.chdir(place / "with blank")
    update("../my.csv", "../my-faq")
    update("../my.csv", "../my-faq", "a b")
    for folder in (place / "my-faq-updated", place / "with blank/a b"):
        assert check_answerer(folder / "answerers/faq").problems == []


def test_a_malformed_file_leaves_the_update_of_before(place, updated):
    before = contents(place / "my-faq-updated")
    write_file(place / "my.csv", [("a", "Why?", "")])
    with pytest.raises(InputError, match=r"my\.csv:2: answer"):
        update("my.csv", "my-faq")
    assert contents(place / "my-faq-updated") == before


def test_a_note_says_that_the_file_has_changed_since(place, updated, capsys):
    assert changed_file(updated) is None
    write_file(place / "my.csv", [("a", "Why?", "Because.")])
    assert changed_file(updated) == place / "my.csv"
    cli.main(["ask", "--model", "my-faq-updated", "--json", "How do I pay?"])
    printed = capsys.readouterr()
    assert json.loads(printed.out)["question"] == "How do I pay?"
    assert "note: 'my.csv' has changed since this answerer was made" in printed.err
    (place / "my.csv").unlink()
    assert changed_file(updated) is None  # it may have been copied to another machine


def test_a_file_of_queries_that_has_changed_is_noticed_too(place):
    queries = place / "queries.csv"
    queries.write_text("id,query\npay,with a card?\n")
    update("my.csv", "my-faq", queries=str(queries))
    folder = place / "my-faq-updated/answerers/faq"
    assert changed_file(folder) is None
    queries.write_text("id,query\npay,in cash?\n")
    assert changed_file(folder) == queries


def test_the_record_of_an_update_leads_to_the_file_and_to_the_trained_model(place, updated):
    record = read_sealed(updated / "record.json")
    trained = read_sealed(place / "my-faq/answerers/faq/record.json")
    links = {link["role"]: link for link in record["inputs"]}
    file = links["../../../my.csv"]
    assert file["digest"] == hashlib.sha256((place / "my.csv").read_bytes()).hexdigest()
    model = links["../../../my-faq/answerers/faq/model/model.safetensors"]
    assert model["record"] == record_digest(trained)
    assert record["update_of"] == str(place / "my-faq")


@pytest.mark.parametrize("link", [{"role": 1}, {}, 1, {"role": "a", "place": 7, "record": ""}])
def test_a_malformed_link_in_the_record_of_a_copied_folder_keeps_no_answer_back(
    place, capsys, link
):
    path = place / "my-faq/answerers/faq/record.json"
    write_sealed(path, read_sealed(path) | {"inputs": [link]})
    question = ENTRIES[0].answer  # has a cosine of 1 with itself
    cli.main(["ask", "--model", "my-faq", "--json", question])
    assert json.loads(capsys.readouterr().out)["question"] == question


@pytest.mark.parametrize("output", ["my-faq", "copied", "unfinished"])
def test_a_training_is_never_updated_over(place, output):
    shutil.copytree(place / "my-faq", place / "copied")
    (place / "unfinished.yaml").touch()  # its config alone
    with pytest.raises(InputError, match="is the folder of a training"):
        update("my.csv", "my-faq", output)
