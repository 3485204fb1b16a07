"""StackFAQ: threads of Stack Exchange, each a question, its answers and its paraphrases."""

from pathlib import Path

from semblance.data.faq import Faq, FaqPair, FaqQuery, require_pairs
from semblance.data.raw import Raw
from semblance.data.text import filled
from semblance.data.xml_text import XmlElement, child_text, element_text, read_xml
from semblance.errors import InputError, at


def read(raw: Raw, dataset: str) -> Faq:
    """Read the XML file of the release."""
    return read_stackfaq(raw.file(dataset, ".xml"))


def read_stackfaq(path: Path | str) -> Faq:
    """Read the release: 125 threads, 719 pairs, 1,249 paraphrases as queries.

    Each thread is a group, numbered from 1; its question makes a pair with each of its answers, and all
    of its answers are relevant to each of its paraphrases.
    """
    pairs: list[FaqPair] = []
    queries: list[FaqQuery] = []
    for number, thread in enumerate(read_xml(path).iterfind("qapair"), 1):
        group = str(number)
        of_thread = _thread_pairs(thread, group, path)
        pairs += of_thread
        relevant = tuple(pair.id for pair in of_thread)
        texts = [element_text(node) for node in thread.iterfind("rephr")]
        # A lone * separates two writers, and the release holds one empty paraphrase.
        texts = [text for text in texts if text not in ("", "*")]
        for rank, text in enumerate(texts, 1):
            queries.append(FaqQuery(f"{group}-q{rank}", text, group, relevant))
    return Faq("stackfaq", require_pairs(pairs, at(path, 1)), tuple(queries))


def _thread_pairs(thread: XmlElement, group: str, path: Path | str) -> list[FaqPair]:
    question = child_text(thread, "question", path)
    pairs = []
    for rank, node in enumerate(thread.iterfind("answer"), 1):
        answer = filled(element_text(node), "answer", path, node.line)
        pairs.append(FaqPair(f"{group}-{rank}", question, answer, group))
    if not pairs:
        raise InputError(at(path, thread.line), "a thread without an answer")
    return pairs
