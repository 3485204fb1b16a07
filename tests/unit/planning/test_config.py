"""The config: strict at every level, each violation named by its key; the shipped ones are valid."""

import subprocess
import sys
from pathlib import Path

import pytest

from semblance.config.outputs import Rows
from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from semblance.reporting.table import decode_spec
from semblance.settings import decode_json
from semblance.training.batch_loss import find_loss
from semblance.training.recipe import TrainSettings
from tests.shipped import merged
from workflow.planning import claims
from workflow.planning.config import load
from workflow.planning.inputs import input_checks
from workflow.planning.methods import is_untrained
from workflow.planning.plan import Plan
from workflow.planning.stages import Job
from workflow.planning.tables import rows_of

ROOT = Path(__file__).resolve().parents[3]


CONFIGS = [
    ("config.yaml",),
    ("config.yaml", "demo/config.yaml"),
    ("config.yaml", "configs/minilm.yaml"),
    ("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml"),
    ("config.yaml", "configs/minilm.yaml", "configs/minilm-gpu.yaml"),
    ("config.yaml", "configs/own-faq.yaml"),
    ("config.yaml", "configs/simcse-sources.yaml"),
    ("config.yaml", "configs/simcse-glove.yaml"),
    ("config.yaml", "configs/family.yaml"),
    ("config.yaml", "configs/papers-main.yaml"),
]


@pytest.mark.parametrize("names", CONFIGS)
def test_every_settings_slice_of_a_shipped_config_decodes(names):
    plan = Plan(load(merged(*names)))
    for run in plan.runs:
        if is_untrained(plan.config, run.method) or "entropy" in run.method:
            continue
        settings = decode_json(
            TrainSettings, plan.train_settings(run.corpus, run.base, run.method, run.seed)
        )
        find_loss(settings.loss, settings.options)
        assert settings.seed == run.seed


def put(config: dict, key: str, value: object) -> None:
    """Set ``a.b.c`` of a config."""
    *parents, last = key.split(".")
    for parent in parents:
        config = config.setdefault(parent, {})
    config[last] = value


ENTROPY = "train_entropy.kinds.entropy"


@pytest.mark.parametrize(
    "phi, spelling",
    [("0.010", "0.01"), ("1e-2", "0.01"), (0, "0.0"), (-0.0, "0.0"), ("1e-5", "1e-05")],
)
def test_a_phi_has_one_spelling_wherever_it_stands(phi: float | str, spelling: str):
    entry, name = {"kind": "entropy", "phis": [phi]}, f"entropy-{phi}"
    places = {
        "methods.rcl-2.regulators": entry,
        "tables.rcl_table5.rows": [
            {"corpora": ["nli"], "bases": ["nli-roberta-base-v2"], "methods": ["rcl-8", entry]}
        ],
        "tables.rcl_table5.labels": {name: "mine"},
        "tables.rcl_table5.published": {name: "rcl/5/RCL"},
    }
    for place, value in places.items():
        config = merged("config.yaml")
        put(config, place, value)
        with pytest.raises(InputError) as caught:
            load(config)
        assert str(caught.value).startswith(f"config.{place}")
        assert f"write {spelling} (entropy-{spelling})" in str(caught.value)


def test_a_number_and_a_text_in_the_one_spelling_are_the_same_model():
    config = merged("config.yaml")
    rows = [{"corpora": ["nli"], "bases": ["nli-roberta-base-v2"]}]
    rows[0]["methods"] = ["rcl-8", "entropy-0.01", {"kind": "entropy", "phis": [0.010, "1e-05"]}]
    put(config, "tables.rcl_table5.rows", rows)
    put(config, "tables.rcl_table5.control", "rcl-8")
    full = load(config)
    found = [row.method for row in rows_of(full, full.tables["rcl_table5"])]
    assert found == ["rcl-8", "entropy-0.01", "entropy-1e-05"]


@pytest.mark.parametrize("phi", [1e16, 1e-100, 123456789012])
def test_a_phi_that_no_name_can_hold_is_refused_by_its_value(phi: float):
    config = merged("config.yaml")
    config["tables"]["rcl_table5"]["rows"][0]["methods"] = [{"kind": "entropy", "phis": [phi]}]
    with pytest.raises(InputError) as caught:
        load(config)
    start = f"config.tables.rcl_table5.rows[0].methods.phis: φ {phi} cannot be written as"
    assert str(caught.value).startswith(start), str(caught.value)


def test_kinds_may_share_a_phi():
    config = merged("config.yaml")
    put(config, "methods.rcl-8.regulators", ["entropy-0.01", "entropy-sum-0.01"])
    load(config)


def test_a_table_of_folds_shows_one_bank():
    config = merged("config.yaml")
    row = {"corpora": ["faqir"], "bases": ["nli-roberta-base-v2"], "methods": ["start"]}
    table = config["tables"]["rcl_table2a"]
    for rows in ([{**row, "corpora": ["faqir", "cough"]}], [row, {**row, "corpora": ["cough"]}]):
        table["rows"] = rows
        table["published"] = {}
        with pytest.raises(InputError, match=r"^config\.tables\.rcl_table2a\.rows: .*cough, faqir"):
            load(config)
    table["rows"] = [row, {**row, "methods": ["attention-dropout-0.1", "rcl-8"]}]
    load(config)


def test_the_files_of_an_own_bank_have_to_be_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = merged("config.yaml")
    config["faq"]["banks"]["mine"] = {"kind": "own", "path": "f.xlsx", "queries_path": "asked.csv"}
    checks = list(input_checks(Plan(load(config)), [Job("prepare_faq", name="mine")]))
    files = {"path": "f.xlsx", "queries_path": "asked.csv"}
    for check, (key, file) in zip(checks, files.items(), strict=True):
        with pytest.raises(InputError, match=rf"^config\.faq\.banks\.mine\.{key}: {file}: no such"):
            check()
        (tmp_path / file).touch()
        check()


