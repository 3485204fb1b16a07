"""The config: strict at every level, each violation named by its key; the shipped ones are valid."""

import copy
import subprocess
import sys
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance.names import TRANSFER_TASKS
from semblance.reporting.table import decode_spec
from semblance.settings import decode_json
from semblance.training.batch_loss import find_loss
from semblance.training.recipe import TrainSettings
from tests.shipped import merged
from workflow.planning.config import MOVED, load
from workflow.planning.inputs import input_checks
from workflow.planning.labels import rows_of
from workflow.planning.methods import is_untrained
from workflow.planning.plan import Plan
from workflow.planning.stages import Job

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


VIOLATIONS = {
    "config.methods.whitening.recipe: has no effect": lambda c: c["methods"]["whitening"].update(
        recipe="rcl"
    ),
    "config.methods.whitening.whitening": lambda c: c["methods"]["whitening"].update(
        whitening="tests"
    ),
    "config.methods.whitening.whitening: False": lambda c: c["methods"]["whitening"].update(
        whitening=False
    ),
    "config.methods.rcl-chosen.choose: 'whitening' is not trained": lambda c: c["methods"][
        "rcl-chosen"
    ].update(choose=["rcl-2", "whitening"]),
    "config.tables.simcse_tableC1.control: the untrained 'whitening'": lambda c: c["tables"][
        "simcse_tableC1"
    ].update(control="whitening"),
    "config.tables.simcse_tableE1.rows[0].methods: 'whitening-target' is fitted": lambda c: c[
        "tables"
    ]["simcse_tableE1"]["rows"][0].update(methods=["whitening-target"]),
    "config.tables.rcl_table2a.rows[0].methods: 'whitening-target' is fitted": lambda c: c[
        "tables"
    ]["rcl_table2a"]["rows"][0].update(methods=["whitening-target"], corpora=["faqir"]),
    "config.tables.rcl_table3.rowz": lambda c: c["tables"]["rcl_table3"].update(rowz=1),
    "config.outptu": lambda c: c.update(outptu="x"),
    "config.bases.bert-base.revision": lambda c: c["bases"]["bert-base"].update(revision="main"),
    "config.bases.bert-base.tokenizer": lambda c: c["bases"]["bert-base"].pop("tokenizer"),
    "config.bases.roberta-base.tokenizer": lambda c: c["bases"]["roberta-base"].update(
        tokenizer="nobody"
    ),
    "config.bases.bge-small.default_prompt: prompts do not have 'document'": lambda c: c["bases"][
        "bge-small"
    ].update(default_prompt="document"),
    "config.bases.e5-small.prompts.passage": lambda c: c["bases"]["e5-small"].update(
        prompts={"passage": "passage: "}
    ),
    "config.seeds.rcl": lambda c: c["seeds"].update(rcl=[]),
    "config.seeds.rcl[1]: ": lambda c: c["seeds"].update(rcl=[1, -2]),
    "config.methods.simcse.recipe": lambda c: c["methods"]["simcse"].update(recipe="nobody"),
    "config.methods.simcse.batchsize": lambda c: c["methods"]["simcse"].update(batchsize=3),
    "config.methods.rcl-2.regulators:": lambda c: c["methods"]["rcl-2"].update(
        regulators=["nobody"]
    ),
    "config.recipes.rcl.batch_size": lambda c: c["recipes"]["rcl"].pop("batch_size"),
    "config.recipes.rcl.learning_rate": lambda c: c["recipes"]["rcl"].update(learning_rate=-1.0),
    "config.recipes.rcl.precision": lambda c: c["recipes"]["rcl"].update(precision="fp8"),
    "config.evaluate_sts.precision": lambda c: c["evaluate_sts"].update(precision="fp16"),
    "config.embed.matmul": lambda c: c["embed"].pop("matmul"),
    "config.methods.ssimcse.dropout.sampled.rate": lambda c: c["methods"]["ssimcse"]["dropout"][
        "sampled"
    ].update(rate=1),
    "config.tables.rcl_table3.rows[0].methods": lambda c: c["tables"]["rcl_table3"]["rows"][
        0
    ].update(methods=["nobody"]),
    "config.tables.rcl_table3.rows[0].corpora": lambda c: c["tables"]["rcl_table3"]["rows"][
        0
    ].update(corpora=["faqir"]),
    "config.tables.rcl_table3.seeds": lambda c: c["tables"]["rcl_table3"].update(seeds="nobody"),
    "config.faq.folds": lambda c: c["faq"].update(folds=2),
    "config.faq.banks.nli": lambda c: c["faq"]["banks"].update(
        nli={"kind": "faqir", "dataset": "faqir"}
    ),
    "config.output": lambda c: c.update(output="; rm -rf x"),
    "config.train_entropy.kinds": lambda c: c["train_entropy"].update(kinds=3),
    "config.methods.simcse.recipe:": lambda c: c["methods"]["simcse"].pop("recipe"),
    "config.methods.simcse.loss": lambda c: c["methods"]["simcse"].update(loss="nobody"),
    "config.recipes.unsupervised.loss": lambda c: c["recipes"]["unsupervised"].update(
        loss="nobody"
    ),
    "config.methods.ssimcse.loss: missing key": lambda c: c["recipes"]["unsupervised"].pop("loss"),
    "config.recipes.rcl.warmup: missing key": lambda c: c["recipes"]["rcl"].pop("warmup"),
    "config.training.clip: missing key": lambda c: c["training"].pop("clip"),
    "config.recipes.rcl.on_faq.recipe: unknown key": lambda c: c["recipes"]["rcl"]["on_faq"].update(
        recipe="supervised"
    ),
    "config.recipes.supervised.by_base.bert-large.loss: unknown key": lambda c: c["recipes"][
        "supervised"
    ]["by_base"]["bert-large"].update(loss="contrastive"),
    "config.recipes.supervised.by_base.bert-huge": lambda c: c["recipes"]["supervised"][
        "by_base"
    ].update({"bert-huge": {"batch_size": 8}}),
    "config.methods.rcl-2.regulators.kind: there is no kind": lambda c: c["methods"]["rcl-2"][
        "regulators"
    ].update(kind="nobody"),
    "config.methods.rcl-2.regulators.phis": lambda c: c["methods"]["rcl-2"]["regulators"].update(
        phis=["much"]
    ),
    "config.methods.rcl-2.regulators: a model stands twice": lambda c: c["methods"]["rcl-2"][
        "regulators"
    ].update(phis=[0.01, "0.01"]),
    "config.methods.rcl-2.regulators.phis: missing key": lambda c: c["methods"]["rcl-2"][
        "regulators"
    ].pop("phis"),
    "config.tables.rcl_table5.rows[0].methods.kind: there is no kind": lambda c: c["tables"][
        "rcl_table5"
    ]["rows"][0]["methods"].append({"kind": "nobody", "phis": [0.01]}),
    "config.tables.rcl_table4.labels: there is no method 'nobody'": lambda c: c["tables"][
        "rcl_table4"
    ]["labels"].update(nobody="Nobody"),
    "config.tables.rcl_table4.labels: the rows of rcl-4 and rcl-6 are both called": lambda c: c[
        "tables"
    ]["rcl_table4"]["labels"].update({"rcl-6": "4 regulators"}),
    "config.tables.rcl_grid.labels: the rows of rcl-2 and rcl-4 are both called": lambda c: c[
        "methods"
    ]["rcl-4"].update(label="RCL (2 regulators)"),
    "config.methods.rcl-chosen.choose: there is no method 'nobody'": lambda c: c["methods"][
        "rcl-chosen"
    ]["choose"].append("nobody"),
    "config.methods.rcl-chosen.choose: 'other' chooses itself": lambda c: c["methods"].update(
        {"other": c["methods"]["rcl-chosen"]} | {"rcl-chosen": {"choose": ["rcl-2", "other"]}}
    ),
    "config.methods.rcl-chosen.choose: the candidates have several recipes": lambda c: c["methods"][
        "rcl-chosen"
    ]["choose"].append("simcse"),
    "config.methods.rcl-chosen.choose: ['rcl-2', 'rcl-2'] names one twice": lambda c: c["methods"][
        "rcl-chosen"
    ].update(choose=["rcl-2", "rcl-2"]),
    "config.methods.rcl-chosen.recipe: has no effect here": lambda c: c["methods"][
        "rcl-chosen"
    ].update(recipe="rcl"),
    "config.methods.rcl-chosen.paper: there is no method 'nobody'": lambda c: c["methods"][
        "rcl-chosen"
    ].update(paper="nobody"),
    "config.methods.simcse.paper: has no effect here": lambda c: c["methods"]["simcse"].update(
        paper="rcl-8"
    ),
    "config.methods.simcse.by_base": lambda c: c["methods"]["simcse"].update(
        by_base={"bert-base": {"batch_size": 8}}
    ),
    "config.train_initial.recipe": lambda c: c["train_initial"].pop("recipe"),
    "config.train_entropy.kinds.entropy.gpus: unknown key": lambda c: c["train_entropy"]["kinds"][
        "entropy"
    ].update(gpus=0),
    "config.faq.banks.mine": lambda c: c["faq"]["banks"].update(mine={"kind": "own"}),
    "config.corpora.none": lambda c: c["corpora"].update(
        none={"kind": "wiki", "datasets": ["wiki1m"]}
    ),
    "config.tables.rcl_table3.control": lambda c: c["tables"]["rcl_table3"].update(
        control="nobody"
    ),
    "config.methods.ssimcse.dropout.sampled": lambda c: c["methods"]["ssimcse"]["dropout"][
        "sampled"
    ].update(low=0.8),
    "config.resources.jobs_per_gpu": lambda c: c["resources"].update(jobs_per_gpu=0),
    "config.resources.checkpoint_steps: missing key": lambda c: c["resources"].pop(
        "checkpoint_steps"
    ),
    "config.methods.simcse.jobs_per_gpu": lambda c: c["methods"]["simcse"].update(jobs_per_gpu=2),
    "config.bases.bert-base.million_parameters": lambda c: c["bases"]["bert-base"].update(
        million_parameters=0
    ),
    "config.resources.max_runtime": lambda c: c["resources"].update(max_runtime="2 days"),
    "config.mirror": lambda c: c.update(mirror=7),
}


