"""Where the readers of downloaded data stop: at which line of a malformed file, with which words."""

import json
import re

import pytest

from semblance.data.banks.covid import read_covid
from semblance.data.banks.faqir import read_faqir
from semblance.data.banks.stackfaq import read_stackfaq
from semblance.data.csv_text import read_csv
from semblance.data.nli import read_anli, read_release, read_table, read_triples
from semblance.data.pairs import captions, paranmt, qqp
from semblance.data.sts import SICK_HEADER, read_sick, read_stsb
from semblance.data.transfer import MRPC_HEADER, read_mrpc, read_sst, read_texts, read_trec
from semblance.data.wiki import read_sentences
from semblance.data.xml_text import read_xml
from semblance.lines import read_json_lines, read_lines, read_records
from tests.unit.data.files import fails_at, put

SNLI = (
    "gold_label sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse "
    "sentence1 sentence2 captionID pairID label1 label2 label3 label4 label5"
).split()
SNLI_TABS = "\t".join(SNLI) + "\n"
SNLI_JSON = '{"gold_label": "neutral", "sentence1": "a", "sentence2": "b"}\n'
TABLE = "label\tsentence1\tsentence2\n"
TRIPLES = "sent0,sent1,hard_neg\n"
SICK = "\t".join(SICK_HEADER) + "\n"
SICK_ROW = "1\ta\tb\t3\tNEUTRAL\n"
STSB_ROW = "g\tf\ty\t0\t1\ta\tb\n"
MRPC = "\t".join(MRPC_HEADER) + "\n"
ANLI = {"uid": "1", "context": "c", "hypothesis": "h", "label": "e"}
QQP = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n0\t1\t2\tHow?\tWhy?\t0\n"
CAPTION = "a.jpg#0\tA dog .\n"
COVID = "question,answer,lang\n"
SIMILAR = "question_1,question_2,similar\n"
ASKED = "<question>q</question>"


def snli_row(label="neutral", first="a", second="b") -> str:
    """Return a row of SNLI's table."""
    cells = dict.fromkeys(SNLI, "x")
    cells |= {"gold_label": label, "sentence1": first, "sentence2": second}
    return "\t".join(cells.values()) + "\n"


def anli(**changed) -> str:
    """Return a round of ANLI whose second line has other fields; those that are None are left out."""
    row = {key: value for key, value in (ANLI | changed).items() if value is not None}
    return json.dumps(ANLI) + "\n" + json.dumps(row) + "\n"


def texts_of_label_1(path):
    """Read a file of one text a line."""
    return read_texts(path, 1)


def csv(path):
    """Read the columns q and a of a CSV file."""
    return read_csv(path, ["q", "a"])


def covid(path):
    """Read one table of COVID-QA."""
    return read_covid([path])


def similar(path):
    """Read a list of similar questions, beside a table of one question."""
    return read_covid([put(path.with_name("table"), COVID + "q,a,en\n")], path)


