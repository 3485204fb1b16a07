"""What a cell shows by its number format: digits, the words around them, and hours beyond a day.

Source: ECMA-376, part 1, 18.8.31. Points and commas are those of the format, whatever the country.
"""

import datetime
import re
from decimal import ROUND_HALF_UP, Context, Decimal

SECTION = re.compile(r'((?:"[^"]*"|\\.|[_*].|[^;])*)(?:;|$)')  # above 0, below, 0, text
COLOUR = r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]"
PART = re.compile(
    r'"(?P<words>[^"]*)"|\\(?P<word>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    rf"|(?P<unseen>[_*].|{COLOUR})|(?P<digit>[0#?])(?!\s*/)|(?P<point>\.)|(?P<comma>,)"
    r"|(?P<percent>%)|(?P<all>General|@)|(?P<time>\[?(?:h+|m+|s+)\]?)|(?P<plain>[^a-z0#?\[\]])",
    re.IGNORECASE,
)
THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
LONG = Context(prec=300)  # digits: a format has 255 signs at most
UNITS = {"h": 3600, "m": 60, "s": 1}
Part = tuple[str, str]  # its kind and its text


def parts_of(section: str) -> list[Part] | None:
    """Return the parts of a format; None where one is not known, such as a fraction."""
    found = list(PART.finditer(section))
    if sum(len(part[0]) for part in found) < len(section):
        return None
    unseen = {"unseen", "comma"}
    return [(kind := part.lastgroup, "" if kind in unseen else part[kind]) for part in found]


def of_number(value: Decimal, code: str) -> str | None:
    """Return what a number shows; None by a format that is not followed here.

    These have fractions, exponents or conditions, or show nothing.
    """
    sections = SECTION.findall(code)[:-1]
    place = (value < 0) + 2 * (value == 0)
    is_own = 0 < place < len(sections)
    parts = parts_of(sections[place * is_own])
    if parts is None or "time" in dict(parts):
        return None
    sign = "-" * (value < 0 and not is_own)
    return (sign + "".join(_texts(abs(value), parts))).strip() or None


def of_text(text: str, code: str) -> str:
    """Return a text with the words that its format puts around it."""
    parts = parts_of(SECTION.findall(code)[-2]) or []
    shown = "".join(text if kind == "all" else words for kind, words in parts)
    return shown if ("all", "@") in parts else text


def of_duration(value: datetime.timedelta, code: str) -> str | None:
    """Return a duration, such as 36:00 by [h]:mm; None by a format with fractions of a second."""
    total = abs(value) // datetime.timedelta(seconds=1)
    parts = parts_of(SECTION.findall(code)[0])
    if parts is None or {"point", "digit"} & dict(parts).keys():
        return None
    texts = ["-" * (value < datetime.timedelta())]
    for kind, text in parts:
        if kind == "time":  # of the unit in brackets all, of another what is left of a larger one
            unit = text.strip("[]")
            number = total // UNITS[unit[0].lower()]
            text = str(number % 60 if unit == text else number).zfill(len(unit))
        texts.append(text)
    return "".join(texts)


def has_words(code: str) -> bool:
    """Tell whether a format, as of a date, has words of its own."""
    words = [part["words"] or part["word"] or "" for part in PART.finditer(code)]
    return bool(re.search(r"[^\W\d_]", "".join(words)))


def _texts(value: Decimal, parts: list[Part]) -> list[str]:
    """Return the text of each part: of a place its digit, of the first place all that are left."""
    kinds = [kind for kind, _ in parts]
    value *= 100 ** kinds.count("percent")
    texts = [format(value, "f") if kind == "all" else text for kind, text in parts]
    places = [number for number, kind in enumerate(kinds) if kind == "digit"]
    if not places:
        return texts
    point = kinds.index("point") if "point" in kinds else len(parts)
    whole = [place for place in places if place < point] or [point]
    decimals = [place for place in places if place > point]
    value /= 1000 ** kinds[whole[-1] :].count("comma")  # behind the places: in thousands
    exact = value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP, LONG)
    digits, _, fraction = format(exact, "f").partition(".")
    digits = digits.lstrip("0").zfill([texts[place] for place in whole].count("0"))
    needed = len(fraction.rstrip("0"))
    for number, place in enumerate(decimals):
        texts[place] = fraction[number] if number < needed or texts[place] == "0" else ""
    one = 1
    if "comma" in kinds[whole[0] : whole[-1]]:
        one, digits = 0, THOUSANDS.sub(",", digits)  # all in the first place
    for place in reversed(whole[1:]):
        cut = max(0, len(digits) - one)
        texts[place], digits = digits[cut:], digits[:cut]
    texts[whole[0]] = digits + "." * (whole == [point])
    return texts