def put(config: dict, key: str, value: object) -> None:
    """Set ``a.b.c`` of a config."""
    *parents, last = key.split(".")
    for parent in parents:
        config = config.setdefault(parent, {})
    config[last] = value


OPTIONS = "methods.simcse.options"
SAMPLED = "methods.ssimcse.dropout.sampled"
ENTROPY = "train_entropy.kinds.entropy"
MISTAKES = {  # key: wrong values, each of which once passed or meant something else
    f"{OPTIONS}.scal": [3],
    f"{OPTIONS}.scale": ["twenty", -5, 0, True, [20.0]],
    f"{OPTIONS}.phi": [0.1],
    f"{OPTIONS}.reduction": ["mean"],
    "methods.rcl-8.options.reduction": ["Sum", "avg"],
    "methods.rcl-8.options.regulator_weight": [-1.0],
    "train_initial.options.scale": [-20.0],
    "train_initial.options.phi": [0.1],
    "train_initial.regulators": [["entropy-0.01"]],
    f"{ENTROPY}.options.reduction": ["avg", "Mean"],
    f"{ENTROPY}.options.include_positive": ["no"],
    f"{ENTROPY}.options.phi": [0.1],
    f"{ENTROPY}.epochs": [2],
    f"{ENTROPY}.evaluate_every": [5],
    f"{ENTROPY}.evaluate_share": [0.5],
    f"{ENTROPY}.threads": [2],
    f"{ENTROPY}.loss": ["contrastive"],
    f"{ENTROPY}.regulators": [["entropy-0.01"]],
    "methods.simcse.regulators": [["entropy-0.01"]],
    "methods.rcl-8.regulators": [
        [],
        {"kind": "entropy", "phis": [0.01, "0.010"]},
        ["entropy-0.01", {"kind": "entropy", "phis": ["1e-2"]}],
    ],
    "methods.rcl-8.regulators.phis": [[1e16], [1e-100], [123456789012]],
    "recipes.rcl.regulators": [["entropy-0.01"]],
    "training.regulators": [["entropy-0.01"]],
    "recipes.unsupervised.views": ["twise", "Twice"],
    "methods.simcse.views": ["twise"],
    "methods.simcse.threads": [2],
    "recipes.rcl.threads": [2],
    "recipes.rcl.on_faq.threads": [2],
    "recipes.supervised.by_base.bert-large.threads": [2],
    "train_initial.threads": [2],
    "training.precision": ["fp8"],
    "training.matmul": ["fast"],
    "train_entropy.early_stopping.unit": ["windows"],
    "recipes.unsupervised.head": ["yes", True],
    f"{SAMPLED}.distribution": ["normal"],
    f"{SAMPLED}.granularity": ["rows"],
    f"{SAMPLED}.layers": ["all"],
    "methods.ssimcse.dropout.hidden": [1.0, -0.1],
    "bases.bert-base.pooling": ["max"],
    "corpora.nli.kind": ["snli"],
    "corpora.nli.datasets": [["snli", "snli"]],
    "sts.datasets": [["stsb", "sick", "stsb"]],
    "sts.protocol": ["cooked"],
    "faq.banks.faqir.kind": ["faq"],
    "faq.banks.faqir.path": ["faq.csv"],
    "faq.banks.faqir.queries_path": ["asked.csv"],
    "faq.banks.faqir.question_column": ["Frage"],
    "faq.banks.faqir.answer_column": ["Antwort"],
    "recipes.rcl.batch_size": [1, "64"],
    "tables.rcl_table3.published.start": ["rcl/3/SRoBERTa", "rcl/33/RCL", "RCL", ""],
    "tables.rcl_table3.published.rcl8": ["rcl/3/RCL"],
    "tables.ssimcse_table1.published.bert-base/sincse": ["s-simcse/1/SimCSE-BERT-base"],
}


