"""Bounds of random draws, for tests of dropout: each is six standard errors wide."""

import math


def is_within(share, probability, draws):
    """Whether a share of ``draws`` independent trials lies within six standard errors."""
    return abs(share - probability) <= 6 * math.sqrt(probability * (1 - probability) / draws)


def six_errors(draws):
    """Six standard errors of the correlation of ``draws`` independent pairs."""
    return 6 / math.sqrt(draws)


def correlation(x, y):
    x = x.double().flatten() - x.double().mean()
    y = y.double().flatten() - y.double().mean()
    return float(x @ y / (x.norm() * y.norm()))
