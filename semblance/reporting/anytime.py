"""A confidence sequence: intervals of a mean that may be looked at after every new seed.

An interval of the t-test is right for a number of seeds that was fixed before. Whoever adds seeds
until it excludes 0 finds a difference sooner or later where there is none. Here all intervals, of
every number of seeds, hold at the same time with the stated probability.

The mean m is in the interval while the Bayes factor against it is below 1 / (1 - level). The factor
has a normal prior of the effect size and the right Haar prior of the scale (Gönen et al. 2005), with
which it is a test at any time of stopping, whatever the scale (Hendriksen, de Heide, Grünwald 2021).
"""

import math

import numpy as np

from semblance.reporting.significance import LEVEL

# Variance of the effect size in the prior. The intervals hold with any value, and are shortest for
# few seeds where the difference is some two of its standard deviations.
EFFECT = 4.0


def interval(differences: np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of the mean of normal differences (n,); without bounds below 2.

    With r = t²/(n - 1) the factor is (1 + n g)^-1/2 ((1 + r) / (1 + r / (1 + n g)))^(n/2).
    """
    n = len(differences)
    if n < 2:
        return -math.inf, math.inf
    wider = 1 + n * EFFECT
    ratio = (math.sqrt(wider) / (1 - level)) ** (-2 / n)
    if ratio <= 1 / wider:  # no mean is refused yet
        return -math.inf, math.inf
    largest = (1 - ratio) / (ratio - 1 / wider)  # of r
    mean = float(np.mean(differences))
    half = math.sqrt(largest * (n - 1) / n) * float(np.std(differences, ddof=1))
    return mean - half, mean + half
