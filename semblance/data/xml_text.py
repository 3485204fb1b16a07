"""XML files; each element knows its line."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from xml.parsers import expat

from semblance.data.text import filled, normalise
from semblance.errors import InputError, at


class XmlElement(ElementTree.Element):
    """An element that knows the line it starts at; its tag is lower-cased."""

    __slots__ = ("line",)  # a dictionary for each element would need four times the memory


def read_xml(path: Path | str) -> XmlElement:
    """Parse an XML file and return its root; InputError, with the line, if it is not well-formed.

    Tags are lower-cased, since the releases' readmes and files differ in case. The encoding is UTF-8,
    whatever the declaration says.
    """
    builder = ElementTree.TreeBuilder(element_factory=XmlElement)
    parser = expat.ParserCreate("UTF-8")  # ElementTree's own parser tells no lines

    def start(tag: str, attributes: dict[str, str]) -> None:
        """Begin an element, and keep its line."""
        builder.start(tag.lower(), attributes).line = parser.CurrentLineNumber

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: builder.end(tag.lower())
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(Path(path).read_bytes(), True)
    except expat.ExpatError as error:
        problem = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise InputError(at(path, error.lineno), problem, "fetch it again") from None
    return builder.close()


def element_text(node: XmlElement) -> str:
    """Return an element's whole text, normalised, with that of elements inside it; it may be empty."""
    return normalise("".join(node.itertext()))


def child_text(node: XmlElement, tag: str, path: Path | str) -> str:
    """Return the text of a child element that must be there and filled.

    Raises InputError with the parent's line if the child is missing, with its own line if it is empty.
    """
    child = node.find(tag)
    if child is None:
        raise InputError(at(path, node.line), f"<{node.tag}> has no <{tag}>")
    return filled(element_text(child), child.tag, path, child.line)
