"""What people ask, set against a FAQ: how much of a log is likely answered, and what is asked in vain."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semblance.counts import counted
from semblance.data.text import bare, normalise
from semblance.errors import InputError
from semblance.files import open_regular
from semblance_faq.answer.answerer import LONGEST, Answered, Answerer
from semblance_faq.answer.folder import read_record
from semblance_faq.answer.output import printable
from semblance_faq.judge.threshold import share_interval
from semblance_faq.read.columns import Columns
from semblance_faq.read.findings import Findings
from semblance_faq.read.tables import is_table, read_table
from semblance_faq.read.text import read_text
from semblance_faq.serve.log import START, read_log

# On the wordings of StackFAQ and of the COVID tables eight of ten pairs with this cosine or a higher
# one ask the same, and seven of ten that ask the same have it.
ALIKE = 0.65
CLOSE = 0.02  # of the best score: by so little the second entry is behind where both fit
RISK = 0.05  # that a share lies outside its interval
MOST_OTHERS = 3  # shown of a group
MOST_GROUPED = 20_000  # questions: each is compared with each
COLUMNS = Columns(("query",))  # of a log that is a table
TITLES = {  # of the groups, by their names in what ``coverage`` returns
    "no_answer": "no answer",
    "none_right": "none of the answers was right, people said",
    "asked_again": "asked more than once",
}


class Group(NamedTuple):
    """Like questions, the leader first, and how often they were asked."""

    times: int
    questions: list[str]


def read_asked(path: str) -> tuple[dict[str, int], dict[str, int], list[str]]:
    """Return how often each question of a log was asked, and refused, and what was found, in lines.

    It was refused where a person found none of its answers right.
    Questions that differ in case, white space and punctuation alone are one, as it was asked first.
    InputError for a file that cannot be read or holds no question.
    """
    findings = Findings()
    times: dict[str, int] = {}
    refused: dict[str, int] = {}
    spelled: dict[str, str] = {}
    left_out = 0
    for text, is_refused in _questions(path, findings):
        question = plain_text(text)
        if len(question) <= LONGEST and bare(question):
            first = spelled.setdefault(bare(question), question)
            counts = refused if is_refused else times
            counts[first] = counts.get(first, 0) + 1
        else:
            left_out += bool(question)
    for question in refused:
        times.setdefault(question, 1)  # a program may note this alone
    if not times:
        raise InputError(path, "holds no question", "name a file with one question a line")
    summary = f"{path}: {counted(sum(times.values()), 'question')}, {len(times):,} different"
    if left_out:
        summary += (
            f"; {left_out:,} without a word, or of more than {LONGEST:,} characters, left out"
        )
    return times, refused, [*findings.reading().lines, summary]


def _questions(path: str, findings: Findings) -> Iterable[tuple[str, bool]]:
    """Return the text of each question, in the order of the log, and if none of its answers was right."""
    with open_regular(path) as stream:
        if stream.read(len(START)) == START:
            return read_log(path)
    if is_table(path):
        rows = read_table(path, COLUMNS, findings)
        return ((str(row["query"] or ""), False) for _, row in rows)
    text = read_text(path, findings)
    return ((line, False) for line in text.replace("\r", "\n").split("\n"))


def plain_text(text: str) -> str:
    """Return a text without control characters, which have no meaning to a model."""
    kept = (" " if unicodedata.category(c) == "Cc" else c for c in text)
    return normalise("".join(kept))


def coverage(log: str, folder: Path) -> dict[str, Any]:
    """Return what an answerer makes of a log, as JSON has it: of each kind all, the most asked first."""
    times, refused, lines = read_asked(log)
    answerer = Answerer.open(folder)
    answers = answerer.ask_all(list(times), 2)
    least = answerer.stored.settings.threshold
    in_test = read_record(folder).get("evidence", {}).get("floor", {})
    unanswered = {one.question: times[one.question] for one in answers if not one.given}
    often = Counter({text: number for text, number in times.items() if number > 1}).most_common()
    asks = {entry.id: entry.question for entry in answerer.stored.entries}
    likely = [one for one in answers if one.likely]
    known = [one for one in answers if one.known]
    return {
        "read": lines,
        "likely": _reached(answerer.stored.settings.floor, likely, times),
        "known": least and _reached(least.score, known, times),
        "refused_without_entry": in_test.get("without_entry"),
        "no_answer": [group._asdict() for group in alike(unanswered, answerer)],
        "none_right": [group._asdict() for group in alike(refused, answerer)],
        "asked_again": [{"times": number, "questions": [text]} for text, number in often],
        "between": [
            {"times": number, "example": text, "entries": {key: asks[key] for key in ids}}
            for ids, (number, text) in between_entries(answers, times)
        ],
    }


def _reached(
    least: float, some: Sequence[Answered], times: Mapping[str, int]
) -> dict[str, float | int]:
    """Return how many of the different questions reach a score, and the share of all that were asked."""
    asked = sum(times[one.question] for one in some)
    shares = {"questions": len(some), "of": len(times), "asked": asked / sum(times.values())}
    return {"score": least, **shares}


def lines_of(found: Mapping[str, Any], count: int) -> Iterator[str]:
    """Yield in lines what ``coverage`` found; ``count`` groups of each kind are shown."""
    yield from found["read"]
    for word, least in (("likely", "floor"), ("known", "threshold")):
        if one := found[word]:
            shares = f"{share(one['questions'], one['of'])} of the different questions"
            yield f"{word}, above the {least} of {one['score']:.3f}: {shares}, {one['asked']:.1%} of all"
    if (below := found["refused_without_entry"]) is not None:
        yield f"In the test the floor refused {below:.0%} of the questions without an entry; the others are likely."
    for kind, title in TITLES.items():
        groups = found[kind]
        what = "question" if kind == "asked_again" else "group"
        of = " of like questions" * (what == "group")
        yield f"\n{title}: {counted(len(groups), what)}{of}"
        for group in groups[:count]:
            first, *others = map(printable, group["questions"])
            yield f"{group['times']:5,}  {first}"
            if others:
                yield f"{'':7}also: {'; '.join(others[:MOST_OTHERS])}"
    between = found["between"]
    yield f"\nbetween two entries, which may say the same: {counted(len(between), 'pair')}"
    for pair in between[:count]:
        yield f"{pair['times']:5,}  {printable(pair['example'])}"
        yield from (f"{'':7}{key!r}: {printable(asks)}" for key, asks in pair["entries"].items())


def share(part: int, total: int) -> str:
    """Return a share in words, with its exact interval of 95 %, each question taken by itself."""
    low, high = share_interval(part, total, RISK)
    return f"{part:,} of {total:,}, {part / total:.1%} (95 % interval {low:.1%} to {high:.1%})"


def alike(times: Mapping[str, int], answerer: Answerer) -> list[Group]:
    """Return groups of questions that ask about the same, the most asked first.

    The question with the most others beside it leads the first group, which takes these away, and so
    on. Where words alone rank there is no model to compare them, and each is a group of its own.
    """
    questions = sorted(times, key=lambda text: -times[text])[:MOST_GROUPED]
    if answerer.embedder is None or not questions:
        return [Group(times[text], [text]) for text in questions]
    vectors = answerer.embedder.embed(questions)
    near = np.concatenate([row[None] @ vectors.T >= ALIKE for row in vectors])
    np.fill_diagonal(near, True)
    weights = np.asarray([times[text] for text in questions])
    beside = near @ weights  # how often the questions beside each were asked that are in no group
    groups = []
    left = np.ones(len(questions), bool)
    while left.any():
        leader = int(np.argmax(np.where(left, beside, 0)))
        members = np.flatnonzero(near[leader] & left)
        left[members] = False
        beside -= near[:, members] @ weights[members]
        others = sorted(set(members.tolist()) - {leader}, key=lambda one: -weights[one])
        texts = [questions[one] for one in (leader, *others)]
        groups.append(Group(int(weights[members].sum()), texts))
    return sorted(groups, key=lambda group: -group.times)


def between_entries(
    found: Sequence[Answered], times: Mapping[str, int]
) -> list[tuple[tuple[str, ...], tuple[int, str]]]:
    """Return the ids of entries whose scores for a likely question are nearly equal, and an example."""
    pairs: dict[tuple[str, ...], tuple[int, str]] = {}
    for one in found:
        best, *second = one.answers
        if one.likely and second and second[0].score >= (1 - CLOSE) * best.score:
            ids = tuple(sorted((best.id, second[0].id)))
            number, example = pairs.get(ids, (0, one.question))
            pairs[ids] = (number + times[one.question], example)
    return sorted(pairs.items(), key=lambda pair: -pair[1][0])
