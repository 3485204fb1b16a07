"""Ids of a user's own file as they stand in files whose columns are parted by blanks or tabs."""

import unicodedata
from urllib.parse import quote

from semblance.errors import InputError

# What a reader of such columns gives a meaning: quotation marks in BEIR's, the sign of the encoding.
MEANING = frozenset("%\"'")
NOT_SHOWN = frozenset("CZ")  # Unicode's categories of control characters and of separators


def encoded(identity: str) -> str:
    """Return an id that is one word in every column; ``urllib.parse.unquote`` gives the id back.

    White space, characters that are not shown, quotation marks and % become %XX, the bytes of
    their UTF-8; two ids never become one. Raises InputError for an empty id.
    """
    if not identity:
        raise InputError("export", "an id is empty", "fill it in and run the evaluation again")
    return "".join(_encoded_character(character) for character in identity)


def _encoded_character(character: str) -> str:
    hidden = character.isspace() or unicodedata.category(character)[0] in NOT_SHOWN
    if hidden or character in MEANING:
        return quote(character, safe="")
    return character
