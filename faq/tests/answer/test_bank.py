"""Which texts a question is compared with, and which entry each of them is of."""

import pytest

from faq.tests.example_faq import ANSWERS, ENTRIES, TEXTS
from semblance_faq.answer.bank import FaqEntry, build_bank, read_entries, write_entries

KINDS = {
    "answer": {"answer"},
    "question": {"question", "wording"},
    "better": {"answer", "question", "wording"},
}


@pytest.mark.parametrize("match", TEXTS)
def test_each_text_of_an_answer_counts_once_and_knows_its_entry(match):
    bank = build_bank(ENTRIES, match)
    assert bank.owners[-1] + 1 == ANSWERS
    assert len(bank.texts) == len(bank.sources) == TEXTS[match]
    assert {source.kind for source in bank.sources} == KINDS[match]
    for text, (kind, number) in zip(bank.texts, bank.sources, strict=True):
        entry = ENTRIES[number]
        own = {"answer": [entry.answer], "question": [entry.question], "wording": entry.wordings}
        assert text in [" ".join(each.split()) for each in own[kind]]


def test_a_wording_at_two_entries_of_one_answer_counts_for_the_first():
    entries = [FaqEntry("1", "a", "same", ("w",)), FaqEntry("2", "b", "same", ("w", "a"))]
    bank = build_bank(entries, "question")
    assert bank.texts == ("a", "w", "b")
    assert [source.entry for source in bank.sources] == [0, 0, 1]


def test_entries_come_back_as_they_were_written(tmp_path):
    odd = FaqEntry("ü\u2028", 'a "quote" \\', "line\nline\r", ("\u202e", "🙂"))
    write_entries(tmp_path / "e", [*ENTRIES, odd])
    assert read_entries(tmp_path / "e") == (*ENTRIES, odd)
