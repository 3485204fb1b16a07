"""Captions of images, such as Flickr30k's: any two captions of an image are a pair."""

from collections.abc import Iterator
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path

from semblance.data.pair import Pair
from semblance.data.text import at_least_one, filled, read_records
from semblance.errors import InputError, at

LABELS = ()
MOST_CAPTIONS = 100  # of one image, whose pairs are made at once; Flickr30k has five


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a token file, whose lines are ``IMAGE#NUMBER``, a tab and a caption.

    The captions of an image stand together. Each two of them are one pair, the earlier one first.
    InputError for another line, a number that stands twice (``0`` and ``00`` are one), an image in
    two places and a file without a caption.
    """
    seen: set[str] = set()
    captions = at_least_one(_captions(path), "caption", path)
    for image, group in groupby(captions, key=itemgetter(0)):
        texts: dict[str, str] = {}  # by number
        for _, number, text, line in group:
            where = at(path, line)
            if number in texts:
                raise InputError(where, f"caption {number} of {image} stands twice")
            if len(texts) == MOST_CAPTIONS:
                raise InputError(where, f"more than {MOST_CAPTIONS} captions of {image}")
            if image in seen:
                problem = f"captions of {image} stand in two places"
                raise InputError(where, problem, "put them together")
            texts[number] = text
        seen.add(image)
        for first, second in combinations(texts.values(), 2):
            yield Pair(first, second)


def _captions(path: Path | str) -> Iterator[tuple[str, str, str, int]]:
    """Yield image, number, text and line of each caption."""
    for line, text in read_records(path):
        name, tab, caption = text.partition("\t")
        image, mark, number = name.rpartition("#")
        if not (tab and mark and image) or not (number.isascii() and number.isdecimal()):
            raise InputError(at(path, line), "not IMAGE#NUMBER, a tab and a caption")
        number = number.lstrip("0") or "0"
        yield image, number, filled(caption, "the caption", path, line), line
