"""Captions of images: each two of one image are a pair, and lines of no caption are refused."""

import math
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from semblance.data.pair import Pair
from semblance.data.pairs.captions import MOST_CAPTIONS, read
from semblance.errors import InputError

DATA = os.environ.get("SEMBLANCE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="SEMBLANCE_DATA is not set: real data NOT checked")


def pairs_of(tmp_path: Path, text: str) -> list[Pair]:
    """Return what is read of a file with this text."""
    path = tmp_path / "captions.token"
    path.write_text(text, encoding="utf-8")
    return list(read(path))


def test_each_two_captions_of_an_image_are_a_pair(tmp_path):
    text = "a.jpg#0\tA  dog .\na.jpg#1\tA cat .\na.jpg#2\tnull\nb.jpg#0\tA bird .\nb.jpg#3\tNA\n"
    assert pairs_of(tmp_path, text) == [
        Pair("A dog .", "A cat ."),
        Pair("A dog .", "null"),
        Pair("A cat .", "null"),
        Pair("A bird .", "NA"),
    ]


def test_an_image_of_one_caption_gives_no_pair(tmp_path):
    assert pairs_of(tmp_path, "a.jpg#0\tA dog .\nb#c.jpg#0\tA cat .\n") == []


@pytest.mark.parametrize(
    "line, words",
    [
        ("a.jpg#0\tA dog .", "caption 0 of a.jpg stands twice"),
        ("a.jpg#00\tA dog .", "caption 0 of a.jpg stands twice"),
        ("a.jpg A dog .", "not IMAGE#NUMBER, a tab and a caption"),
        ("a.jpg\tA dog .", "not IMAGE#NUMBER"),
        ("#1\tA dog .", "not IMAGE#NUMBER"),
        ("a.jpg#one\tA dog .", "not IMAGE#NUMBER"),
        ("a.jpg#²\tA dog .", "not IMAGE#NUMBER"),
        ("a.jpg#1\t ", "the caption is empty"),
        ("", "blank line"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(tmp_path, line, words):
    where = re.escape(f"{tmp_path / 'captions.token'}:2: {words}")
    with pytest.raises(InputError, match=where):
        pairs_of(tmp_path, f"a.jpg#0\tA dog .\n{line}\nc.jpg#0\tA bird .\n")


def test_an_image_in_two_places_is_refused(tmp_path):
    text = "a.jpg#0\tA dog .\nb.jpg#0\tA cat .\na.jpg#1\tA bird .\n"
    with pytest.raises(InputError, match=":3: captions of a.jpg stand in two places"):
        pairs_of(tmp_path, text)


def test_the_captions_of_one_image_are_bounded(tmp_path):
    lines = [f"a.jpg#{number}\tA dog .\n" for number in range(MOST_CAPTIONS + 1)]
    assert len(pairs_of(tmp_path, "".join(lines[:-1]))) == math.comb(MOST_CAPTIONS, 2)
    with pytest.raises(InputError, match=f":{MOST_CAPTIONS + 1}: more than"):
        pairs_of(tmp_path, "".join(lines))


@needs_data
def test_the_real_captions_give_the_pairs_of_their_images():
    path = Path(DATA, "captions/Flickr8k.token.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 40_460
    images = Counter(line.split("\t")[0].rpartition("#")[0] for line in lines)
    found = list(read(path))
    assert len(found) == sum(math.comb(count, 2) for count in images.values())
    texts = {" ".join(line.split("\t")[1].split()) for line in lines}
    assert {text for pair in found for text in pair[:2]} <= texts
