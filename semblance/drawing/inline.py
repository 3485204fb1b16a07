"""A drawing inside an HTML page: small, accessible, with the page's own colours."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator

from semblance.drawing.style import SIZE, THEME
from semblance.drawing.text import clean
from semblance.errors import InputError

SVG = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"
KEPT = frozenset(
    "svg g defs path use clipPath rect circle line polyline polygon text tspan".split()
)
UNSAFE = re.compile(r"[{}<>@\\]|url\((?!#)")  # in a style, which goes into the page's own
NUMBER = re.compile(r"-?\d+\.\d+")
REFERENCE = re.compile(r"#([^)\s\"']+)")
BESIDE_LETTER = re.compile(r" ?([A-Za-z]) ?")
NOT_TURNED = re.compile(r"rotate\(-?0(\.0+)? ")
MOST_TITLE = 300  # characters
VARIABLES = {colour: f"var(--{name}, {colour})" for name, colour in THEME.items()}
COLOUR = re.compile("|".join(VARIABLES))
FONT = "'DejaVu Sans', Verdana, sans-serif"


def inline_svg(svg_text: str, prefix: str, title: str, description: str) -> str:
    """Return an SVG of ``saving.svg_text`` for an HTML page.

    It has no header, metadata or comments. Its ids begin with ``prefix``; it shrinks with the page
    but never grows. Each colour of the theme is a CSS variable, such as ``--ink`` or ``--series-1``,
    with the colour itself where the page sets none. Raises InputError for what is no SVG.
    """
    try:
        root = ET.fromstring(svg_text)
    except ET.ParseError as error:
        raise InputError("figure", f"no SVG ({error})", "draw it again") from None
    _drop(root)
    _rename(root, prefix)
    for element in root.iter():
        _shorten(element)
    _unwrap(root)
    _share_styles(root, prefix)
    _describe(root, prefix, title, description)
    ET.register_namespace("", SVG)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _drop(element: ET.Element) -> None:
    """Remove all but shapes and text: metadata, styles of a whole page, scripts, links, white space."""
    element.tail = None
    if _tag(element) != "text":
        element.text = None
    for child in list(element):
        if _tag(child) in KEPT:
            _drop(child)
        else:
            element.remove(child)
    for key, value in list(element.attrib.items()):
        is_outside = _local(key) == "href" and not value.startswith("#")
        if is_outside or _local(key).startswith("on") or UNSAFE.search(value):
            del element.attrib[key]


def _rename(root: ET.Element, prefix: str) -> None:
    """Give each id that is referred to a short name with the prefix, and drop the others."""
    used: Counter[str] = Counter()
    for element in root.iter():
        if HREF in element.attrib:
            element.set("href", element.attrib.pop(HREF))
        used.update(_references(element))
    known = [element.attrib["id"] for element in root.iter() if element.get("id") in used]
    names = {name: f"{prefix}-{place}" for place, name in enumerate(known)}
    for element in root.iter():
        name = element.attrib.pop("id", "")
        if name in names:
            element.set("id", names[name])
        for key in ("href", "clip-path"):
            if key in element.attrib:
                element.set(key, REFERENCE.sub(lambda m: f"#{names[m[1]]}", element.attrib[key]))


def _references(element: ET.Element) -> Iterator[str]:
    for key in ("href", "clip-path"):
        yield from REFERENCE.findall(element.get(key, ""))


def _shorten(element: ET.Element) -> None:
    """Round the coordinates to a hundredth of a point, and name the colours of the theme."""
    for key in ("d", "x", "y", "width", "height", "transform", "points"):
        if key in element.attrib:
            text = BESIDE_LETTER.sub(r"\1", " ".join(element.attrib[key].split()))
            element.set(key, NUMBER.sub(_rounded, text))
    if NOT_TURNED.match(element.get("transform", "")):
        del element.attrib["transform"]
    if "style" in element.attrib:
        parts = [part.strip() for part in element.attrib["style"].split(";")]
        kept = [part.replace(": ", ":") for part in parts if not part.startswith("font-family")]
        element.set("style", COLOUR.sub(lambda m: VARIABLES[m[0]], ";".join(kept)))
    if _tag(element) == "text" and "fill" not in element.get("style", ""):
        element.set("style", f"fill:{VARIABLES['#1b1b1b']};{element.get('style', '')}")


def _rounded(number: re.Match) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _unwrap(element: ET.Element) -> None:
    """Put the children of a group that says nothing in its place, and drop what nobody can see."""
    for child in list(element):
        _unwrap(child)
        says_nothing = _tag(child) == "g" and not child.attrib
        is_unseen = child.get("style") == "fill:none" and _tag(child) == "path"
        is_empty = _tag(child) == "defs" and not len(child)
        if says_nothing or is_unseen or is_empty:
            place = list(element).index(child)
            element.remove(child)
            for offset, grandchild in enumerate(list(child)):
                element.insert(place + offset, grandchild)


def _share_styles(root: ET.Element, prefix: str) -> None:
    """Write each style that stands several times as a class, which is named by the prefix."""
    counts = Counter(element.get("style") for element in root.iter() if element.get("style"))
    shared = [style for style, count in counts.items() if count > 1]
    classes = {style: f"{prefix}-c{place}" for place, style in enumerate(shared)}
    for element in root.iter():
        if element.get("style") in classes:
            element.set("class", classes[element.attrib.pop("style")])
    sheet = ET.Element(f"{{{SVG}}}style")
    sheet.text = "".join(f".{name}{{{style}}}" for style, name in classes.items())
    root.insert(0, sheet)


def _describe(root: ET.Element, prefix: str, title: str, description: str) -> None:
    width = float(root.attrib.pop("width").removesuffix("pt")) * 4 / 3
    del root.attrib["height"]
    root.attrib.pop("version", None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    root.set("style", f"width:100%;max-width:{width:.0f}px;stroke-linejoin:round")
    root.set("font-family", FONT)
    root.set("font-size", str(SIZE))
    for place, (tag, text) in enumerate({"title": title, "desc": description}.items()):
        element = ET.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
        element.text = clean(text, MOST_TITLE)
        root.insert(place, element)


def _tag(element: ET.Element) -> str:
    return _local(str(element.tag))


def _local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]
