"""XML files, read without what makes XML unsafe; each element knows its line."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any
from xml.parsers import expat

from semblance.data.text import filled, normalise, read_lines
from semblance.errors import InputError, at


class XmlElement(ElementTree.Element):
    """An element that knows the line it starts at; its tag is lower-cased."""

    line: int = 0


def read_xml(path: Path | str) -> XmlElement:
    """Parse an XML file and return its root; InputError for document types and entity declarations.

    Tags are lower-cased, since the releases' readmes and files differ in case. The encoding is UTF-8,
    whatever the declaration says.
    """
    builder = ElementTree.TreeBuilder(element_factory=XmlElement)
    parser = _make_parser(builder, path)
    try:
        for _, text in read_lines(path):  # a lone \r would shift expat's count of lines
            parser.Parse(text.replace("\r", " ").encode() + b"\n", False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise InputError(
            at(path, error.lineno),
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            "fetch it again",
        ) from None
    return builder.close()


def _make_parser(builder: ElementTree.TreeBuilder, path: Path | str) -> expat.XMLParserType:
    """Return a parser that passes lower-cased elements and their lines to the builder."""
    parser = expat.ParserCreate("UTF-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        """Begin an element, and keep its line."""
        element = builder.start(tag.lower(), attributes)
        element.line = parser.CurrentLineNumber

    def refuse(*_: Any) -> None:
        """Refuse a declaration."""
        raise InputError(
            at(path, parser.CurrentLineNumber),
            "a document type or entity declaration",
            "remove it: entities can read files and exhaust memory",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: builder.end(tag.lower())
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


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
