"""FAQ banks: question-answer pairs, and user queries with the pairs judged relevant to them.

Texts are white-space-normalised. Where a bank names no group, a pair's group is its question, so that
folds never split one question between training and test.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance.data.text import (
    XmlElement,
    filled,
    normalise,
    read_csv,
    read_json_lines,
    read_lines,
    read_xml,
)
from semblance.errors import InputError, at

COUGH_BANK = ("index", "question", "answer", "language")
COUGH_LABEL = "Label (mean score > 3 as positive)"
COUGH_RELEVANCE = ("Query_index", "FAQ_index", "Raw_score", "Average", COUGH_LABEL)
FAQIR_RELEVANT, FAQIR_VALUES = "1", ("1", "2", "3", "4")  # relevant, useful, useless, irrelevant


@dataclass(frozen=True)
class FaqPair:
    """A question and its answer; folds keep the pairs of one group together."""

    id: str
    question: str
    answer: str
    group: str


@dataclass(frozen=True)
class FaqQuery:
    """A user's query and the ids of the pairs relevant to it, in the bank's order; there may be none."""

    id: str
    text: str
    group: str
    relevant: tuple[str, ...]


@dataclass(frozen=True)
class Faq:
    """A bank of pairs and the annotated queries to it; ids are unique in each."""

    name: str
    pairs: tuple[FaqPair, ...]
    queries: tuple[FaqQuery, ...]


def unique_answers(faq: Faq) -> tuple[list[str], dict[str, int]]:
    """Return the distinct answers in order of first appearance, and each pair id's index among them."""
    numbers: dict[str, int] = {}
    of_pair = {
        pair.id: numbers.setdefault(normalise(pair.answer), len(numbers)) for pair in faq.pairs
    }
    return list(numbers), of_pair


def read_cough(
    bank: Path | str, queries: Path | str, relevance: Path | str, language: str = "en"
) -> Faq:
    """Read COUGH's FAQ bank, user queries and judgements (three CSV files of its release).

    Pairs of other languages are left out. A pair is relevant if the mean of its raw scores, 1 to 4, is
    above 3. Each query is a group of its own, and may have no relevant pair. An id that is not in the
    bank or among the queries raises InputError; so does an Average or a Label that contradicts the scores.
    """
    pairs: dict[str, FaqPair] = {}
    for line, row in read_csv(bank, COUGH_BANK):
        if row["language"].strip() == language:
            key, question, answer = (filled(row[name], name, bank, line) for name in COUGH_BANK[:3])
            _add(pairs, FaqPair(key, question, answer, question), bank, line)
    texts: dict[str, FaqQuery] = {}
    for line, row in read_csv(queries, ("index", "query")):
        key, text = (filled(row[name], name, queries, line) for name in ("index", "query"))
        _add(texts, FaqQuery(key, text, key, ()), queries, line)
    relevant = _cough_relevant(relevance, pairs, texts)
    return _faq(
        "cough",
        pairs,
        (
            FaqQuery(q.id, q.text, q.group, _ordered(relevant.get(q.id, ()), pairs))
            for q in texts.values()
        ),
        at(bank, 1),
    )


def _cough_relevant(
    path: Path | str, pairs: dict[str, FaqPair], queries: dict[str, FaqQuery]
) -> dict[str, set[str]]:
    # ASSUME a pair judged twice for one query is relevant if either judgement says so: the release
    # has more rows than its paper's judgements per query.
    relevant: dict[str, set[str]] = {}
    for line, row in read_csv(path, COUGH_RELEVANCE):
        query, pair = row["Query_index"].strip(), row["FAQ_index"].strip()
        for name, key, known in (("query", query, queries), ("FAQ", pair, pairs)):
            if key not in known:
                raise InputError(
                    at(path, line),
                    f"{name} {key!r} is unknown",
                    "use the three files of one release",
                )
        if _is_positive(row, path, line):
            relevant.setdefault(query, set()).add(pair)
    return relevant


def _is_positive(row: dict[str, str], path: Path | str, line: int) -> bool:
    """Return whether the raw scores' mean is above 3, checked against the columns that repeat it."""
    try:
        scores = json.loads(row["Raw_score"])
        if (
            not isinstance(scores, list)
            or not scores
            or not all(s in (1, 2, 3, 4) and s is not True for s in scores)
        ):
            raise ValueError
        average = float(row["Average"])
    except (ValueError, RecursionError):
        raise InputError(
            at(path, line),
            f"Raw_score {row['Raw_score'][:40]!r} is no list of 1 to 4, or "
            f"Average {row['Average'][:40]!r} is no number",
        ) from None
    positive = sum(scores) > 3 * len(scores)
    if not abs(sum(scores) / len(scores) - average) <= 1e-6:
        raise InputError(at(path, line), f"Average {average} is not the mean of {scores}")
    if row[COUGH_LABEL].strip() != ("positive" if positive else "negative"):
        raise InputError(
            at(path, line), f"label {row[COUGH_LABEL]!r} contradicts the scores {scores}"
        )
    return positive


