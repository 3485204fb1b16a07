"""The cards of trained models: read back by the hub's own library, without a network."""

from pathlib import Path

import pandas as pd
import pytest
from huggingface_hub import ModelCard

from semblance.provenance import write_sealed
from tests.unit.run.example_run import BASE, TRAINING, ExampleRun
from workflow.planning.stages import record
from workflow.run.cards import write_cards

SETTINGS = {
    "loss": "regulators",
    "options": {"scale": 20.0},
    "learning_rate": 2e-5,
    "max_length": 75,
}
MADE = {
    "settings": SETTINGS,
    "steps": 100,
    "training": {"best": 0.75, "best_step": 50},
}
SCORES = pd.DataFrame(
    [
        ("stsb", "spearman", "all", 0.8),
        ("stsb-dev", "spearman", "all", 0.9),
        ("sts12", "spearman", "subset", 0.7),
    ],
    columns=["task", "metric", "aggregation", "value"],
).assign(protocol="senteval")
CLAIMS = pd.DataFrame(
    [
        ("RCL is better", "+1*rcl-2 -1*start", "undecided", "nli", BASE),
        ("RCL with two is best", "+1*nli/rcl-2", "the other way", "nli wiki1m", BASE),
        ("RCL with 20 is better", "+1*rcl-20 -1*start", "reproduced", "nli", BASE),
        ("RCL is better on another base", "+1*rcl-2 -1*start", "reproduced", "nli", "bert-base"),
    ],
    columns=["says", "rows", "verdict", "corpus", "base"],
).assign(rivals="", stand_in=True)


@pytest.fixture
def model(tmp_path, monkeypatch) -> Path:
    """The folder of a model that the example run has trained, and the run around it."""
    monkeypatch.chdir(tmp_path)
    example = ExampleRun()
    made = Path(record(example.plan, TRAINING))
    made.parent.joinpath("model").mkdir(parents=True)
    made.parent.joinpath("model/model.safetensors").touch()
    write_sealed(made, MADE)
    write_cards(example.plan.config)
    return made.parent / "model"


def test_a_new_model_has_its_base_its_data_their_licences_and_its_dev_score(model):
    card = ModelCard.load(model / "README.md")
    assert card.data.base_model == "sentence-transformers/nli-roberta-base-v2"
    assert card.data.licences == {BASE: "Apache-2.0", "nli-simcse": "as SNLI and MultiNLI"}
    assert (card.data.datasets, card.data.language) == (["nli-simcse"], "en")
    assert card.data.library_name == "sentence-transformers"
    assert card.data.dev_score == 0.75
    assert card.data.eval_results is None and "Verdicts" not in card.content
    for line in ("- loss: regulators", "- steps: 100", "- dev score: 0.7500, at step 50"):
        assert line in card.content.splitlines()


def test_a_tested_model_has_its_test_scores_and_the_verdicts_on_its_method_and_base(model):
    config = ExampleRun().plan.config
    folder = Path("results/scores/sts", *model.parts[-5:-1])
    folder.mkdir(parents=True)
    SCORES.to_csv(folder / "scores.csv", index=False)
    Path("results/tables").mkdir()
    CLAIMS.to_csv("results/tables/claims.csv", index=False)
    write_cards(config)
    card = ModelCard.load(model / "README.md")
    [result] = card.data.eval_results  # neither the dev score nor that of a part
    assert (result.dataset_name, result.metric_type, result.metric_value) == (
        "stsb",
        "spearman",
        0.8,
    )
    said = [line for line in card.content.splitlines() if line.startswith("- RCL")]
    assert said == [
        "- RCL is better: undecided (on a stand-in)",
        "- RCL with two is best: the other way (on a stand-in)",
    ]


def test_deleted_weights_have_no_card(model):
    for file in model.iterdir():
        file.unlink()
    write_cards(ExampleRun().plan.config)
    assert not list(model.iterdir())
