"""FAQIR's XML file."""

import pytest

from semblance.data.banks.faqir import read_faqir
from semblance.data.faq import Faq, FaqPair, FaqQuery
from tests.unit.data.files import fails_at, put


def pair(key, question="q", answer="a"):
    texts = f"<Question>{question}</Question><Answer>{answer}</Answer>"
    return f"<qaPair><Id>{key}</Id>{texts}<Categories/></qaPair>\n"


def query(group, text):
    return (
        f"<Query><Author>x</Author><exWords><string>w</string></exWords>"
        f"<QueryGroupID>{group}</QueryGroupID><QueryID>1</QueryID>"
        f"<QueryString>{text}</QueryString></Query>\n"
    )


def judged(group, **grades):
    """The judgements of a group: of each pair, the grades that annotators gave it."""
    candidates = ""
    for key, values in grades.items():
        given = "".join(f"<Annotation><Val>{value}</Val></Annotation>" for value in values)
        candidates += (
            f"<IRCandidate><Id>{key}</Id><Annotations>{given}</Annotations></IRCandidate>\n"
        )
    return f"<IRCandidateList><grpId>{group}</grpId><candidates>\n{candidates}</candidates></IRCandidateList>\n"


QUERY = query(0, "x")
PAIR = pair("one")
JUDGED = judged(0, one="1")


def faqir(folder, queries=QUERY, pairs=PAIR, judgements=JUDGED):
    """Write a small release: queries from line 3, pairs two lines after the last query, and so on."""
    start = '<?xml version="1.0"?>\n<IRSet xmlns:xsi="x"><queries>\n'
    middle = f"{queries}</queries>\n<KB><Pairs>\n{pairs}</Pairs></KB>\n"
    end = f"<relCandidates>\n{judgements}</relCandidates></IRSet>\n"
    return put(folder / "faqir.xml", start + middle + end)


def test_judgements_belong_to_the_group_and_one_annotator_suffices(tmp_path):
    path = faqir(
        tmp_path,
        query(0, "one") + query(7, "null") + query(0, "NA"),
        pair("c", "n/a", "None") + pair("b") + pair("a", "A &amp;\nB", "x &lt; y"),
        judged(0, a="31", b="22", c="1") + judged(7, b="1", a="234"),
    )
    assert read_faqir(path) == Faq(
        "faqir",
        (
            FaqPair("c", "n/a", "None", "n/a"),
            FaqPair("b", "q", "a", "q"),
            FaqPair("a", "A & B", "x < y", "A & B"),
        ),
        (
            FaqQuery("0-q1", "one", "0", ("c", "a")),
            FaqQuery("7-q1", "null", "7", ("b",)),
            FaqQuery("0-q2", "NA", "0", ("c", "a")),
        ),
    )


NO_TEXT = "<Query>\n<QueryGroupID>0</QueryGroupID></Query>"
REFUSED = [
    ({"queries": QUERY + query(5, "x")}, 4, "query group '5' has no judgements"),
    ({"queries": NO_TEXT}, 3, "<query> has no <querystring>"),
    ({"pairs": PAIR + pair(2, answer="")}, 7, "answer is empty"),
    ({"judgements": judged(0, one="5")}, 10, "annotations"),
    ({"judgements": judged(0, two="1")}, 10, "judged pair 'two' is not in the bank"),
    ({"pairs": PAIR + PAIR}, 7, "id 'one' stands twice"),
]


@pytest.mark.parametrize("changed, line, words", REFUSED)
def test_a_malformed_record_is_named_by_its_line(tmp_path, changed, line, words):
    path = faqir(tmp_path, **changed)
    with fails_at(path, line, words):
        read_faqir(path)