def read_faqir(path: Path | str) -> Faq:
    """Read FAQIR 1.0's XML: 4,313 pairs, 1,233 queries in 50 groups (templates).

    Judgements belong to a group and each of its queries inherits them; a pair is relevant if some
    annotator gave 1. Query ids are ``group-qN``, N the query's rank in its group. Unknown tags are ignored.
    """
    root = read_xml(path)
    pairs: dict[str, FaqPair] = {}
    for node in root.iterfind(".//pairs/qapair"):
        question, answer = _child(node, "question", path), _child(node, "answer", path)
        _add(pairs, FaqPair(_child(node, "id", path), question, answer, question), path, node.line)
    relevant: dict[str, set[str]] = {}
    for group in root.iterfind(".//relcandidates/ircandidatelist"):
        found = relevant.setdefault(_child(group, "grpid", path), set())
        found |= {
            key
            for node in group.iterfind("candidates/ircandidate")
            if (key := _faqir_relevant(node, pairs, path)) is not None
        }
    queries: list[FaqQuery] = []
    counts: dict[str, int] = {}
    for node in root.iterfind(".//queries/query"):
        group, text = _child(node, "querygroupid", path), _child(node, "querystring", path)
        if group not in relevant:
            raise InputError(at(path, node.line), f"query group {group!r} has no judgements")
        counts[group] = counts.get(group, 0) + 1
        queries.append(
            FaqQuery(f"{group}-q{counts[group]}", text, group, _ordered(relevant[group], pairs))
        )
    return _faq("faqir", pairs, queries, at(path, 1))


def _faqir_relevant(node: XmlElement, pairs: dict[str, FaqPair], path: Path | str) -> str | None:
    """Return the candidate's pair id if some annotator called it relevant, else None."""
    key = _child(node, "id", path)
    if key not in pairs:
        raise InputError(at(path, node.line), f"judged pair {key!r} is not in the bank")
    values = [
        _child(annotation, "val", path) for annotation in node.iterfind("annotations/annotation")
    ]
    if not set(values) <= set(FAQIR_VALUES):
        raise InputError(
            at(path, node.line), f"annotations {values} of pair {key}", "expected 1 to 4"
        )
    return key if FAQIR_RELEVANT in values else None


def read_stackfaq(path: Path | str) -> Faq:
    """Read StackFAQ's XML: 125 threads, 719 pairs, 1,249 paraphrases as queries.

    Each thread is a group, numbered from 1; its question makes a pair with each of its answers, and all
    of its answers are relevant to each of its paraphrases.
    """
    pairs: dict[str, FaqPair] = {}
    queries: list[FaqQuery] = []
    for number, thread in enumerate(read_xml(path).iterfind("qapair"), 1):
        question, group = _child(thread, "question", path), str(number)
        keys = []
        for rank, node in enumerate(thread.iterfind("answer"), 1):
            keys.append(f"{group}-{rank}")
            answer = filled(_content(node), "answer", path, node.line)
            pairs[keys[-1]] = FaqPair(keys[-1], question, answer, group)
        if not keys:
            raise InputError(at(path, thread.line), "a thread without an answer")
        # A lone * separates two writers, and the release holds one empty paraphrase.
        texts = [text for text in map(_content, thread.iterfind("rephr")) if text not in ("", "*")]
        queries += [
            FaqQuery(f"{group}-q{n}", text, group, tuple(keys)) for n, text in enumerate(texts, 1)
        ]
    return _faq("stackfaq", pairs, queries, at(path, 1))


def read_covid(paths: Sequence[Path | str], similarity: Path | str | None = None) -> Faq:
    """Read the deepset COVID-QA tables (comma- or tab-separated, by header): 376 English pairs in three.

    Pairs are distinct in (question, answer) and numbered from 1. With ``similarity`` (question_1,
    question_2, similar) each question_2 called similar to a question of the bank is a query, and that
    question's pairs are relevant to it; one text is one query.
    """
    pairs: dict[str, FaqPair] = {}
    by_question: dict[str, list[str]] = {}
    seen: set[tuple[str, str]] = set()
    for path in paths:
        delimiter = "\t" if "\t" in next(read_lines(path), (1, ""))[1] else ","
        for line, row in read_csv(path, ("question", "answer", "lang"), delimiter):
            if row["lang"].strip() != "en":
                continue
            question, answer = (
                filled(row[name], name, path, line) for name in ("question", "answer")
            )
            if (question, answer) not in seen:
                seen.add((question, answer))
                key = str(len(seen))
                pairs[key] = FaqPair(key, question, answer, question)
                by_question.setdefault(question, []).append(key)
    queries = _covid_queries(similarity, by_question, pairs) if similarity is not None else []
    return _faq("covid", pairs, queries, at(paths[0], 1) if paths else "covid")


