"""Tables as longtables: one line a row, deviations as subscripts, labels that are no options."""

import pytest

from semblance.reporting.build import build
from semblance.reporting.formats import markdown
from semblance.reporting.latex import latex
from tests.unit.reporting.example_scores import frame, runs, spec


def made(label="one"):
    """Return a table with a row of three seeds and one of a single seed."""
    values = {seed: (0.7 + 0.01 * seed, 0.8) for seed in (1, 2, 3)}
    rows = {"three": ("simcse", (1, 2, 3)), label: ("rcl-8", (1,))}
    scores = frame(runs("simcse", values) + runs("rcl-8", {1: (0.9, 0.8)}))
    return build(spec(rows), scores)


def test_a_deviation_is_a_subscript_of_its_mean():
    text = latex(made())
    assert r"three & 3 & 72.00$_{\pm 1.00}$ & 80.00$_{\pm 0.00}$ & 76.00$_{\pm 0.50}$ \\" in text
    assert r"one & 1 & 90.00 & 80.00 & 85.00 \\" in text


@pytest.mark.parametrize("form", [latex, markdown])
def test_a_mean_of_one_value_stands_alone(form):
    assert "± –" not in form(made()) and "pm--" not in form(made())


@pytest.mark.parametrize("label", ["[1pt] x", "*x", "[CLS] w/ MLP"])
def test_a_label_is_never_read_as_an_option_of_the_line_before(label):
    ends = latex(made(label)).split(r"\\")[1:]
    assert ends and not any(end.lstrip().startswith(("[", "*")) for end in ends)
