"""Labels that a person gives: what is asked in which turn, where each label goes, and what it shows."""

import csv
from dataclasses import replace

import pytest

from faq.tests.example_faq import ENTRIES, write_example
from semblance.data.text import bare
from semblance.errors import InputError
from semblance_faq.answer.answerer import Answerer
from semblance_faq.commands.coverage import plain_text
from semblance_faq.commands.label import (
    NONE,
    judged,
    kept_apart,
    label,
    labels_csv,
    labels_of,
    with_wordings,
)
from semblance_faq.read.faq import read_own
from tests.unit.data.files import put

HOSTILE = {
    "control": "a\x1b[31mb\x07 c\x85",
    "formula": "=cmd|' /C calc'!A0",
    "wide formula": "＝1+1",
    "at": "@SUM(A1)",
    "quote": 'a","open"\n"b',
    "mark": "\ufeffhidden",
    "bar": r"a|b\|c",
    "semicolon": "a;=1+1;b",
}
QUESTIONS = [f"Where is parcel {number}?" for number in range(30)]


@pytest.fixture
def place(tmp_path, model, monkeypatch):
    """A folder with a log and an answerer; the working directory."""
    write_example(tmp_path / "my-faq", model, threshold=None)
    (tmp_path / "log.txt").write_text("".join(f"{text}\n" for text in QUESTIONS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labelled(place, keys, count=100):
    """Label with these keys, then end the input; return the questions shown and the lines."""
    keys = iter(keys)
    shown = []

    def ask(text):
        if text.startswith("\n"):  # not the keys alone, after one that is none of them
            shown.append(text.split("\n")[1])
        key = next(keys, None)
        if key is None:
            raise EOFError
        return key

    return shown, list(label("log.txt", place / "my-faq", "labels.csv", count, ask))


def rows(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return [tuple(row.values()) for row in csv.DictReader(stream)]


def files(place):
    return rows(place / "labels.csv"), rows(place / "labels-apart.csv")


def test_each_label_goes_at_once_to_the_part_of_its_question(place):
    shown, _ = labelled(place, ["1"] * len(QUESTIONS))
    taught, apart = files(place)
    assert sorted(shown) == sorted(QUESTIONS)
    assert {text for text, _ in apart} == set(filter(kept_apart, QUESTIONS)) != set()
    assert {text for text, _ in taught} == set(QUESTIONS) - {text for text, _ in apart}
    assert {chosen for _, chosen in taught + apart} <= {entry.id for entry in ENTRIES}


def test_one_question_kept_apart_comes_before_two_others(place):
    shown, _ = labelled(place, ["1"] * 9)
    assert [kept_apart(text) for text in shown[:9]] == [True, False, False] * 3


def test_a_question_that_no_candidate_answers_is_never_taught_and_not_asked_again(place):
    shown, _ = labelled(place, ["0"] * 5, count=5)
    taught, apart = files(place)
    assert taught == [] and apart == [(text, NONE) for text in shown]
    assert not set(labelled(place, [])[0]) & set(shown)


def test_a_skipped_question_leaves_no_label_and_does_not_count(place):
    shown, lines = labelled(place, ["", "1", "1"], count=2)
    assert len(shown) == 3 and sum(map(len, files(place))) == 2
    assert any(line.endswith(f"; {len(QUESTIONS) - 3} questions are left") for line in lines)


def test_a_key_that_is_none_is_asked_again_and_blanks_around_one_do_not_matter(place):
    shown, _ = labelled(place, ["7", "x", "9" * 5000, " 1 "], count=1)
    assert len(shown) == 1 and sum(map(len, files(place))) == 1


def test_a_session_goes_on_where_the_last_one_ended(place):
    first, _ = labelled(place, ["1"] * 4, count=4)
    second, _ = labelled(place, ["1"] * 4, count=4)
    assert len(first) == len(second) == 4 and not set(first) & set(second)
    assert sum(map(len, files(place))) == 8


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_question_changes_nothing_but_its_own_cell(tmp_path, name):
    faq = put(tmp_path / "my.csv", "id,question,answer\npay,How do I pay?,By card.\n")
    texts = ("before", plain_text(HOSTILE[name]), "after")
    path = put(tmp_path / "labels.csv", labels_csv((text, "pay") for text in texts))
    before, hostile, after = (query.text for query in read_own(faq, queries_path=path).queries)
    assert (before, after) == ("before", "after")
    assert bare(hostile) == bare(texts[1])
    assert not hostile.startswith(("=", "＝", "@"))
    assert all(character.isprintable() or character == "\ufeff" for character in hostile)
    assert labels_csv(labels_of(path)) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("mark, delimiter, page", [("\ufeff", ",", "utf-8"), ("", ";", "cp1252")])
def test_labels_that_a_spreadsheet_has_saved_anew_are_read(tmp_path, mark, delimiter, page):
    lines = ("query,id", "Grüße aus Köln,pay", "wo,pay")
    text = "".join(f"{line.replace(',', delimiter)}\r\n" for line in lines)
    (tmp_path / "labels.csv").write_bytes(f"{mark}{text}".encode(page))
    assert labels_of(tmp_path / "labels.csv") == [("Grüße aus Köln", "pay"), ("wo", "pay")]


def test_the_labels_kept_apart_say_how_often_the_first_answer_is_right(place):
    apart = [text for text in QUESTIONS if kept_apart(text)]
    keys = dict.fromkeys(apart[:3], "1") | dict.fromkeys(apart[3:5], "2")

    def ask(
        text,
    ):  # 0, too, for a question that is no part of the random third: it counts in no share
        return keys.get(text.split("\n")[1], "0")

    lines = list(label("log.txt", place / "my-faq", "labels.csv", 100, ask))
    assert len(files(place)[1]) == len(QUESTIONS) and files(place)[0] == []
    assert f"{len(apart)} labelled questions were drawn at random and are kept apart:" in lines
    right = "  the first answer is right: 3 of 5, 60.0% (95 % interval 14.7% to 94.7%)"
    assert right in lines
    none = f"  none of the candidates was right: {len(apart) - 5} of {len(apart)},"
    assert lines[-1].startswith(none)


def test_labels_as_wordings_change_the_answers_as_an_update_does(answerer, model, tmp_path):
    taught = with_wordings(answerer, [("Where is parcel 7?", "ship")])
    entries = (*ENTRIES[:3], replace(ENTRIES[3], wordings=("Where is parcel 7?",)))
    updated = Answerer.open(write_example(tmp_path / "updated", model, entries=entries))
    for question in ("where is parcel 7", "parcel 8?", "refund"):
        ours, theirs = (one.ask(question).answers for one in (taught, updated))
        assert [a.id for a in ours] == [a.id for a in theirs]
        assert [a.score for a in ours] == pytest.approx([a.score for a in theirs], abs=1e-5)


def test_a_question_that_the_faq_has_is_not_asked(place):
    (place / "log.txt").write_text(f"{ENTRIES[0].question.upper()}\n{QUESTIONS[0]}\n")
    assert labelled(place, ["1"] * 9)[0] == [QUESTIONS[0]]


def test_entries_with_one_answer_are_one_and_labels_of_entries_that_are_gone_do_not_count(answerer):
    reset, login, refund, _ = ENTRIES  # the first two have one answer
    labels = [(reset.question, login.id), (refund.question, refund.id), ("Why?", "gone")]
    lines = list(judged(answerer, labels))
    assert lines[0].startswith("2 labelled questions")
    assert lines[1].startswith("  the first answer is right: 2 of 2")


def test_a_file_of_something_else_is_never_written_over(place):
    faq = "id,question,answer\na,Why?,Because.\n"
    (place / "labels.csv").write_text(faq)
    with pytest.raises(InputError, match="holds something else than labels"):
        labelled(place, ["1"])
    assert (place / "labels.csv").read_text() == faq


def test_labels_are_csv(place):
    with pytest.raises(InputError, match="choose a name that ends in .csv"):
        next(label("log.txt", place / "my-faq", "labels.txt", 1, input))