@pytest.mark.parametrize(
    "key,value", [(key, value) for key, values in MISTAKES.items() for value in values]
)
def test_a_mistake_is_refused_in_one_line_with_its_key(key: str, value: object):
    config = merged("config.yaml")
    put(config, key, value)
    with pytest.raises(InputError) as caught:
        load(config)
    assert str(caught.value).startswith(f"config.{key}: "), str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_setting_that_an_entropy_model_never_reads_is_none_of_its_keys():
    for key, value in {
        "epochs": 2,
        "evaluate_every": 5,
        "evaluate_share": 0.5,
        "warmup": 0.1,
    }.items():
        config = merged("config.yaml")
        put(config, f"{ENTROPY}.{key}", value)
        with pytest.raises(InputError, match=f"kinds.entropy.{key}: unknown key"):
            load(config)


def test_the_threads_of_trainings_have_one_place():
    config = merged("config.yaml")
    put(config, "training.threads", 3)
    assert load(config)["training"]["threads"] == 3
    put(config, "methods.simcse.threads", 3)
    with pytest.raises(InputError, match=r"methods\.simcse\.threads: unknown key"):
        load(config)


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
    found = [row.method for row in rows_of(full, full["tables"]["rcl_table5"])]
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


def test_an_own_bank_takes_no_data_set():
    config = merged("config.yaml")
    bank = {"kind": "own", "path": "faq.csv", "dataset": "faqir"}
    config["faq"]["banks"]["mine"] = bank
    with pytest.raises(InputError, match=r"^config\.faq\.banks\.mine\.dataset: has no effect here"):
        load(config)
    del bank["dataset"]
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


