"""The config allows the words and the numbers that the code which reads a setting allows."""

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from semblance.data.prepare_faq import ANNOTATED, PAIRS
from semblance.data.prepare_nli import NliSettings
from semblance.data.prepare_pairs import PairSettings
from semblance.data.wiki import WikiSettings
from semblance.evaluation.sts import WhitenedOn
from semblance.models.dropouts.sampled import Options as Sampled
from semblance.models.prompts import DOCUMENT, QUERY
from semblance.training.recipe import TrainSettings
from workflow.config import inputs, model, trainings


def hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls, include_extras=True)


def words(choice: Any) -> set:
    """Return the words of a Literal, also inside an optional one or a list."""
    found = {word for part in typing.get_args(choice) for word in words(part)}
    return set(typing.get_args(choice)) if typing.get_origin(choice) is typing.Literal else found


@pytest.mark.parametrize(
    "part, name, known",
    [
        (inputs.Nli, "kind", words(hints(NliSettings)["kind"])),
        (inputs.Wiki, "kind", words(hints(WikiSettings)["kind"])),
        (inputs.Pairs, "kind", words(hints(PairSettings)["kind"])),
        (inputs.Transformer, "default_prompt", {QUERY, DOCUMENT}),
        (model.EvaluateFaq, "protocols", {PAIRS, ANNOTATED}),
        (trainings.Whitened, "whitening", {True, *words(WhitenedOn)}),
        *(
            (trainings.Sampled, name, words(hints(Sampled)[name]))
            for name in ("distribution", "granularity", "layers")
        ),
    ],
)
def test_each_choice_of_the_config_has_the_words_that_the_code_knows(part, name, known):
    assert known and words(hints(part)[name]) == known


def bounds(hint: Any) -> Iterator[tuple[type, float]]:
    """Yield the bounds of a type, also of those inside it: the relation and the number."""
    for data in getattr(hint, "__metadata__", ()):
        for bound in data.metadata if isinstance(data, FieldInfo) else [data]:
            if isinstance(bound, (Gt, Ge, Lt, Le)):
                yield type(bound), *dataclasses.astuple(bound)
    for part in typing.get_args(hint):
        yield from bounds(part)


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(TrainSettings)])
def test_each_number_of_a_training_is_bounded_by_the_code_no_closer_than_by_the_config(name):
    """The config may be closer: it refuses what a person would not mean, such as a rate of 3e5."""
    code = set(bounds(hints(TrainSettings)[name]))
    parts = (trainings.Common, trainings.EarlyStopping, model.Resources)
    stated = [hints(part)[name] for part in parts if name in part.model_fields]
    if not stated:  # a seed has a list of its own, options a module of their own
        assert name == "seed" or not code
        return
    config = set(bounds(stated[0]))
    lower = {bound for bound in code if bound[0] in (Gt, Ge)}
    assert lower == {bound for bound in config if bound[0] in (Gt, Ge)}
    closest = {relation: limit for relation, limit in config if relation in (Lt, Le)}
    assert all(closest[kind] <= limit for kind, limit in code - lower)
