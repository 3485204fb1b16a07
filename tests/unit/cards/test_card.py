"""The card as the library of the hub reads it, also where names are hostile."""

from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import ModelCard

from semblance.cards.card import Described, ModelPlace, Score, TrainedModel, card_text
from semblance.cards.origin import Origin

WEIGHTS = "ab" * 32
STS12 = Score("simcse", "", "sts12", "spearman", "all", "senteval", 0.7512345, 3108, "fp32")
SICK = STS12._replace(task="sickr", n=4927, value=0.7)
DATA = {"wiki1m": Described("Wikipedia", "CC BY-SA 3.0", "https://example.org/wiki")}


@pytest.fixture
def model(tmp_path: Path) -> TrainedModel:
    origin = Origin({"hub": "owner/base", "folder": "/home/me"}, ("wiki1m",), (), (), ())
    inputs = [{"role": "corpus", "digest": "c" * 64}]
    record = {"steps": 7, "settings": {"seed": 3}, "inputs": inputs}
    place = ModelPlace("wiki1m", "bert", "simcse", "3")
    return TrainedModel(place, tmp_path, record, WEIGHTS, origin, (STS12, SICK), DATA)


def test_the_hub_reads_base_tags_and_scores_and_is_sent_to_the_page_for_the_licences(model):
    data = ModelCard(card_text(model)).data
    found = (data.license, data.license_link, data.base_model)
    assert found == ("other", "README.md", "owner/base")
    assert data.library_name == "sentence-transformers"
    assert "sentence-similarity" in data.tags
    found = [(r.dataset_type, r.metric_type, r.metric_value) for r in data.eval_results]
    assert found == [("sts12", "spearman", 75.12345), ("sickr", "spearman", 70.0)]
    assert "protocol senteval, 3108 items" in data.eval_results[0].dataset_name


def test_the_front_matter_has_no_score_of_a_whitening(model):
    whitened = replace(model, scores=(STS12._replace(method="whitening"),))
    text = card_text(whitened)
    assert ModelCard(text).data.eval_results is None and "| whitening | sts12 |" in text


def test_the_card_tells_what_the_weights_were_made_from(model):
    text = card_text(replace(model, origin=replace(model.origin, own=("own.csv",), dev=("stsb",))))
    for fact in (
        f"| sha256 of the weights | {WEIGHTS} |",
        f"| digest of corpus | {'c' * 64} |",
        "| seed | 3 |",
        "| steps | 7 |",
        "| setting seed | 3 |",
        "| wiki1m | Wikipedia | CC BY-SA 3.0 | https://example.org/wiki |",
        "| own.csv | the user's own file | not stated |",
        "| stsb | chose the checkpoint |",
        "| simcse | sts12 |  | spearman | all | senteval | 3108 | fp32 | 75.12 |",
    ):
        assert fact in text


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
    described = {text: Described(text, text, text)}
    odd = STS12._replace(task=text, protocol=text, fold=text)
    record = {"settings": {text: text}, "environment": {text: text}}
    record["inputs"] = [{"role": text, "digest": text}]
    names = {"place": ModelPlace(text, text, "simcse", "1"), "origin": origin, "record": record}
    card = ModelCard(card_text(replace(model, described=described, scores=(odd,), **names)))
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
    odd = replace(model, place=ModelPlace("../nli", "bert base", "rcl|8", "1"))
    assert odd.name == "nli-bert-base-rcl-8-seed-1"


def test_the_card_names_a_source_without_the_folders_above_the_run(model):
    path = "/home/me/my-faq/models/faq-0/minilm/tuned/seed-1/record.json"
    inputs = [{"role": path, "digest": "c" * 64}]
    text = card_text(replace(model, record={**model.record, "inputs": inputs}))
    assert "/home/me" not in text  # nor that of the base, which is a folder of the user's
    assert "digest of models/faq-0/minilm/tuned/seed-1/record.json" in text


def test_the_best_step_is_reported_of_a_training_that_dev_scores_have_stopped_and_of_no_other(
    model,
):
    for stage, is_told in (("train", True), ("train_final", False)):
        record = {**model.record, "stage": stage, "training": {"best_step": 5}}
        assert ("best step on dev" in card_text(replace(model, record=record))) == is_told
