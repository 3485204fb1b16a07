"""What a cell shows by its number format: digits, the words around them, and hours beyond a day.

Source: ECMA-376, part 1, 18.8.31. Points and commas are those of the format, whatever the country.
"""

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal

SECTION = re.compile(r'((?:"[^"]*"|\\.|[_*].|[^;"\\])*)(?:;|$)')  # above 0, below, 0, text
COLOUR = r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]"
PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    rf"|(?P<unseen>[_*].|{COLOUR})|(?P<digit>[0#?])(?!\s*/)|(?P<point>\.)|(?P<comma>,)"
    r"|(?P<percent>%)|(?P<all>General|@)|(?P<plain>[^a-z0#?\[\]])",
    re.IGNORECASE,
)
THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
ELAPSED = re.compile(r"(\[?)(h+|m+|s+)\]?", re.IGNORECASE)
SECONDS = {"h": 3600, "m": 60, "s": 1}
WORDS = re.compile(r'("[^"]*"|\\.)')
Part = tuple[str, str]  # its kind and its text


def of_number(value: Decimal, code: str) -> str | None:
    """Return what a number shows; None by a format that is not followed here.

    These have fractions, exponents or conditions, or show nothing.
    """
    sections = SECTION.findall(code)[:-1]
    place = (value < 0) + 2 * (value == 0)
    is_own = 0 < place < len(sections)
    parts = _parts(sections[place * is_own])
    if parts is None:
        return None
    sign = "-" * (value < 0 and not is_own)
    return (sign + "".join(_texts(abs(value), parts))).strip() or None


def of_text(text: str, code: str) -> str:
    """Return a text with the words that its format puts around it."""
    parts = _parts(SECTION.findall(code)[-2]) or []
    if ("all", "@") not in parts:
        return text
    return "".join(text if kind == "all" else _literal(kind, words) for kind, words in parts)


def of_duration(value: datetime.timedelta, code: str) -> str | None:
    """Return a duration, such as 36:00 by [h]:mm; None by a format with fractions of a second."""
    total = abs(value) // datetime.timedelta(seconds=1)

    def count(unit: re.Match) -> str:
        """Return a unit's number: of the largest one all, of another what is left."""
        number = total // SECONDS[unit[2][0].lower()]
        return str(number if unit[1] else number % 60).zfill(len(unit[2]))

    pieces = WORDS.split(SECTION.findall(code)[0])
    pieces[::2] = [ELAPSED.sub(count, piece) for piece in pieces[::2]]
    if re.search(r"[^\d:\s]", "".join(pieces[::2])):
        return None
    pieces[1::2] = [piece.strip('"').removeprefix("\\") for piece in pieces[1::2]]
    return "-" * (value < datetime.timedelta()) + "".join(pieces)


def has_words(code: str) -> bool:
    """Tell whether a format, as of a date, has words of its own."""
    return any(re.search(r"[^\W\d_]", piece) for piece in WORDS.split(code)[1::2])


def _parts(section: str) -> list[Part] | None:
    """Return the parts of a format; None where one is not known."""
    found = list(PART.finditer(section))
    if sum(len(part[0]) for part in found) < len(section):
        return None
    return [(part.lastgroup, part[part.lastgroup]) for part in found]


def _literal(kind: str, text: str) -> str:
    return "" if kind in ("unseen", "comma") else text


def _texts(value: Decimal, parts: list[Part]) -> list[str]:
    """Return the text of each part: of a place its digit, of the first place all that are left."""
    kinds = [kind for kind, _ in parts]
    value *= 100 ** kinds.count("percent")
    texts = [format(value, "f") if kind == "all" else _literal(kind, text) for kind, text in parts]
    places = [number for number, kind in enumerate(kinds) if kind == "digit"]
    if not places:
        return texts
    point = kinds.index("point") if "point" in kinds else len(parts)
    whole = [place for place in places if place < point] or [point]
    decimals = [place for place in places if place > point]
    value /= 1000 ** kinds[whole[-1] :].count("comma")  # behind the places: in thousands
    exact = value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    digits, _, fraction = format(exact, "f").partition(".")
    digits = digits.lstrip("0").zfill(sum(parts[place][1] == "0" for place in whole))
    is_grouped = "comma" in kinds[whole[0] : whole[-1]]
    if is_grouped:
        digits = THOUSANDS.sub(",", digits)
    for place in reversed(whole[1:]):
        texts[place] = "" if is_grouped else digits[-1:]
        digits = digits if is_grouped else digits[:-1]
    texts[whole[0]] = digits + "." * (whole == [point])
    needed = len(fraction.rstrip("0"))
    for number, place in enumerate(decimals):
        is_shown = number < needed or parts[place][1] == "0"
        texts[place] = fraction[number] if is_shown else ""
    return texts
