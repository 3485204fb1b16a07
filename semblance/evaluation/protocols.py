"""One model under every protocol of the STS tasks: pooling, form of the texts, aggregation, metric.

The answer to "why is my number not the paper's?": SimCSE's App. B shows that the same vectors give
averages that are points apart.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import torch

from semblance.counts import padded
from semblance.data.protocol import apply_protocol
from semblance.data.sts import ScoredPair
from semblance.data.tokens import Tokens, tokenise
from semblance.errors import InputError
from semblance.evaluation.metrics import cosine_pairs
from semblance.evaluation.sts import score_rows
from semblance.models import folder as model_folder
from semblance.models.compute import autocast
from semblance.models.encoder import ENCODE_TOKENS, Encoder, find_pooling
from semblance.models.found import FoundModel, load_found
from semblance.models.packing import pack, token_budget_batches
from semblance.settings import StsProtocol

TEXTS: tuple[str, ...] = get_args(StsProtocol)
AVERAGE = "Average"  # stands for the task in the rows of averages
COLUMNS = ("pooling", "own", "text", "task", "subset", "metric", "aggregation", "value", "n")
LINE = ("pooling", "own", "text", "metric", "aggregation")  # what names a line of the table
LEADING = ("pooling", "text", "aggregation", "metric")  # the columns before the scores
OWN = "*"  # behind the folder's own pooling
NOTHING = "n/a"  # a correlation that does not exist: all cosines are alike, or a vector is zero
Row = dict[str, Any]  # one score, by COLUMNS; its value is None where it is undefined


@dataclass(frozen=True)
class TextInput:
    """How texts are read: a text put before each of them, and the most tokens of one."""

    prompt: str
    max_length: int


class Poolings:
    """An encoder read by several poolings; those that need a mask token cannot be among them."""

    def __init__(self, encoder: Encoder, names: Sequence[str]):
        self.encoder = encoder
        self.found = {name: find_pooling(name) for name in names}
        reads = frozenset().union(*(reads for _, reads in self.found.values()))
        if "masks" in reads:
            raise ValueError("a pooling of a mask token needs a forward pass of its own")
        encoder.reads = reads

    @torch.no_grad()
    def encode(self, tokens: Tokens, max_length: int) -> dict[str, np.ndarray]:
        """Embed every text in evaluation mode; returns (N, d) float32 for each pooling."""
        encoder = self.encoder
        device = encoder.words.weight.device
        limit = encoder.max_length(max_length)
        lengths = np.minimum(tokens.lengths(), limit)
        size = (len(lengths), encoder.shape.hidden_size)
        vectors = {name: np.empty(size, dtype=np.float32) for name in self.found}
        with autocast(encoder.precision, device.type):
            for batch in token_budget_batches(lengths, ENCODE_TOKENS[device.type]):
                packed = pack(tokens, batch, limit, device)
                rows = batch[packed.order.cpu().numpy()]
                read = {"pooler": getattr(encoder, "pooler", None)}
                last = encoder.token_states(packed, read=read).float()
                for name, (pool, reads) in self.found.items():
                    pooled = pool(last, packed, **{what: read[what] for what in reads})
                    vectors[name][rows] = pooled.float().cpu().numpy()
        return vectors


class EveryPooling:
    """A model that gives vectors by each pooling, its own among them."""

    def __init__(self, model: FoundModel, device: str = "cpu"):
        self.model = model
        encoder, names, self.unread = load_found(model)
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


def distinct(tokens: Tokens) -> tuple[Tokens, np.ndarray]:
    """Return each text once, and for each given text its number among these, (N,).

    Texts with the same tokens are one: to a model that lower-cases, two spellings may be.
    """
    numbers: dict[bytes, int] = {}
    kept = []
    place = []
    for i, (start, end) in enumerate(zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)):
        ids = tokens.ids[start:end]
        number = numbers.setdefault(ids.tobytes(), len(numbers))
        place.append(number)
        if number == len(kept):
            kept.append(i)
    parts = [tokens.ids[tokens.offsets[i] : tokens.offsets[i + 1]] for i in kept]
    offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in parts])]).astype(np.int64)
    return Tokens(np.concatenate([tokens.ids[:0], *parts]), offsets), np.array(place, dtype=int)


def score_task(pooled: EveryPooling, pairs: Sequence[ScoredPair], how: TextInput) -> list[Row]:
    """Return the scores of one task's pairs, whose texts are as released, under every protocol."""
    model = pooled.model
    texts = []
    for text in TEXTS:
        form = apply_protocol(pairs, text)
        for side in ("sentence1", "sentence2"):
            texts += [model.text(getattr(pair, side), how.prompt) for pair in form]
    tokens, place = distinct(tokenise(model.tokenizer, texts))
    numbers = place.reshape(len(TEXTS), 2, len(pairs))
    tokens.require_known(pooled.poolings.encoder.shape.vocab_size, model.tokenizer)
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
                _in_points(where | score) for score in score_rows(gold | {"similarity": similarity})
            ]
    return rows


