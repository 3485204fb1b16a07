"""What the readers of downloaded data make of a file; test_refusals.py says what they refuse."""

import json
import math
from collections import Counter

import pytest

from semblance.data.banks.stackfaq import read_stackfaq
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.data.nli import LABELS, build_rows, read_anli, read_triples
from semblance.data.pair import UNLABELLED, Pair
from semblance.data.pairs import captions, nli, nli_table, paranmt, qqp
from semblance.data.sts import SICK_HEADER, ScoredPair, read_sick, read_stsb
from semblance.data.transfer import MRPC_HEADER, LabelledText, read_mrpc, read_sst, read_trec
from semblance.data.wiki import read_sentences
from tests.unit.data.files import WORDS, put
from tests.unit.data.test_refusals import SNLI, texts_of_label_1

TRIPLES = "".join(f"{word},{word},{word}\n" for word in WORDS)
ANLI = {"uid": "1", "context": "A  dog ran. It won.", "hypothesis": "NA"}
QUESTIONS = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
THREADS = """<root>
<qapair><rephr>
null
</rephr><rephr>*</rephr><rephr> </rephr><rephr>a * b</rephr>
<question>Q  1</question><answer>NA</answer><answer>x <b>y</b> z</answer></qapair>
<qapair><question>n/a</question><answer>None</answer></qapair>
</root>
"""


READ = [
    (
        read_triples,
        f'sent0,sent1,hard_neg\n"A, b","c\nd",e\n{TRIPLES}',
        [("A, b", "c d", "e"), *((word, word, word) for word in WORDS)],
    ),
    (  # the context is the premise, and a letter the label
        read_anli,
        "".join(json.dumps(ANLI | {"label": label[0]}) + "\n" for label in LABELS),
        [Pair("A dog ran. It won.", "NA", label) for label in LABELS],
    ),
    (  # there may be more columns, and quotes are text
        nli_table.read,
        'source\tlabel\tsentence1\tsentence2\nx\tneutral\t"A"  b\tc"\n',
        [Pair('"A" b', 'c"', "neutral")],
    ),
    (  # each two captions of an image are a pair, and an image of one has none
        captions.read,
        "a.jpg#0\tA  dog .\na.jpg#1\tA cat .\na.jpg#2\tnull\nb#c.jpg#3\tNA\n",
        [Pair("A dog .", "A cat ."), Pair("A dog .", "null"), Pair("A cat .", "null")],
    ),
    (  # with or without a score
        paranmt.read,
        'so  , what ?\tso what "\t0.714\nnull\tNA\n',
        [Pair("so , what ?", 'so what "'), Pair("null", "NA")],
    ),
    (
        qqp.read,
        QUESTIONS + "0\t1\t2\tWhat  is NA?\tnull\t1\n1\t3\t4\tWho?\tWhere?\t0\n",
        [Pair("What is NA?", "null", "duplicate"), Pair("Who?", "Where?", "different")],
    ),
    (  # quoted fields may hold quotes, tabs and line ends; one of quoted words keeps its own quotes
        qqp.read,
        f'{QUESTIONS}0\t1\t2\t"Is ""he"" here?"\t"Is\the\nthere?"\t1\n'
        '0\t1\t2\t"""To be"": what is it?"\tIs it \'be\'?\t1\n',
        [
            Pair('Is "he" here?', "Is he there?", "duplicate"),
            Pair('"To be": what is it?', "Is it 'be'?", "duplicate"),
        ],
    ),
    (  # an empty question
        qqp.read,
        QUESTIONS + "0\t1\t2\tHow?\t\t0\n1\t3\t4\t \tHow?\t1\n",
        [Pair("How?", "", UNLABELLED), Pair("", "How?", UNLABELLED)],
    ),
    # Blank lines of sentences are skipped and numbered.
    (read_sentences, "  A  sentence .\nB\u2028b\n\n", (["A sentence .", "B b"], [3])),
    (read_sentences, "\n".join(WORDS), (WORDS, [])),
    (read_sentences, " \none\n\ntwo\n\n\n", (["one", "two"], [1, 3, 5, 6])),
    (  # quotes are text, and rows may have sources
        read_stsb,
        'g\tf\ty\t0\t4.5\t"Open quote\tNA\ng\tf\ty\t1\t0\tn/a\tNone\tsource\tsource\n',
        [
            ScoredPair("stsb", "g", 1, '"Open quote', "NA", 4.5),
            ScoredPair("stsb", "g", 2, "n/a", "None", 0.0),
        ],
    ),
    (
        read_sick,
        "\t".join(SICK_HEADER) + "\n7\tA Dog\tnull\t1\tNEUTRAL\r\n9\tNA\tNone\t4.5\tENTAILMENT\n",
        [
            ScoredPair("sickr", "", 2, "A Dog", "null", 1.0),
            ScoredPair("sickr", "", 3, "NA", "None", 4.5),
        ],
    ),
    (  # each line is an item, and a blank one is an empty text
        texts_of_label_1,
        "one  two \nnull\n\nlast\n\n",
        [LabelledText(1, text) for text in ("one two", "null", "", "last", "")],
    ),
    (
        read_sst,
        "a fine film . \t1\nunfunny \t0\n",
        [LabelledText(1, "a fine film ."), LabelledText(0, "unfunny")],
    ),
    (  # Latin-1, and the coarse class is the label
        read_trec,
        "NUM:dist How far is it ?\nABBR:exp What is S\xe3o : Paulo ?\n".encode("latin-1"),
        [LabelledText(5, "How far is it ?"), LabelledText(0, "What is S\xe3o : Paulo ?")],
    ),
    (
        read_mrpc,
        "\ufeff" + "\t".join(MRPC_HEADER) + '\n1\t7\t8\tHe said " no\tNo , he said\r\n',
        [LabelledText(1, 'He said " no', "No , he said")],
    ),
    (  # a thread is a group, and all its answers are relevant
        read_stackfaq,
        THREADS,
        Faq(
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
        ),
    ),
]


