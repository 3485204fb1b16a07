"""The plan of a forward pass's dropout: plain rates, named modules, their independence."""

from types import SimpleNamespace

import pytest
import torch

from semblance.errors import InputError
from semblance.models import dropout_plan
from semblance.models.dropout_plan import DropoutPlan, DropoutSettings
from semblance.models.masks import dropout
from semblance.named_modules import DROPOUTS, module_names
from semblance.settings import decode
from tests.unit.models.statistics import correlation, six_errors

VIEWS = torch.tensor([0, 0, 0, 1, 1, 1])


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(1234)


def plan(hidden=0.1, attention=0.1, **settings):
    """The plan of a base with these rates, under settings as a config states them."""
    return DropoutPlan(decode(DropoutSettings, settings, "dropout"), hidden, attention, VIEWS)


def test_no_settings_keep_the_rates_of_the_base():
    kept = plan(0.13, 0.07)
    assert (kept.hidden_rate(), kept.attention_rate()) == (0.13, 0.07)
    assert kept.head_scale(4) is None


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_settings_replace_the_rates_of_the_base_even_by_zero(rate):
    base = {"hidden": 0.13, "attention": 0.07}
    for name in base:
        settings = decode(DropoutSettings, {name: rate}, "dropout")
        replaced = DropoutPlan(settings, **base, views=VIEWS)
        expected = base | {name: rate}
        found = {"hidden": replaced.hidden_rate(), "attention": replaced.attention_rate()}
        assert found == expected


def test_a_named_rate_takes_the_place_of_the_plain_one_where_it_acts():
    hidden = plan(attention=0.3, sampled={})
    both = plan(attention=0.3, sampled={"layers": "hidden+attention"})
    assert hidden.attention_rate() == 0.3
    for rate in (hidden.hidden_rate(), both.hidden_rate(), both.attention_rate()):
        assert rate.shape == (6,)


def test_a_plan_finds_only_the_modules_that_its_settings_name(monkeypatch):
    found = []

    def load(package, name, where):
        found.append((package, name))
        return SimpleNamespace(Options=float)

    monkeypatch.setattr(dropout_plan, "load_module", load)
    plan(drophead=0.1)
    assert set(found) == {(DROPOUTS, "drophead")}
    found.clear()
    plan(hidden=0.1, attention=0.2)
    assert not found


@pytest.mark.parametrize("name", ["nobody", "__init__", "../masks", "Sampled", ""])
def test_a_dropout_without_a_module_is_refused_and_the_known_ones_are_listed(name):
    with pytest.raises(InputError) as caught:
        decode(DropoutSettings, {name: 0.1}, "settings.dropout")
    assert str(caught.value).startswith(f"settings.dropout.{name}: ")
    assert str(caught.value).endswith(f"known are {', '.join(module_names(DROPOUTS))}")


@pytest.mark.parametrize(
    "settings, where",
    [
        ({"hidden": "x"}, "dropout.hidden"),
        ({"drophead": "x"}, "dropout.drophead"),
        ({"drophead": {}}, "dropout.drophead"),
        ({"drophead": 0.91}, "dropout.drophead"),
        ({"hidden": -0.1}, "dropout.hidden"),
        ({"attention": 1.0}, "dropout.attention"),
        ({"sampled": 0.1}, "dropout.sampled"),
        ({"sampled": {"rate": 0.1}}, "dropout.sampled.rate"),
        ({"sampled": {"low": "x"}}, "dropout.sampled.low"),
        (0.1, "dropout"),
    ],
)
def test_options_of_another_type_are_refused_by_their_key(settings, where):
    with pytest.raises(InputError) as caught:
        decode(DropoutSettings, settings, "dropout")
    assert str(caught.value).startswith(f"{where}: ")


def dropouts(monkeypatch, **modules):
    """Let modules stand in for those of the folder; return the plan that names them all."""
    monkeypatch.setattr(dropout_plan, "load_module", lambda package, name, where: modules[name])
    return plan(**dict.fromkeys(modules, 0.5))


def test_two_rates_for_one_operation_are_refused(monkeypatch):
    everywhere = SimpleNamespace(Options=float, rate=lambda rate, site: rate)
    in_hidden_layers = SimpleNamespace(
        Options=float, rate=lambda rate, site: rate if site.layers == "hidden" else None
    )
    both = dropouts(monkeypatch, one=everywhere, two=in_hidden_layers)
    assert both.attention_rate() == 0.5
    with pytest.raises(InputError, match="2 dropouts give a rate for hidden layers"):
        both.hidden_rate()


def test_the_factors_of_two_dropouts_of_heads_are_multiplied(monkeypatch):
    def constant(factor):
        return SimpleNamespace(
            Options=float,
            head_scale=lambda _, rows, heads, device: torch.full((rows, heads), factor),
        )

    silent = SimpleNamespace(Options=float, head_scale=lambda *_: None)
    both = dropouts(monkeypatch, two=constant(2.0), silent=silent, three=constant(3.0))
    assert torch.equal(both.head_scale(4), torch.full((6, 4), 6.0))


@pytest.mark.parametrize(
    "settings", [{}, {"sampled": {}}, {"sampled": {"granularity": "row"}}], ids=str
)
def test_the_masks_of_the_two_views_are_independent(settings):
    drawn = plan(**settings)
    pairs = []
    for _ in range(2500):
        rate = drawn.hidden_rate()
        if isinstance(rate, torch.Tensor):
            rate = rate[:, None]
        out = dropout(torch.ones(6, 8), rate)
        pairs.append((out[0] == 0, out[3] == 0))  # the same sentence, once in each view
    first, second = (torch.stack(side) for side in zip(*pairs, strict=True))
    assert 0.08 < first.double().mean() < 0.12
    assert abs(correlation(first, second)) < six_errors(first.numel())
