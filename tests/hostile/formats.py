"""A small valid sample of every text format that is read, how it is read, and how single rows of it go wrong."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from semblance.data import nli, sts, transfer, wiki
from semblance.data.banks import cough, covid, faqir, stackfaq
from semblance.data.faq import Faq
from semblance.data.pairs import captions, nli_table, paranmt, qqp
from semblance_faq.read.faq import read_own

HEAD = "index,question,answer,language\n"
PAIRS, QUERIES = (
    HEAD + "0,q one,a one,en\n1,q two,a two,en\n",
    "index,query\n0,what one\n1,what two\n",
)
JUDGED = (
    f'Query_index,FAQ_index,Raw_score,Average,"{cough.LABEL}"\n'
    '0,0,"[4, 4]",4,positive\n1,1,"[1, 2]",1.5,negative\n'
)
SCORE = "r,nli,tiny,rcl,,1,,sts12,,spearman,all,senteval,0.5,9,fp32,c,e,w,d"
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
STACK = "<root>\n<qapair>\n<rephr>one?</rephr>\n<question>q</question>\n<answer>a</answer>\n</qapair>\n</root>\n"


@dataclass(frozen=True)
class Format:
    """A format: its sample files, which of them is damaged, its reader, and damaged rows by name.

    ``read`` takes the folder, or where there is but one file, its path. ``rows`` maps the name of a
    damage to (line, the text that takes the line's place). ``records``: each line is a record of its
    own, so that a lone carriage return has no place in it. ``encodings``: UTF-16 is read, too.
    """

    name: str
    files: dict[str, str]
    target: str
    read: Callable[[Path], object]
    rows: dict[str, tuple[int, str]] = field(default_factory=dict)
    kind: str = "csv"
    records: bool = False
    encodings: bool = False

    def load(self, folder: Path, target: str = "") -> object:
        """Read the files of a folder; ``target`` is another name of the only file."""
        return self.read(folder if len(self.files) > 1 else folder / (target or self.target))

    @property
    def sample(self) -> str:
        """The text of the file that is damaged."""
        return self.files[self.target]


def _snli(label: str) -> str:
    row = {"gold_label": label, "sentence1": "s one", "sentence2": "s two", "pairID": "p"}
    return json.dumps(row)


def _own(**changes: object) -> str:
    return json.dumps({"question": "q", "answer": "a", "id": "1", "queries": ["w"], **changes})


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


def scored(template: str, line: int, values: dict[str, str] = SCORES) -> dict[str, tuple[int, str]]:
    """Put each bad score into a row."""
    return {
        f"a score: {name}": (line, template.replace("@", value)) for name, value in values.items()
    }


def on(line: int, rows: dict[str, str]) -> dict[str, tuple[int, str]]:
    """Give all damaged rows one line."""
    return {name: (line, text) for name, text in rows.items()}


def _anli(label: str) -> str:
    row = {"uid": "u", "context": "c one. c two.", "hypothesis": "h", "label": label}
    return json.dumps(row)


def _all(read: Callable[[Path], Iterable[object]]) -> Callable[[Path], list[object]]:
    """Return a reader that reads to the end of a file whose reader yields."""
    return lambda path: list(read(path))


NO_NUMBERS = {
    name: text
    for name, text in SCORES.items()
    if name not in ("above the range", "below the range")
}
SNLI = "\n".join([_snli("entailment"), _snli("contradiction"), _snli("-"), ""])
COUGH = {"bank.csv": PAIRS, "queries.csv": QUERIES, "judged.csv": JUDGED}


def _cough(folder: Path) -> Faq:
    return cough.read_cough(folder / "bank.csv", folder / "queries.csv", folder / "judged.csv")


def _year(year: int) -> Callable[[Path], object]:
    return lambda folder: sts.read_sts_year(folder, year)


FORMATS = [
    Format(
        "snli",
        {"a.jsonl": SNLI},
        "a.jsonl",
        _all(nli.read_release),
        on(2, JSON_ROWS),
        "jsonl",
        True,
    ),
    Format(
        "snli, tabs",
        {"a.txt": "gold_label\tsentence1\tsentence2\tpairID\nneutral\ta\tb\tp\nneutral\tc\td\tq\n"},
        "a.txt",
        _all(nli.read_release),
        on(2, TAB_ROWS),
        "tsv",
        True,
    ),
    Format(
        "triples",
        {"t.csv": "sent0,sent1,hard_neg\na,b,c\nd,e,f\n"},
        "t.csv",
        nli.read_triples,
        on(3, CSV_ROWS),
    ),
    Format(
        "questions",
        {
            "q.tsv": "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
            "0\t1\t2\tone?\ttwo?\t1\n1\t3\t4\tthree?\tfour?\t0\n"
        },
        "q.tsv",
        _all(qqp.read),
        on(3, CSV_ROWS),
    ),
    Format(
        "captions",
        {"c.token": "a.jpg#0\tone .\na.jpg#1\ttwo .\nb.jpg#0\tthree .\nb.jpg#1\tfour .\n"},
        "c.token",
        _all(captions.read),
        on(2, TAB_ROWS),
        "tsv",
        True,
    ),
    Format(
        "paraphrases",
        {"p.txt": "one\ttwo\t0.5\nthree\tfour\t0.25\n"},
        "p.txt",
        _all(paranmt.read),
        on(2, TAB_ROWS) | scored("three\tfour\t@", 2, NO_NUMBERS),
        "tsv",
        True,
    ),
    Format(
        "nli table",
        {"n.tsv": "label\tsentence1\tsentence2\nneutral\ta\tb\nentailment\tc\td\n"},
        "n.tsv",
        _all(nli_table.read),
        on(3, TAB_ROWS),
        "tsv",
        True,
    ),
    Format(
        "anli",
        {"train.jsonl": "\n".join([_anli("e"), _anli("n"), _anli("c"), ""])},
        "train.jsonl",
        _all(nli.read_anli),
        on(2, JSON_ROWS),
        "jsonl",
        True,
    ),
    Format(
        "wiki",
        {"w.txt": "One sentence.\nAnother one.\nA third.\n"},
        "w.txt",
        wiki.read_sentences,
        {},  # a blank line is skipped
        "txt",
        True,
    ),
    Format(
        "sts",
        {"STS.input.x.txt": "a\tb\nc\td\n", "STS.gs.x.txt": "5\n0.5\n"},
        "STS.gs.x.txt",
        _year(12),
        scored("@", 2),
        "tsv",
        True,
    ),
    Format(
        "sts, sentences",
        {"STS.input.x.txt": "a\tb\nc\td\n", "STS.gs.x.txt": "5\n0.5\n"},
        "STS.input.x.txt",
        _year(12),
        on(2, TAB_ROWS) | {"an empty sentence": (2, "a\t ")},
        "tsv",
        True,
    ),
    Format(
        "sts, raw",
        {"STS2016.input.x.txt": "a\tb\ts\tt\nc\td\ts\tt\n", "STS2016.gs.x.txt": "5\n\n"},
        "STS2016.input.x.txt",
        _year(16),
        {
            "three columns": (1, "a\tb\tc"),
            "five columns": (1, "a\tb\tc\td\te"),
            "an empty sentence": (1, "\tb\ts\tt"),
        },
        "tsv",
        True,
    ),
    Format(
        "stsb",
        {"b.csv": "g\tf\ty\t0\t4.5\ta\tb\ng\tf\ty\t1\t0\tc\td\n"},
        "b.csv",
        sts.read_stsb,
        on(2, TAB_ROWS) | scored("g\tf\ty\t1\t@\tc\td", 2),
        "tsv",
        True,
    ),
    Format(
        "sick",
        {"s.txt": "\t".join(sts.SICK_HEADER) + "\n1\ta\tb\t4.5\tNEUTRAL\n2\tc\td\t1\tNEUTRAL\n"},
        "s.txt",
        sts.read_sick,
        on(3, TAB_ROWS) | scored("1\ta\tb\t@\tNEUTRAL", 3),
        "tsv",
        True,
    ),
    Format(
        "transfer, texts",
        {"a.pos": "one text\nanother one\n"},
        "a.pos",
        lambda path: transfer.read_texts(path, 1),
        {"a tab": (2, "another\tone")},  # a blank line is an empty text
        "txt",
        True,
    ),
    Format(
        "transfer, sst2",
        {"sentiment-dev": "fine\t1\nbad\t0\n"},
        "sentiment-dev",
        transfer.read_sst,
        on(2, TAB_ROWS) | scored("fine\t@", 2),
        "tsv",
        True,
    ),
    Format(
        "transfer, mrpc",
        {"m.txt": "\t".join(transfer.MRPC_HEADER) + "\n1\t7\t8\ta\tb\n0\t7\t9\tc\td\n"},
        "m.txt",
        transfer.read_mrpc,
        on(3, TAB_ROWS) | scored("@\t7\t9\tc\td", 3),
        "tsv",
        True,
    ),
    Format(
        "cough, bank",
        COUGH,
        "bank.csv",
        _cough,
        on(3, CSV_ROWS)
        | {
            "a doubled id": (3, "0,q,a,en"),
            "an empty answer": (3, "1,q, ,en"),
            "an empty id": (3, ",q,a,en"),
            "a lost header": (1, "0,q,a,en"),
        },
    ),
    Format(
        "cough, queries",
        COUGH,
        "queries.csv",
        _cough,
        on(3, CSV_ROWS) | {"a doubled id": (3, "0,again"), "an empty query": (3, "1,")},
    ),
    Format(
        "cough, judgements",
        COUGH,
        "judged.csv",
        _cough,
        on(3, CSV_ROWS)
        | {
            "a dangling query": (3, '9,1,"[1, 2]",1.5,negative'),
            "a dangling pair": (3, '1,9,"[1, 2]",1.5,negative'),
            "a contradicting label": (3, '1,1,"[1, 2]",1.5,positive'),
            "an unknown label": (3, '1,1,"[1, 2]",1.5,no'),
            "booleans for scores": (3, '1,1,"[true, 2]",1.5,negative'),
            "no scores": (3, '1,1,"[]",1.5,negative'),
            "text for scores": (3, '1,1,"[""1"", 2]",1.5,negative'),
            "deep nesting": (3, f'1,1,"{"[" * 100_000}",1,negative'),
            "nan among scores": (3, '1,1,"[NaN, 2]",1.5,negative'),
            "a score of 5": (3, '1,1,"[5, 2]",3.5,positive'),
        }
        | scored('1,1,"[1, 2]","@",negative', 3),
    ),
    Format(
        "faqir",
        {"f.xml": FAQIR},
        "f.xml",
        faqir.read_faqir,
        on(5, XML_ROWS)
        | on(1, PROLOGS)
        | {
            "a doubled id": (
                4,
                "<qapair><id>1</id><question>r</question><answer>b</answer></qapair></pairs>",
            ),
            "a dangling pair": (6, "<IRCandidate><Id>9</Id><Annotations/></IRCandidate>"),
            "an unknown judgement": (
                6,
                "<IRCandidate><Id>1</Id><Annotations><Annotation><Val>5</Val></Annotation></Annotations></IRCandidate>",
            ),
            "a dangling group": (
                9,
                "<Query><QueryGroupID>8</QueryGroupID><QueryString>who?</QueryString></Query>",
            ),
            "an empty query": (9, "<Query><QueryGroupID>7</QueryGroupID><QueryString/></Query>"),
            "a missing answer": (3, "<qapair><id>1</id><question>q</question></qapair>"),
        },
        "xml",
    ),
    Format(
        "stackfaq",
        {"s.xml": STACK},
        "s.xml",
        stackfaq.read_stackfaq,
        on(3, XML_ROWS)
        | on(1, {name: f"{prolog}<root>" for name, prolog in PROLOGS.items()})
        | {"an empty answer": (5, "<answer> </answer>")},
        "xml",
    ),
    Format(
        "covid",
        {
            "c.csv": "question,answer,lang\nq,a,en\nr,b,en\n",
            "s.csv": "question_1,question_2,similar\nq,who,1\n",
        },
        "c.csv",
        lambda f: covid.read_covid([f / "c.csv"], f / "s.csv"),
        on(3, CSV_ROWS) | {"an empty answer": (3, "r,,en"), "a lost header": (1, "a,b,c")},
    ),
    Format(
        "covid, tabs",
        {"c.tsv": "question\tanswer\tlang\nq\ta\ten\nr\tb\ten\n"},
        "c.tsv",
        lambda path: covid.read_covid([path]),
        {
            "too few columns": (3, "one"),
            "too many columns": (3, "a\tb\ten\tx"),
            "an unbalanced quote": (3, '"r\tb\ten'),
        },
    ),
    Format(
        "covid, similar",
        {
            "c.csv": "question,answer,lang\nq,a,en\n",
            "s.csv": "question_1,question_2,similar\nq,who,1\n",
        },
        "s.csv",
        lambda f: covid.read_covid([f / "c.csv"], f / "s.csv"),
        on(2, CSV_ROWS)
        | {
            "neither 0 nor 1": (2, "q,who,yes"),
            "nan": (2, "q,who,nan"),
            "an empty question": (2, "q,,1"),
        },
    ),
    Format(
        "own csv",
        {"o.csv": "question,answer,id\nq,ä,1\nr,b,2\n"},
        "o.csv",
        read_own,
        on(3, CSV_ROWS)
        | {
            "a doubled id": (3, "r,b,1"),
            "an empty answer": (3, "r,,2"),
            "a lost header": (1, "p,b,1"),
        },
        encodings=True,
    ),
    Format(
        "own jsonl",
        {"o.jsonl": _own() + "\n" + _own(id="2") + "\n"},
        "o.jsonl",
        read_own,
        on(2, {name: row for name, row in JSON_ROWS.items() if name != "blank"})  # is skipped
        | {
            "a doubled id": (2, _own()),
            "a boolean for an id": (2, _own(id=True)),
            "a number for text": (2, _own(id="2", answer=3)),
            "queries that are no list": (2, _own(id="2", queries="w")),
            "an empty wording": (2, _own(id="2", queries=[""])),
        },
        "jsonl",
        True,
    ),
]
