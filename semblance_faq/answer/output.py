"""Answers as a terminal shows them, and as JSON."""

import textwrap
import unicodedata
from typing import Any

from semblance.data.text import normalise
from semblance_faq.answer.answerer import Answer, Answered

# Characters that turn the direction of the text after them: a FAQ could show one thing and say another.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
REPLACEMENT = "\ufffd"


def as_json(answered: Answered) -> dict[str, Any]:
    """Return the JSON object that ``semblance faq ask --json`` and the server give."""
    return {
        "question": answered.question,
        "known": answered.known,
        "likely": answered.likely,
        "ranking": answered.ranking,
        "floor": answered.floor,
        "threshold": answered.threshold and answered.threshold.as_json(),
        "answers": [vars(answer) for answer in answered.answers],
    }


def as_text(answered: Answered, width: int, every: bool = False) -> str:
    """Return lines for a terminal of so many columns.

    Where the answer is not known they say so; with ``every`` the ranked answers follow even then.
    """
    lines = []
    best = answered.answers[0].score
    if not answered.likely:
        line = f"No answer: the best score, {best:.3f}, is below the floor, {answered.floor:.3f}."
        lines.append(line)
    elif not answered.is_answered:
        least = answered.threshold.score
        lines.append(f"No answer: the best score, {best:.3f}, is below the threshold, {least:.3f}.")
    elif not answered.known:
        lines.append("Likely: no threshold promises how many of such answers are right.")
    if answered.is_answered or every:
        lines += [_paragraph(answer, width) for answer in answered.answers]
    return "\n".join(lines)


def _paragraph(answer: Answer, width: int) -> str:
    """Return an answer with its question, its score, and the text that matched."""
    head = f"{answer.rank}. {printable(answer.question)}"
    why = (
        f"score {answer.score:.3f}, entry {printable(answer.id)}, matched its {answer.matched_kind}"
    )
    if answer.matched_kind == "wording":
        why += f": {printable(answer.matched_text)}"
    parts = [_wrapped(head, "", width), _wrapped(printable(answer.answer), "   ", width)]
    return "\n".join([*parts, _wrapped(f"({why})", "   ", width)])


def _wrapped(text: str, indent: str, width: int) -> str:
    later = indent or "   "
    return textwrap.fill(text, max(width, 20), initial_indent=indent, subsequent_indent=later)


def printable(text: str) -> str:
    """Return a text in one line without characters that steer a terminal or turn the direction."""
    steering = {c for c in text if c in TURNING or unicodedata.category(c) in ("Cc", "Cs")}
    return "".join(REPLACEMENT if c in steering else c for c in normalise(text))
