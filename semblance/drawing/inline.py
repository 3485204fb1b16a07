"""A drawing inside an HTML page: small, accessible, with the page's own colours."""

import re
import xml.etree.ElementTree as ET

from semblance.drawing.style import INK, SIZE, THEME
from semblance.drawing.text import clean
from semblance.errors import InputError

SVG = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"
REFERRING = (HREF, "clip-path")  # the attributes by which elements refer to others
SHAPES = frozenset(
    "svg g defs path use clipPath rect circle line polyline polygon text tspan".split()
)
PLACES = ("d", "x", "y", "width", "height", "transform", "points")  # attributes of coordinates
NUMBER = re.compile(r"-?\d+\.\d+")
REFERENCE = re.compile(r"#([^)\s\"']+)")
FONT_FAMILY = re.compile(r"font-family: [^;]*;? ?")
NEAR_LETTER = re.compile(r" ?([A-Za-z]) ?")
MOST_TITLE = 300  # characters
VARIABLES = {colour: f"var(--{name}, {colour})" for name, colour in THEME.items()}
COLOUR = re.compile("|".join(VARIABLES))
FONT = "'DejaVu Sans', Verdana, sans-serif"


def inline_svg(svg_text: str, prefix: str, title: str, description: str) -> str:
    """Return an SVG of ``saving.svg_text`` for an HTML page.

    It has no header, metadata or comments. Its ids begin with ``prefix``; it shrinks with the page
    but never grows. Each colour of the theme is a CSS variable, such as ``--ink``, with the colour
    itself where the page sets none. Raises InputError for what is no SVG.
    """
    try:
        root = ET.fromstring(svg_text)
    except ET.ParseError as error:
        raise InputError("figure", f"no SVG ({error})", "draw it again") from None
    references = " ".join(element.get(key, "") for element in root.iter() for key in REFERRING)
    found = dict.fromkeys(REFERENCE.findall(references))
    names = {name: f"{prefix}-{place}" for place, name in enumerate(found)}
    for element in list(root.iter()):
        _shorten(element)
        _rename(element, names)
    _label(root, prefix, {"title": title, "desc": description})
    ET.register_namespace("", SVG)
    return ET.tostring(root, encoding="unicode")


def _shorten(element: ET.Element) -> None:
    """Drop all but shapes and text, round coordinates to a hundredth of a point, name colours."""
    for child in list(element):
        is_unseen = child.get("style") == "fill: none" and _tag(child) == "path"
        if _tag(child) not in SHAPES or is_unseen:
            element.remove(child)
    element.tail = None
    if _tag(element) != "text":
        element.text = None
    for key in set(PLACES) & set(element.attrib):
        text = NEAR_LETTER.sub(r"\1", " ".join(element.attrib[key].split()))
        element.set(key, NUMBER.sub(_rounded, text))
    style = FONT_FAMILY.sub("", element.get("style", ""))
    if _tag(element) == "text" and "fill" not in style:
        style = f"fill: {INK}; {style}"
    if style:
        element.set("style", COLOUR.sub(lambda m: VARIABLES[m[0]], style))


def _rounded(number: re.Match) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _rename(element: ET.Element, names: dict[str, str]) -> None:
    """Give an id that others refer to its short name, and drop another."""
    name = element.attrib.pop("id", "")
    if name in names:
        element.set("id", names[name])
    if HREF in element.attrib:
        element.set("href", element.attrib.pop(HREF))
    for key in ("href", "clip-path"):
        if key in element.attrib:
            element.set(key, REFERENCE.sub(lambda m: f"#{names[m[1]]}", element.attrib[key]))


def _label(root: ET.Element, prefix: str, texts: dict[str, str]) -> None:
    """Set the size of the drawing, and the texts that a screen reader speaks."""
    width = float(root.attrib.pop("width").removesuffix("pt")) * 4 / 3
    del root.attrib["height"]
    root.attrib.pop("version", None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    root.set("style", f"width:100%;max-width:{width:.0f}px;stroke-linejoin:round")
    root.set("font-family", FONT)
    root.set("font-size", str(SIZE))
    for place, (tag, text) in enumerate(texts.items()):
        element = ET.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        element.text = clean(text, MOST_TITLE)
        root.insert(place, element)


def _tag(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
