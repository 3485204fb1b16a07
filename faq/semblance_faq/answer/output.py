"""Questions as they come from a stream, and answers as a terminal shows them and as JSON."""

import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from semblance.data.text import normalise
from semblance.errors import InputError, at
from semblance_faq.answer.answerer import Answer, Answered, checked_question

# Characters that turn the direction of the text after them: a FAQ could show one thing and say another.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
NEAREST = 3  # questions that a refusal names
REPLACEMENT = "\ufffd"


def as_json(answered: Answered) -> dict[str, Any]:
    """Return the JSON object that ``semblance faq ask --json`` and the server give."""
    return {
        "question": answered.question,
        "known": answered.known,
        "likely": answered.likely,
        "ranking": answered.ranking,
        "floor": answered.floor,
        "threshold": answered.threshold and vars(answered.threshold),
        "given": len(answered.given),
        "answers": [vars(answer) for answer in answered.given],
        "nearest": [vars(answer) for answer in answered.answers[len(answered.given) :]],
    }


def as_text(answered: Answered, width: int, top: int | None = None) -> str:
    """Return lines for a terminal of so many columns.

    The answers are those above the threshold, or the floor where there is none; where it is none,
    the lines say so, and name the nearest questions. With ``top`` they are so many, whatever their scores are.
    """
    lines = []
    best = answered.answers[0].score
    if best <= 0:
        lines.append("No answer: no entry has anything in common with the question.")
    elif not answered.likely:
        line = f"No answer: the best score, {best:.3f}, is below the floor, {answered.floor:.3f}."
        lines.append(line)
    elif not answered.given:
        least = answered.threshold.score
        lines.append(f"No answer: the best score, {best:.3f}, is below the threshold, {least:.3f}.")
    elif not answered.known:
        lines.append("Likely: no threshold promises how many of such answers are right.")
    if top is None and not answered.given:
        near = (answer.question for answer in answered.answers[:NEAREST] if answer.score > 0)
        lines += [f"  Nearest question: {printable(question)}" for question in near]
    shown = answered.given if top is None else answered.answers[:top]
    return "\n".join([*lines, *(_paragraph(answer, width) for answer in shown)])


def _paragraph(answer: Answer, width: int) -> str:
    """Return an answer with its question, its score, and the text that matched."""
    why = f"score {answer.score:.3f}, entry {answer.id}, matched its {answer.matched_kind}"
    if answer.matched_kind == "wording":
        why += f": {answer.matched_text}"
    head = f"{answer.rank}. {answer.question}"
    told = [("   ", line) for line in answer.answer.splitlines()]
    parts = (("", head), *told, ("   ", f"({why})"))
    return "\n".join(
        textwrap.fill(
            printable(text), max(width, 20), initial_indent=indent, subsequent_indent="   "
        )
        for indent, text in parts
    )


def printable(text: str) -> str:
    """Return a text in one line without characters that steer a terminal or turn the direction."""
    steering = {c for c in text if c in TURNING or unicodedata.category(c) in ("Cc", "Cs")}
    return "".join(REPLACEMENT if c in steering else c for c in normalise(text))


def questions_of(stream: BinaryIO, before_each: Callable[[], None]) -> Iterator[str]:
    """Yield the questions of a stream as they come, one a line; blank lines are passed over.

    ``before_each`` is called before a line is read, such as to show a prompt. Raises InputError
    with the line's number for a line that is no question.
    """
    before_each()
    for number, raw in enumerate(stream, 1):
        where = at("stdin", number)
        try:
            text = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            problem = f"not UTF-8: {error.reason} at byte {error.start}"
            raise InputError(where, problem, "convert the questions to UTF-8") from None
        if text.strip():
            yield checked_question(text, where)
        before_each()
