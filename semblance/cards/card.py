"""The model card: README.md with the front matter that a hub reads, and a page for people."""

import json
from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import EvalResult, ModelCardData

from semblance.cards.licences import OTHER
from semblance.cards.model import Model
from semblance.cards.mteb import MAIN, task_of
from semblance.cards.scores import Score
from semblance.cards.settings import Described
from semblance.cards.text import one_line, plain, table

TAGS = ("sentence-transformers", "sentence-similarity", "feature-extraction", "semblance")
NON_COMMERCIAL = "non-commercial"
DEPTH = (
    6  # of a model's record in the folder of its run: models/corpus/base/method/seed/record.json
)
TASK_KINDS = {"map": "text-retrieval", "accuracy": "text-classification"}
SHOWN = {  # the scores of the front matter; the page has them all
    ("spearman", "all"),
    ("spearman", "regressor"),
    ("map", "test"),
    ("accuracy", "test"),
}
WARNINGS = {
    "free": "All data that the weights were learned from may be used for any purpose, as their"
    " licences say.",
    "non-commercial": "**Not for commercial use**: the weights were learned from data whose licence"
    " does not allow it.",
    "unknown": "**Ask before you use it**: the weights were learned from data whose licence does not"
    " plainly allow every use.",
}
# The settings of a base that a card tells; the path of a user's folder is not among them.
OF_A_BASE = ("hub", "revision", "package", "layers", "pooling", "max_length", "weights_sha256")
PAPERS = (
    ("SimCSE: Simple Contrastive Learning of Sentence Embeddings", "2104.08821"),
    ("S-SimCSE: Sampled Sub-networks for Contrastive Learning of Sentence Embedding", "2111.11750"),
    ("Regularized Contrastive Learning of Semantic Search", "2209.13241"),
)
USE = """```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("FOLDER")  # this folder, or the name of its repository on a hub
vectors = model.encode(["one sentence", "another"])
print(model.similarity(vectors, vectors))
```"""


def card_text(model: Model) -> str:
    """Return the card of a model."""
    lines = [
        "---",
        front_matter(model),
        "---",
        "",
        f"# {plain(model.name)}",
        "",
        WARNINGS[model.standing],
        *_section("Use", [USE]),
        *_section("Data", _data_lines(model)),
        *_section("Training", _training_lines(model)),
        *_section("Scores", _score_lines(model)),
        *_section("Citation", _citation_lines()),
    ]
    return "\n".join(lines) + "\n"


def front_matter(model: Model) -> str:
    """Return the YAML that a hub reads."""
    tags = [*TAGS]
    if model.standing == "non-commercial":
        tags.append(NON_COMMERCIAL)
    licence = {"license": model.licence}
    if model.licence == OTHER:
        licence |= {"license_name": "see-the-card", "license_link": "README.md"}
    results = [_eval_result(model, score) for score in _main_scores(model)]
    if any(result.dataset_type.startswith("mteb/") for result in results):
        tags.append("mteb")
    data = ModelCardData(
        base_model=model.base,
        library_name="sentence-transformers",
        pipeline_tag="sentence-similarity",
        tags=tags,
        model_name=model.name,
        eval_results=results or None,
        **licence,
    )
    return data.to_yaml()


def _main_scores(model: Model) -> Iterator[Score]:
    """Yield the scores for the front matter: one of each test of the model's own method."""
    for score in model.scores:
        if score.method == model.place.method and (score.metric, score.aggregation) in SHOWN:
            yield score