@pytest.mark.parametrize("read, content, expected", READ)
def test_a_file_is_read(tmp_path, read, content, expected):
    found = read(put(tmp_path / "file", content))
    assert (found if isinstance(expected, Faq | tuple) else list(found)) == expected


SNLI_PAIRS = [
    ('A "man  sits', "Someone\u2028sits", "entailment"),
    ("x", "y", UNLABELLED),
    ("null", "NA", "neutral"),
    ("n/a", "None", "contradiction"),
]
MULTINLI = SNLI[:7] + ["promptID", "pairID", "genre"] + SNLI[9:]


@pytest.mark.parametrize("header", [SNLI, MULTINLI])
def test_snli_and_multinli_read_alike_in_both_formats(tmp_path, header):
    names = ("sentence1", "sentence2", "gold_label", "pairID")
    rows = [dict(zip(names, (*pair, "1"), strict=True)) for pair in SNLI_PAIRS]
    cells = [header, *([row.get(name, "x") for name in header] for row in rows)]
    files = {"a.jsonl": [json.dumps(row) for row in rows]}
    files["all.txt"] = ["\t".join(line) for line in cells]
    # A row may lack the labels that annotators did not give.
    files["one.txt"] = ["\t".join(header), *("\t".join(line[:-4]) for line in cells[1:])]
    expected = [Pair('A "man sits', "Someone sits", "entailment"), *SNLI_PAIRS[1:]]
    for name, lines in files.items():
        assert list(nli.read(put(tmp_path / name, "\n".join(lines) + "\n"))) == expected


@pytest.mark.parametrize(
    "read, path, count",
    [
        (read_stsb, "stsb/sts-train.csv", 5749),
        (read_stsb, "stsb/sts-dev.csv", 1500),
        (read_stsb, "stsb/sts-test.csv", 1379),
        (read_sick, "sick/SICK_train.txt", 4500),
        (read_sick, "sick/SICK_trial.txt", 500),
        (read_sick, "sick/SICK_test_annotated.txt", 4927),
        (read_triples, "nli/nli_triples.csv.gz", 42_911),
        (nli_table.read, "nli/nli_pairs.tsv.gz", 232_511),
        (nli.read, "nli/snli_sample.jsonl", 8329),
        (lambda path: read_sentences(path)[0], "wiki/wiki_sentences_500k.txt.gz", 500_000),
    ],
)
def test_the_real_files_have_the_known_counts(read, path, count, real_data):
    found = list(read(real_data / path))
    assert len(found) == count and all(found)
    if "nli/" in path and isinstance(found[0], Pair):
        assert {pair.label for pair in found} - {UNLABELLED} == set(LABELS)
        labelled = [pair for pair in found if pair.label != UNLABELLED]
        assert len(build_rows(labelled, ("contradiction",))) > 1000


