"""What a table shows, worked out by hand from a few scores."""

import pytest
from pytest import approx

from tests.unit.reporting.example_scores import FAQ, TASKS, of_fold, record, runs, table

SIMCSE = runs("simcse", {1: (0.70, 0.80), 2: (0.71, 0.83), 3: (0.75, 0.82)})
RCL = {1: (0.90, 0.80), 2: (0.91, 0.83), 3: (0.95, 0.82)}
ROWS = {"SimCSE": ("simcse", (1, 2, 3)), "RCL": ("rcl-8", (1, 2, 3))}
ALONE = {"SimCSE": ROWS["SimCSE"]}


def cells(shown, label, protocol=None):
    named = [row for row in shown.rows if row.label == label and protocol in (None, row.protocol)]
    return named[0].cells


def test_a_missing_score_empties_cell_and_average_and_is_named():
    scores = [r for r in SIMCSE if (r["seed"], r["task"]) != (2, "sts13")]
    shown = table(ALONE, scores)
    found = cells(shown, "SimCSE")
    assert found["sts12"].mean == approx(72.0)
    assert found["sts13"].mean is found["Average"].mean is None
    assert any("n/a" in note and "nli/tiny/simcse/seed-2" in note for note in shown.notes)


def test_the_seeds_layout_shows_all_the_top_three_and_the_best():
    values = {seed: (v, v) for seed, v in {1: 0.70, 2: 0.76, 3: 0.74, 4: 0.75, 10: 0.60}.items()}
    shown = table({"S": ("s", (10, 1, 2, 3, 4))}, runs("s", values), layout="seeds")
    seeds = [f"seed {number}" for number in (1, 2, 3, 4, 10)]
    assert shown.columns == ("mean", "top3", "max", *seeds)
    found = cells(shown, "S")
    assert (found["mean"].mean, found["mean"].n) == (approx(71.0), 5)
    top = found["top3"]
    assert (top.mean, top.sd, top.n) == (approx(75.0), approx(1.0), 3)
    assert found["max"].values == {"2": approx(76.0)}
    assert found["seed 10"].mean == approx(60.0)


LIFT = (0.0, 0.01, 0.02, 0.03)  # of the metrics of a bank, so that no two are equal


def test_a_faq_seed_is_the_mean_of_its_folds_and_each_protocol_has_a_row():
    scores = []
    for seed, fold in ((1, 0), (1, 1), (2, 0), (2, 1)):
        value = 0.1 * seed + 0.02 * fold
        scores += of_fold("simcse", seed, fold, value, "pairs", LIFT)
        scores += of_fold("simcse", seed, fold, 0.5 + value, "annotated", LIFT)
    rows = {"SimCSE": ("simcse", (1, 2))}
    shown = table(rows, scores, protocols=["pairs", "annotated"], **FAQ)
    assert shown.columns == ("acc@1", "acc@3", "acc@5", "map")
    found = cells(shown, "SimCSE", "pairs")["acc@1"]
    assert found.values == {"1": approx(11.0), "2": approx(21.0)}
    assert cells(shown, "SimCSE", "annotated")["map"].mean == approx(69.0)


@pytest.mark.parametrize("corpora", [("none", "none"), ("bank-0", "bank-1")])
def test_a_faq_cell_is_missing_if_one_fold_is(corpora):
    """An untrained model may stand under its bank's folds or under no corpus."""
    first, second = (
        of_fold("start", 0, fold, value, lift=LIFT, corpus=corpus)
        for fold, value, corpus in zip((0, 1), (0.2, 0.4), corpora, strict=True)
    )
    rows = {"start": ("start", (0,))}
    assert cells(table(rows, first, **FAQ), "start")["map"].mean is None
    assert cells(table(rows, first + second, **FAQ), "start")["acc@1"].mean == approx(30.0)


def test_a_table_of_a_bank_says_what_a_perfect_model_has_where_it_is_less_than_100():
    """Over two folds: 20 and 40 give 30; 100 is not named, and neither is another bank."""
    scores = []
    for fold, value in ((0, 0.2), (1, 0.4)):
        lift = (0, 1 - value, 1 - value, 0.5)
        scores += of_fold("rcl", 1, fold, value)
        scores += of_fold("rcl", 1, fold, value, lift=lift, aggregation="ceiling")
        scores += of_fold("rcl", 1, fold, 0.1, aggregation="ceiling", task="other")
    (note,) = [n for n in table({"RCL": ("rcl", (1,))}, scores, **FAQ).notes if "perfect" in n]
    assert note.startswith("A perfect model has Acc@1 30.0 (pairs), MAP 80.0 (pairs):")


