"""StackFAQ's XML file."""

import os
from pathlib import Path

import pytest

from semblance.data.banks.stackfaq import read_stackfaq
from semblance.data.faq import Faq, FaqPair, FaqQuery
from tests.unit.data.files import fails_at, put

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")


def thread(*rephrasements, question="q", answers=("a",)):
    tags = (
        [("rephr", r) for r in rephrasements]
        + [("question", question)]
        + [("answer", a) for a in answers]
    )
    return (
        "<qapair>\n" + "".join(f"<{tag}>\n{text}\n</{tag}>\n" for tag, text in tags) + "</qapair>\n"
    )


def test_stackfaq_threads_are_groups_and_all_their_answers_relevant(tmp_path):
    threads = thread(
        "null", "*", " ", "a * b", question="Q  1", answers=("NA", "x <b>y</b> z")
    ) + thread(question="n/a", answers=("None",))
    path = put(tmp_path / "s.xml", f"<root>\n{threads}</root>\n")
    assert read_stackfaq(path) == Faq(
        "stackfaq",
        (
            FaqPair("1-1", "Q 1", "NA", "1"),
            FaqPair("1-2", "Q 1", "x y z", "1"),
            FaqPair("2-1", "n/a", "None", "2"),
        ),
        (
            FaqQuery("1-q1", "null", "1", ("1-1", "1-2")),
            FaqQuery("1-q2", "a * b", "1", ("1-1", "1-2")),
        ),
    )


@pytest.mark.parametrize(
    "body, line, words",
    [
        ("<qapair><question>q</question></qapair>", 2, "without an answer"),
        ("\n<qapair>\n<answer>a</answer></qapair>", 3, "no <question>"),
        ("<qapair><question>q</question>\n<answer> </answer></qapair>", 3, "answer is empty"),
        ("<qapair>\n</root>", 3, "not well-formed"),
        ("<!DOCTYPE root>", 2, ""),
    ],
)
def test_stackfaq_malformed_threads_name_their_line(tmp_path, body, line, words):
    path = put(tmp_path / "s.xml", f"<root>\n{body}\n</root>\n")
    with fails_at(path, line, words):
        read_stackfaq(path)


@needs_data
def test_real_stackfaq_has_the_published_counts():
    faq = read_stackfaq(Path(DATA, "faq/stackfaq/stackExchange-FAQ.xml"))
    assert (len({pair.group for pair in faq.pairs}), len(faq.pairs), len(faq.queries)) == (
        125,
        719,
        1249,
    )
    assert {key for query in faq.queries for key in query.relevant} <= {
        pair.id for pair in faq.pairs
    }
