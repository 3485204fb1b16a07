"""FAQIR 1.0: pairs of a community's questions and answers, and queries in groups (templates)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.data.faq import Faq, FaqPair, FaqQuery, add_unique, in_bank_order, require_pairs
from semblance.data.raw import Raw
from semblance.data.xml_text import XmlElement, child_text, read_xml
from semblance.errors import InputError, at

RELEVANT = "1"
GRADES = {RELEVANT, "2", "3", "4"}  # relevant, useful, useless, irrelevant


def read(raw: Raw, dataset: str) -> Faq:
    """Read the XML file of the release."""
    return read_faqir(raw.file(dataset, ".xml"))


def read_faqir(path: Path | str) -> Faq:
    """Read the release: 4,313 pairs, 1,233 queries in 50 groups.

    Judgements belong to a group and each of its queries inherits them; a pair is relevant if some
    annotator gave 1. Query ids are ``group-qN``, N the query's rank in its group. Unknown tags are ignored.
    """
    root = read_xml(path)
    pairs = _read_pairs(root, path)
    relevant: dict[str, set[str]] = {}
    for node in root.iterfind(".//relcandidates/ircandidatelist"):
        group = child_text(node, "grpid", path)
        relevant.setdefault(group, set()).update(_relevant_pairs(node, pairs, path))
    queries = []
    counts: dict[str, int] = {}
    for node in root.iterfind(".//queries/query"):
        group = child_text(node, "querygroupid", path)
        text = child_text(node, "querystring", path)
        if group not in relevant:
            raise InputError(at(path, node.line), f"query group {group!r} has no judgements")
        counts[group] = counts.get(group, 0) + 1
        key = f"{group}-q{counts[group]}"
        queries.append(FaqQuery(key, text, group, in_bank_order(relevant[group], pairs)))
    return Faq("faqir", require_pairs(pairs.values(), at(path, 1)), tuple(queries))


def _read_pairs(root: XmlElement, path: Path | str) -> dict[str, FaqPair]:
    pairs: dict[str, FaqPair] = {}
    for node in root.iterfind(".//pairs/qapair"):
        question = child_text(node, "question", path)
        answer = child_text(node, "answer", path)
        key = child_text(node, "id", path)
        add_unique(pairs, FaqPair(key, question, answer, group=question), path, node.line)
    return pairs


def _relevant_pairs(
    group: XmlElement, pairs: dict[str, FaqPair], path: Path | str
) -> Iterator[str]:
    """Yield the ids of the pairs of a group that some annotator called relevant."""
    for node in group.iterfind("candidates/ircandidate"):
        key = child_text(node, "id", path)
        if key not in pairs:
            raise InputError(at(path, node.line), f"judged pair {key!r} is not in the bank")
        annotations = node.iterfind("annotations/annotation")
        grades = [child_text(annotation, "val", path) for annotation in annotations]
        if not GRADES.issuperset(grades):
            raise InputError(
                at(path, node.line), f"annotations {grades} of pair {key}", "expected 1 to 4"
            )
        # ASSUME one annotator's "relevant" is enough, and "useful" is not: the data name no rule.
        if RELEVANT in grades:
            yield key
