"""Captions of images, such as Flickr30k's: any two captions of an image are a pair."""

from collections.abc import Iterator
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path

from semblance.data.pair import Pair
from semblance.data.text import at_least_one, filled
from semblance.errors import InputError, at
from semblance.lines import read_records

LABELS = ()


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a token file, whose lines are ``IMAGE#NUMBER``, a tab and a caption.

    The captions of an image stand together. Each two of them are one pair, the earlier one first.
    InputError for another line, an image in two places and a file without a caption.
    """
    seen: set[str] = set()
    captions = at_least_one(_captions(path), "caption", path)
    for image, group in groupby(captions, key=itemgetter(0)):
        texts = []
        for _, text, line in group:
            if image in seen:
                problem = f"captions of {image} stand in two places"
                raise InputError(at(path, line), problem, "put them together")
            texts.append(text)
        seen.add(image)
        for first, second in combinations(texts, 2):
            yield Pair(first, second)


def _captions(path: Path | str) -> Iterator[tuple[str, str, int]]:
    """Yield image, text and line of each caption."""
    for line, text in read_records(path):
        name, tab, caption = text.partition("\t")
        image, _, number = name.rpartition("#")
        if not (tab and image and number.isdecimal()):
            raise InputError(at(path, line), "not IMAGE#NUMBER, a tab and a caption")
        yield image, filled(caption, "the caption", path, line), line
