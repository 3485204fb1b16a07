"""The folds of a FAQ bank as files: corpora, dev questions, test questions, candidates."""

from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from semblance.data.corpus import read_rows, read_sentences
from semblance.data.faq import KNOWN, Faq, FaqPair, FaqQuery
from semblance.data.prepare_faq import BankSettings, FaqFolders, write_folds
from semblance.errors import InputError

COUNT = 6
PAIRS = tuple(FaqPair(str(i), f"question {i}", f"answer {i}", f"g{i}") for i in range(COUNT))
QUERIES = tuple(
    FaqQuery(f"{i}-{n}", f"wording {n} of {i}", f"g{i}", (str(i),))
    for i in range(COUNT)
    for n in range(2)
) + (
    FaqQuery("both", "what of 0 and 1?", "g0", ("0", "1")),
    FaqQuery("none", "what of nothing?", "none", ()),
)
BANK = Faq("mine", PAIRS, QUERIES)


def written(folder, bank=BANK, **settings):
    """Write the folds of a bank; return the counts, and a reader of each file."""
    to = FaqFolders(folder / "bank", folder / "corpora", folder / "dev")
    counts = write_folds(bank, BankSettings("mine", "own", 3, 0, path="faq.csv", **settings), to)

    def rows(path):
        return pq.read_table(folder / path).to_pylist()

    def corpus(fold):
        place = folder / f"corpora/mine-{fold}"
        texts = read_sentences(place)
        numbers = read_rows(place)
        return {(texts[a], texts[b]) for a, b in zip(*numbers[:2], strict=True)}

    return counts, rows, corpus


def held_out(fold):
    return {fold, (fold + 1) % 3}


def rows_of(pairs, queries=()):
    """The training rows of pairs, and of the queries that they are relevant to."""
    found = {(pair.question, pair.answer) for pair in pairs}
    for query in queries:
        for pair in pairs:
            if pair.id in query.relevant:
                found |= {(query.text, pair.answer), (query.text, pair.question)}
    return found


def test_a_fold_trains_on_the_pairs_that_it_neither_tests_nor_chooses_by(tmp_path):
    counts, rows, corpus = written(tmp_path)
    part = {row["id"]: row["part"] for row in rows("bank/questions.parquet")}
    for fold in range(3):
        known = [pair for pair in PAIRS if part[pair.id] not in held_out(fold)]
        assert corpus(fold) == rows_of(known) and len(known) == 2
        dev = rows(f"dev/mine-{fold}/questions.parquet")
        assert {row["id"] for row in dev} == {p.id for p in PAIRS if part[p.id] == (fold + 1) % 3}
    assert counts["questions, pairs"] == COUNT and counts["questions, wording"] == 0
    # The query without an answer is left out.
    assert counts["questions, annotated"] == 2 * COUNT + 1


def test_users_wordings_are_trained_on_with_the_answer_and_with_the_question(tmp_path):
    _, rows, corpus = written(tmp_path, train_on="wordings")
    part = {row["id"]: row["part"] for row in rows("bank/questions.parquet")}
    for fold in range(3):
        known = [pair for pair in PAIRS if part[pair.id] not in held_out(fold)]
        asked = [query for query in QUERIES[:-1] if part[query.id] not in held_out(fold)]
        assert corpus(fold) == rows_of(known, asked) > rows_of(known)


def test_held_out_wordings_ask_for_entries_that_are_all_known(tmp_path):
    counts, rows, corpus = written(tmp_path, hold_out="wordings", train_on="wordings")
    questions = rows("bank/questions.parquet")
    assert {row["protocol"] for row in questions} == {"wording"}
    assert len(questions) == counts["questions, wording"] == 2 * COUNT + 1
    part = {row["id"]: row["part"] for row in questions}
    for fold in range(3):
        trained = {question for question, _ in corpus(fold)}
        assert trained >= {p.question for p in PAIRS}
        asked = {q.text for q in QUERIES[:-1] if part[q.id] in held_out(fold)}
        assert asked and not trained & asked
        dev = rows(f"dev/mine-{fold}/questions.parquet")
        assert {row["id"] for row in dev} == {i for i, p in part.items() if p == (fold + 1) % 3}


def test_the_candidates_are_answers_questions_and_wordings_with_their_parts(tmp_path):
    _, rows, _ = written(tmp_path, hold_out="wordings")
    part = {row["id"]: row["part"] for row in rows("bank/questions.parquet")}
    expected = [(i, "answer", f"answer {i}", KNOWN) for i in range(COUNT)]
    expected += [(i, "question", f"question {i}", KNOWN) for i in range(COUNT)]
    for query in QUERIES[:-1]:
        expected += [(int(key), "wording", query.text, part[query.id]) for key in query.relevant]
    found = [tuple(row.values()) for row in rows("bank/candidates.parquet")]
    assert found == expected


def test_a_bank_with_too_few_wordings_cannot_hold_them_out(tmp_path):
    to = FaqFolders(tmp_path / "bank", tmp_path / "corpora", tmp_path / "dev")
    settings = BankSettings("mine", "own", 3, 0, path="faq.csv", hold_out="wordings")
    with pytest.raises(InputError, match="faq.csv: 2 wordings of users"):
        write_folds(Faq("mine", PAIRS, QUERIES[:2]), settings, to)


@pytest.mark.parametrize("hold_out", ["entries", "wordings"])
def test_the_whole_bank_is_a_corpus_of_all_that_the_folds_train_on_and_test(tmp_path, hold_out):
    _, _, corpus = written(tmp_path, hold_out=hold_out, train_on="wordings")
    expected = rows_of(PAIRS, QUERIES)
    assert corpus("all") == expected
    assert all(corpus(fold) < expected for fold in range(3))


def test_an_entry_has_the_wordings_that_mean_its_question(tmp_path):
    _, rows, _ = written(tmp_path)
    entries = rows("bank/entries.parquet")
    assert [(e["id"], e["question"], e["answer"]) for e in entries] == [
        (pair.id, pair.question, pair.answer) for pair in PAIRS
    ]
    assert entries[0]["wordings"] == ["wording 0 of 0", "wording 1 of 0", "what of 0 and 1?"]
    assert entries[5]["wordings"] == ["wording 0 of 5", "wording 1 of 5"]


def test_a_wording_that_is_a_question_in_another_spelling_is_trained_on_and_never_asked(tmp_path):
    query = FaqQuery("spelled", "Question 3!", "g3", ("3",))
    bank = replace(BANK, queries=(*QUERIES, query))
    counts, rows, corpus = written(tmp_path, bank, hold_out="wordings", train_on="wordings")
    asked = [row["id"] for row in rows("bank/questions.parquet")]
    for fold in range(3):
        asked += [row["id"] for row in rows(f"dev/mine-{fold}/questions.parquet")]
        assert (query.text, "answer 3") in corpus(fold)
    assert "spelled" not in asked and counts["questions, wording"] == 2 * COUNT + 1
    assert query.text in rows("bank/entries.parquet")[3]["wordings"]
