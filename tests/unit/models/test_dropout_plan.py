"""The plan of a forward pass's dropout: plain rates, named modules, their independence."""

from types import SimpleNamespace

import pytest
import torch

from semblance import settings as settings_module
from semblance.errors import InputError
from semblance.models import dropout_plan
from semblance.models.dropout_plan import DropoutPlan
from semblance.models.masks import dropout
from semblance.named_modules import DROPOUTS
from semblance.settings import DropoutSettings, decode
from tests.unit.models.statistics import correlation, six_errors

VIEWS = torch.tensor([0, 0, 0, 1, 1, 1])


def plan(rates=(0.1, 0.1), **settings):
    """The plan of a base with these rates, under settings as a config states them."""
    return DropoutPlan(decode(DropoutSettings, settings, "dropout"), *rates, VIEWS, 2)


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({}, (0.13, 0.07)),
        ({"hidden": 0.0}, (0.0, 0.07)),
        ({"hidden": 0.3}, (0.3, 0.07)),
        ({"attention": 0.0}, (0.13, 0.0)),
        ({"attention": 0.3}, (0.13, 0.3)),
    ],
)
def test_settings_replace_the_rates_of_the_base_even_by_zero(settings, expected):
    found = plan((0.13, 0.07), **settings)
    assert (found.rate("hidden"), found.rate("attention")) == expected
    assert found.head_scale(4) is None


def test_a_named_rate_takes_the_place_of_the_plain_one_where_it_acts():
    hidden = plan(attention=0.3, sampled={})
    both = plan(attention=0.3, sampled={"layers": "hidden+attention"})
    assert hidden.rate("attention") == 0.3
    for rate in (hidden.rate("hidden"), both.rate("hidden"), both.rate("attention")):
        assert rate.shape == (6,)


def test_a_plan_finds_only_the_modules_that_its_settings_name(monkeypatch):
    found = []

    def load(package, name, where):
        found.append((package, name))
        return SimpleNamespace(Options=float)

    monkeypatch.setattr(dropout_plan, "load_module", load)
    plan(hidden=0.1, attention=0.2)
    assert not found
    plan(drophead=0.1)
    assert set(found) == {(DROPOUTS, "drophead")}


NO_MODULE = "there is no semblance/models/dropouts/nobody.py; known are drophead, off_last, sampled"
REFUSED = [
    ({"nobody": 0.1}, f"dropout.nobody: {NO_MODULE}"),
    ({"hidden": "x"}, "dropout.hidden"),
    ({"drophead": {}}, "dropout.drophead"),
    ({"drophead": 0.91}, "dropout.drophead"),
    ({"hidden": -0.1}, "dropout.hidden"),
    ({"attention": 1.0}, "dropout.attention"),
    ({"sampled": 0.1}, "dropout.sampled"),
    ({"sampled": {"low": -0.1}}, "dropout.sampled.low"),
    ({"sampled": {"high": 0.91}}, "dropout.sampled.high"),
    ({"sampled": {"alpha": 0.0}}, "dropout.sampled.alpha"),
    ({"sampled": {"distribution": "normal"}}, "dropout.sampled.distribution"),
    ({"sampled": {"granularity": "View"}}, "dropout.sampled.granularity"),
    ({"sampled": {"layers": "attention"}}, "dropout.sampled.layers"),
    (0.1, "dropout"),
]


@pytest.mark.parametrize("settings, said", REFUSED)
def test_options_of_another_type_or_beyond_their_bounds_are_refused_by_their_key(settings, said):
    with pytest.raises(InputError) as caught:
        decode(DropoutSettings, settings, "dropout")
    assert str(caught.value).startswith(said if ":" in said else f"{said}: ")


def dropouts(monkeypatch, **modules):
    """Let functions stand in for the modules of the folder; return the plan that names them."""
    found = {name: SimpleNamespace(Options=float, **module) for name, module in modules.items()}
    for module in (settings_module, dropout_plan):
        monkeypatch.setattr(module, "load_module", lambda package, name, where: found[name])
    return plan(**dict.fromkeys(modules, 0.5))


def test_two_rates_for_one_operation_are_refused(monkeypatch):
    everywhere = {"rate": lambda rate, site: rate}
    in_hidden_layers = {"rate": lambda rate, site: rate if site.layers == "hidden" else None}
    both = dropouts(monkeypatch, one=everywhere, two=in_hidden_layers)
    assert both.rate("attention") == 0.5
    with pytest.raises(InputError, match="2 dropouts give a rate for hidden layers"):
        both.rate("hidden")


def test_the_factors_of_two_dropouts_of_heads_are_multiplied(monkeypatch):
    two = {"head_scale": lambda _, rows, heads, device: torch.full((rows, heads), 2.0)}
    three = {"head_scale": lambda _, rows, heads, device: torch.full((rows, heads), 3.0)}
    silent = {"head_scale": lambda *_: None}
    both = dropouts(monkeypatch, two=two, silent=silent, three=three)
    assert torch.equal(both.head_scale(4), torch.full((6, 4), 6.0))


@pytest.mark.parametrize(
    "settings", [{}, {"sampled": {}}, {"sampled": {"granularity": "row"}}], ids=str
)
def test_the_masks_of_the_two_views_are_independent(settings):
    drawn = plan(**settings)
    pairs = []
    for _ in range(2500):
        rate = drawn.rate("hidden")
        if isinstance(rate, torch.Tensor):
            rate = rate[:, None]
        out = dropout(torch.ones(6, 8), rate)
        pairs.append((out[0] == 0, out[3] == 0))  # the same sentence, once in each view
    first, second = (torch.stack(side) for side in zip(*pairs, strict=True))
    assert 0.08 < first.double().mean() < 0.12
    assert abs(correlation(first, second)) < six_errors(first.numel())
