"""SimCSE++'s dropout: the last view alone has none."""

import pytest
import torch

from semblance.errors import InputError
from semblance.models.dropout_plan import Site
from semblance.models.dropouts.off_last import Options, rate
from semblance.models.masks import dropout

VIEWS = torch.tensor([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("layers, expected", [("hidden", 0.3), ("attention", 0.2)])
def test_all_views_but_the_last_have_the_rate_of_the_layers(layers, expected):
    rates = rate(Options(hidden=0.3, attention=0.2), Site(layers, VIEWS, 3, {}))
    assert torch.equal(rates, torch.tensor([expected] * 4 + [0.0] * 2))


def test_a_rate_of_zero_leaves_a_sentence_as_it_is():
    rates = rate(Options(), Site("hidden", VIEWS, 3, {}))
    states = torch.randn(6, 1000)
    dropped = dropout(states, rates[:, None])
    assert torch.equal(dropped[4:], states[4:])
    assert all((row == 0).any() for row in dropped[:4])


def test_a_view_that_is_embedded_by_itself_is_refused():
    with pytest.raises(InputError, match="dropout.off_last: the views are embedded one at a time"):
        rate(Options(), Site("hidden", torch.zeros(3, dtype=torch.int64), 1, {}))