def test_the_real_stackfaq_has_the_published_counts(real_data):
    faq = read_stackfaq(real_data / "faq/stackfaq/stackExchange-FAQ.xml")
    counts = (len({pair.group for pair in faq.pairs}), len(faq.pairs), len(faq.queries))
    assert counts == (125, 719, 1249)
    ids = {pair.id for pair in faq.pairs}
    assert {key for query in faq.queries for key in query.relevant} <= ids


def test_the_real_captions_give_the_pairs_of_their_images(real_data):
    path = real_data / "captions/Flickr8k.token.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 40_460
    images = Counter(line.split("\t")[0].rpartition("#")[0] for line in lines)
    found = list(captions.read(path))
    assert len(found) == sum(math.comb(count, 2) for count in images.values())
    texts = {" ".join(line.split("\t")[1].split()) for line in lines}
    assert {text for pair in found for text in pair[:2]} <= texts


def unquoted(text: str) -> str:
    """Return a question without the signs of CSV, which its file has around a quote."""
    if not text.startswith('"'):
        assert '"' not in text
        return text
    assert text.endswith('"') and len(text) > 1
    inner = text[1:-1]
    assert inner.count('"') == 2 * inner.count('""')
    return inner.replace('""', '"')


@pytest.mark.parametrize("part", ["train", "dev"])
def test_real_questions_come_back_without_the_signs_of_their_file(tmp_path, part, real_data):
    """The data folder holds GLUE's questions as a reader left them that takes quotes for text.

    So each of them has the signs that its field had in the file, and the table can be made again.
    """
    rows = json.loads((real_data / f"qqp/powerfulprompt/{part}.json").read_text()).values()
    lines = [f"0\t1\t2\t{row['text_a']}\t{row['text_b']}\t{row['label']}\n" for row in rows]
    found = list(qqp.read(put(tmp_path / "q.tsv", QUESTIONS + "".join(lines))))
    words = {"1": "duplicate", "0": "different"}
    assert [pair.label for pair in found] == [words[row["label"]] for row in rows]
    texts = [unquoted(row[name]) for row in rows for name in ("text_a", "text_b")]
    assert [text for pair in found for text in pair[:2]] == [" ".join(t.split()) for t in texts]
    assert any('"' in text for text in texts)


def pairs(*made: str) -> list[Pair]:
    """Return pairs given as premise, hypothesis and the first letter of the label."""
    label_of = {label[0]: label for label in LABELS}
    return [Pair(p, h, label_of[letter]) for p, h, letter in (row.split() for row in made)]


def test_contradicted_sentences_are_cycled_over_the_entailed():
    made = ("p e1 e", "q only e", "p c1 c", "p n n", "p e2 e", "r only c", "p c2 c", "p e3 e")
    found = build_rows(pairs(*made, "s c c", "s d c", "s e e"), ("contradiction",))
    assert found == [("p", "e1", "c1"), ("p", "e2", "c2"), ("p", "e3", "c1"), ("s", "e", "c")]


def test_rows_with_a_neutral_sentence_are_of_premises_that_have_one_of_each_label():
    made = ("p e1 e", "p n1 n", "q e e", "q c c", "p e2 e", "p c1 c", "p e3 e", "p n2 n", "r n n")
    assert build_rows(pairs(*made, "r c c"), ("contradiction", "neutral")) == [
        ("p", "e1", "c1", "n1"),
        ("p", "e2", "c1", "n2"),
        ("p", "e3", "c1", "n1"),
    ]