XML_BANKS = (read_stackfaq, read_faqir)
CSV_RECORDS = {  # the last record of a file whose record before it has two lines
    "one": "fields: 1",
    'one,"two': "unbalanced",
    '"one" ,two': "quote",
}
JSON_ROWS = {"[1]": "list", '{"a": 1, "a": 2}': "stands twice"}
REFUSED = [
    (read_lines, b"fine\ncaf\xe9\n", 2, "UTF-8"),
    (read_records, "one\n\ntwo\n", 2, "blank"),
    *((csv, f'q,a\n"1\n2",fine\n{row}\n', 4, words) for row, words in CSV_RECORDS.items()),
    (csv, 'q,a\nx,"open\n' + "x,y\n" * 10, 2, "unbalanced"),
    (csv, "", 1, "no header"),
    (csv, "q\n1\n", 1, "no column a"),
    (csv, "q,a,q\n", 1, "q stands twice"),
    *(
        (read_json_lines, f'{{"a": 1}}\n{row}\n{{}}\n', 2, words)
        for row, words in JSON_ROWS.items()
    ),
    (read_xml, "<r>\n<a>\n</r>", 3, "not well-formed"),
    (read_release, SNLI_TABS + snli_row() + snli_row("maybe"), 3, "unknown label 'maybe'"),
    (read_release, SNLI_TABS + snli_row(first=" \u3000"), 2, "sentence1 is empty"),
    (read_release, SNLI_TABS + snli_row(""), 2, "gold_label is empty"),
    (read_release, SNLI_TABS + "\t".join("abcdefg") + "\n", 2, "columns: 7, expected 9 to 14"),
    (read_release, SNLI_TABS + snli_row()[:-1] + "\tx\n", 2, "columns: 15, expected 9 to 14"),
    (read_release, SNLI_TABS, 1, "no pair"),
    (read_release, SNLI_JSON + SNLI_JSON.replace("neutral", "maybe"), 2, "unknown label 'maybe'"),
    (read_release, SNLI_JSON.replace('"b"', '" "'), 1, "sentence2 is empty"),
    (read_release, SNLI_JSON.replace('"a"', "null"), 1, "sentence1 is missing"),
    (read_release, SNLI_JSON.replace('"a"', '["a"]'), 1, "sentence1 is not text"),
    (read_table, TABLE[:-1] + "\tlabel\nneutral\ta\tb\tneutral\n", 1, "column label stands"),
    (read_table, TABLE + "neutral\ta\n", 2, "columns: 2, expected 3 to 3"),
    (read_table, TABLE + "maybe\ta\tb\n", 2, "unknown label 'maybe'"),
    (read_anli, anli(label="x"), 2, "unknown label 'x'; e, n or c"),
    (read_anli, anli(hypothesis=" "), 2, "hypothesis is empty"),
    (read_triples, TRIPLES, 1, "no triple"),
    (read_triples, "sent0,sent1\na,b\n", 1, "no column hard_neg"),
    (read_triples, TRIPLES + '"a\n",b,c\na, ,c\n', 4, "sent1 is empty"),
    (read_triples, TRIPLES + "a,b\n", 2, "fields: 2"),
    (read_sentences, " \n\n", 1, "no sentence"),
    (read_sentences, "one\na\rb\n", 2, "a lone carriage return"),
    (captions.read, CAPTION + "a.jpg A dog .\n", 2, "not IMAGE#NUMBER, a tab and a caption"),
    (captions.read, CAPTION + "a.jpg#one\tA dog .\n", 2, "not IMAGE#NUMBER"),
    (captions.read, CAPTION + "a.jpg#1\t \n", 2, "the caption is empty"),
    (captions.read, CAPTION + "b#0\tA cat .\na.jpg#1\tA\n", 3, "a.jpg stand in two places"),
    (paranmt.read, "one\t \t0.5\n", 1, "the paraphrase is empty"),
    (qqp.read, QQP + "1\t3\t4\tWho?\tWhere?\t2\n", 3, "is_duplicate is '2'"),
    (qqp.read, QQP + "1\t3\t4\tWho?\tWhere?\n", 3, "fields: 5, and 6 in the header"),
    (qqp.read, "id\tquestion1\tquestion2\n0\tHow?\tWhy?\n", 1, "no column is_duplicate"),
    (read_stsb, STSB_ROW + "g\tf\ty\t0\t4.5\ta\n", 2, "columns: 6, expected 7 or 9"),
    (read_stsb, STSB_ROW + "g\tf\ty\t0\t\ta\tb\n", 2, "score ''"),
    (read_stsb, STSB_ROW + "g\tf\ty\t0\t1\t\tb\n", 2, "empty sentence"),
    (read_sick, SICK + SICK_ROW + "1\ta\tb\t0.9\tNEUTRAL\n", 3, "score '0.9'"),
    (read_sick, SICK + SICK_ROW + "1\ta\t\t3\tNEUTRAL\n", 3, "empty sentence"),
    (read_sick, SICK_ROW, 1, "the header is not"),
    (read_sick, SICK, 1, "no scored pair"),
    (texts_of_label_1, "", 1, "no text"),
    (read_sst, " \t1\n", 1, "the text is empty"),
    (read_trec, "NUM:dist How far ?\nPET:cat Who ?\n", 2, "unknown class 'PET'; known are ABBR"),
    (read_mrpc, "1\t7\t8\ta\tb\n", 1, "the header is not Quality"),
    (read_mrpc, MRPC + "1\t7\t8\ta\n", 2, "columns: 4, expected 5"),
    (read_mrpc, MRPC + "1\t7\t8\ta\t \n", 2, "#2 String is empty"),
    (read_mrpc, MRPC, 1, "no text"),
    (covid, COVID + "q,,en\n", 2, "answer is empty"),
    (covid, COVID.replace(",", "\t") + "q\ta\n", 2, "fields: 2"),
    (similar, SIMILAR + "q,x,1\nq,x,yes\n", 3, "similar is 'yes'"),
    (similar, SIMILAR + "q,x,1\nq,,1\n", 3, "question_2 is empty"),
    (read_stackfaq, f"<r>\n<qapair>{ASKED}</qapair></r>", 2, "without an answer"),
    (read_stackfaq, "<r>\n<qapair>\n<answer>a</answer></qapair></r>", 2, "no <question>"),
    (read_stackfaq, f"<r>\n<qapair>{ASKED}\n<answer> </answer></qapair></r>", 3, "answer is empty"),
    *((bank, "<html><p>Not found</p></html>", 1, "no question-answer pair") for bank in XML_BANKS),
]


@pytest.mark.parametrize("read, content, line, words", REFUSED)
def test_a_malformed_file_is_refused_at_its_line(tmp_path, read, content, line, words):
    name = "a.jsonl" if content[:1] == "{" else "a.txt"  # two forms of SNLI go by it
    path = put(tmp_path / name, content)
    with fails_at(path, line, re.escape(words)):
        list(read(path))
