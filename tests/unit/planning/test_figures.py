"""The figures of a config: which models they show, what they read, and what is refused."""

import json

from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning import modules
from workflow.planning.figures import (
    drawing_settings,
    drawn_figures,
    figure_data,
    figure_files,
    figure_runs,
    figure_settings,
)
from workflow.planning.plan import Plan
from workflow.planning.stages import TARGET, Job, inputs, jobs, training_settings

ROWS = [{"corpora": ["wiki1m"], "bases": ["bert-base"], "methods": ["start", "simcse"]}]


def plan(**figures) -> Plan:
    """Return the plan of config.yaml with other figures."""
    return Plan(load(merged("config.yaml") | {"figures": figures}))


def test_a_figure_without_rows_shows_each_model_that_is_scored_on_sts_once():
    made = plan(f={"kind": "alignment_uniformity"})
    scored = {run for tests, run in made.evaluations if tests == "sts"}
    found = figure_runs(made, "f")
    assert set(found) == scored and len(found) == len(scored) > 100


def test_a_figure_with_rows_shows_their_models_and_the_base_once():
    made = plan(f={"kind": "cosine_densities", "seeds": "rcl", "rows": ROWS})
    assert json.loads(figure_settings(made, "f")) == {
        "kind": "cosine_densities",
        "options": {},
        "models": [
            {"corpus": "none", "base": "bert-base", "method": "start", "seeds": [0]},
            {"corpus": "wiki1m", "base": "bert-base", "method": "simcse", "seeds": [1, 2, 3, 4, 5]},
        ],
    }
    assert figure_files(made, "f")[:2] == [
        "results/scores/sts/none/bert-base/start/seed-0/predictions.parquet",
        "results/scores/sts/wiki1m/bert-base/simcse/seed-1/predictions.parquet",
    ]
    first = Job("evaluate_sts", "none", "bert-base", "start", 0)
    assert inputs(made, Job("collect_figure", name="f"))[0] == first
    # A change of scores is told by their text.
    scores = "results/scores/sts/none/bert-base/start/seed-0/scores.csv"
    assert figure_files(made, "f", texts=True)[0] == scores


def test_a_measured_figure_waits_for_its_models_and_the_test_pairs_and_for_no_scores():
    made = plan(f={"kind": "singular_values", "seeds": "figures", "rows": ROWS})
    assert figure_data(made, "f") == "results/sts/pairs.parquet"
    assert inputs(made, Job("measure_figure", name="f")) == [
        Job("download_model", base="bert-base"),
        Job("train", "wiki1m", "bert-base", "simcse", 1),
        Job("prepare_sts"),
    ]
    drawing = Job("draw_figure", name="f")
    assert drawing in inputs(made, TARGET)
    assert Job("measure_figure", name="f") not in inputs(made, TARGET)
    assert inputs(made, drawing) == [Job("measure_figure", name="f")]


def test_the_training_of_a_curve_is_that_of_its_method_with_a_rhythm_of_its_own():
    rows = [{"corpora": ["wiki1m"], "bases": ["bert-base"], "methods": ["simcse-fixed"]}]
    made = plan(f={"kind": "curve", "seeds": "figures", "rows": rows})
    run = ("wiki1m", "bert-base", "simcse-fixed", 1)
    whole = json.loads(made.train_settings(*run))
    own = {"max_steps": 500, "evaluate_every": 10, "evaluate_share": None}
    assert json.loads(training_settings(made, Job("train_curve", *run))) == whole | own
    assert inputs(made, Job("collect_figure", name="f")) == [Job("train_curve", *run)]
    curve = "results/curves/wiki1m/bert-base/simcse-fixed/seed-1/dev.csv"
    assert figure_files(made, "f") == [curve]
    assert Job("train", *run) not in inputs(made, Job("collect_figure", name="f"))


def test_a_search_reads_the_sentences_of_its_corpus_and_no_test_pairs():
    figure = {"kind": "retrieval", "seeds": "figures", "rows": ROWS, "collection": "nli"}
    made = plan(f=figure | {"options": {"queries": ["a"], "top": 2}})
    assert figure_data(made, "f") == "results/corpora/nli/sentences.arrow"
    waits = inputs(made, Job("measure_figure", name="f"))
    assert Job("prepare_nli", "nli") in waits and Job("prepare_sts") not in waits
    # A table of sentences has no drawing.
    assert Job("measure_figure", name="f") in inputs(made, TARGET)
    assert drawn_figures(made) == []


