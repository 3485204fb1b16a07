"""The config allows the words that the code which reads a setting allows."""

import typing
from typing import Any

import pytest

from semblance.data.prepare_faq import ANNOTATED, PAIRS
from semblance.data.prepare_nli import NliSettings
from semblance.data.prepare_pairs import PairSettings
from semblance.data.wiki import WikiSettings
from semblance.evaluation.sts import WhitenedOn
from semblance.models.prompts import DOCUMENT, QUERY
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
    ],
)
def test_each_choice_of_the_config_has_the_words_that_the_code_knows(part, name, known):
    assert known and words(hints(part)[name]) == known