@pytest.mark.parametrize("method", ["start", "simcse"])
def test_two_bases_of_one_label_are_refused_at_the_label_of_a_base(method: str):
    config = merged("config.yaml")
    config["bases"]["bert-large"]["label"] = config["bases"]["bert-base"]["label"]
    row = {"corpora": ["nli"], "bases": ["bert-base", "bert-large"], "methods": [method]}
    table = {"title": "", "layout": "sts", "seeds": "rcl", "rows": [row]}
    config["tables"] = {"t": table}
    with pytest.raises(InputError, match=r"^config\.bases\.bert-large\.label: .*bert-base"):
        load(config)


def test_a_negative_phi_and_every_option_of_a_loss_are_allowed():
    config = merged("config.yaml")
    put(config, "methods.rcl-2.regulators", ["entropy-sum--0.01"])
    put(config, f"{ENTROPY}.options", {"scale": 5, "hard_negatives_in_entropy": False})
    load(config)


def test_a_config_is_checked_without_torch():
    program = (
        "import sys; from workflow.planning.config import load_files;"
        "load_files([]); print('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_runs_of_a_method_that_chooses_are_those_of_its_candidates():
    plan = Plan(load(merged("config.yaml")))
    table = plan.config.tables["rcl_grid_cough"]
    place = {"corpora": ["cough"], "bases": ["nli-roberta-base-v2"]}
    candidates = plan.config.methods["rcl-chosen"].choose
    assert len(candidates) == 10
    runs = [
        set(plan.table_runs(table.model_copy(update={"rows": [Rows(**place, methods=methods)]})))
        for methods in (["rcl-chosen"], candidates)
    ]
    assert runs[0] == runs[1] and len(runs[0]) == 10 * 5 * 5  # methods, folds, seeds
    assert all(run.method != "rcl-chosen" for run in plan.runs)


def test_a_row_that_chooses_knows_its_candidates_and_their_labels():
    plan = Plan(load(merged("config.yaml")))
    spec = plan.table_spec("rcl_table3")
    choice = next(row["choose"] for row in spec["rows"] if row["method"] == "rcl-chosen")
    assert choice["candidates"] == plan.config.methods["rcl-chosen"].choose
    assert choice["labels"]["rcl-6-batch32"] == "RCL (6 regulators), batch 32"
    assert choice["paper"] == "rcl-8"
    assert sum("choose" in row for row in spec["rows"]) == 1


def test_a_table_of_dev_questions_asks_for_them_whatever_the_protocols_of_the_test():
    plan = Plan(load(merged("config.yaml")))
    assert plan.table_spec("rcl_grid_faqir")["protocols"] == ["dev"]
    assert plan.table_spec("rcl_table2a")["protocols"] == ["pairs", "annotated"]


def test_each_row_is_compared_with_the_control_of_its_own_base_and_corpus():
    from semblance.reporting.build import _table_row
    from semblance.reporting.contrasts import _control
    from semblance.reporting.table import decode_spec

    spec = decode_spec(Plan(load(merged("config.yaml"))).table_spec("ssimcse_table1"))
    rows = [_table_row(spec, row, "senteval", {}) for row in spec.rows]
    for i, row in enumerate(rows):
        other = _control(i, rows, spec.control)
        assert (
            other is None
            if row.method == "simcse"
            else (other.method, other.base) == ("simcse", row.base)
        )


def test_null_removes_a_key():
    config = merged("config.yaml")
    config["tables"]["rcl_grid"] = None
    assert "rcl_grid" not in load(config).tables


def test_a_seed_or_phi_is_kept_apart_in_the_paths():
    plan = Plan(load(merged("config.yaml")))
    paths = [plan.scores(evaluation) for evaluation in plan.evaluations]
    assert len(paths) == len(set(paths))


def test_how_many_share_a_gpu_and_when_to_save_change_no_settings():
    config, other = merged("config.yaml"), merged("config.yaml")
    other["resources"] |= {
        "max_runtime": 60,
        "jobs_per_gpu": 4,
        "checkpoint_minutes": 1,
        "checkpoint_steps": 7,
    }
    run = next(r for r in Plan(load(config)).runs if r.method == "rcl-8" and r.corpus == "nli")
    assert Plan(load(config)).train_settings(*run) == Plan(load(other)).train_settings(*run)


def test_a_table_of_the_transfer_tasks_reads_accuracies_of_its_own_folder():
    plan = Plan(load(merged("config.yaml")))
    spec = plan.table_spec("simcse_tableE1")
    assert spec["tasks"] == list(TRANSFER_TASKS) and spec["protocols"] == ["senteval"]
    assert all(
        file.startswith("results/scores/transfer/")
        for file in plan.table_files("simcse_tableE1", "x")
    )
    decoded = decode_spec(spec)
    assert (decoded.metric, decoded.aggregation) == ("accuracy", "test")


def test_a_claim_may_name_a_table_that_the_projects_own_config_leaves_out(tmp_path, monkeypatch):
    config = tmp_path / "config.yaml"
    shipped = (ROOT / "config.yaml").read_text(encoding="utf-8")
    assert "\ntables:" not in shipped  # those of the papers lie in papers/
    config.write_text(f"{shipped}\ntables: {{rcl_table3: null}}\n", encoding="utf-8")
    monkeypatch.setattr(claims, "PROJECT", config)
    assert "rcl_table3" in claims.known_names().tables