def _eval_result(model: Model, score: Score) -> EvalResult:
    task = task_of(score, model.place.method, model.settings.original)
    kind = TASK_KINDS.get(score.metric, "sentence-similarity")
    what = {"task_type": kind, "metric_value": score.shown}
    name = f"{score.metric}, aggregation {score.aggregation}, times 100"
    if task is not None:
        return EvalResult(
            dataset_type=task.dataset,
            dataset_name=f"MTEB {task.name}",
            dataset_config="default",
            dataset_split="test",
            dataset_revision=task.revision,
            metric_type=MAIN,
            metric_name=name,
            **what,
        )
    tested = f"{score.task} fold {score.fold}" if score.fold else score.task
    return EvalResult(
        dataset_type=one_line(score.task),
        dataset_name=one_line(f"{tested}, protocol {score.protocol}, {score.n} items"),
        dataset_config=one_line(f"{tested} {score.protocol}".replace(" ", "-")),
        metric_type=score.metric,
        metric_name=name,
        **what,
    )


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"## {title}", "", *lines]


def _data_lines(model: Model) -> list[str]:
    lines = _data_table(model.data)
    if model.dev:
        lines += ["", "The checkpoint was chosen on:", "", *_data_table(model.dev)]
    return [*lines, "", "The licence of the base model counts, too: see where it comes from."]


def _data_table(data: dict[str, Described]) -> list[str]:
    rows = [
        (name, d.title, d.licence or "not stated", d.homepage or "") for name, d in data.items()
    ]
    if not rows:
        return ["No data set: nothing was learned from a corpus."]
    return table(("data", "title", "licence", "source"), rows)


def _training_lines(model: Model) -> list[str]:
    record = model.record
    base = {name: model.origin.base.get(name) for name in OF_A_BASE}
    base = {name: value for name, value in base.items() if value is not None}
    facts = [
        ("corpus", model.place.corpus),
        ("base", model.place.base),
        ("base's source", _as_json(base)),
        ("method", model.place.method),
        ("seed", model.place.seed),
        ("steps", record.get("steps", "")),
        ("best step on dev", _best_step(record)),
        ("batch size", record.get("batch_size", "")),
        ("pooling", model.pooling),
        ("device", record.get("device", "")),
        ("sha256 of the weights", model.weights),
        ("revision", model.revision),
        ("digest of the code", record.get("code", "")),
        *((f"digest of {_without_root(n)}", v) for n, v in record.get("inputs", {}).items()),
        *_settings_rows(record),
        *((f"version of {name}", value) for name, value in record.get("environment", {}).items()),
    ]
    return table(("fact", "value"), [(name, value) for name, value in facts if value != ""])


def _best_step(record: dict) -> int | str:
    """Return the step whose weights these are; empty of a training that no dev score has stopped."""
    if record.get("stage") != "train":
        return ""
    return record.get("training", {}).get("best_step", "")


def _without_root(name: str) -> str:
    """Return an absolute path without the folders above the run: they are nobody's business."""
    path = Path(name)
    if path.is_absolute():
        return "/".join(path.parts[-DEPTH:])
    return name


def _settings_rows(record: dict) -> Iterator[tuple[str, str]]:
    for name, value in record.get("settings", {}).items():
        yield f"setting {name}", _as_json(value)


def _as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _score_lines(model: Model) -> list[str]:
    if not model.scores:
        return list(model.folds) or ["This model was not tested on its own."]
    header = (
        "method",
        "task",
        "fold",
        "metric",
        "aggregation",
        "protocol",
        "value",
        "n",
        "precision",
    )
    rows = [
        (
            s.method,
            s.task,
            s.fold,
            s.metric,
            s.aggregation,
            s.protocol,
            f"{s.shown:.2f}",
            s.n,
            s.precision,
        )
        for s in model.scores
    ]
    return [
        "Values are times 100; alignment and uniformity are not. Aggregations: `all` pairs of a task"
        " at once; `mean` and `wmean` over its subsets. Protocols of STS are forms of the text:"
        " `raw` as released, `senteval` as SentEval prepares it.",
        "",
        *table(header, rows),
    ]


def _citation_lines() -> list[str]:
    listed = [f"- {title}, https://arxiv.org/abs/{number}" for title, number in PAPERS]
    return ["Semblance trained this model. Its methods are those of these papers:", "", *listed]
