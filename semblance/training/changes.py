"""Texts that a view changes: the positive of a row with other tokens than its query has."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from semblance.data.tokens import Tokens
from semblance.data.vocabulary import Vocabulary
from semblance.errors import InputError
from semblance.named_modules import VIEWS, load_module
from semblance.settings import check_keywords

POSITIVE = 1  # the view whose texts are changed


def each_text(
    tokens: Tokens, numbers: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield the view, the row and the tokens of each text of a batch, view after view.

    ``numbers`` (V, B) are those of the texts in ``tokens``, ``rows`` (B,) those of the rows.
    """
    for view, column in enumerate(numbers):
        for row, number in zip(rows, column, strict=True):
            yield view, int(row), tokens.ids[tokens.offsets[number] : tokens.offsets[number + 1]]


def end_to_end(texts: Sequence[np.ndarray]) -> Tokens:
    """Return texts as tokens of their own."""
    return Tokens(np.concatenate(texts), np.cumsum([0, *map(len, texts)]))


class Text(NamedTuple):
    """The tokens of one text, without the special ones around it."""

    ids: np.ndarray  # (n,) int32
    words: np.ndarray  # (n,) the number of each token's word, from 0


Change = Callable[..., np.ndarray]


def refuse_prompts(views: str, masks_words: bool) -> None:
    """Raise InputError for a training that would change the tokens of a prompt, too."""
    what = None
    if masks_words:
        what = "the loss of masked words"
    elif hasattr(load_module(VIEWS, views, "views"), "change"):
        what = f"view {views!r}"
    if what is not None:
        problem = f"{what} changes tokens, those of the base's prompts among them"
        raise InputError("settings", problem, "choose a base without prompts")


def find_change(name: str, options: dict[str, Any]) -> Change | None:
    """Return the function ``change`` of a view, None of a view that changes no text.

    Raises InputError for options that the function does not take.
    """
    function = getattr(load_module(VIEWS, name, "views"), "change", None)
    if function is not None:
        check_keywords(inspect.signature(function, eval_str=True), options, "view_options")
    elif options:
        problem = f"view {name!r} changes no text and takes no options"
        raise InputError("view_options", problem, "remove them")
    return function


class Changes:
    """What a view makes of the positives of each batch.

    A text's change is drawn from the seed, the step and the number of its row alone. So a training
    that was killed draws it again, and the tokens of the corpus stay as they are.
    """

    def __init__(self, change: Change, options: dict, vocabulary: Vocabulary, seed: int):
        self.change = change
        self.options = options
        self.vocabulary = vocabulary
        self.seed = seed

    def apply(
        self, tokens: Tokens, numbers: np.ndarray, step: int, rows: np.ndarray
    ) -> tuple[Tokens, np.ndarray]:
        """Return the texts of a batch as tokens of their own, and their numbers there, (V, B)."""
        texts = []
        for view, row, ids in each_text(tokens, numbers, rows):
            texts.append(self._changed(ids, step, row) if view == POSITIVE else ids)
        return end_to_end(texts), np.arange(len(texts)).reshape(numbers.shape)

    def _changed(self, ids: np.ndarray, step: int, row: int) -> np.ndarray:
        inner = ids[1:-1]
        if not len(inner):
            return ids
        draw = np.random.Generator(np.random.PCG64([self.seed, step, row]))
        text = Text(inner, self.vocabulary.words(inner))
        changed = self.change(text, self.vocabulary, draw, **self.options)
        return np.concatenate([ids[:1], changed, ids[-1:]]).astype(np.int32)
