"""What people ask, set against a FAQ: how much of a log is likely answered, and what is asked in vain."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from semblance.counts import counted
from semblance_faq.answer.answerer import Answered, Answerer
from semblance_faq.answer.folder import read_record
from semblance_faq.answer.output import printable
from semblance_faq.commands.asked import read_asked
from semblance_faq.judge.threshold import share_interval

# On the wordings of StackFAQ and of the COVID tables eight of ten pairs with this cosine or a higher
# one ask the same, and seven of ten that ask the same have it.
ALIKE = 0.65
CLOSE = 0.02  # of the best score: by so little the second entry is behind where both fit
RISK = 0.05  # that a share lies outside its interval
MOST_OTHERS = 3  # shown of a group
MOST_GROUPED = 20_000  # questions: each is compared with each
Group = tuple[int, list[str]]  # how often its questions were asked; they, the leader first


def coverage(log: str, folder: Path, count: int) -> Iterator[str]:
    """Yield in lines what an answerer makes of a log; ``count`` groups of each kind are shown."""
    times, lines = read_asked(log)
    yield from lines
    answerer = Answerer.open(folder)
    answers = answerer.ask_all(list(times), 2)
    floor, least = answerer.stored.settings.floor, answerer.stored.settings.threshold
    yield f"likely, above the floor of {floor:.3f}: {_shares([x for x in answers if x.likely], times)}"
    if least is not None:
        known = [one for one in answers if one.known]
        yield f"known, above the threshold of {least.score:.3f}: {_shares(known, times)}"
    refused = read_record(folder).get("evidence", {}).get("floor", {}).get("without_entry")
    if refused is not None:
        yield f"In the test the floor refused {refused:.0%} of the questions without an entry; the others are likely."
    unanswered = {one.question: times[one.question] for one in answers if not one.is_answered}
    groups = alike(unanswered, answerer)
    yield f"\nno answer: {counted(len(groups), 'group')} of like questions"
    yield from _shown(groups, count)
    often = Counter({text: number for text, number in times.items() if number > 1})
    yield f"\nasked more than once: {counted(len(often), 'question')}"
    yield from _shown([(number, [text]) for text, number in often.most_common()], count)
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


def _shown(groups: Sequence[Group], count: int) -> Iterator[str]:
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
