"""The text of a user's file: UTF-8, UTF-16 with its mark, or a Windows code page.

UTF-8 comes first and is strict. Only a file that is not UTF-8 is asked for its code page, and a
file that has UTF-8 in some lines and not in others is damaged, not of a code page.
"""

import gzip
import io
import unicodedata
import zlib
from collections import Counter
from pathlib import Path

from semblance.errors import InputError, at
from semblance.files import open_regular
from semblance.lines import BOM
from semblance_faq.read.findings import Findings

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


MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
MOST = 1 << 27  # bytes of a text, unpacked; it is read as a whole
SAMPLE = 1 << 18  # bytes that the code page is recognised by
# A line of a code page can be valid UTF-8 by accident, such as one with É and … side by side.
MOST_BY_ACCIDENT = 0.05
FORMATS = "CSV (.csv, .tsv, .txt), Excel (.xlsx) or JSON (.json, .jsonl)"
ADVICE = "save the file as UTF-8 (in Excel: CSV UTF-8)"


def read_text(path: Path | str, findings: Findings) -> str:
    r"""Return a file's text with ``\n`` as the only line end; note the encoding.

    Raises InputError, with the line where there is one, for a text whose encoding cannot be
    decided, for a NUL, broken gzip, and what is no file of at most MOST bytes.
    """
    try:
        with open_regular(path) as stream:
            is_packed = str(path).endswith(".gz")
            content = (gzip.GzipFile(fileobj=stream) if is_packed else stream).read(MOST + 1)
            if is_packed and not stream.tell():  # the gzip module takes it for an empty text
                raise EOFError("no gzip data at all")
    except FileNotFoundError:
        raise InputError(path, "no such file", "check the path") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(at(path, 1), f"broken gzip: {error}", "pack it again") from None
    if len(content) > MOST:
        raise InputError(at(path, 1), f"more than {MOST:,} bytes of text", "split the file")
    if content[:2] in MARKS_OF_UTF16:
        text = _decoded(content, "utf-16", path)
        findings.note(path, "text in UTF-16, by its byte order mark")
    else:
        try:
            text = content.decode("utf-8-sig")
            mark = ", with a byte order mark" * content.startswith(BOM)
            findings.note(path, f"text in UTF-8{mark}")
        except UnicodeDecodeError:
            text = _decoded(content, _code_page(content, path, findings), path)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        advice = f"it is damaged, no text, or UTF-16 without its mark; {ADVICE}"
        raise InputError(at(path, line), "contains a NUL character", advice)
    return text.replace("\r\n", "\n")


def _decoded(content: bytes, encoding: str, path: Path | str) -> str:
    """Return the text; InputError with line and byte where the encoding does not fit."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, "ignore")
        line = before.count("\n") + 1
        byte = error.start - content.rfind(b"\n", 0, error.start) - 1
        problem = f"neither UTF-8 nor {encoding}: byte {byte}"
        if encoding == "utf-16":
            problem = f"not UTF-16: {error.reason} at byte {error.start} of the file"
        raise InputError(at(path, line), problem, ADVICE) from None


def _code_page(content: bytes, path: Path | str, findings: Findings) -> str:
    """Return and note the code page of a file that is not UTF-8; InputError if none fits.

    The file is damaged where many lines, or most characters of the odd lines, are UTF-8.
    """
    utf8 = 0  # lines of UTF-8 with characters beyond ASCII
    odd = []  # the lines that are not UTF-8
    first = None  # the number of the first of them, and what is wrong with it
    inside = broken = 0  # in the odd lines: characters that are UTF-8, bytes that are not
    for number, raw in enumerate(io.BytesIO(content), 1):
        if raw.isascii():
            continue
        try:
            raw.decode()
            utf8 += 1
        except UnicodeDecodeError as error:
            first = first or (number, error)
            odd.append(raw.rstrip(b"\r\n"))
            valid = [c for c in raw.decode(errors="ignore") if not c.isascii()]
            inside += len(valid)
            broken += sum(byte > 127 for byte in raw) - len("".join(valid).encode())
    line, error = first
    problem = f"not UTF-8: {error.reason} at byte {error.start}"
    if utf8 > MOST_BY_ACCIDENT * len(odd) or inside >= broken:
        problem += ", though other places in the file are"
        raise InputError(at(path, line), problem, f"mend the line, or {ADVICE}")
    page = recognise(b"\n".join(odd)[:SAMPLE] + b"\n")
    if page is None:
        problem += ", and of no known code page of Windows"
        raise InputError(at(path, line), problem, ADVICE)
    sentence = f"text is not UTF-8 and is read as {page}, an encoding of Windows"
    shown = odd[0].decode(page, "replace")
    findings.note(path, f"{sentence}; please look at line {line}: {shown!r:.100}")
    return page
