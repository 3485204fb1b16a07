"""What people ask, set against a FAQ: how much of a log it answers, and which questions have no entry."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from semblance.counts import counted
from semblance_faq.answer.answerer import Answered, Answerer
from semblance_faq.answer.output import printable
from semblance_faq.commands.asked import read_asked
from semblance_faq.judge.threshold import share_interval
from semblance_faq.read.findings import listed

# On the wordings of StackFAQ and of the COVID tables eight of ten pairs with this cosine or a higher
# one ask the same, and seven of ten that ask the same have it.
ALIKE = 0.65
CLOSE = 0.02  # of the best score: by so little the second entry is behind where both fit
RISK = 0.05  # that a share lies outside its interval
MOST_OTHERS = 3  # shown of a group
Group = tuple[int, list[str]]  # how often its questions were asked; they, the leader first


def coverage(log: str, folder: Path, count: int) -> Iterator[str]:
    """Yield in lines what an answerer makes of a log; ``count`` groups of each kind are shown."""
    times, lines = read_asked(log)
    yield from lines
    answerer = Answerer.open(folder)
    found = answerer.ask_all(list(times), 2)
    floor, least = answerer.stored.settings.floor, answerer.stored.settings.threshold
    total = sum(times.values())
    likely = sum(times[one.question] for one in found if one.likely)
    yield f"likely, above the floor of {floor:.3f}: {share(likely, total)}"
    if least is not None:
        known = sum(times[one.question] for one in found if one.known)
        yield f"known, above the threshold of {least.score:.3f}: {share(known, total)}"
    unlikely = {one.question: times[one.question] for one in found if not one.likely}
    groups = alike(unlikely, answerer)
    yield f"\nno entry, or one in other words: {counted(len(groups), 'group')} of like questions"
    yield from _shown(groups, count)
    often = Counter({text: number for text, number in times.items() if number > 1})
    yield f"\nasked more than once: {counted(len(often), 'question')}"
    yield from _shown([(number, [text]) for text, number in often.most_common()], count)
    between = between_entries(found, times)
    yield f"\nbetween two entries, which may say the same: {counted(len(between), 'pair')}"
    for ids, (number, texts) in between[:count]:
        yield f"{number:5,}  {listed(ids)}: {printable(texts[0])}"


def share(part: int, total: int) -> str:
    """Return a share in words, with its exact interval of 95 %, each question taken by itself."""
    low, high = share_interval(part, total, RISK)
    return f"{part:,} of {total:,}, {part / total:.1%} [{low:.1%}, {high:.1%}]"


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
    questions = list(times)
    if answerer.embedder is None or not questions:
        return [(number, [text]) for text, number in Counter(times).most_common()]
    vectors = answerer.embedder.embed(questions)
    near = vectors @ vectors.T >= ALIKE
    np.fill_diagonal(near, True)
    weights = np.asarray(list(times.values()))
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
) -> list[tuple[tuple[str, ...], Group]]:
    """Return the pairs of entries whose scores for a likely question are nearly equal, by their ids."""
    pairs: dict[tuple[str, ...], Group] = {}
    for one in found:
        best, *second = one.answers
        if one.likely and second and second[0].score >= (1 - CLOSE) * best.score:
            ids = tuple(sorted((best.id, second[0].id)))
            number, texts = pairs.get(ids, (0, []))
            pairs[ids] = (number + times[one.question], [*texts, one.question])
    return sorted(pairs.items(), key=lambda pair: -pair[1][0])
