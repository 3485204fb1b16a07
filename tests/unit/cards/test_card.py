"""The card as the library of the hub reads it, also where names are hostile."""

from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import ModelCard

from semblance.cards.card import card_text
from semblance.cards.model import Model, revision_of
from semblance.cards.mteb import TASKS
from semblance.cards.origin import Origin
from semblance.cards.scores import Place, Score
from semblance.cards.settings import CardSettings, Described
from semblance.provenance import write_json

WEIGHTS = "ab" * 32
STS12 = Score("simcse", "", "sts12", "spearman", "all", "senteval", 0.7512345, 3108, "fp32")
SICK = STS12._replace(task="sickr", n=4927, value=0.7)
FREE = {"wiki1m": Described("Wikipedia", "CC BY-SA 3.0", "https://example.org/wiki")}


@pytest.fixture
def model(tmp_path: Path) -> Model:
    write_json(tmp_path / "modules.json", [{"type": "x.Pooling", "path": "1_Pooling"}])
    write_json(tmp_path / "1_Pooling/config.json", {"pooling_mode_cls_token": True})
    origin = Origin({"hub": "owner/base", "folder": "/home/me"}, ("wiki1m",), (), (), ())
    settings = CardSettings(FREE, ("sts12",))
    record = {"steps": 7, "settings": {"seed": 3}, "inputs": {"corpus": "c" * 64}}
    place = Place("wiki1m", "bert", "simcse", "3")
    return Model(place, tmp_path, record, WEIGHTS, origin, (STS12, SICK), settings)


def with_licence(model: Model, *licences: str) -> Model:
    data = {f"d{number}": Described("t", text) for number, text in enumerate(licences)}
    origin = replace(model.origin, data=tuple(data))
    return replace(model, origin=origin, settings=CardSettings(data, ("sts12",)))


def test_the_hub_reads_licence_base_and_tags(model):
    data = ModelCard(card_text(model)).data
    assert (data.license, data.base_model) == ("cc-by-sa-3.0", "owner/base")
    assert data.library_name == "sentence-transformers"
    assert {"sentence-similarity", "mteb"} <= set(data.tags)
    assert "non-commercial" not in data.tags


def test_the_hub_reads_the_results(model):
    sts12, sick = ModelCard(card_text(model)).data.eval_results
    assert (sts12.dataset_type, sts12.dataset_revision) == TASKS["sts12"][1:3]
    assert (sts12.metric_type, sts12.metric_value) == ("cosine_spearman", 75.12345)
    assert (sick.dataset_type, sick.metric_type, sick.metric_value) == ("sickr", "spearman", 70.0)
    assert "protocol senteval" in sick.dataset_name


def test_data_without_commercial_use_are_flagged(model):
    text = card_text(with_licence(model, "MIT", "CC BY-NC 4.0"))
    data = ModelCard(text).data
    assert "non-commercial" in data.tags
    assert data.license == "other"
    assert "Not for commercial use" in text


def test_data_without_a_known_licence_are_flagged(model):
    text = card_text(with_licence(model, "none stated"))
    assert ModelCard(text).data.license == "other"
    assert "Ask before you use it" in text


def test_the_card_tells_what_the_weights_were_made_from(model):
    text = card_text(model)
    for fact in (
        WEIGHTS,
        revision_of(WEIGHTS),
        "c" * 64,
        "pooling\\_mode\\_cls\\_token",
        "| seed | 3 |",
    ):
        assert fact in text
    assert "| simcse | sts12 |  | spearman | all | senteval | 75.12 | 3108 | fp32 |" in text


def test_the_card_does_not_tell_a_path_of_this_machine(model):
    assert "/home/me" not in card_text(model)


HOSTILE = [
    "x\n---\nlicense: mit\n---\n# mine",
    "a: b\n- c",
    '"}]\nlicense: mit',
    "!!python/object/apply:os.system [id]",
    "<script>alert(1)</script>",
    "| a | b |\n|---|---|",
    "[x](javascript:alert(1))",
    "\x1b[31mred\u2028\u0000",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_licences_stay_text(model, text):
    origin = replace(model.origin, base={"hub": text}, data=(text,), dev=(text,))
    settings = CardSettings({text: Described(text, text, text)}, ("sts12",))
    odd = STS12._replace(task=text, protocol=text, fold=text)
    place = Place(text, text, "simcse", "1")
    record = {"settings": {text: text}, "inputs": {text: text}, "environment": {text: text}}
    hostile = replace(
        model, place=place, origin=origin, settings=settings, scores=(odd,), record=record
    )
    card = ModelCard(card_text(hostile))
    assert card.data.license == "other"
    assert [result.metric_value for result in card.data.eval_results] == [75.12345]
    body = card.text
    assert "<script" not in body.replace(r"\<script", "")
    assert "](javascript" not in body.replace(r"\](javascript", "")
    assert "\x1b" not in body and "\u2028" not in body
    headings = [line for line in body.splitlines() if line.startswith("#")]
    assert headings[1:] == ["## Use", "## Data", "## Training", "## Scores", "## Citation"]
    assert not [line for line in body.splitlines() if line.startswith("---")]


def test_names_become_names_that_a_hub_accepts(model):
    odd = replace(model, place=Place("../nli", "bert base", "rcl|8", "1"))
    assert odd.name == "nli-bert-base-rcl-8-seed-1"


def test_an_absolute_path_of_a_source_is_told_without_the_folders_above_the_run(model):
    path = "/home/me/my-faq/models/faq-0/minilm/tuned/seed-1/record.json"
    text = card_text(replace(model, record={**model.record, "inputs": {path: "c" * 64}}))
    assert "/home/me" not in text
    assert "digest of models/faq-0/minilm/tuned/seed-1/record.json" in text


def test_the_best_step_is_told_of_a_training_that_dev_scores_have_stopped_and_of_no_other(model):
    for stage, is_told in (("train", True), ("train_final", False)):
        record = {**model.record, "stage": stage, "training": {"best_step": 5}}
        assert ("best step on dev" in card_text(replace(model, record=record))) == is_told
