"""What a table shows, worked out by hand from a few scores."""

import statistics

import pytest

from semblance.errors import InputError
from semblance.reporting.build import build
from semblance.reporting.table import from_json, to_json
from tests.unit.reporting.example_scores import frame, record, runs, spec

SIMCSE = {1: (0.70, 0.80), 2: (0.71, 0.83), 3: (0.75, 0.82)}
RCL = {1: (0.90, 0.80), 2: (0.91, 0.83), 3: (0.95, 0.82)}
ROWS = {"SimCSE": ("simcse", (1, 2, 3)), "RCL": ("rcl-8", (1, 2, 3))}
START = [
    record(method="start", corpus="none", seed=0, task=task, value=value)
    for task, value in (("sts12", 0.60), ("sts13", 0.62))
]


def cells(table, label, protocol=None):
    return next(
        row for row in table.rows if row.label == label and protocol in (None, row.protocol)
    ).cells


def test_a_cell_is_mean_and_sample_sd_over_seeds_in_points():
    cell = cells(build(spec(ROWS), frame(runs("simcse", SIMCSE) + runs("rcl-8", RCL))), "SimCSE")[
        "sts12"
    ]
    assert cell.mean == pytest.approx(72.0) and cell.n == 3
    assert cell.sd == pytest.approx((((70 - 72) ** 2 + (71 - 72) ** 2 + (75 - 72) ** 2) / 2) ** 0.5)


def test_the_average_is_taken_by_seed_before_rounding():
    cell = cells(build(spec(ROWS), frame(runs("simcse", SIMCSE) + runs("rcl-8", RCL))), "SimCSE")[
        "Average"
    ]
    by_seed = [(70 + 80) / 2, (71 + 83) / 2, (75 + 82) / 2]
    assert cell.mean == pytest.approx(statistics.mean(by_seed)) and cell.sd == pytest.approx(
        statistics.stdev(by_seed)
    )


def test_a_missing_score_empties_cell_and_average_and_is_named():
    scores = [r for r in runs("simcse", SIMCSE) if (r["seed"], r["task"]) != (2, "sts13")]
    table = build(spec({"SimCSE": ROWS["SimCSE"]}), frame(scores))
    found = cells(table, "SimCSE")
    assert found["sts12"].mean == pytest.approx(72.0)
    assert found["sts13"].mean is found["Average"].mean is None
    assert any("n/a" in note and "nli/tiny/simcse/seed-2" in note for note in table.notes)


def test_a_missing_score_is_never_zero():
    table = build(spec({"SimCSE": ROWS["SimCSE"]}), frame([]))
    assert all(cell.values == {} for cell in table.rows[0].cells.values())


def test_the_untrained_model_has_one_value_and_no_spread():
    cell = cells(build(spec({"start": ("start", (1, 2, 3))}), frame(START)), "start")["Average"]
    assert cell.values == {"0": pytest.approx(61.0)} and cell.sd is None


def test_a_cell_ignores_subsets_and_other_aggregations():
    scores = runs("simcse", SIMCSE) + [
        record(subset="MSRpar", aggregation="subset", value=0.1),
        record(aggregation="mean", value=0.2),
        record(protocol="raw", value=0.3),
    ]
    assert (
        cells(build(spec({"SimCSE": ROWS["SimCSE"]}), frame(scores)), "SimCSE")["sts12"].values["1"]
        == 70.0
    )


def test_the_seeds_layout_shows_all_the_top_three_and_the_best():
    values = {seed: (v, v) for seed, v in {1: 0.70, 2: 0.76, 3: 0.74, 4: 0.75, 10: 0.60}.items()}
    table = build(spec({"S": ("s", (10, 1, 2, 3, 4))}, layout="seeds"), frame(runs("s", values)))
    found = cells(table, "S")
    assert table.columns == (
        "mean",
        "top3",
        "max",
        "seed 1",
        "seed 2",
        "seed 3",
        "seed 4",
        "seed 10",
    )
    assert (found["mean"].mean, found["mean"].n) == (pytest.approx(71.0), 5)
    assert (found["top3"].mean, found["top3"].sd, found["top3"].n) == (
        pytest.approx(75.0),
        pytest.approx(1.0),
        3,
    )
    assert found["max"].values == {"2": pytest.approx(76.0)} and found[
        "seed 10"
    ].mean == pytest.approx(60.0)


def test_the_summary_of_seeds_is_missing_if_one_seed_is():
    found = cells(
        build(spec({"S": ("simcse", (1, 2, 3, 4))}, layout="seeds"), frame(runs("simcse", SIMCSE))),
        "S",
    )
    assert (
        found["mean"].mean
        is found["top3"].mean
        is found["max"].mean
        is found["seed 4"].mean
        is None
    )
    assert found["seed 1"].mean == pytest.approx(75.0)


def faq(method, seed, fold, protocol, value, corpus=None):
    return [
        record(
            corpus=corpus or f"bank-{fold}",
            method=method,
            seed=seed,
            fold=str(fold),
            task="bank",
            metric=metric,
            aggregation="test",
            protocol=protocol,
            value=value + extra,
        )
        for extra, metric in enumerate_metrics()
    ]


