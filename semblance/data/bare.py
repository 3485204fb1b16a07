"""What texts have in common that differ only in how they are written."""

import unicodedata

FORMAT = "Cf"  # Unicode's category of the characters that nobody sees, such as a zero-width space
LEFT_OUT = ("P", FORMAT)


def bare(text: str) -> str:
    """Return a text without case, white space, punctuation and format characters (NFKC).

    Texts alike become equal. A text that only holds such characters becomes empty.
    """
    return unicodedata.normalize("NFKC", text).casefold().translate(BARE)


def bare_or_whole(text: str) -> str:
    """Return the bare text, or the text itself where nothing is left of it."""
    return bare(text) or text


def shows_nothing(text: str) -> bool:
    """Tell whether a text holds nothing but white space and format characters."""
    return all(c.isspace() or unicodedata.category(c) == FORMAT for c in text)


class _Bare(dict):
    """What ``str.translate`` makes of a character; white space and the kinds of LEFT_OUT go away."""

    def __missing__(self, code: int) -> int | None:
        """Look a character up once."""
        kept = code
        category = unicodedata.category(chr(code))
        if chr(code).isspace() or category.startswith(LEFT_OUT):
            kept = None
        self[code] = kept
        return kept


BARE = _Bare()
