"""The card of an answerer: README.md, for whoever finds the folder without the run that made it."""

from typing import Any

from semblance.answering.evidence import LEVEL
from semblance.answering.judgement import Judgement
from semblance.answering.summary import ASKED, Subject
from semblance.cards.text import plain, table
from semblance.counts import counted

CARD = "README.md"
OF_A_MODEL = ("precision", "batch_size", "epochs", "dropout", "regulators", "learning_rate", "seed")
USE = """```sh
semblance faq ask --model FOLDER "a question"
semblance faq serve --model FOLDER
semblance faq check FOLDER
```"""


def card_text(
    found: Judgement, about: Subject, facts: dict[str, Any], model: dict[str, Any]
) -> str:
    """Return the card; ``facts`` are settings of the answerer, ``model`` is its model's record."""
    trained = model.get("settings", {})
    settings = {name: trained[name] for name in OF_A_MODEL if name in trained}
    rows = [*facts.items(), *((f"training: {name}", text) for name, text in settings.items())]
    asked, _ = ASKED[about.protocol]
    lines = [
        f"# {plain(about.name)}",
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
        *(f"- {line}" for line in _verdicts(found)),
        *("", "## Made from", ""),
        *table(("fact", "value"), rows),
        "",
        "The entries are yours: Semblance knows no licence of an own file. The card of the trained"
        " model, with the licence of each data set that is known, lies in its folder of the run"
        " (models/CORPUS/BASE/METHOD/seed-N/model). What the base allows counts, too.",
    ]
    return "\n".join(lines) + "\n"


def _verdicts(found: Judgement) -> list[str]:
    lines = [
        f"{against.verdict.word} than {plain(name)}: {100 * against.verdict.difference:+.1f} points"
        for name, against in found.against.items()
    ]
    if found.certified is None:
        return [*lines, f"no threshold could be shown to give {found.stated:.0%} right answers"]
    chosen = found.certified
    return [
        *lines,
        f"threshold {chosen.score:.3f}: {chosen.answered:.1%} of the questions get an answer,"
        f" {chosen.precision:.1%} of these are right",
    ]
