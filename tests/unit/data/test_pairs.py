"""Sources of sentence pairs: captions, questions and paraphrases."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from semblance.data.pair import UNLABELLED, Pair
from semblance.data.pairs import captions, paranmt, qqp
from tests.unit.data.files import DATA, fails_at, needs_data, put

QUESTIONS = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
READ = [
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
    (  # quoted fields may hold quotes, tabs and line ends
        qqp.read,
        QUESTIONS + '0\t1\t2\t"Is ""he"" here?"\t"Is\the\nthere?"\t1\n',
        [Pair('Is "he" here?', "Is he there?", "duplicate")],
    ),
    (  # a question of quoted words keeps its own quotes alone
        qqp.read,
        QUESTIONS + '0\t1\t2\t"""To be"": what is it?"\tIs it \'be\'?\t1\n',
        [Pair('"To be": what is it?', "Is it 'be'?", "duplicate")],
    ),
    (  # an empty question
        qqp.read,
        QUESTIONS + "0\t1\t2\tHow?\t\t0\n1\t3\t4\t \tHow?\t1\n",
        [Pair("How?", "", UNLABELLED), Pair("", "How?", UNLABELLED)],
    ),
]


@pytest.mark.parametrize("read, content, expected", READ)
def test_the_pairs_of_a_file_are_read(tmp_path, read, content, expected):
    assert list(read(put(tmp_path / "pairs", content))) == expected


def test_the_captions_of_one_image_are_bounded(tmp_path):
    most = captions.MOST_CAPTIONS
    lines = [f"a.jpg#{number}\tA dog .\n" for number in range(most + 1)]
    path = put(tmp_path / "c.token", "".join(lines[:-1]))
    assert len(list(captions.read(path))) == math.comb(most, 2)
    with fails_at(put(path, "".join(lines)), most + 1, "more than"):
        list(captions.read(path))


@needs_data
def test_the_real_captions_give_the_pairs_of_their_images():
    path = Path(DATA, "captions/Flickr8k.token.txt")
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


@needs_data
@pytest.mark.parametrize("part", ["train", "dev"])
def test_real_questions_with_the_signs_of_their_file_come_back_without_them(tmp_path, part):
    """The data folder holds GLUE's questions as a reader left them that takes quotes for text.

    So each of them has the signs that its field had in the file, and the table can be made again.
    """
    rows = json.loads(Path(DATA, f"qqp/powerfulprompt/{part}.json").read_text()).values()
    lines = [f"0\t1\t2\t{row['text_a']}\t{row['text_b']}\t{row['label']}\n" for row in rows]
    found = list(qqp.read(put(tmp_path / "q.tsv", QUESTIONS + "".join(lines))))
    words = {"1": "duplicate", "0": "different"}
    assert [pair.label for pair in found] == [words[row["label"]] for row in rows]
    texts = [unquoted(row[name]) for row in rows for name in ("text_a", "text_b")]
    assert [text for pair in found for text in pair[:2]] == [" ".join(t.split()) for t in texts]
    assert any('"' in text for text in texts)