def test_a_loss_that_reads_regulators_needs_them():
    config = merged("config.yaml")
    del config["methods"]["rcl-8"]["regulators"]
    with pytest.raises(InputError, match=r"^config\.methods\.rcl-8\.regulators: loss 'regulators'"):
        load(config)


def test_a_method_needs_the_options_that_its_loss_does_not_default():
    config = merged("config.yaml")
    config["methods"]["simcse"]["loss"] = "entropy"
    with pytest.raises(InputError, match=r"^config\.methods\.simcse\.options\.phi: missing key"):
        load(config)


def test_a_wrong_option_is_named_where_it_stands():
    config = merged("config.yaml")
    put(config, "recipes.unsupervised.options.scale", -5)
    with pytest.raises(InputError, match=r"^config\.recipes\.unsupervised\.options\.scale: must"):
        load(config)
    config = merged("config.yaml")
    put(config, "methods.rcl-8.options.scale", -5)
    with pytest.raises(
        InputError, match=r"^config\.methods\.rcl-8\.options\.scale: must be above 0"
    ):
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


@pytest.mark.parametrize("key", VIOLATIONS)
def test_each_violation_is_named_by_its_key(key: str):
    config = copy.deepcopy(merged("config.yaml"))
    VIOLATIONS[key](config)
    with pytest.raises(InputError) as caught:
        load(config)
    assert str(caught.value).startswith(key), str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_runs_of_a_method_that_chooses_are_those_of_its_candidates():
    plan = Plan(load(merged("config.yaml")))
    table = plan.config["tables"]["rcl_grid_cough"]
    row = {"corpora": ["cough"], "bases": ["nli-roberta-base-v2"]}
    candidates = plan.config["methods"]["rcl-chosen"]["choose"]
    assert len(candidates) == 10
    runs = [
        set(plan.table_runs(table | {"rows": [row | {"methods": methods}]}))
        for methods in (["rcl-chosen"], candidates)
    ]
    assert runs[0] == runs[1] and len(runs[0]) == 10 * 5 * 5  # methods, folds, seeds
    assert all(run.method != "rcl-chosen" for run in plan.runs)


