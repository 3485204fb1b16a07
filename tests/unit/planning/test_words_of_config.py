"""The config allows the words and the numbers that the code which reads a setting allows."""

import dataclasses
import typing
from typing import Annotated, Any

import pytest
from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from semblance.config import inputs, model, outputs, trainings
from semblance.data.faq import HoldOut, Together
from semblance.data.prepare_faq import ANNOTATED, PAIRS, TrainOn
from semblance.data.prepare_nli import NliSettings
from semblance.data.prepare_pairs import PairSettings
from semblance.data.sts import OwnPairs
from semblance.data.thinning import Of
from semblance.data.wiki import WikiSettings
from semblance.evaluation.sts import WhitenedOn
from semblance.models.dropouts.sampled import Options as Sampled
from semblance.models.prompts import DOCUMENT, QUERY
from semblance.ranking.candidates import By, Match
from semblance.settings import Bound
from semblance.training.batching import Apart
from semblance.training.recipe import Head, TrainSettings, WindowUnit
from workflow.planning.expand import OWN_TEXT


def words(choice: Any) -> set:
    """Return the words of a Literal, also inside an optional one or a list."""
    found = [word for part in typing.get_args(choice) for word in words(part)]
    if typing.get_origin(choice) is typing.Literal:
        found = typing.get_args(choice)
    return set(found)


CHOICES = [
    (inputs.Nli.model_fields["kind"], {"nli"}),
    (inputs.OwnText.model_fields["kind"], {OWN_TEXT, "wiki"}),
    (inputs.Transformer.model_fields["default_prompt"], {QUERY, DOCUMENT}),
    (inputs.OwnPairs.model_fields["kind"], words(typing.get_type_hints(OwnPairs)["kind"])),
    (trainings.EarlyStopping.model_fields["unit"], words(WindowUnit)),
    (model.EvaluateFaq.model_fields["protocols"], {PAIRS, ANNOTATED}),
    (inputs.DatasetBank.model_fields["hold_out"], words(HoldOut)),
    (inputs.DatasetBank.model_fields["together"], words(Together)),
    (inputs.DatasetBank.model_fields["train_on"], words(TrainOn)),
    (trainings.Ranking.model_fields["by"], words(By)),
    (trainings.Ranking.model_fields["match"], words(Match)),
    (trainings.TrainPart.model_fields["of"], words(Of)),
    (trainings.Whitened.model_fields["whitening"], {True, *words(WhitenedOn)}),
    (trainings.Settings.model_fields["head"], words(Head)),
    (trainings.Settings.model_fields["apart"], words(Apart)),
    (model.Keep.model_fields["models"], {"all", "final"}),
    *(
        (trainings.Sampled.model_fields[name], words(typing.get_type_hints(Sampled)[name]))
        for name in ("distribution", "granularity", "layers")
    ),
]


@pytest.mark.parametrize("field, known", CHOICES)
def test_each_choice_of_the_config_has_the_words_that_the_code_knows(field, known):
    assert known and words(field.annotation) == known


def test_the_kinds_of_corpora_are_those_that_are_prepared():
    settings = (NliSettings, WikiSettings, PairSettings)
    prepared = {word for s in settings for word in words(typing.get_type_hints(s)["kind"])}
    kinds = {word for part in (inputs.Nli, inputs.Wiki, inputs.Pairs) for word in stated_kind(part)}
    assert kinds == prepared


def stated_kind(part: type[inputs.Part]) -> set:
    return words(part.model_fields["kind"].annotation)


NAMES = {"above": Gt, "at least": Ge, "below": Lt, "at most": Le}


def of_code(hint: Any) -> set:
    """Return the bounds of an annotation of the code, as (relation, number)."""
    parts = [hint, *typing.get_args(hint)]  # of an optional number: the number
    data = [each for p in parts if typing.get_origin(p) is Annotated for each in p.__metadata__]
    return {(NAMES[bound.words], bound.limit) for bound in data if isinstance(bound, Bound)}


def of_config(hint: Any, metadata: tuple | list = ()) -> set:
    """Return the bounds of a type of the config."""
    found = set()
    for data in metadata:
        if isinstance(data, FieldInfo):
            found |= of_config(None, data.metadata)
        elif isinstance(data, (Gt, Ge, Lt, Le)):
            (limit,) = dataclasses.astuple(data)
            found.add((type(data), limit))
    if typing.get_origin(hint) is Annotated:
        found |= of_config(hint.__origin__, hint.__metadata__)
    for part in typing.get_args(hint):
        found |= of_config(part)
    return found


def field_of(name: str) -> FieldInfo | None:
    """Return the field of the config that a setting of a training comes from."""
    parts = (trainings.Common, trainings.EarlyStopping, model.Resources)
    for part in parts:
        if name in part.model_fields:
            return part.model_fields[name]
    return None


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(TrainSettings)])
def test_each_number_of_a_training_is_bounded_by_the_code_no_closer_than_by_the_config(name):
    """The config may be closer: it refuses what a person would not mean, such as a rate of 3e5."""
    code = of_code(typing.get_type_hints(TrainSettings, include_extras=True)[name])
    field = field_of(name)
    if field is None:  # a seed has a list of its own, options a module of their own
        assert name == "seed" or not code
        return
    config = of_config(field.annotation, field.metadata)
    lower = {bound for bound in code if bound[0] in (Gt, Ge)}
    assert lower == {bound for bound in config if bound[0] in (Gt, Ge)}
    closest = {relation: limit for relation, limit in config if relation in (Lt, Le)}
    assert all(closest[kind] <= limit for kind, limit in code - lower)


@pytest.mark.parametrize("field", ["seeds", "rows"])
def test_a_figure_of_models_needs_its_rows_and_seeds(field):
    assert outputs.FigureOfModels.model_fields[field].is_required()
