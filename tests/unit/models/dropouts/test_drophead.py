"""DropHead: the factors of the heads that are kept, and how often a head is dropped."""

import pytest
import torch
from scipy import stats

from semblance.models.dropouts import drophead
from semblance.models.dropouts.drophead import head_scale
from tests.unit.models.statistics import is_within

CPU = torch.device("cpu")


def test_a_rate_of_zero_draws_nothing():
    before = torch.get_rng_state()
    assert head_scale(0.0, 5, 4, CPU) is None
    assert torch.equal(torch.get_rng_state(), before)


def test_head_scale_is_heads_over_kept(monkeypatch):
    keep = torch.tensor([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=torch.bool)
    monkeypatch.setattr(drophead, "keep_mask", lambda shape, rate, device: (keep, 1 - rate))
    expected = [
        [1.0, 1.0, 1.0, 1.0],
        [4 / 3, 0.0, 4 / 3, 4 / 3],
        [0.0, 0.0, 4.0, 0.0],
        [1.0, 1.0, 1.0, 1.0],  # all dropped: all kept
    ]
    assert torch.allclose(head_scale(0.3, 4, 4, CPU), torch.tensor(expected))


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.8])
def test_heads_are_dropped_at_the_rate_except_in_rows_that_would_lose_all(rate):
    heads, rows = 4, 50_000
    scale = head_scale(rate, rows, heads, CPU)
    dropped = scale == 0
    assert scale.shape == (rows, heads)
    assert not dropped.all(dim=1).any()
    assert is_within(dropped[:, 0].double().mean().item(), rate - rate**heads, rows)
    for kept in range(1, heads):  # a row keeps exactly this many heads: binomial
        share = (dropped.sum(dim=1) == heads - kept).double().mean().item()
        assert is_within(share, stats.binom(heads, 1 - rate).pmf(kept), rows)
    assert torch.allclose(scale.sum(dim=1), torch.tensor(float(heads)))
