"""From a log of choices to new wordings: what is known, repeated, contradictory or hostile is told."""

import pytest

from semblance_faq.commands.wordings import learn_wordings, own_rows, wordings_csv
from semblance_faq.read.faq import read_own
from semblance_faq.serve.log import Choice, QuestionsRead
from tests.unit.data.files import put

FAQ = """\
id,question,answer,queries
pay,How do I pay?,By card.,paying
open,When do you open?,At nine.,
bill,How do I get a bill?,By card.,
"""
HOSTILE = {
    "long": "x" * 10_000,
    "control": "a\x1b[31mb\x07 c\x85",
    "formula": "=cmd|' /C calc'!A0",
    "wide formula": "＝1+1",
    "at": "@SUM(A1)",
    "quote": 'a","open"\n"b',
    "mark": "\ufeffhidden",
    "bar": r"a|b\|c",
    "semicolon": "a;=1+1;b",
}


@pytest.fixture
def faq(tmp_path):
    return read_own(put(tmp_path / "my.csv", FAQ))


def learned(faq, *choices: tuple[str, str]):
    found = tuple(Choice(question, entry, 1) for question, entry in choices)
    return learn_wordings(faq, QuestionsRead(0, found))


def test_a_question_becomes_a_wording_of_the_entry_that_was_chosen(faq):
    found = learned(faq, ("opening hours", "open"))
    assert found.rows() == [("opening hours", "open")]
    assert list(found.lines()) == ["1 new wording of 1 entry"]


def test_a_question_that_was_chosen_for_several_entries_is_one_wording_of_all(faq):
    found = learned(faq, ("money", "pay"), ("money", "open"), ("Money!", "pay"))
    assert found.ids == {"money": ["pay", "open"]}
    assert (found.known, found.shared) == (1, ["money"])
    lines = list(found.lines())
    assert lines[0] == "1 choice of a wording that its entry has already, or said before"
    assert lines[1].startswith("contradictions: 1 ") and "'money'" in lines[1]


def test_entries_with_one_answer_do_not_contradict_each_other(faq):
    found = learned(faq, ("money", "pay"), ("money", "bill"))
    assert found.ids == {"money": ["pay", "bill"]} and not found.shared


def test_what_is_known_without_case_and_punctuation_is_counted(faq):
    found = learned(faq, ("Paying?", "pay"), ("how do I pay", "pay"))
    assert (found.known, found.ids) == (2, {})


@pytest.mark.parametrize(
    "text, entry",
    [
        ("paying", "open"),
        ("PAYING?", "open"),
        ("pay\u200bing", "open"),
        ("\u202epaying\u00ad", "open"),
        ("When do you open", "pay"),  # the question of an entry
    ],
)
def test_a_known_text_never_becomes_a_wording_of_another_entry(faq, text, entry):
    found = learned(faq, (text, entry))
    assert (found.ids, found.refused) == ({}, [text])
    line = next(found.lines())
    assert "the question or a wording of one entry" in line and "left out" in line


def test_ids_that_the_faq_no_longer_has_are_counted_and_named(faq):
    found = learned(faq, ("a", "gone\nSystem: ok"), ("b", "gone\nSystem: ok"), ("c", "lost"))
    line = next(found.lines())
    assert line.startswith("3 choices of ids") and r"'gone\nSystem: ok', 'lost'" in line
    assert "\n" not in line


def test_a_question_without_a_word_is_left_out(faq):
    found = learned(faq, ("?!", "pay"), ("\x1b\x07", "pay"), ("\u200b\u202e", "pay"))
    assert (found.wordless, found.ids) == (3, {})


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_question_changes_nothing_but_its_own_cell(faq, tmp_path, name):
    found = learned(faq, ("before", "pay"), (HOSTILE[name], "open"), ("after", "pay"))
    path = put(tmp_path / "learned.csv", wordings_csv(found.rows()))
    again = read_own(tmp_path / "my.csv", queries_path=path)
    by_text = {query.text: query.relevant for query in again.queries}
    assert len(again.queries) == 4 and again.pairs == faq.pairs
    assert by_text["before"] == by_text["after"] == by_text["paying"] == ("pay",)
    [hostile] = [text for text, relevant in by_text.items() if relevant == ("open",)]
    assert not hostile.startswith(("=", "＝", "@"))
    assert all(character.isprintable() or character == "\ufeff" for character in hostile)


def test_no_line_of_what_was_found_holds_a_control_character(faq):
    choices = [(question, entry) for question in HOSTILE.values() for entry in ("open", "pay")]
    for line in learned(faq, *choices).lines():
        assert line.isprintable() and len(line) < 1_500


def test_a_cell_that_is_read_back_is_known_the_next_time(faq, tmp_path):
    choices = [(text, "open") for text in HOSTILE.values()]
    path = put(tmp_path / "learned.csv", wordings_csv(learned(faq, *choices).rows()))
    again = learned(read_own(tmp_path / "my.csv", queries_path=path), *choices)
    assert (again.ids, again.known) == ({}, len(HOSTILE))


def test_the_rows_of_a_users_own_file_are_kept(tmp_path):
    text = '{"query": "a, b", "id": 7}\n{"query": "c", "id": "x"}\n'
    assert own_rows(put(tmp_path / "asked.jsonl", text)) == [("a, b", "7"), ("c", "x")]
    assert own_rows(None) == []
