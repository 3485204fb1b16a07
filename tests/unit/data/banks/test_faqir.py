"""FAQIR's XML file."""

import pytest

from semblance.data.banks.faqir import read_faqir
from semblance.data.faq import Faq, FaqPair, FaqQuery
from tests.unit.data.files import fails_at, put


def faqir_pair(key, question="q", answer="a"):
    return f"<qaPair><Id>{key}</Id><Question>{question}</Question><Answer>{answer}</Answer><Categories/></qaPair>\n"


def faqir_query(group, text):
    return (
        f"<Query><Author>x</Author><Original>o</Original><exWords><string>w</string></exWords>"
        f"<QueryGroupID>{group}</QueryGroupID><QueryID>1</QueryID>"
        f"<QueryString>{text}</QueryString><Fold>0</Fold></Query>\n"
    )


def faqir_judged(group, *judged):
    candidates = "".join(
        f"<IRCandidate><Id>{key}</Id><Annotations>"
        + "".join(
            f"<Annotation><Val>{v}</Val><Annotator>x</Annotator></Annotation>" for v in values
        )
        + "</Annotations></IRCandidate>\n"
        for key, values in judged
    )
    return f"<IRCandidateList><grpId>{group}</grpId><candidates>\n{candidates}</candidates></IRCandidateList>\n"


def faqir(folder, queries, pairs, judgements):
    """Write a small FAQIR release: queries from line 3, pairs two lines after the last query, and so on."""
    parts = [
        '<?xml version="1.0"?>\n<IRSet xmlns:xsi="x"><queries>\n',
        *queries,
        "</queries>\n<KB><Pairs>\n",
        *pairs,
        "</Pairs></KB>\n<relCandidates>\n",
        *judgements,
        "</relCandidates></IRSet>\n",
    ]
    return put(folder / "faqir.xml", "".join(parts))


def test_faqir_judgements_belong_to_the_group_and_one_annotator_suffices(tmp_path):
    path = faqir(
        tmp_path,
        [faqir_query(0, "one"), faqir_query(7, "null"), faqir_query(0, "NA")],
        [faqir_pair(30, "n/a", "None"), faqir_pair(20), faqir_pair(10, "A &amp;\nB", "x &lt; y")],
        [
            faqir_judged(0, (10, "31"), (20, "22"), (30, "1")),
            faqir_judged(7, (20, "1"), (10, "234")),
        ],
    )
    assert read_faqir(path) == Faq(
        "faqir",
        (
            FaqPair("30", "n/a", "None", "n/a"),
            FaqPair("20", "q", "a", "q"),
            FaqPair("10", "A & B", "x < y", "A & B"),
        ),
        (
            FaqQuery("0-q1", "one", "0", ("30", "10")),
            FaqQuery("7-q1", "null", "7", ("20",)),
            FaqQuery("0-q2", "NA", "0", ("30", "10")),
        ),
    )


GOOD = {
    "queries": [faqir_query(0, "x")],
    "pairs": [faqir_pair(1)],
    "judgements": [faqir_judged(0, (1, "1"))],
}


@pytest.mark.parametrize(
    "changed, line, words",
    [
        ({"queries": [faqir_query(0, " ")]}, 3, "querystring is empty"),
        (
            {"queries": [faqir_query(0, "x"), faqir_query(5, "x")]},
            4,
            "query group '5' has no judgements",
        ),
        (
            {"queries": ["<Query>\n<QueryGroupID>0</QueryGroupID></Query>"]},
            3,
            "<query> has no <querystring>",
        ),
        ({"pairs": [faqir_pair(1), faqir_pair(1)]}, 7, "id '1' stands twice"),
        ({"pairs": [faqir_pair(1), faqir_pair(2, answer="")]}, 7, "answer is empty"),
        (
            {"judgements": [faqir_judged(0, (1, "1"), (9, "1"))]},
            11,
            "judged pair '9' is not in the bank",
        ),
        ({"judgements": [faqir_judged(0, (1, "5"))]}, 10, "annotations"),
    ],
)
def test_faqir_malformed_records_name_their_line(tmp_path, changed, line, words):
    path = faqir(tmp_path, **GOOD | changed)
    with fails_at(path, line, words):
        read_faqir(path)
