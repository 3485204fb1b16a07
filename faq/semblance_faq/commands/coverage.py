"""What people ask, set against a FAQ: how much of a log is likely answered, and what is asked in vain."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

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
Group = tuple[int, list[str]]  # how often its questions were asked; they, the leader first


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


def coverage(log: str, folder: Path, count: int) -> Iterator[str]:
    """Yield in lines what an answerer makes of a log; ``count`` groups of each kind are shown."""
    times, refused, lines = read_asked(log)
    yield from lines
    answerer = Answerer.open(folder)
    answers = answerer.ask_all(list(times), 2)
    floor, least = answerer.stored.settings.floor, answerer.stored.settings.threshold
    yield f"likely, above the floor of {floor:.3f}: {_shares([x for x in answers if x.likely], times)}"
    if least is not None:
        known = [one for one in answers if one.known]
        yield f"known, above the threshold of {least.score:.3f}: {_shares(known, times)}"
    below = read_record(folder).get("evidence", {}).get("floor", {}).get("without_entry")
    if below is not None:
        yield f"In the test the floor refused {below:.0%} of the questions without an entry; the others are likely."
    unanswered = {one.question: times[one.question] for one in answers if not one.given}
    groups = alike(unanswered, answerer)
    yield f"\nno answer: {counted(len(groups), 'group')} of like questions"
    yield from _group_lines(groups, count)
    groups = alike(refused, answerer)
    yield f"\nnone of the answers was right, people said: {counted(len(groups), 'group')} of like questions"
    yield from _group_lines(groups, count)
    often = Counter({text: number for text, number in times.items() if number > 1})
    yield f"\nasked more than once: {counted(len(often), 'question')}"
    yield from _group_lines([(number, [text]) for text, number in often.most_common()], count)
    between = between_entries(answers, times)
    yield f"\nbetween two entries, which may say the same: {counted(len(between), 'pair')}"
    asks = {entry.id: printable(entry.question) for entry in answerer.stored.entries}
    for ids, (number, example) in between[:count]:
        yield f"{number:5,}  {printable(example)}"
        yield from (f"{'':7}{key!r}: {asks[key]}" for key in ids)


def _shares(some: Sequence[Answered], times: Mapping[str, int]) -> str:
    """Return the share of the different questions, with its interval, and of those asked."""
    asked = sum(times[one.question] for one in some)
    return f"{share(len(some), len(times))} of the different questions, {asked / sum(times.values()):.1%} of all"


def share(part: int, total: int) -> str:
    """Return a share in words, with its exact interval of 95 %, each question taken by itself."""
    low, high = share_interval(part, total, RISK)
    return f"{part:,} of {total:,}, {part / total:.1%} (95 % interval {low:.1%} to {high:.1%})"


def _group_lines(groups: Sequence[Group], count: int) -> Iterator[str]:
    """Yield the first groups, each with an example and some of its other questions."""
    for times, (first, *others) in groups[:count]:
        yield f"{times:5,}  {printable(first)}"
        if others:
            yield f"{'':7}also: {'; '.join(map(printable, others[:MOST_OTHERS]))}"


def alike(times: Mapping[str, int], answerer: Answerer) -> list[Group]:
    """Return groups of questions that ask about the same, the most asked first.

    The question with the most others beside it leads the first group, which takes these away, and so
    on. Where words alone rank there is no model to compare them, and each is a group of its own.
    """
    questions = sorted(times, key=lambda text: -times[text])[:MOST_GROUPED]
    if answerer.embedder is None or not questions:
        return [(times[text], [text]) for text in questions]
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
        groups.append((int(weights[members].sum()), texts))
    return sorted(groups, key=lambda group: -group[0])


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