def test_a_table_names_the_steps_of_its_entropy_models_over_the_seeds():
    rows = {"φ = 0.01": ("entropy-0.01", (1, 2)), "RCL": ("rcl-8", (1, 2))}
    of_training = {"task": "training", "metric": "steps"}
    scores = [
        *runs("entropy-0.01", {1: (0.5, 0.5), 2: (0.5, 0.5)}, phi="0.01"),
        record(method="entropy-0.01", seed=1, phi="0.01", value=120.0, **of_training),
        record(method="entropy-0.01", seed=2, phi="0.01", value=161.0, **of_training),
        record(method="rcl-8", seed=1, value=900.0, **of_training),
    ]
    shown = table(rows, scores)
    mean = (120 + 161) / 2
    (note,) = [note for note in shown.notes if note.startswith("Steps")]
    assert note.endswith(f": φ = 0.01: {mean} (120–161).")
    assert shown.rows[0].steps == {"1": 120.0, "2": 161.0} and shown.rows[1].steps == {}
    assert not any(note.startswith("Steps") for note in table(ROWS, []).notes)


@pytest.mark.parametrize(
    "scores, more, place, trainings",
    [
        (runs("rcl-8", RCL), {}, {}, "1 training"),
        (
            [*of_fold("rcl-8", 1, 0, 0.5), *of_fold("rcl-8", 1, 1, 0.5)],
            FAQ | {"protocols": ["pairs"]},
            {"corpus": "bank-1", "fold": "1", "protocol": "pairs"},
            "2 trainings",
        ),
    ],
)
def test_a_table_names_the_rows_whose_teachers_have_not_moved(scores, more, place, trainings):
    unmoved = {"task": "training", "metric": "unmoved teachers", "aggregation": "all"}
    line = record(method="rcl-8", seed=1, value=2.0, **unmoved, **place)
    rows = {"RCL": ("rcl-8", (1,))}
    shown = table(rows, [*scores, line], **more)
    [note] = [note for note in shown.notes if "have not moved" in note]
    assert f"“RCL” (in 1 of {trainings})" in note
    shown = table(rows, scores, **more)
    assert not shown.rows[0].unmoved and not any("not moved" in note for note in shown.notes)


def test_alignment_keeps_its_own_unit():
    scores = [record(task="stsb", metric="alignment", value=0.25)]
    shown = table({"S": ("simcse", (1,))}, scores, tasks=["stsb"], metric="alignment")
    assert cells(shown, "S")["stsb"].mean == 0.25


@pytest.mark.parametrize("method, kind", [("rcl-8", "paired t-test"), ("whitening-target", None)])
def test_the_note_on_differences_names_a_test_of_seeds_where_there_are_seeds(method, kind):
    control = "simcse" if kind else "whitening"
    seeds = (1, 2, 3) if kind else (0,)
    values = {seed: (0.6 + seed / 100, 0.7) for seed in seeds}
    scores = runs(control, values) + runs(
        method, {s: (a + s / 50, b) for s, (a, b) in values.items()}
    )
    rows = {"control": (control, seeds), "row": (method, seeds)}
    (note,) = [n for n in table(rows, scores, control="control").notes if n.startswith("Diff")]
    assert note.endswith(f"Its interval and p are of the {kind}." if kind else "the same seeds.")


@pytest.mark.parametrize("name", ["precision", "code", "environment"])
def test_a_difference_in_precision_code_or_environment_is_noted(name):
    def mixed(notes):
        return [note for note in notes if note.startswith("Mixed")]

    (note,) = mixed(table(ROWS, SIMCSE + runs("rcl-8", RCL, **{name: "other"})).notes)
    assert (
        note.startswith(f"Mixed {name}")
        and (name == "code") == ("own pooling" in note)
        and "other (RCL)" in note
    )
    assert mixed(table(ROWS, SIMCSE).notes) == []


SETTINGS = [(metric, by) for metric in ("spearman", "pearson") for by in ("all", "mean", "wmean")]


@pytest.mark.parametrize(
    "layout, metric, aggregation",
    [
        ("sts", "spearman", "all"),
        ("sts-mean", "spearman", "mean"),
        ("sts-wmean", "spearman", "wmean"),
        ("sts-pearson", "pearson", "all"),
    ],
)
def test_a_table_shows_the_scores_of_its_own_setting_alone(layout, metric, aggregation):
    records = [
        record(subset="MSRpar", metric=metric, aggregation="subset", value=0.1),
        record(protocol="raw", metric=metric, aggregation=aggregation, value=0.3),
    ]
    for number, (of, by) in enumerate(SETTINGS):
        for task, value in zip(TASKS, (0.25, 0.5), strict=True):
            value += number / 64
            records.append(record(task=task, metric=of, aggregation=by, value=value))
    shown = table({"A": ("simcse", [1])}, records, layout=layout)
    lift = 100 * SETTINGS.index((metric, aggregation)) / 64
    means = {column: cell.mean for column, cell in cells(shown, "A").items()}
    assert means == {TASKS[0]: 25 + lift, TASKS[1]: 50 + lift, "Average": 37.5 + lift}
    assert (shown.metric, shown.aggregation) == (metric, aggregation)