def test_a_figure_may_name_a_model_that_no_table_shows():
    rows = [{"corpora": ["nli"], "bases": ["bert-base"], "methods": ["ssimcse"]}]
    made = plan(f={"kind": "cosine_densities", "seeds": "figures", "rows": rows})
    run = ("nli", "bert-base", "ssimcse", 1)
    assert {Job("train", *run), Job("evaluate_sts", *run)} <= set(jobs(made))
    assert run not in {tuple(evaluation.run) for evaluation in made.evaluations}


NLI = {"corpora": ["nli"], "bases": ["nli-roberta-base-v2"]}


def values_of(made: Plan) -> dict[str, dict]:
    """Return the columns that the settings of each method give to the figure ``f``."""
    models = json.loads(figure_settings(made, "f"))["models"]
    return {model["method"]: model["values"] for model in models}


def test_the_number_of_regulators_comes_from_the_settings_of_a_method():
    methods = ["start", "attention-dropout-0.1", "rcl-2", "rcl-10"]
    made = plan(f={"kind": "by_regulators", "seeds": "rcl", "rows": [NLI | {"methods": methods}]})
    # RCL's Table 4 counts two for each entropy model; rcl-10 has five of them.
    assert len(made.config.methods["rcl-10"].regulator_names) == 5
    assert values_of(made) == {
        "start": {"regulators": None},
        "attention-dropout-0.1": {"regulators": 0},
        "rcl-2": {"regulators": 2},
        "rcl-10": {"regulators": 10},
    }


def test_the_form_and_phi_of_an_entropy_model_come_from_its_kind():
    rows = [NLI | {"methods": ["rcl-8", {"kind": "entropy-sum", "phis": [0.01, -0.01]}]}]
    made = plan(f={"kind": "by_phi", "seeds": "rcl", "rows": rows})
    assert values_of(made) == {
        "rcl-8": {"form": None, "phi": None},
        "entropy-sum-0.01": {"form": "entropy-sum", "phi": "0.01"},
        "entropy-sum--0.01": {"form": "entropy-sum", "phi": "-0.01"},
    }


def test_contrasts_wait_for_all_tables_or_for_those_that_they_name():
    made = plan(f={"kind": "contrasts"}, g={"kind": "contrasts", "tables": ["rcl_table3"]})
    every = json.loads(figure_settings(made, "f"))
    assert every == {"kind": "contrasts", "options": {}, "tables": list(made.config.tables)}
    assert figure_files(made, "g") == ["results/tables/json/rcl_table3.json"]
    waits = inputs(made, Job("collect_figure", name="g"))
    assert waits == [Job("render_table", name="rcl_table3")]


def test_two_models_of_one_label_are_distinguished_by_their_methods():
    config = merged("config.yaml")
    config["methods"] |= dict.fromkeys(("first", "second"), {"label": "Same", "recipe": "rcl"})
    rows = [NLI | {"methods": ["first", "second", "rcl-6"]}]
    config["figures"] = {"f": {"kind": "cosine_densities", "seeds": "figures", "rows": rows}}
    found = json.loads(drawing_settings(Plan(load(config)), "f"))["models"]
    assert [model["label"] for model in found] == [
        "Same · first",
        "Same · second",
        "RCL (6 regulators)",
    ]


def test_only_the_rows_of_its_kind_and_what_its_models_use_count_for_a_figure():
    made = plan(f={"kind": "singular_values", "seeds": "figures", "rows": ROWS})
    module = "semblance.figures.singular_values"
    columns, rows, pooling = modules.of_figure(made.config, "f")
    assert (columns, rows) == (f"{module}:COLUMNS", f"{module}:rows")
    assert pooling == "semblance.models.poolings.cls"
    assert modules.of_drawing(made.config, "f") == [columns, f"{module}:draw"]


def test_without_figures_there_is_nothing_to_make():
    config = merged("config.yaml")
    del config["figures"]
    assert not any("figure" in job.stage for job in jobs(Plan(load(config))))


def test_each_reading_of_rcl_has_a_row_with_a_control_of_its_own_dropout(plan):
    table, figure = (getattr(plan.config, s)["rcl_specifications"] for s in ("tables", "figures"))
    rows = {(base, m) for row in table.rows for base in row.bases for m in row.method_names}
    choices = figure.options["choices"]
    read = {(base, method) for base, method in rows if method in choices}
    assert len(read) == len(choices) == 18
    controls = {table.control, *table.controls.values()}
    assert {method for _, method in rows - read} == controls
    for base, method in read:
        control = table.controls.get(method, table.control)
        assert (base, control) in rows
        ours, theirs = (
            json.loads(plan.train_settings("nli", base, m, 1))["dropout"] for m in (method, control)
        )
        assert ours == theirs, method
