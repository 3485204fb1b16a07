"""The card and the results beside the weights of each trained model of a results folder."""

import shutil
from collections.abc import Iterable, Iterator
from typing import Any

from semblance import layout
from semblance.cards.card import card_text
from semblance.cards.folds import fold_lines
from semblance.cards.model import Model
from semblance.cards.mteb import model_meta, task_results
from semblance.cards.origin import Records, origin_of
from semblance.cards.scores import Place, Scores
from semblance.cards.settings import CardSettings
from semblance.files import write_text
from semblance.provenance import digests, write_json

CARD = "README.md"
CONFIG = "config_sentence_transformers.json"  # not written by a training of a model without prompts
RESULTS = "mteb"  # a folder that MTEB's ResultCache reads
PLAIN_CONFIG = {
    "model_type": "SentenceTransformer",
    "prompts": {},
    "default_prompt_name": None,
    "similarity_fn_name": "cosine",
}


def models_of(records: Records, scores: Scores, settings: CardSettings) -> Iterator[Model]:
    """Yield each trained model of a results folder whose weights are there."""
    pattern = f"{layout.pattern(layout.MODEL)}/{layout.RECORD}"
    for path in sorted(records.root.glob(pattern)):
        weights = path.parent / layout.WEIGHTS
        if not weights.is_file() or not records.is_readable(path):
            continue
        place = Place(**layout.parse(layout.MODEL, path.parent.relative_to(records.root)))
        record = records.read(path)
        digest = record["outputs"][layout.WEIGHTS]
        found = tuple(scores.of(place, digest))
        origin = origin_of(path, records)
        folds = tuple(fold_lines(place, digest, records))
        yield Model(place, weights.parent, record, digest, origin, found, settings, folds)


def write_cards(models: Iterable[Model]) -> dict[str, dict[str, Any]]:
    """Write what stands beside the weights of each model; return what the record says of each."""
    return {model.place.path: _write(model) for model in models}


def _write(model: Model) -> dict[str, Any]:
    """Write the files of one model; return its weights, what its data allow, and the files' digests."""
    write_text(model.folder / CARD, card_text(model))
    names = [CARD, *_write_results(model)]
    if f"{model.folder.name}/{CONFIG}" not in model.record["outputs"]:
        write_json(model.folder / CONFIG, PLAIN_CONFIG)
        names.append(CONFIG)
    return {
        "weights": model.weights,
        "revision": model.revision,
        "name": model.name,
        "standing": model.standing,
        "licences": {name: described.licence for name, described in model.data.items()},
        "files": digests(model.folder, names),
    }


def _write_results(model: Model) -> list[str]:
    """Write the results for MTEB in place of earlier ones; return the names of the files."""
    shutil.rmtree(model.folder / RESULTS, ignore_errors=True)
    found = task_results(model.scores, model.place.method, model.settings.original)
    if not found:
        return []
    name = f"semblance/{model.name}"
    folder = f"{RESULTS}/results/{name.replace('/', '__')}/{model.revision}"
    contents = {"model_meta": model_meta(name, model.revision, model.base), **found}
    for task, content in contents.items():
        write_json(model.folder / f"{folder}/{task}.json", content)
    return [f"{folder}/{task}.json" for task in contents]
