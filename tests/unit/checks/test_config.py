"""The config: strict at every level, violations named by their key, words as the code has them."""

import json
import typing
from typing import Any

import pytest

from semblance.data.prepare_faq import ANNOTATED, PAIRS
from semblance.data.prepare_nli import NliSettings
from semblance.data.prepare_pairs import PairSettings
from semblance.data.wiki import WikiSettings
from semblance.errors import InputError
from semblance.evaluation.sts import WhitenedOn
from semblance.models.prompts import DOCUMENT, QUERY
from semblance.names import TRANSFER_TASKS
from semblance.reporting.table import decode_spec
from semblance.settings import decode_json
from semblance.training.batch_loss import find_loss
from semblance.training.recipe import TrainSettings
from tests.shipped import changed, merged
from workflow.checks.load import load, load_files
from workflow.config import inputs, model, trainings
from workflow.config.methods import is_untrained
from workflow.config.model import Config
from workflow.config.trainings import Entropy
from workflow.planning.plan import Plan
from workflow.planning.stages import jobs
from workflow.planning.tables import TableRow, row_labels, rows_of

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
    ("config.yaml", "configs/minilm.yaml", "configs/family.yaml", "configs/family-cpu.yaml"),
    ("config.yaml", "configs/papers-main.yaml"),
    ("config.yaml", "configs/rcl-grid.yaml"),
    ("config.yaml", "configs/minilm.yaml", "configs/readings.yaml"),
]


@pytest.mark.parametrize("names", CONFIGS)
def test_every_settings_slice_of_a_shipped_config_decodes(names):
    plan = Plan(load(merged(*names)))
    for run in {each.run for each in plan.evaluations}:
        if is_untrained(plan.config, run.method) or "entropy" in run.method:
            continue
        settings = decode_json(
            TrainSettings, plan.train_settings(run.corpus, run.base, run.method, run.seed)
        )
        find_loss(settings.loss, settings.options)
        assert settings.seed == run.seed


def with_rows(methods: str, more: str = "") -> str:
    """Return the change of config.yaml by which rcl_table5 shows only these methods."""
    rows = f"[{{corpora: [nli], bases: [nli-roberta-base-v2], methods: [{methods}]}}]"
    changes = f"tables.rcl_table5.rows = {rows}; tables.rcl_table5.control = rcl-8"
    return f"{changes}; tables.rcl_table5.controls = {{}}{more}"


def test_a_kind_and_its_phis_make_methods_that_others_may_name():
    methods = "rcl-8, entropy-0.01, {kind: entropy, phis: [0.010, 1.0e-05, 1, -0.0, -0.01]}"
    full = load(changed(merged("config.yaml"), with_rows(methods)))
    found = [row.method for row in rows_of(full, full.tables["rcl_table5"])]
    phis = ("0.01", "1e-05", "1.0", "0.0", "-0.01")  # as Python prints the floats
    assert found == ["rcl-8", *(f"entropy-{phi}" for phi in phis)]
    assert full.methods["entropy-1.0"] == Entropy(kind="entropy", phi=1.0)
    assert Config.model_validate(json.loads(json.dumps(full.written()))) == full


def test_an_entropy_model_may_have_an_entry_and_a_name_of_its_own():
    more = "; methods.sharp = {kind: entropy, phi: 0.7}"
    full = load(changed(merged("config.yaml"), with_rows("rcl-8, sharp", more)))
    settings = json.loads(Plan(full).train_settings("nli", "nli-roberta-base-v2", "sharp", 1))
    assert settings["options"]["phi"] == 0.7
    row = TableRow("nli", "nli-roberta-base-v2", "sharp")
    assert row_labels(full, full.tables["rcl_table5"])[row] == "φ = 0.7"


def test_the_name_of_an_entropy_model_is_that_of_no_other_method():
    config = changed(merged("config.yaml"), with_rows("rcl-8, {kind: entropy, phis: [0.7]}"))
    config["methods"]["entropy-0.7"] = config["methods"]["rcl-8"]
    with pytest.raises(InputError, match="'entropy-0.7' is the name of another method"):
        load(config)


