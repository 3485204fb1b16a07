"""The card and the results beside the weights of each trained model of a results folder."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from semblance import layout
from semblance.audit.chain import Chain
from semblance.cards.card import Described, ModelPlace, TrainedModel, card_text, scores_of
from semblance.cards.mteb import model_meta, task_results
from semblance.cards.origin import origin_of
from semblance.cards.text import literal
from semblance.files import write_text
from semblance.models.prompts import PROMPTS_FILE
from semblance.models.saved import PROMPTS
from semblance.provenance import write_json

CARD = "README.md"
RESULTS = "mteb"  # a folder that MTEB's ResultCache reads
PLAIN_CONFIG = {  # of a model without prompts, for which its training has written none
    "model_type": "SentenceTransformer",
    "prompts": {},
    "default_prompt_name": None,
    "similarity_fn_name": "cosine",
}


@dataclass(frozen=True)
class CardSettings:
    """``data``: each data set of the config; ``original``: the STS tasks that have the released files."""

    data: dict[str, Described]
    original: tuple[str, ...] = ()


def models_of(
    records: Chain, scores: pd.DataFrame, settings: CardSettings
) -> Iterator[TrainedModel]:
    """Yield each trained model of a results folder whose weights are there."""
    pattern = f"{layout.pattern(layout.MODEL)}/{layout.RECORD}"
    for path in sorted(records.root.glob(pattern)):
        weights = path.parent / layout.WEIGHTS
        node = records.find(path)
        if node is None or not weights.is_file():
            continue
        place = ModelPlace(**layout.parse(layout.MODEL, path.parent.relative_to(records.root)))
        record = node.record
        digest = record["outputs"][layout.WEIGHTS]
        yield TrainedModel(
            place,
            weights.parent,
            record,
            digest,
            origin_of(path, records),
            tuple(scores_of(scores, place, digest)),
            settings.data,
            tuple(fold_lines(place, digest, records)),
        )


def fold_lines(place: ModelPlace, weights: str, records: Chain) -> Iterator[str]:
    """Yield one line for each answerer that holds a model, known by its weights' digest."""
    for path in sorted(records.root.glob(f"{layout.pattern(layout.ANSWERER)}/{layout.RECORD}")):
        node = records.find(path)
        if node is None:
            continue
        record = node.record
        made = record.get("answerer", {})
        evidence = record.get("evidence", {})
        if record["outputs"].get(layout.WEIGHTS) != weights or not {"low", "high"} <= set(evidence):
            continue
        if (layout.whole_corpus(made["bank"]), made["base"]) != (place.corpus, place.base):
            continue
        score, low, high = (100 * evidence[name] for name in ("score", "low", "high"))
        yield (
            "This model was trained on the whole bank, so no question is left to test it. Its way"
            f" to answer, chosen for the answerer {literal(made['name'])}, was tested on the folds of"
            f" the bank: MAP {score:.2f} (95 % interval {low:.2f} to {high:.2f}), protocol"
            f" {literal(made['protocol'])}, {evidence['questions']} questions, chosen in each fold by"
            " other questions (nested)."
        )


def card_facts(model: TrainedModel) -> dict[str, Any]:
    """Return what the stage's record says of a model."""
    licences = {name: described.licence for name, described in model.data.items()}
    return {"weights": model.weights, "name": model.name, "licences": licences}


def write_card(model: TrainedModel, original: tuple[str, ...]) -> list[str]:
    """Write the card and the results of a model; return the files, as seen from the models' folder."""
    write_text(model.folder / CARD, card_text(model))
    names = [CARD, *_write_results(model, original)]
    if PROMPTS not in model.record["outputs"]:
        write_json(model.folder / PROMPTS_FILE, PLAIN_CONFIG)
        names.append(PROMPTS_FILE)
    return [f"{model.place.path}/{model.folder.name}/{name}" for name in names]


def _write_results(model: TrainedModel, original: tuple[str, ...]) -> list[str]:
    """Write the results for MTEB in place of earlier ones; return the names of the files."""
    shutil.rmtree(model.folder / RESULTS, ignore_errors=True)
    found = task_results(model.scores, model.place.method, original)
    if not found:
        return []
    name = f"semblance/{model.name}"
    revision = f"weights-{model.weights[:16]}"
    folder = f"{RESULTS}/results/{name.replace('/', '__')}/{revision}"
    contents = {"model_meta": model_meta(name, revision, model.origin.base.get("hub")), **found}
    for task, content in contents.items():
        write_json(model.folder / f"{folder}/{task}.json", content)
    return [f"{folder}/{task}.json" for task in contents]
