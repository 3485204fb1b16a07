"""The rows of a table: what they are called, and that no two are alike."""

import pytest

from semblance.errors import InputError
from tests.shipped import merged
from workflow.checks.load import load
from workflow.config.outputs import Table
from workflow.planning.tables import TableRow, counterpart, row_labels, table_spec


def labels(*rows: dict, layout: str = "sts", **own: str) -> list[str]:
    """Return the labels of a table with these rows in config.yaml."""
    config = merged("config.yaml")
    table = {"title": "", "layout": layout, "seeds": "rcl", "rows": list(rows), "labels": own}
    config["figures"] = {}
    config["tables"] = {"t": table}
    full = load(config)
    return list(row_labels(full, full.tables["t"]).values())


def row(methods: list, corpora=("nli",), bases=("nli-roberta-base-v2",)) -> dict:
    return {"corpora": list(corpora), "bases": list(bases), "methods": methods}


PHIS = [{"kind": "entropy", "phis": [0.01]}, {"kind": "entropy-sum", "phis": [-0.01]}]
BERTS = ["bert-base", "bert-large"]
ON_BOTH = ["nli", "wiki1m"]
OF_NLI = {"nli/simcse": "On pairs", "simcse": "Alone"}
LABELS = [  # a row of a table, the labels that the table states, and those that it shows
    (row(["rcl-8", "ssimcse"]), {}, ["RCL (8 regulators)", "S-SimCSE w/o sd"]),
    # an untrained model has that of its base
    (row(["start"]), {}, ["SRoBERTa base"]),
    (row(["start"], bases=BERTS), {}, ["BERT-base", "BERT-large"]),
    (row(PHIS), {}, ["φ = 0.01", "φ = −0.01, summed"]),
    (row(["start", "rcl-8"]), {"start": "0 regulators"}, ["0 regulators", "RCL (8 regulators)"]),
    (  # base and corpus follow where a table has several
        row(["simcse"], ON_BOTH, BERTS),
        {},
        [
            f"SimCSE · {base} · {corpus}"
            for corpus in ON_BOTH
            for base in ("BERT-base", "BERT-large")
        ],
    ),
    # a table may name the row of one corpus
    (row(["simcse"], ON_BOTH, BERTS[:1]), OF_NLI, ["On pairs", "Alone · wiki1m"]),
    (row(["simcse"], ["nli"], BERTS), OF_NLI, ["On pairs · BERT-base", "On pairs · BERT-large"]),
]


@pytest.mark.parametrize("shown, own, expected", LABELS)
def test_a_row_is_called_by_its_method_and_by_what_else_tells_it_from_the_others(
    shown, own, expected
):
    assert labels(shown, **own) == expected


def test_the_printed_row_beside_a_row_is_that_of_its_base_of_its_corpus_or_of_its_method():
    published = {"big/m": "of the base", "qqp/m": "of the corpus", "m": "of the method"}
    table = Table.model_construct(published=published)
    assert counterpart(table, TableRow("qqp", "big", "m")) == "of the base"
    assert counterpart(table, TableRow("qqp", "small", "m")) == "of the corpus"
    assert counterpart(table, TableRow("nli", "small", "m")) == "of the method"
    assert counterpart(table, TableRow("nli", "small", "other")) == ""


def test_without_a_label_a_method_a_kind_and_a_base_are_called_by_their_names():
    config = merged("config.yaml")
    del config["methods"]["rcl-2"]["label"]
    del config["train_entropy"]["kinds"]["entropy"]["label"]
    del config["bases"]["nli-roberta-base-v2"]["label"]
    rows = [row(["start", "rcl-2", "entropy-0.01"])]
    config["figures"] = {}
    config["tables"] = {"t": {"title": "", "layout": "sts", "seeds": "rcl", "rows": rows}}
    full = load(config)
    found = list(row_labels(full, full.tables["t"]).values())
    assert found == ["nli-roberta-base-v2", "rcl-2", "entropy-0.01"]


def test_the_settings_of_a_table_hold_its_labels_and_its_control_stays_a_method(plan):
    for name, table in plan.config.tables.items():
        spec = plan.table_spec(name)
        assert [r["label"] for r in spec["rows"]] == list(row_labels(plan.config, table).values())
        assert spec.get("control") == table.control


def with_twin(**method) -> dict:
    """Return a config whose Table 1a has one more row, and its control, which it equals or not."""
    found = merged("config.yaml")
    found["methods"]["twin"] = {"recipe": "rcl", "dropout": {"attention": 0.1}, **method}
    [first, *_] = found["tables"]["rcl_table1a"]["rows"]
    first["methods"] = [*first["methods"], "twin"]
    return found


def test_rows_whose_base_has_seen_the_bank_are_marked_and_named():
    """BM25 reads no base. A base that is trained from another one has seen what that one has."""
    config = merged("config.yaml")
    config["faq"]["banks"]["threads"] = {"kind": "stackfaq", "dataset": "stackfaq"}
    config["bases"]["further"] = {
        "base": "all-minilm",
        "corpus": "wiki1m",
        "pretrain": {"batch_size": 32, "epochs": 1, "learning_rate": 1e-4, "max_length": 48}
        | {"seed": 1, "warmup": 0.0, "weight_decay": 0.01},
    }
    methods, shown = ["bm25", "start"], {"title": "", "layout": "faq", "seeds": "rcl"}
    config["figures"] = {}
    config["tables"] = {
        bank: shown | {"rows": [row(methods, [bank], ["all-minilm", "further", "bert-base"])]}
        for bank in ("threads", "faqir")
    }
    full = load(config)
    specs = {name: table_spec(full, name) for name in ("threads", "faqir")}
    marked = {n: [r["label"] for r in s["rows"] if "seen" in r["label"]] for n, s in specs.items()}
    assert marked == {"threads": ["all-MiniLM-L6-v2 (seen)", "further (seen)"], "faqir": []}
    assert specs["faqir"]["note"] == ""
    assert specs["threads"]["note"].endswith("has seen threads: all-MiniLM-L6-v2, further.")


def test_two_rows_of_one_training_are_refused_by_their_names():
    with pytest.raises(InputError, match="'attention-dropout-0.1' and 'twin' are the same") as said:
        load(with_twin(label="Another name"))
    assert str(said.value).startswith("config.tables.rcl_table1a.rows[0].methods")


@pytest.mark.parametrize(
    "method",
    [
        {"dropout": {"attention": 0.15}},
        {"options": {"scale": 3.0}},
        {"loss": "regulators", "regulators": ["entropy-0.01"]},
        {"max_steps": 7},
    ],
)
def test_rows_that_differ_in_one_setting_are_two_trainings(method):
    load(with_twin(**method))


def test_the_heads_of_a_table_of_poolings_differ_where_the_recipe_has_none():
    found = merged("config.yaml", "configs/minilm.yaml")
    found["tables"]["simcse_table6"]["rows"][0]["methods"] = ["simcse-mlp-train", "simcse"]
    load(found)
    found["tables"]["simcse_table6"]["rows"][0]["methods"] = ["simcse-mlp-train", "simcse-no-mlp"]
    load(found)
    found["tables"]["simcse_table6"]["rows"][0]["methods"] += ["simcse"]
    with pytest.raises(InputError, match="'simcse-no-mlp' and 'simcse' are the same training"):
        load(found)
