"""One model under every protocol of the STS tasks: pooling, form of the texts, aggregation, metric.

The answer to "why is my number not the paper's?": SimCSE's App. B shows that the same vectors give
averages that are points apart.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from semblance.counts import text_table
from semblance.data.protocol import apply_protocol
from semblance.data.sts import ScoredPair
from semblance.data.tokens import Tokens, tokenise
from semblance.evaluation.metrics import cosine_pairs
from semblance.evaluation.sts import score_rows
from semblance.models import folder as model_folder
from semblance.models.compute import autocast
from semblance.models.encoder import ENCODE_TOKENS, find_pooling
from semblance.models.found import FoundModel, load_found
from semblance.models.packing import Packed, pack, token_budget_batches
from semblance.settings import StsProtocol

TEXTS: tuple[str, ...] = get_args(StsProtocol)
AVERAGE = "Average"  # stands for the task in the rows of averages
COLUMNS = ["pooling", "own", "text", "task", "subset", "metric", "aggregation", "value", "n"]
LINE = ["pooling", "own", "text", "aggregation", "metric"]  # what names a line of the table
OWN = "*"  # behind the folder's own pooling
NOTHING = "n/a"  # a correlation that does not exist: all cosines are alike, or a vector is zero
NEAREST = 3  # protocols that are shown for a printed number
Row = dict[str, Any]  # one score in points, by COLUMNS; its value is NaN where it is undefined


@dataclass(frozen=True)
class TextInput:
    """How texts are read: a text put before each of them, and the most tokens of one."""

    prompt: str
    max_length: int


class EveryPooling:
    """A model that gives vectors by each pooling, its own among them."""

    def __init__(self, model: FoundModel, device: str = "cpu"):
        self.model = model
        encoder, self.bare, self.unread = load_found(model)
        self.encoder = encoder.to(device)
        self.pools = [find_pooling(name) for name in self.bare]
        # The encoder takes them for one pooling, which reads all that they read.
        self.encoder.reads = frozenset().union(*(reads for _, reads in self.pools))
        self.encoder.pool = self._pool
        self.whole = None
        if model.own is not None and model.own not in self.bare:
            self.whole = model_folder.load(model.folder).eval().to(device)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all of them; the first is the folder's own, if it states one."""
        own = [] if self.model.own is None else [self.model.own]
        return tuple(dict.fromkeys([*own, *self.bare]))

    def _pool(self, last: Tensor, packed: Packed, **read: Any) -> Tensor:
        """Return the sentence vectors of all bare poolings, (n, poolings, d)."""
        vectors = [pool(last, packed, **{k: read[k] for k in reads}) for pool, reads in self.pools]
        return torch.stack([one.float() for one in vectors], dim=1)

    @torch.no_grad()
    def encode(self, tokens: Tokens, max_length: int) -> dict[str, np.ndarray]:
        """Return the vectors of each text by the name of a pooling, (N, d) float32 each.

        The bare poolings share one forward pass. A mask token, and layers behind the folder's own
        pooling, take one more.
        """
        encoder = self.encoder
        device = encoder.words.weight.device
        limit = encoder.max_length(max_length)
        lengths = np.minimum(tokens.lengths(), limit)
        size = (len(lengths), len(self.bare), encoder.shape.hidden_size)
        all_vectors = np.empty(size, dtype=np.float32)
        with autocast(encoder.precision, device.type):
            for batch in token_budget_batches(lengths, ENCODE_TOKENS[device.type]):
                all_vectors[batch] = encoder(pack(tokens, batch, limit, device)).cpu().numpy()
        vectors = {name: all_vectors[:, i] for i, name in enumerate(self.bare)}
        if self.whole is not None:
            vectors[self.model.own] = self.whole.encode(tokens, max_length)
        return vectors


