"""The schema allows the same words and the same smallest numbers as the settings that the code decodes."""

import dataclasses
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
import yaml

from semblance.data.corpus_rows import CorpusSettings
from semblance.data.faq_parts import HoldOut, Together
from semblance.data.prepare_faq import ANNOTATED, PAIRS, TrainOn
from semblance.data.prepare_pairs import PairSettings
from semblance.data.scored_file import OwnPairs
from semblance.data.thinning import Of
from semblance.evaluation.ranking import By, Match
from semblance.evaluation.run import WhitenedOn
from semblance.figures import KINDS
from semblance.models.dropouts.sampled import Options as Sampled
from semblance.models.prompts import DOCUMENT, QUERY
from semblance.names import TRANSFER_TASKS
from semblance.reporting.layouts import LAYOUTS
from semblance.settings import Bound, Matmul, Precision, StsProtocol
from semblance.training.batching import Apart
from semblance.training.recipe import Head, TrainSettings, WindowUnit
from workflow.planning.config import SCHEMA
from workflow.planning.corpora import OWN_TEXT
from workflow.planning.kept import FINAL

TREE = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
SAMPLED = typing.get_type_hints(Sampled)
ENUMS = {  # where it stands, without the words of JSON Schema: the words that the code knows
    "corpora.kind": (
        *typing.get_args(typing.get_type_hints(CorpusSettings)["kind"]),
        *typing.get_args(typing.get_type_hints(PairSettings)["kind"]),
        OWN_TEXT,
    ),
    "bases.default_prompt": (QUERY, DOCUMENT),
    "sts.own.kind": typing.get_args(typing.get_type_hints(OwnPairs)["kind"]),
    "sts.protocol": typing.get_args(StsProtocol),
    "train_entropy.early_stopping.unit": typing.get_args(WindowUnit),
    "evaluate_faq.protocols": (PAIRS, ANNOTATED),
    "tables.layout": LAYOUTS,
    "figures.kind": KINDS,
    "transfer.datasets": TRANSFER_TASKS,
    "faq.banks.hold_out": typing.get_args(HoldOut),
    "faq.banks.together": typing.get_args(Together),
    "faq.banks.train_on": typing.get_args(TrainOn),
    "methods.ranking.by": typing.get_args(By),
    "methods.ranking.match": typing.get_args(Match),
    "keep.models": ("all", FINAL),
    "methods.train_part.of": typing.get_args(Of),
    "methods.whitening": (True, *typing.get_args(WhitenedOn)),
    "$defs.precision": typing.get_args(Precision),
    "$defs.matmul": typing.get_args(Matmul),
    "$defs.settings.head": typing.get_args(Head),
    "$defs.settings.apart": typing.get_args(Apart),
    "$defs.dropout.sampled.distribution": typing.get_args(SAMPLED["distribution"]),
    "$defs.dropout.sampled.granularity": typing.get_args(SAMPLED["granularity"]),
    "$defs.dropout.sampled.layers": typing.get_args(SAMPLED["layers"]),
}


def enums(
    node: Any, place: tuple[str, ...] = (), seen: set[int] | None = None
) -> Iterator[tuple[str, list]]:
    """Yield each enum of the schema and where it stands first."""
    seen = set() if seen is None else seen
    if isinstance(node, dict) and id(node) not in seen:
        seen.add(id(node))
        if isinstance(node.get("enum"), list):
            words = ("properties", "additionalProperties", "items")
            yield ".".join(part for part in place if part not in words), node["enum"]
        for key, value in node.items():
            yield from enums(value, (*place, key), seen)


def test_each_choice_of_the_schema_has_the_words_that_the_code_knows():
    found = dict(enums(TREE))
    assert {place: set(words) for place, words in found.items()} == {
        place: set(words) for place, words in ENUMS.items()
    }


KEYWORDS = {
    "above": "exclusiveMinimum",
    "at least": "minimum",
    "below": "exclusiveMaximum",
    "at most": "maximum",
}
SETTINGS = TREE["$defs"]["settings"]["properties"]
STOPPING = TREE["properties"]["train_entropy"]["properties"]["early_stopping"]["properties"]


def bounds(hint: Any) -> dict[str, float]:
    """Return what an annotation bounds, in the keywords of JSON Schema."""
    parts = [hint, *typing.get_args(hint)]  # of an optional number: the number
    metadata = [m for p in parts if typing.get_origin(p) is Annotated for m in p.__metadata__]
    return {KEYWORDS[b.words]: b.limit for b in metadata if isinstance(b, Bound)}


def resolved(entry: dict) -> dict:
    """Return a schema's entry with what it refers to."""
    if "$ref" in entry:
        return {**TREE["$defs"][entry["$ref"].rpartition("/")[2]], **entry}
    return entry


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(TrainSettings)])
def test_each_number_of_a_training_has_the_bounds_that_the_schema_states(field):
    hint = typing.get_type_hints(TrainSettings, include_extras=True)[field]
    entry = resolved({**STOPPING, **SETTINGS}.get(field, {}))
    stated = {key: entry[key] for key in KEYWORDS.values() if key in entry}
    if stated.get("maximum", 0) >= 10**9:  # only so that a number fits everywhere
        del stated["maximum"]
    if field == "gpus":  # no setting of a recipe
        entry = TREE["properties"]["resources"]["properties"]["gpus"]
        stated = {key: entry[key] for key in ("minimum", "maximum")}
    if field == "seed":  # the lists of seeds stand in a section of their own
        stated = {key: TREE["$defs"]["seed"][key] for key in ("minimum", "maximum")}
    assert bounds(hint) == stated


def test_a_literal_of_a_training_is_an_enum_of_the_schema():
    hints = typing.get_type_hints(TrainSettings)
    choices = {name for name, hint in hints.items() if typing.get_origin(hint) is Literal}
    assert choices == {"head", "unit", "precision", "matmul", "apart"}
