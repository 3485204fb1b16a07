"""One model under every protocol of the STS tasks: pooling, form of the texts, aggregation, metric.

The answer to "why is my number not the paper's?": SimCSE's App. B shows that the same vectors give
averages that are points apart.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from semblance.data.protocol import apply_protocol
from semblance.data.sts import ScoredPair
from semblance.data.tokens import Tokens, tokenise
from semblance.errors import InputError
from semblance.evaluation.metrics import cosine_pairs
from semblance.evaluation.poolings import Poolings, distinct
from semblance.evaluation.similarity import score_rows
from semblance.models import folder as model_folder
from semblance.models.encoder import Encoder
from semblance.models.found import FoundModel, load_found
from semblance.settings import StsProtocol

TEXTS: tuple[str, ...] = get_args(StsProtocol)
AVERAGE = "Average"  # stands for the task in the rows of averages
COLUMNS = ("pooling", "own", "text", "task", "subset", "metric", "aggregation", "value", "n")
LINE = ("pooling", "own", "text", "metric", "aggregation")  # what names a line of the table
Row = dict[str, Any]  # one score, by COLUMNS; its value is None where it is undefined


@dataclass(frozen=True)
class Reading:
    """How texts are read: a text put before each of them, and the most tokens of one."""

    prompt: str
    max_length: int


class EveryPooling:
    """A model whose vectors can be asked for by each pooling, its own among them."""

    def __init__(self, model: FoundModel, device: str = "cpu"):
        self.model = model
        encoder, names = load_found(model)
        self.poolings = Poolings(encoder.to(device), names)
        self.whole: Encoder | None = None
        if model.own is not None and model.own not in names:
            self.whole = model_folder.load(model.folder).eval().to(device)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all of them; the first is the folder's own, if it states one."""
        own = [] if self.model.own is None else [self.model.own]
        return tuple(dict.fromkeys([*own, *self.poolings.found]))

    def encode(self, tokens: Tokens, max_length: int) -> dict[str, np.ndarray]:
        """Return the vectors of each text by the name of a pooling, (N, d) float32 each.

        The bare poolings share one forward pass. A mask token, and layers behind the folder's own
        pooling, take one more.
        """
        vectors = self.poolings.encode(tokens, max_length)
        if self.whole is not None:
            vectors[self.model.own] = self.whole.encode(tokens, max_length)
        return vectors


def score_task(pooled: EveryPooling, pairs: Sequence[ScoredPair], how: Reading) -> list[Row]:
    """Return the scores of one task's pairs, whose texts are as released, under every protocol."""
    forms = {text: apply_protocol(pairs, text) for text in TEXTS}
    sides = [side for text in TEXTS for side in _sides(forms[text])]
    model = pooled.model
    texts = [model.text(sentence, how.prompt) for side in sides for sentence in side]
    tokens, place = distinct(tokenise(model.tokenizer, texts))
    numbers = place.reshape(len(TEXTS), 2, len(pairs))
    vectors = pooled.encode(tokens, how.max_length)
    gold = {
        "task": np.array([pair.task for pair in pairs]),
        "subset": np.array([pair.subset for pair in pairs]),
        "gold": np.array([pair.score for pair in pairs], dtype=np.float64),
    }
    rows = []
    for name in pooled.names:
        for text, (left, right) in zip(TEXTS, numbers, strict=True):
            similarity = cosine_pairs(vectors[name][left], vectors[name][right])
            where = {"pooling": name, "own": name == model.own, "text": text}
            rows += [
                _in_points(where | found) for found in score_rows(gold | {"similarity": similarity})
            ]
    return rows


def _sides(pairs: Iterable[ScoredPair]) -> tuple[list[str], list[str]]:
    pairs = list(pairs)
    return [pair.sentence1 for pair in pairs], [pair.sentence2 for pair in pairs]


def _in_points(found: Row) -> Row:
    """Return a score in points, in the order of COLUMNS; None for one that is not a number."""
    value = 100 * found["value"]
    if not math.isfinite(value):
        value = None
    return {name: (found | {"value": value})[name] for name in COLUMNS}


def averages(rows: Sequence[Row], tasks: Sequence[str]) -> Iterator[Row]:
    """Yield the mean over the tasks of each protocol; ``n`` is the number of tasks."""
    by_protocol: dict[tuple, dict[str, float | None]] = {}
    for row in rows:
        if row["task"] in tasks and row["aggregation"] != "subset":
            by_protocol.setdefault(line_of(row), {})[row["task"]] = row["value"]
    for key, values in by_protocol.items():
        value = None
        if None not in values.values():
            value = math.fsum(values.values()) / len(values)
        found = dict(zip(LINE, key, strict=True))
        found |= {"task": AVERAGE, "subset": "", "value": value, "n": len(values)}
        yield {name: found[name] for name in COLUMNS}


def line_of(row: Row) -> tuple:
    """Return what the scores of one line of the table have in common: the values of LINE."""
    return tuple(row[name] for name in LINE)


def check_length(length: int) -> int:
    """Return a number of tokens; InputError for one that leaves no word of a text."""
    if length < 3:
        raise InputError(
            "--max-length", f"{length} tokens", "give at least 3: [CLS], a word, [SEP]"
        )
    return length
