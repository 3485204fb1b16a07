"""Which of Windows' code pages a text is in.

The single-byte ones of Europe differ in a few letters, so the alphabets of their languages decide:
the text has to be in letters of one language. A guess by frequency alone takes short French texts
for Hungarian ones. charset-normalizer decides between Greek and Cyrillic letters, and on the code
pages of East Asia.
"""

import unicodedata
from collections import Counter

# The letters beyond ASCII of each language, and the code page that Windows has for it. Of languages
# that fit equally well, the first one counts.
LANGUAGES = (
    ("cp1252", "äöüß"),  # German
    ("cp1252", "àâæçéèêëîïôœùûüÿ"),  # French
    ("cp1252", "áéíñóúüªº"),  # Spanish
    ("cp1252", "áàâãçéêíóôõúüªº"),  # Portuguese
    ("cp1252", "àèéìíîòóùúªº"),  # Italian
    ("cp1252", "àçèéíïòóúü"),  # Catalan
    ("cp1252", "áéèêëíïóôöúûü"),  # Dutch
    ("cp1252", "åäöéàü"),  # Swedish, Finnish
    ("cp1252", "æøåéèêòóôäöü"),  # Danish, Norwegian
    ("cp1250", "ąćęłńóśźż"),  # Polish
    ("cp1250", "áčďéěíňóřšťúůýž"),  # Czech
    ("cp1250", "áäčďéíĺľňóôŕšťúýž"),  # Slovak
    ("cp1250", "áéíóöőúüű"),  # Hungarian
    ("cp1250", "čćđšž"),  # Slovene, Croatian
    ("cp1250", "ăâîşţ"),  # Romanian
    ("cp1254", "âçğıîöşüû"),  # Turkish
    ("cp1252", "áðéíóúýþæö"),  # Icelandic
    ("cp1253", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"),  # Greek
    ("cp1251", "абвгдежзийклмнопрстуфхцчшщъыьэюяё"),  # Russian
    ("cp1251", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),  # Ukrainian
    ("cp1251", "абвгдђежзијклљмнњопрстћуфхцчџш"),  # Serbian
)
OTHER_SCRIPTS = ("cp1251", "cp1253")  # no word mixes their letters with Latin ones
EASTERN = ("cp932", "gb18030", "cp949", "big5")
LEAST = 0.9  # of the letters beyond ASCII have to be of one language
CLOSE = 0.02  # what two shares may differ by and count as equal
IN_NO_WORD = ("No", "Sc", "Sk", "Sm", "So")  # categories of signs that stand in no word


def recognise(sample: bytes) -> str | None:
    """Return the code page of bytes that are not UTF-8; None if it cannot be decided."""
    counted = {page: _letters(sample, page) for page, _ in LANGUAGES}
    shares = []
    for page, alphabet in LANGUAGES:
        letters, odd = counted[page]
        total = letters.total() + odd
        share = 1.0  # of a text without any letter beyond ASCII
        if total:
            share = sum(letters[character] for character in alphabet) / total
        shares.append((page, share))
    best = max(share for _, share in shares)
    if best < LEAST:
        return _by_frequency(sample, EASTERN)
    fitting = dict.fromkeys(page for page, share in shares if share > best - CLOSE)
    if set(fitting) == set(OTHER_SCRIPTS):
        return _by_frequency(sample, OTHER_SCRIPTS)
    return next(iter(fitting))


def _letters(sample: bytes, page: str) -> tuple[Counter, int]:
    """Return how often each letter beyond ASCII stands in a text, and the number of odd places.

    A place is odd if no language has it: a sign such as ³ between two letters, or letters of two
    scripts side by side. Bytes that the page does not have are one odd place.
    """
    try:
        text = sample.decode(page).lower().replace("\u0307", "")  # i + the dot of İ
    except UnicodeDecodeError:
        return Counter(), 1
    kinds = {c: unicodedata.category(c) for c in set(text) if not c.isascii()}
    signs = {c for c, kind in kinds.items() if c in "¿¡" or kind in IN_NO_WORD}
    odd = 0
    for before, sign, after in zip(text, text[1:], text[2:], strict=False):
        odd += sign in signs and before.isalpha() and after.isalpha()
    if page in OTHER_SCRIPTS:
        for one, other in zip(text, text[1:], strict=False):
            odd += one.isascii() != other.isascii() and one.isalpha() and other.isalpha()
    counts = Counter(text)
    return Counter({c: counts[c] for c, kind in kinds.items() if kind[0] in "LM"}), odd


def _by_frequency(sample: bytes, pages: tuple[str, ...]) -> str | None:
    """Return the page whose text is in a known language by the frequency of its letters."""
    from charset_normalizer import from_bytes  # few files need it

    matches = from_bytes(sample, cp_isolation=list(pages), enable_fallback=False)
    for match in matches:
        if match.coherence > 0:
            return match.encoding
    return None
