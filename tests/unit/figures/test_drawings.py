"""What each kind of drawing shows, read from its artists."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from semblance.drawing import COLUMN, PAGE, draw_rows, svg_text
from semblance.figures import anisotropy, contrasts, cosine_densities
from tests.unit.figures.example_rows import METHOD, NAMES, ROWS


def draw(kind: str, rows: list[dict] | None = None, names: dict | None = None) -> Figure:
    """Draw the example of a kind, or other rows."""
    return draw_rows(kind, ROWS[kind] if rows is None else rows, NAMES if names is None else names)


def lines(axes) -> dict[str, list[tuple[float, float]]]:
    """Return the points of each line that has an entry in the legend."""
    found = {line.get_label(): line.get_xydata() for line in axes.lines}
    return {k: [tuple(map(float, p)) for p in v] for k, v in found.items() if k[0] != "_"}


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def labels(axes) -> list[str]:
    return [text.get_text() for text in axes.get_yticklabels()]


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_a_drawing_is_one_or_two_columns_wide_and_its_print_is_of_7_or_8_points(kind):
    figure = draw(kind)
    assert figure.get_figwidth() in (COLUMN, PAGE) or COLUMN < figure.get_figwidth() < PAGE
    svg_text(figure)
    found = {text.get_fontsize() for text in figure.findobj(lambda a: hasattr(a, "get_fontsize"))}
    assert found <= {7.0, 8.0}


@pytest.mark.parametrize(
    "average, said", [(70.0, "known at one setting alone"), (None, "not known")]
)
def test_a_figure_by_phi_claims_no_change_where_nothing_was_compared(average, said):
    one = next(row for row in ROWS["by_phi"] if row["phi"] is not None) | {"average": average}
    label = draw("by_phi", [one]).get_label()
    assert label.endswith(f"the STS average is {said}") and "does not change" not in label


def test_a_figure_without_rows_says_so():
    assert [text.get_text() for text in draw("curve", []).texts] == ["no data"]


def test_two_models_differ_in_colour_marker_and_dashes():
    first, second = [
        line for line in draw("singular_values").axes[0].lines if line.get_label()[0] != "_"
    ]
    for part in ("get_color", "get_marker", "get_linestyle"):
        assert getattr(first, part)() != getattr(second, part)()


def test_a_model_without_a_label_goes_by_its_names():
    assert legend(draw("singular_values", names={})) == ["rcl · tiny · nli", "simcse · tiny · nli"]


def test_scores_stand_above_the_number_of_regulators_and_the_untrained_base_is_a_level_line():
    rows = ROWS["by_regulators"]
    axes = draw("by_regulators", rows).axes[0]
    np.testing.assert_allclose(lines(axes)["mean of the seeds"], [(0, 71), (2, 74)])
    assert {y for _, y in lines(axes)["start · tiny · nli"]} == {67.0}
    assert list(axes.get_xticks()) == [0, 2]
    both = draw("by_regulators", [*rows, *(row | {"base": "large"} for row in rows[1:])])
    assert legend(both)[:2] == ["tiny · nli", "large · nli"]


LONG = "x" * 100  # longer than a label may be


@pytest.mark.parametrize("names", ["_hidden b", "__ b", "\x00 \x00", f"{LONG}b {LONG}c"])
def test_labels_that_are_hidden_or_cut_stay_two_models_in_the_legend(names):
    first, second = legend(
        draw("singular_values", names=dict(zip(NAMES, names.split(), strict=True)))
    )
    assert first != second and not first.startswith("_")


def test_each_form_of_the_entropy_loss_has_a_line_over_phi():
    figure = draw("by_phi")
    found = lines(figure.axes[0])
    np.testing.assert_allclose(found["entropy"], [(-0.01, 60), (0.02, 65)])
    np.testing.assert_allclose(found["sum"], [(0.02, 50)])
    assert {y for _, y in found["RCL (8 regulators)"]} == {70.0}
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["−0.01", "0.02"]


def test_a_curve_leads_from_its_first_step_to_its_last_and_says_which_they_are():
    figure = draw("curve")
    axes = figure.axes[0]
    assert lines(axes)["SimCSE"] == [(-1.0, 0.3), (-2.5, 0.2)]
    # Both trainings start at one place, which is written once.
    assert sorted(texts(figure)) == ["step 0", "step 10", "step 10"]


def test_singular_values_of_each_seed_and_their_mean_stand_on_a_log_scale_with_plain_numbers():
    figure = draw("singular_values")
    axes = figure.axes[0]
    mean = (1.0 + 0.5) / 2  # of the two seeds
    np.testing.assert_allclose(lines(axes)["SimCSE"], [(i, mean / i) for i in range(1, 9)])
    assert legend(figure) == ["RCL (8 regulators)", "SimCSE"]
    assert len(axes.lines) == 2 * (2 + 1)
    assert axes.get_yscale() == "log"
    assert ">0.1<" in svg_text(draw("singular_values"))


def test_each_group_of_gold_scores_has_a_histogram_of_area_one():
    figure = draw("cosine_densities")
    assert [axes.get_title() for axes in figure.axes] == ["RCL (8 regulators)", "SimCSE"]
    axes = figure.axes[0]
    steps = [patch.get_data() for patch in axes.patches]
    assert [step.baseline for step in steps] == [0, 1, 2, 3, 4]
    areas = [float(((s.values - s.baseline) * np.diff(s.edges)).sum()) for s in steps]
    assert areas == pytest.approx([areas[0]] * 5)
    highest = max(float((s.values - s.baseline).max()) for s in steps)
    assert highest == pytest.approx(cosine_densities.TALLEST)
    assert labels(axes) == [f"{low}–{low + 1}" for low in range(5)]


def test_each_measure_of_anisotropy_has_a_panel_and_each_model_a_line_in_it():
    figure = draw("anisotropy")
    assert len(figure.axes) == len(anisotropy.PANELS)
    shown = [line.get_xydata().tolist() for line in figure.axes[0].lines]
    assert shown == [[[0.9, place]] for place in (0.0, 0.0, 1.0, 1.0)]
    assert labels(figure.axes[0]) == ["RCL (8 regulators)", "SimCSE"]


def shown(figure: Figure) -> list[str]:
    """Return what a figure shows, and its points, to whoever points at them in a browser."""
    titles = ET.fromstring(svg_text(figure)).iter("{http://www.w3.org/2000/svg}title")
    return [title.text for title in titles]


def test_each_model_is_a_point_that_names_it_and_the_best_is_in_the_title():
    figure = draw("alignment_uniformity")
    named = [
        "RCL (8 regulators): STS average 70.0, uniformity −2.50, alignment 0.20",
        "SimCSE: STS average 60.0, uniformity −2.40, alignment 0.20",
    ]
    assert shown(figure) == [f"Of 2 models, the highest STS average has {named[0]}", *named]
    points = [line.get_xydata()[0] for line in figure.axes[0].lines if len(line.get_xdata())]
    np.testing.assert_allclose(points, [[-2.5, 0.2], [-2.4, 0.2]])


def test_models_whose_names_begin_with_the_same_word_have_one_shape():
    near = ROWS["alignment_uniformity"][0]
    names = ["rcl-2", "rcl-8", "simcse", "simcse-sup", "start"]
    figure = draw("alignment_uniformity", [near | {"method": name} for name in names], {})
    assert legend(figure) == ["rcl (2)", "simcse (2)", "start (1)"]
    shapes = [line.get_marker() for line in figure.axes[0].lines if len(line.get_xdata())]
    assert shapes[0] == shapes[1] != shapes[2] == shapes[3] != shapes[4]


@pytest.mark.parametrize(
    "kind, finding",
    [
        ("anisotropy", "The mean cosine of Eq. 6 is 0.500 in RCL (8 regulators), 0.500 in SimCSE"),
        ("by_phi", "changes by +5.00 from −0.01 to 0.02, entropy"),
        (
            "by_regulators",
            "changes by +3.00 from 0 to 2, mean of the seeds",
        ),  # from 70 and 72 to 74
        ("cosine_densities", "rises by +0.80 in RCL (8 regulators), +0.80 in SimCSE"),
        ("curve", "by −1.00 and −0.10 in RCL (8 regulators), −1.50 and −0.10 in SimCSE"),
        ("singular_values", "fall to 9% at place 8 in"),  # the mean of 1/8 and 0.5/8
    ],
)
def test_the_title_of_a_drawing_says_what_its_rows_show(kind, finding):
    [title] = shown(draw(kind))
    assert finding in title


def forest(*rows: dict):
    """Draw a table against its control; return its panel."""
    return draw("contrasts", list(rows)).axes[0]


def test_a_forest_shows_the_interval_over_seeds_the_papers_value_and_the_margin():
    axes = forest(*ROWS["contrasts"])
    intervals = [lines.get_segments()[0][:, 0].tolist() for lines in axes.collections]
    assert intervals == [[-0.2, 0.8]]
    values = {line.get_marker(): line.get_xdata() for line in axes.lines}
    assert (values["o"], values["D"]) == ([0.3], [0.18])
    band = axes.patches[0]
    assert (band.get_x(), band.get_width()) == (-0.5, 1.0)
    assert labels(axes) == ["RCL against SimCSE"]
    assert axes.get_xlabel() == "Average: points"


def test_a_difference_without_intervals_or_published_value_is_a_dot_alone():
    axes = forest(METHOD | dict.fromkeys((*contrasts.INTERVALS, "published")))
    assert len(axes.collections) == 0
    assert [line.get_marker() for line in axes.lines if len(line.get_xdata()) == 1] == ["o"]


def test_each_table_has_a_title_and_a_scale_of_its_own():
    small = dict.fromkeys((*contrasts.INTERVALS, "difference", "published"), 0.01)
    figure = draw("contrasts", [METHOD, METHOD | small | {"table": "u", "title": "Another"}])
    assert [axes.get_title(loc="right") for axes in figure.axes] == ["A table", "Another"]
    assert [axes.get_xlim()[1] for axes in figure.axes] == pytest.approx([1.05 * 0.8, 1.05 * 0.01])


def test_what_lies_far_from_the_other_methods_is_a_triangle_at_the_border():
    others = [METHOD | {"label": f"m{n}"} for n in range(3)]
    axes = forest(*others, METHOD | {"difference": -38.4, "high": 90.0})
    reach = 1.05 * contrasts.FAR * METHOD["high"]  # of the others, the median
    assert axes.get_xlim() == pytest.approx((-reach, reach))
    ends = {line.get_marker(): line.get_xdata()[0] for line in axes.lines}
    assert (ends["<"], ends[">"]) == pytest.approx((-reach, reach))


def test_rows_of_several_protocols_name_theirs():
    axes = forest(METHOD, METHOD | {"protocol": "all"})
    assert labels(axes) == ["RCL (senteval) against SimCSE", "RCL (all) against SimCSE"]


def test_a_method_far_from_the_others_is_drawn_at_the_border_with_its_values():
    near = ROWS["alignment_uniformity"][0]
    rows = [near | {"method": f"m{i}", "uniformity": -2 - i / 100} for i in range(8)]
    far = near | {"method": "far", "uniformity": -9.5, "average": 0.1}
    figure = draw("alignment_uniformity", [*rows, far])
    left, right = figure.axes[0].get_xlim()
    assert -4 < left < right < 0
    assert "at the border: far · tiny · nli (−9.50, 0.20)" in texts(figure)


def test_a_panel_of_scores_covers_a_point_at_least():
    rows = [row | {"average": 0.7} for row in ROWS["by_regulators"]]
    low, high = draw("by_regulators", rows).axes[0].get_ylim()
    assert high - low >= 1


def test_a_reference_far_from_the_series_is_reported_in_the_legend_and_does_not_press_it_flat():
    near, *rows = ROWS["by_regulators"]
    far = near | {"average": 0.2}  # 50 points below a series that is 4 points high
    for start, is_near in ((near, True), (far, False)):
        figure = draw("by_regulators", [start, *rows])
        lowest, _ = figure.axes[0].get_ylim()
        score = 100 * start["average"]
        assert (lowest < score) == is_near
        assert any(f"{score:.2f}, outside" in text for text in legend(figure)) != is_near
