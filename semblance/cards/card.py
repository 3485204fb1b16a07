"""The model card: README.md with the front matter that a hub reads, and a page for people.

It states the licence of each data set as the manifest has it. What several licences allow together
is a question for a person, so the front matter says "other" and points at the page.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from huggingface_hub import EvalResult, ModelCardData

from semblance.cards.origin import Origin
from semblance.cards.text import literal, one_line, table
from semblance.names import IN_NATURAL_UNIT, TRAINING
from semblance.provenance import input_digests

TASK_KINDS = {"map": "text-retrieval", "accuracy": "text-classification"}
SHOWN = {  # the scores of the front matter; the page has them all
    ("spearman", "all"),
    ("map", "test"),
    ("accuracy", "test"),
}
OF_A_SCORE = ("method", "task", "fold", "metric", "aggregation", "protocol", "n", "precision")
# The settings of a base that a card tells; the path of a user's folder is not among them.
OF_A_BASE = ("hub", "revision", "package", "layers", "pooling", "max_length", "weights_sha256")
OF_A_RECORD = ("steps", "batch_size", "device", "code")
# Of a path of a record in the folder of its run: models/corpus/base/method/seed/record.json
DEPTH = 6
PAGE = """---
{front}
---

# {name}

{folds}

## Use

```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("FOLDER")  # this folder, or the name of its repository on a hub
print(model.similarity(*model.encode(["one sentence", "another"])))
```

## Data

The weights were learned from these data, and their licences count for the weights. So does that of the base.

{data}

## Training

{training}

## Scores

Values are times 100; alignment and uniformity are not. Protocols of STS are forms of the text: `raw` as released, \
`senteval` as SentEval prepares it.

{scores}

## Citation

Semblance trained this model by the methods of https://arxiv.org/abs/2104.08821 (SimCSE), \
https://arxiv.org/abs/2111.11750 (S-SimCSE) and https://arxiv.org/abs/2209.13241 (RCL).
"""


class ModelPlace(NamedTuple):
    """The names of a trained model, as its path has them."""

    corpus: str
    base: str
    method: str
    seed: str

    @property
    def path(self) -> str:
        """Its place below the folder of all models."""
        return f"{self.corpus}/{self.base}/{self.method}/seed-{self.seed}"


class Score(NamedTuple):
    """One score: what was tested, how, and its value in its natural unit.

    ``method`` may be another one than the model's: a whitening or a ranking that reads the model.
    """

    method: str
    fold: str
    task: str
    metric: str
    aggregation: str
    protocol: str
    value: float
    n: int
    precision: str

    @property
    def shown(self) -> float:
        """The value times 100, as tables show it; in its natural unit where they do, too."""
        if self.metric in IN_NATURAL_UNIT:
            return self.value
        return self.value * 100


def scores_of(frame: pd.DataFrame, place: ModelPlace, weights: str) -> list[Score]:
    """Return the scores of a model: those of its weights and of its corpus, base and seed."""
    rows = frame[frame["weights"] == weights]
    rows = rows[(rows["subset"] == "") & (rows["task"] != TRAINING)]
    for name in ("corpus", "base", "seed"):
        rows = rows[rows[name].astype(str) == getattr(place, name)]
    return [Score(**row) for row in rows[list(Score._fields)].to_dict("records")]


@dataclass(frozen=True)
class Described:
    """A data set as the manifest describes it."""

    title: str
    licence: str
    homepage: str | None = None


OWN = Described("the user's own file", "")


@dataclass(frozen=True)
class TrainedModel:
    """One trained model; ``record`` is that of its training, ``folder`` what a library loads.

    ``described`` are the data sets of the config, ``folds`` how it was tested on those of its bank.
    """

    place: ModelPlace
    folder: Path
    record: dict[str, Any]
    weights: str
    origin: Origin
    scores: tuple[Score, ...]
    described: dict[str, Described]
    folds: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A name that a hub accepts."""
        named = re.sub("[^A-Za-z0-9._-]", "-", "-".join(self.place[:3]))
        return f"{named.strip('.-')}-seed-{self.place.seed}"

    @property
    def data(self) -> dict[str, Described]:
        """Each data set and own file that the weights were learned from."""
        known = {name: self.described.get(name, Described(name, "")) for name in self.origin.data}
        return known | dict.fromkeys((*self.origin.own, *self.origin.unread), OWN)


def card_text(model: TrainedModel) -> str:
    """Return the card of a model."""
    header = ("data", "title", "licence", "source")
    data = [
        (n, d.title, d.licence or "not stated", d.homepage or "") for n, d in model.data.items()
    ]
    dev = [(name, "chose the checkpoint", "", "") for name in model.origin.dev]
    scores = [(*(getattr(s, key) for key in OF_A_SCORE), f"{s.shown:.2f}") for s in model.scores]
    return PAGE.format(
        front=_front_matter(model),
        name=literal(model.name),
        folds="\n".join(model.folds) or "A model of sentence embeddings.",
        data="\n".join(table(header, data + dev)),
        training="\n".join(table(("fact", "value"), list(_facts(model)))),
        scores="\n".join(table((*OF_A_SCORE, "value"), scores)),
    )


def _front_matter(model: TrainedModel) -> str:
    """Return the YAML that a hub reads."""
    base = model.origin.base.get("hub")
    # A whitening, for example, is another method than the model's.
    own = [score for score in model.scores if score.method == model.place.method]
    results = [_eval_result(s) for s in own if (s.metric, s.aggregation) in SHOWN]
    data = ModelCardData(
        base_model=one_line(base) if base else None,
        library_name="sentence-transformers",
        pipeline_tag="sentence-similarity",
        tags=["sentence-transformers", "sentence-similarity", "feature-extraction", "semblance"],
        model_name=model.name,
        eval_results=results or None,
        license="other",
        license_name="see-the-card",
        license_link="README.md",
    )
    return data.to_yaml()


def _eval_result(score: Score) -> EvalResult:
    tested = f"{score.task} fold {score.fold}" if score.fold else score.task
    return EvalResult(
        task_type=TASK_KINDS.get(score.metric, "sentence-similarity"),
        dataset_type=one_line(score.task),
        dataset_name=one_line(f"{tested}, protocol {score.protocol}, {score.n} items"),
        dataset_config=one_line(f"{tested} {score.protocol}".replace(" ", "-")),
        metric_type=score.metric,
        metric_name=f"{score.metric}, aggregation {score.aggregation}, times 100",
        metric_value=score.shown,
    )


def _facts(model: TrainedModel) -> Iterator[tuple[str, object]]:
    """Yield what the training was made of, as its record has it."""
    record = model.record
    yield from zip(("corpus", "base", "method", "seed"), model.place, strict=True)
    yield "base's source", _as_json({k: v for k, v in model.origin.base.items() if k in OF_A_BASE})
    yield from ((name, record[name]) for name in OF_A_RECORD if name in record)
    # A training without dev scores keeps its last step, and its record has no best one.
    if record.get("stage") == "train" and "best_step" in record.get("training", {}):
        yield "best step on dev", record["training"]["best_step"]
    yield "sha256 of the weights", model.weights
    for name, digest in input_digests(record).items():
        yield f"digest of {_without_root(name)}", digest
    for name, value in record.get("settings", {}).items():
        yield f"setting {name}", _as_json(value)
    for name, value in record.get("environment", {}).items():
        yield f"version of {name}", value


def _without_root(name: str) -> str:
    """Return an absolute path without the folders above the run: they are nobody's business."""
    path = Path(name)
    if path.is_absolute():
        return "/".join(path.parts[-DEPTH:])
    return name


def _as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
