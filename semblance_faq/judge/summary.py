"""What an answerer is and how good it is: the summary, for whoever decides about its use, and the card.

The card, README.md, is for whoever finds the folder without the run that made it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from semblance.cards.text import literal, table
from semblance.counts import counted
from semblance.layout import THRESHOLD_PICTURE, THRESHOLDS
from semblance.names import START
from semblance_faq.judge.evaluations import Way
from semblance_faq.judge.evidence import FEWEST_CLUSTERS, LEVEL
from semblance_faq.judge.judgement import UNTRAINED, Against, Judgement
from semblance_faq.judge.threshold import Certified

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
UNTESTED = {  # by protocol: why some wordings of users were not asked
    WORDING: "Each is a question of the FAQ, as it stands or in another spelling.",
    "pairs": "They are too few to hold some out, or the config holds out entries.",
}

OF_A_MODEL = ("precision", "batch_size", "epochs", "dropout", "regulators", "learning_rate", "seed")
USE = """```sh
semblance faq ask --model FOLDER "a question"
semblance faq serve --model FOLDER
semblance faq check FOLDER
```"""


@dataclass(frozen=True)
class Subject:
    """What a summary is about: an answerer, its entries, the way chosen, the test, the model.

    ``untested`` wordings of users were not asked; ``curves`` are the lines that its learning curves
    say.
    """

    name: str
    entries: int
    way: Way
    protocol: str
    made: str
    untested: int = 0
    curves: tuple[str, ...] = ()


def summary_text(found: Judgement, about: Subject) -> str:
    """Return the summary as Markdown, one statement a line."""
    lines = [
        f"# {about.name}: {counted(about.entries, 'entry', 'entries')}",
        "",
        *(f"- {line}" for line in _lines(found, about)),
    ]
    return "\n".join(lines) + "\n"


def _lines(found: Judgement, about: Subject) -> Iterator[str]:
    asked, not_asked = ASKED[about.protocol]
    yield f"Chosen: {found.chosen}, {_how(about.way)}."
    best_first = sorted(found.dev.items(), key=lambda entry: -entry[1])
    ranked = ", ".join(f"{name} {_points(score)}" for name, score in best_first)
    yield f"It has the best mean average precision (MAP) on dev questions: {ranked}."
    for name, against in found.against.items():
        yield _verdict(found, name, against)
    if not found.against:
        yield "VERDICT: none; neither the start model nor BM25 is among the methods."
    yield (
        f"The verdicts judge the choice itself, on {counted(found.questions, 'question')}: in each"
        " fold, the questions that choose are not those that test."
    )
    groups = counted(found.clusters, "group")
    line = (
        f"The questions fall into {groups}: questions of one answer, and wordings of one question,"
        " are alike. The intervals of the verdicts count each group as one unit."
    )
    if found.clusters < FEWEST_CLUSTERS:
        line += " So few groups give wide intervals, by Student's t distribution."
    yield line
    yield f"The first answer is right for {found.right:.1%} of the questions."
    yield from _threshold(found)
    yield from about.curves
    yield f"Asked were {asked}. How well {not_asked} are answered was not tested."
    if about.untested:
        wordings = counted(about.untested, "wording")
        yield f"Not asked: {wordings} of users. {UNTESTED[about.protocol]}"
    yield f"The model (folder model) is {about.made}."


def _how(way: Way) -> str:
    """Say how a way ranks."""
    by = {
        "vectors": "by the similarity of embeddings",
        "words": "by the words in common (BM25)",
        "hybrid": "by embeddings and by words in common (BM25) together",
    }[way.ranking.by]
    what = {
        "answer": "the answers",
        "question": "the known questions",
        "better": "the answers and the known questions",
    }[way.ranking.match]
    return f"which compares a question with {what} {by}"


def _verdict(found: Judgement, name: str, against: Against) -> str:
    verdict = against.verdict
    other = f"BM25 ({name})"
    if name == START:
        other = "the start model"
    if name == UNTRAINED:
        other = "the best way without training, which dev questions choose, too"
    if verdict.low == verdict.high == 0:
        return f"VERDICT: {verdict.word} than {other}: both answer every question equally well."
    return (
        f"VERDICT: {verdict.word} than {other}: MAP {_points(found.score)} against"
        f" {_points(against.score)}, {100 * verdict.difference:+.1f} points"
        f" ({LEVEL:.0%} interval {100 * verdict.low:+.1f} to {100 * verdict.high:+.1f})."
    )


def _threshold(found: Judgement) -> Iterator[str]:
    if found.certified is None:
        yield (
            f"No threshold: on {counted(found.questions, 'question')} none could be shown to give"
            f" {found.stated:.0%} right answers, so that each question gets an answer. More"
            f" questions, or a lower precision, may give one. Those tried: {THRESHOLD_PICTURE}, {THRESHOLDS}."
        )
        return
    yield from _certified(found.certified)
    if found.refusal is None:
        yield "How many questions are refused whose entry is missing could not be measured."
        return
    refusal = found.refusal
    left_out = ""
    if refusal.left_out:
        left_out = f"; {refusal.left_out} have no wrong answer and are left out"
    yield (
        f"Of the questions whose entry is taken away, {refusal.share:.1%} get no answer"
        f" ({counted(refusal.questions, 'question')}{left_out})."
    )


def _certified(found: Certified) -> Iterator[str]:
    level = 1 - found.risk
    low, high = found.answered_interval
    yield (
        f"Threshold {found.score:.3f}: {found.answered:.1%} of the questions get an answer"
        f" ({level:.0%} interval {low:.1%} to {high:.1%}), the others get none. All thresholds"
        f" tried: {THRESHOLD_PICTURE}, {THRESHOLDS}."
    )
    low, high = found.precision_interval
    yield (
        f"Of the answers given {found.precision:.1%} are right ({level:.0%} interval {low:.1%} to"
        f" {high:.1%}); that at least {found.stated:.0%} are is {level:.0%} sure, for questions like"
        " these. These two intervals and this certainty take each question by itself: where many"
        " questions belong to one entry, they promise too much."
    )


def _points(score: float) -> str:
    return f"{100 * score:.1f}"


def card_text(
    found: Judgement, about: Subject, facts: dict[str, Any], model: dict[str, Any]
) -> str:
    """Return the card; ``facts`` are settings of the answerer, ``model`` is its model's record."""
    trained = model.get("settings", {})
    settings = {name: trained[name] for name in OF_A_MODEL if name in trained}
    rows = [*facts.items(), *((f"training: {name}", text) for name, text in settings.items())]
    asked, _ = ASKED[about.protocol]
    if found.certified is None:
        promise = f"no threshold could be shown to give {found.stated:.0%} right answers"
    else:
        chosen = found.certified
        promise = (
            f"threshold {chosen.score:.3f}: {chosen.answered:.1%} of the questions get an answer,"
            f" {chosen.precision:.1%} of these are right"
        )
    lines = [
        f"# {literal(about.name)}",
        "",
        f"A model that answers from {counted(about.entries, 'known entry', 'known entries')}. What was"
        " chosen, each verdict and the threshold: summary.md, threshold.svg.",
        *("", "## Use", "", USE),
        *("", "## Score", ""),
        f"MAP {100 * found.score:.1f} ({LEVEL:.0%} interval {100 * found.low:.1f} to"
        f" {100 * found.high:.1f}) on {counted(found.questions, 'question')}, protocol"
        f" {about.protocol}: asked were {asked}. The way to answer was chosen in each fold by other"
        " questions (nested).",
        "",
        *(
            f"- {against.verdict.word} than {literal(name)}:"
            f" {100 * against.verdict.difference:+.1f} points"
            for name, against in found.against.items()
        ),
        f"- {promise}",
        *("", "## Made from", ""),
        *table(("fact", "value"), rows),
        "",
        "The entries are yours: Semblance knows no licence of an own file. The card of the trained"
        " model, with the licence of each data set that is known, lies in its folder of the run"
        " (models/CORPUS/BASE/METHOD/seed-N/model). What the base allows counts, too.",
    ]
    return "\n".join(lines) + "\n"
