"""A small valid sample of every text format, its reader, and rows of it that are damaged."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from semblance.data import nli, sts, transfer, wiki
from semblance.data.banks import cough, covid, faqir, stackfaq
from semblance.data.faq import Faq
from semblance.data.pairs import captions, nli_table, paranmt, qqp
from semblance_faq.read.faq import read_own

Rows = dict[str, tuple[int, str]]  # name of a damage: (line, the text that takes its place)


@dataclass(frozen=True)
class Format:
    """A format: its sample files, its reader, and damaged rows of one file, by default the first.

    ``kind`` is csv, jsonl, tsv, txt or xml; a line of jsonl, tsv and txt is a record of its own, so
    that a lone carriage return has no place in it. ``read`` takes the folder, or where there is but
    one file, its path. ``encodings``: UTF-16 is read, too.
    """

    name: str
    kind: str
    files: dict[str, str]
    read: Callable[[Path], object]
    rows: Rows = field(default_factory=dict)
    damaged: str = ""
    encodings: bool = False

    @property
    def target(self) -> str:
        """The name of the file that is damaged."""
        return self.damaged or next(iter(self.files))

    @property
    def sample(self) -> str:
        """The text of the file that is damaged."""
        return self.files[self.target]

    def load(self, folder: Path, target: str = "") -> object:
        """Read the files of a folder; ``target`` is another name of the only file."""
        return self.read(folder if len(self.files) > 1 else folder / (target or self.target))


# Damaged rows, by the kind of a file

JSON_ROWS = {
    "truncated": '{"gold_label": "neu',
    "an array": "[1, 2]",
    "a number": "7",
    "null": "null",
    "two objects": "{} {}",
    "single quotes": "{'question': 'q'}",
    "deep nesting": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
    "a huge number": '{"question": 1' + "0" * 5000 + "}",
    "trailing comma": '{"question": "q",}',
    "blank": "",
    "not a number": '{"x": NaN}',
    "infinity": '{"x": -Infinity}',
    "a NUL escape": '{"question": "\\u0000"}',
    "half a surrogate": '{"question": "\\ud83d"}',
    "a raw tab": '{"question": "a\tb"}',
    "a bad escape": '{"question": "\\x41"}',
    "unclosed string": '{"question": "q}',
    "a comment": "// nothing",
    "a doubled key": '{"question": "q", "question": "r"}',
}
CSV_ROWS = {
    "too few columns": "one",
    "too many columns": "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
    "an unbalanced quote": '"one,two',
    "a quote inside": 'o"n"e,two',
    "text after a quote": '"one"x,two',
}
TAB_ROWS = {
    "too few columns": "one",
    "too many columns": "\t".join("abcdefghijklmnop"),
    "commas instead": "a,b,c,d",
    "blank": "",
}
XML_ROWS = {
    "an unclosed tag": "<a>",
    "a stray end tag": "</x>",
    "an undefined entity": "<a>&bomb;</a>",
    "a control character": "<a>\x01</a>",
    "an unquoted attribute": "<a b=c/>",
    "a doubled attribute": '<a b="1" b="2"/>',
    "a bare ampersand": "<a>AT&T</a>",
    "a bad character reference": "<a>&#0;</a>",
    "a surrogate reference": "<a>&#xD800;</a>",
    "a bare bracket": "a < b",
    "an unclosed CDATA": "<![CDATA[ x",
    "an unclosed comment": "<!-- x",
    "a late declaration": '<?xml version="1.0"?>',
}
PROLOGS = {
    "an entity bomb": '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>',
    "an external entity": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
    "an external document type": '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
    "a parameter entity": "<!DOCTYPE x [<!ENTITY % p \"<!ENTITY q 'r'>\"> %p;]>",
    "an empty document type": "<!DOCTYPE x>",
}
SCORES = {
    "nan": "nan",
    "infinity": "inf",
    "minus infinity": "-inf",
    "an overflow": "1e999",
    "above the range": "5.1",
    "below the range": "-1.1",
    "a word": "high",
    "a comma for a point": "4,5",
    "an underscore": "1_0",
    "other digits": "٣",
    "two numbers": "1 2",
    "huge": "9" * 5000,
    "hexadecimal": "0x3",
    "a boolean": "True",
}


def scored(line: int, template: str, without: tuple[str, ...] = ()) -> Rows:
    """Put each bad score in the place of an @ in a row."""
    return {
        f"a score: {name}": (line, template.replace("@", value))
        for name, value in SCORES.items()
        if name not in without
    }


def on(line: int, rows: dict[str, str]) -> Rows:
    """Give all damaged rows one line."""
    return {name: (line, text) for name, text in rows.items()}


# Samples


def lines(*rows: str) -> str:
    """Return a file of these lines."""
    return "\n".join(rows) + "\n"


def tabs(*rows: str) -> str:
    """Return a file with a tab for each blank."""
    return lines(*rows).replace(" ", "\t")


def _all(read: Callable[[Path], Iterable[object]]) -> Callable[[Path], list[object]]:
    """Return a reader that reads to the end of a file whose reader yields."""
    return lambda path: list(read(path))


def _snli(label: str) -> str:
    row = {"gold_label": label, "sentence1": "s one", "sentence2": "s two", "pairID": "p"}
    return json.dumps(row)


def _anli(label: str) -> str:
    row = {"uid": "u", "context": "c one. c two.", "hypothesis": "h", "label": label}
    return json.dumps(row)


def _own(**changes: object) -> str:
    return json.dumps({"question": "q", "answer": "a", "id": "1", "queries": ["w"], **changes})


def _year(year: int) -> Callable[[Path], object]:
    return lambda folder: sts.read_sts_year(folder, year)


def _cough(folder: Path) -> Faq:
    return cough.read_cough(folder / "bank.csv", folder / "queries.csv", folder / "judged.csv")


def _covid(folder: Path) -> Faq:
    return covid.read_covid([folder / "c.csv"], folder / "s.csv")


def _covid_tabs(path: Path) -> Faq:
    return covid.read_covid([path])


def _texts(path: Path) -> list:
    return transfer.read_texts(path, 1)


SNLI = {"a.jsonl": lines(_snli("entailment"), _snli("contradiction"), _snli("-"))}
SNLI_HEADER = "gold_label sentence1 sentence2 pairID"
SNLI_TABS = {"a.txt": tabs(SNLI_HEADER, "neutral a b p", "neutral c d q")}
TRIPLES = {"t.csv": lines("sent0,sent1,hard_neg", "a,b,c", "d,e,f")}
QUESTION = "id qid1 qid2 question1 question2 is_duplicate"
QUESTIONS = {"q.tsv": tabs(QUESTION, "0 1 2 one? two? 1", "1 3 4 three? four? 0")}
CAPTION = ("a.jpg#0\tone .", "a.jpg#1\ttwo .", "b.jpg#0\tthree .", "b.jpg#1\tfour .")
CAPTIONS = {"c.token": lines(*CAPTION)}
PARAPHRASES = {"p.txt": tabs("one two 0.5", "three four 0.25")}
NLI_TABLE = {"n.tsv": tabs("label sentence1 sentence2", "neutral a b", "entailment c d")}
ANLI = {"train.jsonl": lines(_anli("e"), _anli("n"), _anli("c"))}
WIKI = {"w.txt": lines("One sentence.", "Another one.", "A third.")}
STS = {"STS.gs.x.txt": lines("5", "0.5"), "STS.input.x.txt": tabs("a b", "c d")}
STS_RAW = {"STS2016.input.x.txt": tabs("a b s t", "c d s t"), "STS2016.gs.x.txt": "5\n\n"}
STSB = {"b.csv": tabs("g f y 0 4.5 a b", "g f y 1 0 c d")}
SICK = {"s.txt": tabs(" ".join(sts.SICK_HEADER), "1 a b 4.5 NEUTRAL", "2 c d 1 NEUTRAL")}
TEXTS = {"a.pos": lines("one text", "another one")}
SST = {"sentiment-dev": tabs("fine 1", "bad 0")}
MRPC = {"m.txt": lines("\t".join(transfer.MRPC_HEADER)) + tabs("1 7 8 a b", "0 7 9 c d")}
OWN = {"o.csv": lines("question,answer,id", "q,ä,1", "r,b,2")}
OWN_JSON = {"o.jsonl": lines(_own(), _own(id="2"))}
COUGH = {
    "bank.csv": lines("index,question,answer,language", "0,q one,a one,en", "1,q two,a two,en"),
    "queries.csv": lines("index,query", "0,what one", "1,what two"),
    "judged.csv": lines(
        f'Query_index,FAQ_index,Raw_score,Average,"{cough.LABEL}"',
        '0,0,"[4, 4]",4,positive',
        '1,1,"[1, 2]",1.5,negative',
    ),
}
COVID = {
    "c.csv": lines("question,answer,lang", "q,a,en", "r,b,en"),
    "s.csv": lines("question_1,question_2,similar", "q,who,1"),
}
COVID_TABS = {"c.tsv": tabs("question answer lang", "q a en", "r b en")}
FAQIR = """<?xml version="1.0"?>
<IRSet><pairs>
<qapair><id>1</id><question>q</question><answer>a</answer></qapair>
<qapair><id>2</id><question>r</question><answer>b</answer></qapair></pairs>
<relCandidates><IRCandidateList><GrpId>7</GrpId><candidates>
<IRCandidate><Id>1</Id><Annotations><Annotation><Val>1</Val></Annotation></Annotations></IRCandidate>
</candidates></IRCandidateList></relCandidates>
<queries>
<Query><QueryGroupID>7</QueryGroupID><QueryString>who?</QueryString></Query>
</queries></IRSet>
"""
STACK = """<root>
<qapair>
<rephr>one?</rephr>
<question>q</question>
<answer>a</answer>
</qapair>
</root>
"""

# Damaged rows of one format alone

ANY_SCORE = scored(2, "three\tfour\t@", ("above the range", "below the range"))
STS_ROWS = TAB_ROWS | {"an empty sentence": "a\t "}
STS_RAW_ROWS = {
    "three columns": "a\tb\tc",
    "five columns": "a\tb\tc\td\te",
    "an empty sentence": "\tb\ts\tt",
}
STSB_SCORES = scored(2, "g\tf\ty\t1\t@\tc\td")
SICK_SCORES = scored(3, "1\ta\tb\t@\tNEUTRAL")
SST_LABELS = scored(2, "fine\t@")
MRPC_LABELS = scored(3, "@\t7\t9\tc\td")
BANK_ROWS = {
    "a doubled id": (3, "0,q,a,en"),
    "an empty answer": (3, "1,q, ,en"),
    "an empty id": (3, ",q,a,en"),
    "a lost header": (1, "0,q,a,en"),
}
QUERY_ROWS = CSV_ROWS | {"a doubled id": "0,again", "an empty query": "1,"}
JUDGEMENTS = {
    "a dangling query": '9,1,"[1, 2]",1.5,negative',
    "a dangling pair": '1,9,"[1, 2]",1.5,negative',
    "a contradicting label": '1,1,"[1, 2]",1.5,positive',
    "an unknown label": '1,1,"[1, 2]",1.5,no',
    "booleans for scores": '1,1,"[true, 2]",1.5,negative',
    "no scores": '1,1,"[]",1.5,negative',
    "text for scores": '1,1,"[""1"", 2]",1.5,negative',
    "deep nesting": f'1,1,"{"[" * 100_000}",1,negative',
    "nan among scores": '1,1,"[NaN, 2]",1.5,negative',
    "a score of 5": '1,1,"[5, 2]",3.5,positive',
}
JUDGED_ROWS = on(3, CSV_ROWS | JUDGEMENTS) | scored(3, '1,1,"[1, 2]","@",negative')
VALUE_5 = "<Annotations><Annotation><Val>5</Val></Annotation></Annotations>"
FAQIR_ROWS = {
    **on(5, XML_ROWS),
    **on(1, PROLOGS),
    "a doubled id": (4, FAQIR.splitlines()[3].replace("<id>2", "<id>1")),
    "a dangling pair": (6, "<IRCandidate><Id>9</Id><Annotations/></IRCandidate>"),
    "an unknown judgement": (6, f"<IRCandidate><Id>1</Id>{VALUE_5}</IRCandidate>"),
    "a dangling group": (9, FAQIR.splitlines()[8].replace("7", "8")),
    "an empty query": (9, "<Query><QueryGroupID>7</QueryGroupID><QueryString/></Query>"),
    "a missing answer": (3, "<qapair><id>1</id><question>q</question></qapair>"),
}
STACK_ROWS = {
    **on(3, XML_ROWS),
    **on(1, {name: f"{prolog}<root>" for name, prolog in PROLOGS.items()}),
    "an empty answer": (5, "<answer> </answer>"),
}
COVID_ROWS = {"an empty answer": (3, "r,,en"), "a lost header": (1, "a,b,c")}
COVID_TAB_ROWS = {
    "too few columns": "one",
    "too many columns": "a\tb\ten\tx",
    "an unbalanced quote": '"r\tb\ten',
}
SIMILAR_ROWS = {
    "neither 0 nor 1": "q,who,yes",
    "nan": "q,who,nan",
    "an empty question": "q,,1",
}
OWN_JSON_ROWS = {name: row for name, row in JSON_ROWS.items() if name != "blank"}  # it is skipped

FORMATS = [
    Format("snli", "jsonl", SNLI, _all(nli.read_release), on(2, JSON_ROWS)),
    Format("snli, tabs", "tsv", SNLI_TABS, _all(nli.read_release), on(2, TAB_ROWS)),
    Format("triples", "csv", TRIPLES, nli.read_triples, on(3, CSV_ROWS)),
    Format("questions", "csv", QUESTIONS, _all(qqp.read), on(3, CSV_ROWS)),
    Format("captions", "tsv", CAPTIONS, _all(captions.read), on(2, TAB_ROWS)),
    Format("paraphrases", "tsv", PARAPHRASES, _all(paranmt.read), on(2, TAB_ROWS) | ANY_SCORE),
    Format("nli table", "tsv", NLI_TABLE, _all(nli_table.read), on(3, TAB_ROWS)),
    Format("anli", "jsonl", ANLI, _all(nli.read_anli), on(2, JSON_ROWS)),
    Format("wiki", "txt", WIKI, wiki.read_sentences),  # a blank line is skipped
    Format("sts", "tsv", STS, _year(12), scored(2, "@")),
    Format("sts, sentences", "tsv", STS, _year(12), on(2, STS_ROWS), "STS.input.x.txt"),
    Format("sts, raw", "tsv", STS_RAW, _year(16), on(1, STS_RAW_ROWS)),
    Format("stsb", "tsv", STSB, sts.read_stsb, on(2, TAB_ROWS) | STSB_SCORES),
    Format("sick", "tsv", SICK, sts.read_sick, on(3, TAB_ROWS) | SICK_SCORES),
    Format("transfer, texts", "txt", TEXTS, _texts, on(2, {"a tab": "another\tone"})),
    Format("transfer, sst2", "tsv", SST, transfer.read_sst, on(2, TAB_ROWS) | SST_LABELS),
    Format("transfer, mrpc", "tsv", MRPC, transfer.read_mrpc, on(3, TAB_ROWS) | MRPC_LABELS),
    Format("cough, bank", "csv", COUGH, _cough, on(3, CSV_ROWS) | BANK_ROWS),
    Format("cough, queries", "csv", COUGH, _cough, on(3, QUERY_ROWS), "queries.csv"),
    Format("cough, judgements", "csv", COUGH, _cough, JUDGED_ROWS, "judged.csv"),
    Format("faqir", "xml", {"f.xml": FAQIR}, faqir.read_faqir, FAQIR_ROWS),
    Format("stackfaq", "xml", {"s.xml": STACK}, stackfaq.read_stackfaq, STACK_ROWS),
    Format("covid", "csv", COVID, _covid, on(3, CSV_ROWS) | COVID_ROWS),
    Format("covid, tabs", "csv", COVID_TABS, _covid_tabs, on(3, COVID_TAB_ROWS)),
    Format("covid, similar", "csv", COVID, _covid, on(2, CSV_ROWS | SIMILAR_ROWS), "s.csv"),
    Format("own csv", "csv", OWN, read_own, on(3, CSV_ROWS), encodings=True),
    Format("own jsonl", "jsonl", OWN_JSON, read_own, on(2, OWN_JSON_ROWS)),
]