def distinct(tokens: Tokens) -> tuple[Tokens, np.ndarray]:
    """Return each text once, and for each given text its number among these, (N,).

    Texts with the same tokens are one: to a model that lower-cases, two spellings may be.
    """
    numbers: dict[bytes, int] = {}
    texts = [tokens.ids[start:end].tobytes() for start, end in pairwise(tokens.offsets)]
    of_each = [numbers.setdefault(text, len(numbers)) for text in texts]
    ids = np.array(np.frombuffer(b"".join(numbers), tokens.ids.dtype))
    lengths = [len(text) // ids.itemsize for text in numbers]
    return Tokens(ids, np.cumsum([0, *lengths])), np.array(of_each)


def score_task(pooled: EveryPooling, pairs: Sequence[ScoredPair], how: TextInput) -> list[Row]:
    """Return the scores of one task's pairs, whose texts are as released, under every protocol."""
    model = pooled.model
    texts = []
    for text in TEXTS:
        form = apply_protocol(pairs, text)
        for side in ("sentence1", "sentence2"):
            texts += [how.prompt + getattr(pair, side) for pair in form]
    tokens, numbers = distinct(tokenise(model.tokenizer, texts, model.lower_case))
    tokens.require_known(pooled.encoder.shape.vocab_size, model.tokenizer)
    vectors = pooled.encode(tokens, how.max_length)
    gold = {
        "task": np.array([pair.task for pair in pairs]),
        "subset": np.array([pair.subset for pair in pairs]),
        "gold": np.array([pair.score for pair in pairs], dtype=np.float64),
    }
    rows = []
    for name in pooled.names:
        where = {"pooling": name, "own": name == model.own}
        for text, (left, right) in zip(TEXTS, numbers.reshape(-1, 2, len(pairs)), strict=True):
            similarity = cosine_pairs(vectors[name][left], vectors[name][right])
            for score in score_rows(gold | {"similarity": similarity}):
                points = {"value": 100 * score["value"]}
                rows.append(where | {"text": text} | score | points)
    return rows


def with_averages(rows: Iterable[Row]) -> pd.DataFrame:
    """Return the scores, and behind them the mean of each protocol over ``n`` tasks."""
    scores = pd.DataFrame(rows, columns=COLUMNS)
    lines = _whole(scores).groupby(LINE, sort=False)["value"]
    # The mean of tasks of which one has no score, is none.
    means = lines.agg(value=lambda values: math.fsum(values) / len(values), n="size")
    averages = means.reset_index().assign(task=AVERAGE, subset="")
    return pd.concat([scores, averages[COLUMNS]], ignore_index=True)


def _whole(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of whole tasks, without those of their subsets."""
    return scores[scores["aggregation"] != "subset"]


def headline(model: FoundModel, how: TextInput) -> str:
    """Return the line that says what the folder itself states."""
    pooling = f"its own pooling is {model.own}"
    if model.own is None:
        pooling = "states no pooling (sentence-transformers would take mean)"
    declared = ", ".join(f"{name} {text!r}" for name, text in model.prompts.texts.items())
    prompts = f"prompts {declared}; read with {how.prompt!r}" if declared else "no prompts"
    length = f"max length {how.max_length} tokens"
    if how.max_length != model.max_length:
        length += f" (stated: {model.max_length})"
    return "; ".join([f"{model.folder}: {pooling}", length, prompts, *model.differs])


def table_text(scores: pd.DataFrame, emphasise: Callable[[str], str] = str) -> str:
    """Return one line for each protocol by Spearman, in points with two decimals.

    ``emphasise`` marks the lines of the folder's own pooling.
    """
    shown = _whole(scores).query("metric == 'spearman'")
    tasks = list(dict.fromkeys(shown["task"]))[:-1]
    columns = {task: task for task in tasks}
    if len(tasks) > 1:
        columns[AVERAGE] = f"average of {len(tasks)}"
    cells = [["pooling", "text", "aggregation", "metric", *columns.values()]]
    is_own = []
    for (pooling, own, *protocol), line in shown.groupby(LINE, sort=False):
        values = line.set_index("task")["value"][[*columns]]
        points = [NOTHING if math.isnan(value) else f"{value:.2f}" for value in values]
        cells.append([pooling + OWN * own, *protocol, *points])
        is_own.append(own)
    header, *lines = text_table(cells, words=4)
    marked = [emphasise(line) if own else line for own, line in zip(is_own, lines, strict=True)]
    return "\n".join([header, *marked])


def nearest_text(scores: pd.DataFrame, number: float) -> str:
    """Return the protocols whose average, or one task, lies nearest to a number, and by how much."""
    task = AVERAGE if scores["task"].nunique() > 2 else scores["task"].iloc[0]
    whole = _whole(scores[scores["task"] == task]).dropna(subset="value")
    order = (whole["value"] - number).abs().sort_values(kind="stable").index[:NEAREST]
    lines = [f"nearest to {number:g}:"]
    for row in whole.loc[order].itertuples():
        words = ", ".join([row.pooling, row.text, row.aggregation, row.metric])
        lines.append(f"  {row.value:.2f} ({row.value - number:+.2f}): {words}")
    return "\n".join(lines)


def scores_csv(scores: pd.DataFrame) -> str:
    """Return the scores as CSV, unrounded, one a line; an undefined one is blank."""
    own = scores["own"].map({True: "true", False: "false"})
    return scores.assign(own=own).to_csv(index=False, lineterminator="\n")
