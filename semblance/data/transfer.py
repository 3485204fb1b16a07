"""SentEval's seven transfer tasks: sentences, or pairs of sentences, each with a label.

The files are those that SentEval makes of the releases (data/downstream/get_transfer_data.bash in
https://github.com/facebookresearch/SentEval): tokenised, one text or pair a line. White space is
normalised, because SentEval splits each text into its words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from semblance.data.text import filled, normalise, read_lines, read_rows, refuse_traces
from semblance.errors import InputError, at

TREC_CLASSES = {  # each with its kinds (Li and Roth 2002); the label is the place of the class
    "ABBR": "abb exp",
    "DESC": "def desc manner reason",
    "ENTY": "animal body color cremat currency dismed event food instru lang letter other plant"
    " product religion sport substance symbol techmeth termeq veh word",
    "HUM": "desc gr ind title",
    "LOC": "city country mount other state",
    "NUM": "code count date dist money ord other perc period speed temp volsize weight",
}
TREC_NAMES = tuple(TREC_CLASSES)
MRPC_HEADER = ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]


@dataclass(frozen=True)
class LabelledText:
    """A sentence with its label; ``second`` is the other sentence of a pair, else empty."""

    label: int
    first: str
    second: str = ""


Reader = Callable[[Path], list[LabelledText]]


def read_texts(path: Path | str, label: int) -> list[LabelledText]:
    """Read one text a line, all of one label.

    ASSUME a blank line is an empty text: SentEval counts the seven of CR and MPQA as items, too.
    A tab raises InputError: it shows a table in place of texts.
    """
    found = []
    for line, text in read_lines(path):
        refuse_traces(text, path, line)
        if "\t" in text:
            raise InputError(at(path, line), "a tab in a file of one text a line", "remove it")
        found.append(LabelledText(label, normalise(text)))
    return _require_texts(found, path)


def read_sst(path: Path | str) -> list[LabelledText]:
    """Read a part of SST-2: a sentence or phrase, a tab, and 1 (positive) or 0."""
    found = []
    for line, text in read_rows(path):
        sentence, label = _columns(text, 2, at(path, line))
        sentence = filled(sentence, "the text", path, line)
        found.append(LabelledText(_binary(label, at(path, line)), sentence))
    return _require_texts(found, path)


def read_trec(path: Path | str) -> list[LabelledText]:
    """Read a part of TREC, in Latin-1: ``CLASS:kind question``, one of six classes a question.

    A line whose bytes are UTF-8 beyond ASCII raises InputError: in Latin-1 they would be other
    letters. So do an unknown class and an unknown kind.
    """
    found = []
    for line, text in read_rows(path, "latin-1"):
        _refuse_utf8(text, at(path, line))
        label, _, question = text.partition(" ")
        number = _class_of(label, at(path, line))
        found.append(LabelledText(number, filled(question, "the question", path, line)))
    return _require_texts(found, path)


def _refuse_utf8(text: str, where: str) -> None:
    """Raise InputError for text read as Latin-1 whose bytes are UTF-8 with letters beyond ASCII."""
    if text.isascii():
        return
    try:
        text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return
    raise InputError(where, "UTF-8, expected Latin-1", "keep the release's encoding")


def _class_of(label: str, where: str) -> int:
    """Return the number of the class of ``CLASS:kind``."""
    name, _, kind = label.partition(":")
    if name not in TREC_CLASSES:
        known = ", ".join(TREC_NAMES)
        raise InputError(where, f"unknown class {name!r:.80}", f"known are {known}")
    kinds = TREC_CLASSES[name].split()
    if kind not in kinds:
        known = ", ".join(kinds)
        raise InputError(where, f"unknown kind {kind!r:.80} of {name}", f"known are {known}")
    return TREC_NAMES.index(name)


def read_mrpc(path: Path | str) -> list[LabelledText]:
    """Read a part of MRPC: a header, then tab-separated label, two numbers and two sentences."""
    rows = read_rows(path)
    _, header = next(rows, (1, ""))
    if header.split("\t") != MRPC_HEADER:
        problem = f"the header is not {', '.join(MRPC_HEADER)}"
        raise InputError(at(path, 1), problem, "keep the release's header")
    found = []
    for line, text in rows:
        label, *numbers, first, second = _columns(text, len(MRPC_HEADER), at(path, line))
        for name, number in zip(MRPC_HEADER[1:3], numbers, strict=True):
            if not (number.isascii() and number.isdecimal()):
                raise InputError(at(path, line), f"{name} {number!r:.80} is not a whole number")
        first = filled(first, MRPC_HEADER[3], path, line)
        second = filled(second, MRPC_HEADER[4], path, line)
        found.append(LabelledText(_binary(label, at(path, line)), first, second))
    return _require_texts(found, path)


def _columns(text: str, expected: int, where: str) -> list[str]:
    fields = text.split("\t")
    if len(fields) != expected:
        raise InputError(where, f"{len(fields)} columns, expected {expected}")
    return fields


def _binary(label: str, where: str) -> int:
    if label not in ("0", "1"):
        raise InputError(where, f"label {label!r:.80} is neither 0 nor 1")
    return int(label)


def _require_texts(found: list[LabelledText], path: Path | str) -> list[LabelledText]:
    if not any(text.first for text in found):
        raise InputError(at(path, 1), "no text", "fetch the release again")
    return found
