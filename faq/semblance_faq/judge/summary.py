"""What an answerer is and how good it is: the summary, for whoever decides about its use."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter

from semblance.counts import counted
from semblance_faq.judge.evaluations import Way
from semblance_faq.judge.evidence import FEWEST_CLUSTERS, LEVEL, Verdict
from semblance_faq.judge.judgement import Gain, Judgement
from semblance_faq.judge.threshold import (
    OTHER_FIELDS,
    Floor,
    Tried,
    can_show,
    questions_like,
    share_interval,
)

FIT = 0.5  # of the first answers must be right, or the summary advises against its use
ENOUGH = 30  # questions, below which the share of right answers is told with its interval
FEWEST = 20  # answers of a threshold, from which on their share of right ones tells of others
MAY_HELP = "try another start model (--base), wordings of users, and entries that are missing."
WORDING = "wording"  # the protocol in which entries are known and users' wordings are new
ASKED = {  # by protocol: what was asked, and what it therefore does not show
    WORDING: (
        "users' wordings that the models had not seen, of entries that they knew",
        "questions about entries that are not in the FAQ yet",
    ),
    "pairs": (
        "the questions of entries that the models had not been trained on",
        "users' own wordings of the entries' questions",
    ),
}


@dataclass(frozen=True)
class Subject:
    """What a summary is about: an answerer, its entries, the way chosen, the test, the model.

    ``words`` names each way in a text.
    """

    name: str
    entries: int
    way: Way
    protocol: str
    made: str
    base: str
    words: Mapping[str, str]


def summary_text(found: Judgement, about: Subject) -> str:
    """Return the summary as Markdown, one statement a line."""
    rows = [
        f"| {tried.score:.3f} | {tried.answered:.1%} | {tried.precision:.1%} | {tried.low:.1%} |"
        for tried in found.tried
    ]
    lines = [
        f"# {about.name}: {counted(about.entries, 'entry', 'entries')}",
        *("", f"Use it: {_use(found, about)}"),
        *("", f"Next: {_next(found, about)}"),
        "",
        *(f"- {line}" for line in _lines(found, about)),
        *("", "Thresholds tried, and the precision that the test shows for each:", ""),
        "| score | answered | right of these | shown |",
        "| --- | --- | --- | --- |",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def _use(found: Judgement, about: Subject) -> str:
    """Say whether to use it, and how: for whoever reads one line."""
    if found.certified is not None:
        certified = found.certified
        return (
            f"yes, alone above the threshold. It answers {certified.answered:.0%} of the questions, and"
            f" at least {certified.stated:.0%} of these answers are right ({1 - certified.risk:.0%} sure);"
            " a person answers the others."
        )
    asked = counted(found.questions, "question")
    if found.questions < ENOUGH:
        right = round(found.right * found.questions)
        low, high = share_interval(right, found.questions, 1 - LEVEL)
        asked += f" ({LEVEL:.0%} interval {low:.0%} to {high:.0%})"
    if found.right < FIT:
        return f"no. The first answer is right for {found.right:.0%} of {asked} alone."
    word = "perhaps" if found.questions < ENOUGH else "yes"
    right = f"The first is right for {found.right:.0%} of {asked}."
    return f"{word}, as suggestions that a person reads. {right}{_why(found, about)}"


def _why(found: Judgement, about: Subject) -> str:
    """Say why a way is kept that is not shown to be better than a plain one."""
    others = [about.words[n] for n, each in found.against.items() if each.verdict.word != "better"]
    trained = found.training is not None and not about.way.is_untrained
    if trained and found.training.verdict.word != "better":
        others.append("no training")
    if not others:
        return ""
    reason = "it was ahead by more than one standard error, which is enough to choose it"
    if found.chosen == next(iter(found.scores)):
        reason = "it is the simplest, and none was ahead by more than one standard error"
    shown = f"not shown to be better than {' and '.join(others)}"
    return f" Kept is {about.way.words}, {shown}: {reason}."


def _next(found: Judgement, about: Subject) -> str:
    """Say what to do next: what would allow a threshold, or raise the scores."""
    if found.certified is not None:
        return (
            "serve it with --log. `coverage` and `label` then say how it does on what people ask."
        )
    condition = "they are answered as well as these"
    seen = [each for each in found.tried if each.answered * found.questions >= FEWEST]
    if not seen:
        seen, condition = [Tried(0, 1, 1, 0)], "all are answered rightly"
    count, tried = min(
        ((questions_like(each, found.stated), each) for each in seen), key=itemgetter(0)
    )
    if found.right < FIT or math.isinf(count):
        return MAY_HELP
    wanted = f"{count:,} wordings of users, which are the test then"
    if about.protocol == WORDING:
        wanted = f"{count - found.questions:,} more wordings of users"
    lines = [
        f"collect {wanted}: `serve --log`, `label`, `train --queries`.",
        f"They would allow a threshold of {found.stated:.0%} right answers for {tried.answered:.0%} of the"
        f" questions, if {condition}.",
    ]
    shown = max(found.tried, key=lambda each: each.low)
    if shown.low >= FIT:
        precision = math.floor(100 * shown.low) / 100
        lines.append(
            f"These allow one of {precision:.0%} for {shown.answered:.0%} (precision: {precision:g})."
        )
    return "\n".join(lines)


def _lines(found: Judgement, about: Subject) -> Iterator[str]:
    asked, not_asked = ASKED[about.protocol]
    yield f"Kept: {about.way.words}."
    yield (
        f"The first answer is right for {found.right:.1%} of {counted(found.questions, 'question')}; the"
        f" mean average precision (MAP) is {_points(found.score)}"
        f" ({_interval(found.low, found.high)})."
    )
    if found.training is not None:
        yield _training(found.training)
    for name, against in found.against.items():
        yield (
            f"VERDICT: {against.verdict.word} than {about.words[name]}: MAP {_points(found.score)} against"
            f" {_points(against.score)}, {_difference(against.verdict)}."
        )
    yield from _choice(found, about)
    groups = counted(found.clusters, "group")
    line = (
        f"The questions fall into {groups}: questions of one answer, and wordings of one question,"
        " are alike. The intervals count each group as one unit."
    )
    if found.clusters < FEWEST_CLUSTERS:
        line += " So few groups give wide intervals, by Student's t distribution."
    yield line
    yield from _threshold(found)
    yield f"Asked were {asked}. How well {not_asked} are answered was not tested."
    yield (
        f"The model (folder model) is {about.made}, from the base {about.base}. What it was made from, digest by"
        " digest: record.json. The entries are yours; what the licence of the base allows counts, too."
    )


def _training(gain: Gain) -> str:
    """Say whether training helps."""
    said = {
        "better": "Training on this file helps",
        "no better": "Training on this file is not shown to help",
        "worse": "Training on this file makes the answers worse",
    }[gain.verdict.word]
    return (
        f"VERDICT: {said}: MAP {_points(gain.with_training)} with it, {_points(gain.without)} without,"
        f" {_difference(gain.verdict)}."
    )


def _choice(found: Judgement, about: Subject) -> Iterator[str]:
    """Say what the choice rests on."""
    best_first = sorted(found.scores.items(), key=lambda entry: -entry[1])
    ranked = ", ".join(f"{about.words[name]} {_points(score)}" for name, score in best_first)
    yield (
        f"MAP of each way: {ranked}. A way replaces a simpler one only if it is better by more than one"
        " standard error of their difference."
    )
    if found.near:
        near = ", ".join(about.words[name] for name in found.near)
        yield f"Within one standard error of the kept way: {near}."
    yield (
        f"The score and the verdicts judge the choice itself: in each of {found.folds} parts of the"
        " questions that way answers which the other parts choose. It is the kept one in"
        f" {found.agreeing}."
    )


def _difference(verdict: Verdict) -> str:
    return f"{100 * verdict.difference:+.1f} points ({_interval(verdict.low, verdict.high, '+')})"


def _interval(low: float, high: float, sign: str = "") -> str:
    if low == high:  # a bootstrap of equal values draws nothing else, however few they are
        return "the same on all questions, so no interval can be drawn"
    return f"{LEVEL:.0%} interval {100 * low:{sign}.1f} to {100 * high:{sign}.1f}"


def _threshold(found: Judgement) -> Iterator[str]:
    if found.floor is not None:
        yield _floor(found.floor)
    if found.certified is None:
        yield (
            f"No threshold: on {counted(found.questions, 'question')} none could be shown to give"
            f" {found.stated:.0%} right answers, so that no answer counts as known. If all were right,"
            f" so many could show {can_show(found.questions):.1%}."
        )
        return
    certified = found.certified
    level = 1 - certified.risk
    low, high = certified.answered_interval
    yield (
        f"Threshold {certified.score:.3f}: {certified.answered:.1%} of the questions get an answer"
        f" ({level:.0%} interval {low:.1%} to {high:.1%}), the others get none."
    )
    low, high = certified.precision_interval
    yield (
        f"Of the first answers given {certified.precision:.1%} are right ({level:.0%} interval {low:.1%} to"
        f" {high:.1%}); that at least {certified.stated:.0%} are is {level:.0%} sure, for questions like"
        " these. These two intervals and this certainty take each question by itself: where many"
        " questions belong to one entry, they promise too much."
    )
    if found.refusal is not None:
        yield f"Of the questions whose entry is taken away, {found.refusal:.1%} get no answer."


def _floor(floor: Floor) -> str:
    refused = [
        f"{floor.other_fields:.0%} of {len(OTHER_FIELDS)} English questions from other fields"
    ]
    if floor.without_entry is not None:
        refused.append(f"{floor.without_entry:.0%} of the questions whose entry is taken away")
    refused.append(f"{floor.right:.0%} of the right answers")
    return (
        f"Floor {floor.score:.3f}: an answer below it is none, one above it is likely. It refuses"
        f" {', '.join(refused[:-1])} and {refused[-1]}. A floor is no promise."
    )


def _points(score: float) -> str:
    return f"{100 * score:.1f}"