def enumerate_metrics():
    return [(0.0, "acc@1"), (0.01, "acc@3"), (0.02, "acc@5"), (0.03, "map")]


def test_a_faq_seed_is_the_mean_of_its_folds_and_each_protocol_has_a_row():
    scores = [
        r
        for seed in (1, 2)
        for fold in (0, 1)
        for protocol, lift in (("pairs", 0.0), ("annotated", 0.5))
        for r in faq("simcse", seed, fold, protocol, lift + 0.1 * seed + 0.02 * fold)
    ]
    rows = {"SimCSE": {"base": "tiny", "method": "simcse", "seeds": [1, 2]}}
    table = build(
        spec(
            rows, layout="faq", dataset="bank", folds=2, tasks=[], protocols=["pairs", "annotated"]
        ),
        frame(scores),
    )
    assert table.columns == ("acc@1", "acc@3", "acc@5", "map")
    assert cells(table, "SimCSE", "pairs")["acc@1"].values == {
        "1": pytest.approx(11.0),
        "2": pytest.approx(21.0),
    }
    assert cells(table, "SimCSE", "annotated")["map"].mean == pytest.approx(69.0)


def test_a_faq_cell_is_missing_if_one_fold_is():
    rows = {"start": {"base": "tiny", "method": "start", "seeds": [0]}}
    settings = spec(rows, layout="faq", dataset="bank", folds=2, tasks=[])
    for corpus in ("none", "bank-0"):  # an untrained model may stand under either
        whole = faq("start", 0, 0, "pairs", 0.2, corpus)
        assert cells(build(settings, frame(whole)), "start")["map"].mean is None
        other = "none" if corpus == "none" else "bank-1"
        table = build(settings, frame(whole + faq("start", 0, 1, "pairs", 0.4, other)))
        assert cells(table, "start")["acc@1"].mean == pytest.approx(30.0)


def test_the_dev_layout_shows_the_development_score_alone():
    scores = [record(seed=s, task="stsb-dev", value=v) for s, v in ((1, 0.80), (2, 0.82))]
    table = build(spec({"SimCSE": ("simcse", (1, 2))}, layout="dev", tasks=[]), frame(scores))
    assert table.columns == ("stsb-dev",) and cells(table, "SimCSE")[
        "stsb-dev"
    ].mean == pytest.approx(81.0)


def test_a_table_tells_the_steps_of_its_entropy_models_over_the_seeds():
    rows = {"φ = 0.01": ("entropy-0.01", (1, 2)), "RCL": ("rcl-8", (1, 2))}
    of_training = {"task": "training", "metric": "steps"}
    scores = [
        *runs("entropy-0.01", {1: (0.5, 0.5), 2: (0.5, 0.5)}, phi="0.01"),
        record(method="entropy-0.01", seed=1, phi="0.01", value=120.0, **of_training),
        record(method="entropy-0.01", seed=2, phi="0.01", value=161.0, **of_training),
        record(method="rcl-8", seed=1, value=900.0, **of_training),
    ]
    table = build(spec(rows), frame(scores))
    mean = (120 + 161) / 2
    (note,) = [note for note in table.notes if note.startswith("Steps")]
    assert note.endswith(f": φ = 0.01: {mean} (120–161).")
    assert table.rows[0].steps == {"1": 120.0, "2": 161.0} and table.rows[1].steps == {}
    assert not any(note.startswith("Steps") for note in build(spec(ROWS), frame([])).notes)


def test_alignment_keeps_its_own_unit():
    scores = [record(task="stsb", metric="alignment", value=0.25)]
    table = build(
        spec({"SimCSE": ("simcse", (1,))}, tasks=["stsb"], metric="alignment"), frame(scores)
    )
    assert cells(table, "SimCSE")["stsb"].mean == 0.25


@pytest.mark.parametrize("name", ["precision", "code", "environment"])
def test_a_difference_in_precision_code_or_environment_is_noted(name):
    scores = runs("simcse", SIMCSE) + runs("rcl-8", RCL, **{name: "other"})
    notes = [
        note for note in build(spec(ROWS), frame(scores)).notes if note.startswith(f"Mixed {name}")
    ]
    assert len(notes) == 1 and "other (RCL)" in notes[0]
    assert not any(
        note.startswith("Mixed") for note in build(spec(ROWS), frame(runs("simcse", SIMCSE))).notes
    )


def test_json_gives_the_same_table_again():
    table = build(
        spec(ROWS, control="SimCSE"), frame(START + runs("simcse", SIMCSE) + runs("rcl-8", RCL))
    )
    assert from_json(to_json(table)) == table
    with pytest.raises(InputError, match="x.json"):
        from_json("[1]", "x.json")


@pytest.mark.parametrize("wrong", [{"layout": "pie"}, {"colour": "red"}])
def test_wrong_settings_stop_with_their_key(wrong):
    with pytest.raises(InputError, match="table t"):
        build(spec(ROWS) | wrong, frame([]))
