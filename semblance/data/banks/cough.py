"""COUGH: frequently asked questions on COVID-19, users' queries, and judgements by annotators."""

import json
from dataclasses import replace
from pathlib import Path

from semblance.data.csv_text import read_csv
from semblance.data.faq import Faq, FaqPair, FaqQuery, add_unique, in_bank_order, require_pairs
from semblance.data.raw import Raw
from semblance.data.text import filled
from semblance.errors import InputError, at

LABEL = "Label (mean score > 3 as positive)"
PAIR_COLUMNS = ("index", "question", "answer", "language")
QUERY_COLUMNS = ("index", "query")
JUDGEMENT_COLUMNS = ("Query_index", "FAQ_index", "Raw_score", LABEL)


def read(raw: Raw, dataset: str) -> Faq:
    """Read the three CSV files of the release."""
    return read_cough(
        raw.file(dataset, "FAQ_Bank_eval.csv"),
        raw.file(dataset, "User_Query_Bank.csv"),
        raw.file(dataset, "Annotated_Relevance_Set.csv"),
    )


def read_cough(
    bank: Path | str, queries: Path | str, relevance: Path | str, language: str = "en"
) -> Faq:
    """Read the FAQ bank, the user queries and the judgements.

    Pairs of other languages are left out. A pair is relevant if the mean of its raw scores, 1 to 4, is
    above 3. Each query is a group of its own, and may have no relevant pair. The release has judged
    queries that it took out of its query bank because nothing answers them: a negative judgement of
    one is counted and passed over. Any other id that is not in the bank or among the queries raises
    InputError; so does a Label that contradicts the scores.
    """
    pairs = _read_bank(bank, language)
    queries_of = _read_queries(queries)
    relevant: dict[str, set[str]] = {key: set() for key in queries_of}
    judgements = 0
    # ASSUME a pair judged twice for one query is relevant if either judgement says so.
    for line, row in read_csv(relevance, JUDGEMENT_COLUMNS):
        judgements += 1
        where = at(relevance, line)
        query = row["Query_index"].strip()
        pair = row["FAQ_index"].strip()
        is_positive = _is_positive(row, where)
        # COUGH took out queries that nothing answers, and left their judgements (R45).
        if query not in queries_of and not is_positive:
            continue
        for name, key, known in (("query", query, queries_of), ("FAQ", pair, pairs)):
            if key not in known:
                problem = f"{name} {key!r} is unknown"
                raise InputError(where, problem, "use the three files of one release")
        if is_positive:
            relevant[query].add(pair)
    judged = tuple(
        replace(query, relevant=in_bank_order(relevant[key], pairs))
        for key, query in queries_of.items()
    )
    return Faq("cough", require_pairs(pairs.values(), at(bank, 1)), judged, judgements)


def _read_bank(path: Path | str, language: str) -> dict[str, FaqPair]:
    pairs: dict[str, FaqPair] = {}
    for line, row in read_csv(path, PAIR_COLUMNS):
        if row["language"].strip() == language:
            names = ("index", "question", "answer")
            key, question, answer = (filled(row[name], name, path, line) for name in names)
            add_unique(pairs, FaqPair(key, question, answer, group=question), path, line)
    return pairs


def _read_queries(path: Path | str) -> dict[str, FaqQuery]:
    queries: dict[str, FaqQuery] = {}
    for line, row in read_csv(path, QUERY_COLUMNS):
        key, text = (filled(row[name], name, path, line) for name in QUERY_COLUMNS)
        add_unique(queries, FaqQuery(key, text, group=key, relevant=()), path, line)
    return queries


def _is_positive(row: dict[str, str], where: str) -> bool:
    """Tell whether the raw scores' mean is above 3, checked against the column that says so, too."""
    try:
        scores = json.loads(row["Raw_score"])
        positive = sum(scores) > 3 * len(scores)
    except (TypeError, ValueError):
        problem = f"Raw_score {row['Raw_score']!r:.40} is no list of numbers"
        raise InputError(where, problem) from None
    if row[LABEL].strip() != ("positive" if positive else "negative"):
        raise InputError(where, f"label {row[LABEL]!r} contradicts the scores {scores}")
    return positive
