"""Questions as they come from people and programs: bounded, and checked before a model reads them."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from semblance.data.text import normalise, shows_nothing
from semblance.errors import InputError, at
from semblance.strict_json import UNWRITABLE

LONGEST = 1_000  # characters; no model here reads more than some 500 tokens
MOST_ANSWERS = 100


def checked_question(text: str, where: str = "question") -> str:
    """Return a question with its white space normalised.

    Raises InputError for one that is empty, longer than LONGEST, or no text that can be written.
    """
    if len(text) > LONGEST:
        raise InputError(where, f"has more than {LONGEST:,} characters", "ask a shorter question")
    if UNWRITABLE.search(text):
        raise InputError(where, "holds a NUL or half a surrogate pair", "ask it as plain text")
    question = normalise(text)
    if shows_nothing(question):
        raise InputError(where, "is empty", "ask a question")
    return question


def checked_count(count: int) -> int:
    """Return a number of answers that may be asked for; InputError for any other."""
    if not 1 <= count <= MOST_ANSWERS:
        raise InputError("count", f"{count} answers", f"ask for 1 to {MOST_ANSWERS}")
    return count


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
