"""Whether a text of a user shows anything: some characters, such as a zero-width space, do not."""

import unicodedata

FORMAT = "Cf"  # Unicode's category of the characters that nobody sees


def shows_nothing(text: str) -> bool:
    """Tell whether a text holds nothing but white space and format characters."""
    return all(c.isspace() or unicodedata.category(c) == FORMAT for c in text)