def _covid_queries(
    path: Path | str, by_question: dict[str, list[str]], pairs: dict[str, FaqPair]
) -> list[FaqQuery]:
    found: dict[
        str, tuple[str, set[str]]
    ] = {}  # text: group (the first question it means), relevant
    for line, row in read_csv(path, ("question_1", "question_2", "similar")):
        if row["similar"].strip() not in ("0", "1"):
            raise InputError(at(path, line), f"similar is {row['similar']!r}", "0 or 1")
        question = normalise(row["question_1"])
        if row["similar"].strip() == "1" and question in by_question:
            text = filled(row["question_2"], "question_2", path, line)
            found.setdefault(text, (question, set()))[1].update(by_question[question])
    return [
        FaqQuery(f"q{n}", text, group, _ordered(keys, pairs))
        for n, (text, (group, keys)) in enumerate(found.items(), 1)
    ]


def read_own(path: Path | str) -> Faq:
    """Read a user's FAQ, named after the file: ``.csv`` or JSON lines (``.jsonl``), plain or ``.gz``.

    Columns or keys: question, answer, and if wanted id (else the line number) and group (else the
    question). JSON lines may add "queries", a list of other wordings, which become annotated queries.
    """
    plain = Path(str(path).removesuffix(".gz"))
    if plain.suffix not in (".csv", ".jsonl"):
        raise InputError(path, "neither .csv nor .jsonl", "name the file after its format")
    pairs: dict[str, FaqPair] = {}
    queries: list[FaqQuery] = []
    rows = (
        read_csv(path, ("question", "answer")) if plain.suffix == ".csv" else read_json_lines(path)
    )
    for line, row in rows:
        question, answer = (
            filled(row.get(name), name, path, line) for name in ("question", "answer")
        )
        key = _given(row, "id", str(line), path, line)
        group = _given(row, "group", question, path, line)
        _add(pairs, FaqPair(key, question, answer, group), path, line)
        wordings = row.get("queries", []) if plain.suffix == ".jsonl" else []
        if not isinstance(wordings, list):
            raise InputError(at(path, line), "queries is not a list", 'write "queries": ["…", "…"]')
        queries += [
            FaqQuery(f"{key}-q{n}", filled(text, "a query", path, line), group, (key,))
            for n, text in enumerate(wordings, 1)
        ]
    return _faq(plain.stem, pairs, queries, at(path, 1))


def _given(row: dict[str, Any], name: str, default: str, path: Path | str, line: int) -> str:
    """Return an optional field as text; an empty one counts as not given, an integer as its digits."""
    value = row.get(name)
    if value is None or value == "":
        return default
    return filled(str(value) if type(value) is int else value, name, path, line)


def _content(node: XmlElement) -> str:
    """Return an element's whole text, that of elements inside it too; it may be empty."""
    return normalise("".join(node.itertext()))


def _child(node: XmlElement, tag: str, path: Path | str) -> str:
    """Return the text of a child element that must be there, at the child's line if it is empty."""
    child = node.find(tag)
    if child is None:
        raise InputError(at(path, node.line), f"<{node.tag}> has no <{tag}>")
    return filled(_content(child), child.tag, path, child.line)


def _add(known: dict[str, Any], item: FaqPair | FaqQuery, path: Path | str, line: int) -> None:
    if item.id in known:
        raise InputError(at(path, line), f"id {item.id!r} stands twice", "ids must be unique")
    known[item.id] = item


def _ordered(keys: Iterable[str], pairs: dict[str, FaqPair]) -> tuple[str, ...]:
    """Return the keys in the bank's order, so that results never depend on a set's order."""
    wanted = set(keys)
    return tuple(key for key in pairs if key in wanted)


def _faq(name: str, pairs: dict[str, FaqPair], queries: Iterable[FaqQuery], where: str) -> Faq:
    if not pairs:
        raise InputError(where, "no question-answer pair", "check that the file is the right one")
    return Faq(name, tuple(pairs.values()), tuple(queries))
