"""The benchmarks' arithmetic: what they print is worth no more than this."""

import numpy as np
import pytest

from benchmarks.__main__ import ratios, spread, table
from benchmarks.limits import mean_step_gflop, step_gflop
from benchmarks.workload import text_batches
from semblance.data.corpus import NONE, Rows, Tokens
from semblance.models.encoder import Architecture

SHAPE = Architecture(4, 2, 2, 8, 10, 64, 2, 1e-12, 0.1, 0.1, 0, 0)


def test_a_steps_work_is_that_of_its_matrix_products_three_times():
    def forward(tokens: int) -> int:
        """Multiplications and additions of one sentence, product by product: (rows, inner, columns)."""
        products = [(tokens, 4, 12), (tokens, 4, 4), (tokens, 4, 8), (tokens, 8, 4)]  # qkv, out, up, down
        products += [(tokens, 2, tokens), (tokens, tokens, 2)] * 2                     # two heads of width 2
        return 2 * sum(n * k * m for n, k, m in products)
    expected = 3 * SHAPE.num_hidden_layers * (forward(5) + forward(9))  # forward and twice as much backward
    assert step_gflop(SHAPE, np.array([5.0, 9.0])) * 1e9 == pytest.approx(expected)


def test_padding_is_the_share_that_the_longest_of_each_view_makes():
    tokens = Tokens(np.zeros(18, np.int32), np.array([0, 3, 6, 15, 18]))  # sentences of 3, 3, 9 and 3 tokens
    batch = Rows(np.array([0, 1], np.int32), np.array([2, 3], np.int32), np.full(2, NONE, np.int32))
    gflop, padding = mean_step_gflop(SHAPE, tokens, batch, 2, steps=1)
    assert padding == pytest.approx(1 - (3 + 3 + 9 + 3) / (2 * 3 + 2 * 9))
    assert gflop == pytest.approx(step_gflop(SHAPE, np.array([3.0, 3.0, 9.0, 3.0])))


def test_ratios_are_taken_turn_by_turn():
    assert ratios([1.0, 2.0], [3.0, 4.0]) == [3.0, 2.0]
    assert spread([3.0, 1.0, 2.0]) == "2.00 (1.00 to 3.00)"
    assert table(["a", "b"], [[1, 2]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_the_peer_is_given_the_texts_of_our_batches():
    rows = Rows(*(np.array(c, np.int32) for c in ([0, 3], [1, 4], [2, 5])))
    batch = next(text_batches(rows, list("abcdef"), 2, seed=0))
    assert sorted(batch) == [("a", "b", "c"), ("d", "e", "f")]
