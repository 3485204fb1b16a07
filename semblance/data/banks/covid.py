"""COVID-QA: deepset's tables of frequently asked questions, and similar questions to some of them."""

from collections.abc import Sequence
from pathlib import Path

from semblance.data.csv_text import read_csv
from semblance.data.faq import Faq, FaqPair, FaqQuery, in_bank_order, require_pairs
from semblance.data.raw import Raw
from semblance.data.text import filled, normalise
from semblance.errors import InputError, at
from semblance.lines import read_lines


def read(raw: Raw, dataset: str) -> Faq:
    """Read all tables of the data set, and the table of similar questions if it has one."""
    files = raw.files(dataset)
    similarity = [file for file in files if "similarity" in file.name]
    tables = [file for file in files if file not in similarity]
    return read_covid(tables, *similarity[:1])


def read_covid(paths: Sequence[Path | str], similarity: Path | str | None = None) -> Faq:
    """Read the tables (comma- or tab-separated, by header): 376 English pairs in three.

    Pairs are distinct in (question, answer) and numbered from 1. With ``similarity`` (question_1,
    question_2, similar) each question_2 called similar to a question of the bank is a query, and that
    question's pairs are relevant to it; one text is one query.
    """
    texts: dict[tuple[str, str], None] = {}
    for path in paths:
        texts |= dict.fromkeys(_read_table(path))
    pairs: dict[str, FaqPair] = {}
    for number, (question, answer) in enumerate(texts, 1):
        pairs[str(number)] = FaqPair(str(number), question, answer, group=question)
    queries = []
    if similarity is not None:
        queries = _read_queries(similarity, pairs)
    where = at(paths[0], 1) if paths else "covid"
    return Faq("covid", require_pairs(pairs.values(), where), tuple(queries))


def _read_table(path: Path | str) -> list[tuple[str, str]]:
    """Return the English (question, answer) rows of one table."""
    _, header = next(read_lines(path), (1, ""))
    delimiter = "\t" if "\t" in header else ","
    rows = []
    for line, row in read_csv(path, ("question", "answer", "lang"), delimiter):
        if row["lang"].strip() == "en":
            question = filled(row["question"], "question", path, line)
            rows.append((question, filled(row["answer"], "answer", path, line)))
    return rows


def _read_queries(path: Path | str, pairs: dict[str, FaqPair]) -> list[FaqQuery]:
    by_question: dict[str, list[str]] = {}
    for pair in pairs.values():
        by_question.setdefault(pair.question, []).append(pair.id)
    meanings: dict[str, list[str]] = {}  # of a text: the questions that it means
    for line, row in read_csv(path, ("question_1", "question_2", "similar")):
        similar = row["similar"].strip()
        if similar not in ("0", "1"):
            raise InputError(at(path, line), f"similar is {row['similar']!r}", "0 or 1")
        question = normalise(row["question_1"])
        if similar == "1" and question in by_question:
            text = filled(row["question_2"], "question_2", path, line)
            meanings.setdefault(text, []).append(question)
    queries = []
    for number, (text, questions) in enumerate(meanings.items(), 1):
        relevant = {key for question in questions for key in by_question[question]}
        ids = in_bank_order(relevant, pairs)
        queries.append(FaqQuery(f"q{number}", text, questions[0], ids))
    return queries