def test_a_table_may_name_the_entropy_models_of_rows_that_a_file_has_replaced(tmp_path):
    rows = with_rows("rcl-8, {kind: entropy, phis: [0.01]}").split("; ")[0].split(" = ")[1]
    own = tmp_path / "own.yaml"
    own.write_text(f"tables: {{rcl_table5: {{control: rcl-8, controls: null, rows: {rows}}}}}\n")
    labels = load_files([str(own)]).tables["rcl_table5"].published
    assert "entropy-sum-0.04" in labels


def test_the_config_of_glove_adds_a_row_to_two_tables_and_leaves_the_others(plan):
    ours = Plan(load(merged("config.yaml", "configs/simcse-glove.yaml")))
    for table, name in (("simcse_table5", "5"), ("simcse_tableE1", "E1")):
        glove, *others = ours.table_spec(table)["rows"]
        assert glove["label"] == "Avg. GloVe embeddings"
        assert glove["published"] == f"simcse/{name}/GloVe embeddings (avg.)"
        assert others == plan.table_spec(table)["rows"]
    more = {*jobs(ours)} - {*jobs(plan)}
    assert {job.stage for job in more} == {"download_model", "evaluate_sts", "evaluate_transfer"}
    assert {job.base for job in more} == {"glove"} and len(more) == 3


@pytest.mark.parametrize("method", ["start", "simcse"])
def test_two_bases_of_one_label_are_refused_at_the_label_of_a_base(method: str):
    config = merged("config.yaml")
    config["bases"]["bert-large"]["label"] = config["bases"]["bert-base"]["label"]
    row = {"corpora": ["nli"], "bases": ["bert-base", "bert-large"], "methods": [method]}
    table = {"title": "", "layout": "sts", "seeds": "rcl", "rows": [row]}
    config["figures"] = {}
    config["tables"] = {"t": table}
    with pytest.raises(InputError, match=r"^config\.bases\.bert-large\.label: .*bert-base"):
        load(config)


def test_a_table_of_dev_questions_asks_for_them_whatever_the_protocols_of_the_test():
    plan = Plan(load(merged("config.yaml", "configs/rcl-grid.yaml")))
    assert plan.table_spec("rcl_grid_faqir_dev")["protocols"] == ["dev"]
    assert plan.table_spec("rcl_grid_faqir")["protocols"] == ["pairs", "annotated"]


def test_an_output_beside_the_working_folder_is_taken_whole(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    config = merged("config.yaml")
    assert load(config | {"output": "../there/x/"}).output == str(tmp_path / "there/x")
    with pytest.raises(InputError, match="does not fit"):
        load(config | {"output": "there/../x"})


def test_a_seed_or_phi_is_kept_apart_in_the_paths(plan):
    paths = [plan.scores(evaluation) for evaluation in plan.evaluations]
    assert len(paths) == len(set(paths))


def test_a_table_of_the_transfer_tasks_reads_accuracies_of_its_own_folder(plan):
    spec = plan.table_spec("simcse_tableE1")
    assert spec["tasks"] == list(TRANSFER_TASKS) and spec["protocols"] == ["senteval"]
    assert all(
        file.startswith("results/scores/transfer/")
        for file in plan.table_files("simcse_tableE1", "x")
    )
    decoded = decode_spec(spec)
    assert (decoded.metric, decoded.aggregation) == ("accuracy", "test")


def hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls, include_extras=True)


def words(choice: Any) -> set:
    """Return the words of a Literal, also inside an optional one or a list."""
    found = {word for part in typing.get_args(choice) for word in words(part)}
    return set(typing.get_args(choice)) if typing.get_origin(choice) is typing.Literal else found


@pytest.mark.parametrize(
    "part, name, known",
    [
        (inputs.Nli, "kind", words(hints(NliSettings)["kind"])),
        (inputs.Wiki, "kind", words(hints(WikiSettings)["kind"])),
        (inputs.Pairs, "kind", words(hints(PairSettings)["kind"])),
        (inputs.Transformer, "default_prompt", {QUERY, DOCUMENT}),
        (model.EvaluateFaq, "protocols", {PAIRS, ANNOTATED}),
        (trainings.Whitened, "whitening", {True, *words(WhitenedOn)}),
    ],
)
def test_each_choice_of_the_config_has_the_words_that_the_code_knows(part, name, known):
    assert known and words(hints(part)[name]) == known