def _in_points(found: Row) -> Row:
    """Return a score in points, in the order of COLUMNS; None for one that is not a number."""
    value = 100 * found["value"]
    if not math.isfinite(value):
        value = None
    return {name: (found | {"value": value})[name] for name in COLUMNS}


def averages(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the mean over the tasks of each protocol; ``n`` is the number of tasks."""
    for key, by_task in lines_of(rows).items():
        values = by_task.values()
        value = None
        if None not in values:
            value = math.fsum(values) / len(values)
        line = dict(zip(LINE, key, strict=True))
        line |= {"task": AVERAGE, "subset": "", "value": value, "n": len(values)}
        yield {name: line[name] for name in COLUMNS}


def lines_of(rows: Iterable[Row]) -> dict[tuple, dict[str, float | None]]:
    """Return the scores of each protocol by their task; those of subsets are left out.

    A key holds the values of LINE.
    """
    lines: dict[tuple, dict[str, float | None]] = {}
    for row in rows:
        if row["aggregation"] != "subset":
            key = tuple(row[name] for name in LINE)
            lines.setdefault(key, {})[row["task"]] = row["value"]
    return lines


def check_length(length: int) -> int:
    """Return a number of tokens; InputError for one that leaves no word of a text."""
    if length < 3:
        raise InputError(
            "--max-length", f"{length} tokens", "give at least 3: [CLS], a word, [SEP]"
        )
    return length


def headline(model: FoundModel, prompt: str, max_length: int) -> str:
    """Return the line that says what the folder itself states."""
    pooling = f"its own pooling is {model.own}"
    if model.own is None:
        pooling = "states no pooling (sentence-transformers would take mean)"
    declared = ", ".join(f"{name} {text!r}" for name, text in model.prompts.texts.items())
    prompts = "no prompts"
    if declared:
        prompts = f"prompts {declared}; read with {prompt!r}"
    length = f"max length {max_length} tokens"
    if max_length != model.max_length:
        length += f" (stated: {model.max_length})"
    return f"{model.folder}: {pooling}; {length}; {prompts}"


def table_text(
    rows: Sequence[Row], tasks: Sequence[str], emphasise: Callable[[str], str] = str
) -> str:
    """Return one line for each protocol, values in points with two decimals.

    ``emphasise`` marks the lines of the folder's own pooling.
    """
    columns = {task: task for task in tasks}
    if len(tasks) > 1:
        columns[AVERAGE] = f"average of {len(tasks)}"
    lines = lines_of(rows)
    cells = [[*LEADING, *columns.values()]]
    for (pooling, own, text, metric, aggregation), values in lines.items():
        found = [values.get(task) for task in columns]
        points = [NOTHING if value is None else f"{value:.2f}" for value in found]
        cells.append([pooling + OWN * own, text, aggregation, metric, *points])
    header, *others = ["  ".join(line) for line in padded(cells, len(LEADING))]
    marked = [emphasise(text) if key[1] else text for key, text in zip(lines, others, strict=True)]
    return "\n".join([header, *marked])


def nearest(rows: Iterable[Row], number: float, task: str, count: int = 3) -> list[Row]:
    """Return the scores of a task, or of the average, that lie nearest to a number."""
    lines = [
        row
        for row in rows
        if row["task"] == task and row["value"] is not None and row["aggregation"] != "subset"
    ]
    return sorted(lines, key=lambda row: abs(row["value"] - number))[:count]


def nearest_text(rows: Sequence[Row], number: float) -> str:
    """Return a sentence for each score near a number: by how much, and its protocol."""
    lines = [f"nearest to {number:g}:"]
    for row in rows:
        words = ", ".join([row["pooling"], row["text"], row["aggregation"], row["metric"]])
        lines.append(f"  {row['value']:.2f} ({row['value'] - number:+.2f}): {words}")
    return "\n".join(lines)


def scores_csv(rows: Iterable[Row]) -> str:
    """Return the scores as CSV, unrounded, one a line; an undefined one is ``n/a``."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        value = NOTHING if row["value"] is None else row["value"]
        writer.writerow(row | {"own": str(row["own"]).lower(), "value": value})
    return buffer.getvalue()


def as_object(
    model: FoundModel, how: dict[str, Any], missing: dict[str, str], rows: Sequence[Row]
) -> dict[str, Any]:
    """Return all that is known, for JSON; the value of an undefined score is null."""
    return {
        "folder": str(model.folder),
        "pooling": model.own,
        "max_length": model.max_length,
        "prompts": model.prompts.texts,
        "read": how,
        "missing": missing,
        "scores": list(rows),
    }