def test_a_row_that_chooses_is_told_its_candidates_and_their_labels():
    plan = Plan(load(merged("config.yaml")))
    spec = plan.table_spec("rcl_table3")
    choice = next(row["choose"] for row in spec["rows"] if row["method"] == "rcl-chosen")
    assert choice["candidates"] == plan.config["methods"]["rcl-chosen"]["choose"]
    assert choice["labels"]["rcl-6-batch32"] == "RCL (6 regulators), batch 32"
    assert choice["paper"] == "rcl-8"
    assert sum("choose" in row for row in spec["rows"]) == 1


def test_a_table_of_dev_questions_asks_for_them_whatever_the_protocols_of_the_test():
    plan = Plan(load(merged("config.yaml")))
    assert plan.table_spec("rcl_grid_faqir")["protocols"] == ["dev"]
    assert plan.table_spec("rcl_table2a")["protocols"] == ["pairs", "annotated"]


def test_the_untrained_base_is_refused_as_control():
    config = merged("config.yaml")
    config["tables"]["rcl_table3"]["control"] = "start"
    with pytest.raises(
        InputError, match=r"^config\.tables\.rcl_table3\.control: the untrained base"
    ):
        load(config)


def test_each_row_is_compared_with_the_control_of_its_own_base_and_corpus():
    from semblance.reporting.build import _row
    from semblance.reporting.contrasts import _control
    from semblance.reporting.table import decode_spec

    spec = decode_spec(Plan(load(merged("config.yaml"))).table_spec("ssimcse_table1"))
    rows = [_row(spec, row, "senteval", {}) for row in spec.rows]
    for i, row in enumerate(rows):
        other = _control(i, rows, spec.control)
        assert (
            other is None
            if row.method == "simcse"
            else (other.method, other.base) == ("simcse", row.base)
        )


@pytest.mark.parametrize("old", MOVED)
def test_a_key_of_an_earlier_config_is_refused_with_its_new_place(old: str):
    config = merged("config.yaml")
    *sections, last = old.split(".")
    node = config
    for section in sections:
        node = node.setdefault(section, {})
    node[last] = {"batch_size": 8} if old == "recipes.rcl-faq" else 1
    with pytest.raises(InputError) as caught:
        load(config)
    assert str(caught.value).startswith(f"config.{old}: moved to {MOVED[old]}")


def test_the_new_place_of_each_moved_key_is_in_the_config():
    for new in MOVED.values():
        node = merged("config.yaml")
        for key in new.split("."):
            node = node[key]


def test_a_folder_of_downloads_under_its_earlier_name_is_refused_with_its_new_name():
    config = merged("config.yaml")
    config["resources"] = "elsewhere"
    with pytest.raises(InputError, match="^config.resources: .* moved to downloads"):
        load(config)


def test_null_removes_a_key():
    config = merged("config.yaml")
    config["tables"]["rcl_grid"] = None
    assert "rcl_grid" not in load(config)["tables"]


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


def test_a_method_that_chooses_is_refused_in_a_table_of_the_transfer_tasks():
    config = merged("config.yaml")
    rows = config["tables"]["rcl_table3"]["rows"]
    config["tables"]["one_more"] = {
        "title": "T",
        "layout": "transfer",
        "seeds": "rcl",
        "rows": rows,
    }
    problem = "'rcl-chosen' chooses by STS-B dev, which layout 'transfer' does not read"
    with pytest.raises(InputError, match=problem):
        load(config)


@pytest.mark.parametrize("tests", [["sts12"], ["sts12", "sts13"]])
def test_a_table_with_a_regressor_needs_a_test_with_train_pairs(tests):
    config = merged("config.yaml")
    config["sts"]["datasets"] = tests
    problem = "none has pairs to train the regressor of layout 'sts-regressor' on"
    with pytest.raises(InputError, match=problem):
        load(config)


@pytest.mark.parametrize(
    ("method", "why"), [("rcl-chosen", "chooses"), ("whitening-target", "fitted")]
)
def test_a_table_with_a_regressor_refuses_what_has_no_model_of_its_own(method, why):
    config = merged("config.yaml")
    row = {"corpora": ["nli"], "bases": ["nli-roberta-base-v2"], "methods": [method]}
    config["tables"]["simcse_tableB3_regressor"]["rows"] = [row]
    with pytest.raises(InputError, match=why):
        load(config)


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
