"""Texts as they are read and as they are compared.

A download is compared with its digest before it is read. So the readers check what a format or a
count shows, and guard against nothing else.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import regex

from semblance.errors import InputError, at

T = TypeVar("T")


def normalise(text: str) -> str:
    """Collapse each run of white space (Unicode's notion) to one blank and strip the ends."""
    return " ".join(text.split())


def filled(value: object, name: str, path: Path | str, line: int) -> str:
    """Return a field's text, normalised; InputError where it is missing, empty or no text."""
    if value is None:
        raise InputError(at(path, line), f"{name} is missing")
    if not isinstance(value, str):
        raise InputError(at(path, line), f"{name} is not text")
    text = normalise(value)
    if not text:
        raise InputError(at(path, line), f"{name} is empty", "fill it in or remove the row")
    return text


def at_least_one(found: Iterable[T], what: str, path: Path | str) -> Iterator[T]:
    """Yield all that is found in a file; InputError if it is nothing."""
    nothing = True
    for item in found:
        nothing = False
        yield item
    if nothing:
        raise InputError(at(path, 1), f"no {what}", "fetch the release again")


def refuse_traces(text: str, path: Path | str, line: int) -> None:
    """Raise InputError for a record with a lone carriage return or a byte order mark at its start."""
    if "\r" in text:
        raise InputError(at(path, line), "a lone carriage return", r"end lines by \n or \r\n")
    refuse_mark(text, path, line)


def refuse_mark(text: str, path: Path | str, line: int) -> None:
    """Raise InputError for a byte order mark at the start; the one of the file is gone by now."""
    if text.startswith("\ufeff"):
        problem = "a byte order mark inside the file"
        raise InputError(at(path, line), problem, "remove it; were files joined?")


FORMAT = regex.compile(r"\p{Cf}")  # characters that nobody sees, such as a zero-width space
# What is left of a text without its white space and punctuation. A mark of punctuation stays where
# it makes another word or number: C# and C, R&D and RD, .NET and net, 1.5 and 15, 5 % and 5.
LEFT = regex.compile(
    r"""[^\s\p{P}]+ | (?<=\d)[.,:/](?=\d) | (?<=\p{L})\# | (?<=\w)[&@](?=\w)
    | (?<!\S)[.-](?=\w) | (?<=\d\s?)[%‰]
    """,
    regex.VERBOSE,
)


def folded(text: str) -> str:
    """Return a text of one case, in one form (NFKC), without the characters that nobody sees."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", FORMAT.sub("", text))


def bare(text: str) -> str:
    """Return a folded text without white space, and without punctuation that no word needs.

    Texts alike become equal. A text that only holds such characters becomes empty.
    """
    return "".join(LEFT.findall(folded(text)))


def bare_or_whole(text: str) -> str:
    """Return the bare text, or the text itself where nothing is left of it."""
    return bare(text) or text


def shows_nothing(text: str) -> bool:
    """Tell whether a text holds nothing but white space and format characters."""
    return not FORMAT.sub("", text).strip()
