"""The stage that writes the cards of a results folder, from its real records."""

from pathlib import Path

import pytest
from huggingface_hub import ModelCard

from semblance.audit.chain import Chain
from semblance.audit.verify import verify
from semblance.cards.card import ModelPlace
from semblance.cards.writing import fold_lines
from semblance.provenance import file_digest, read_object, read_sealed, write_sealed
from tests.files import flip
from tests.unit.cards.conftest import make_cards

PLACE = "nli/tiny/rcl/seed-1"


def test_each_trained_model_has_a_card_and_a_configuration(carded):
    cards = read_sealed(carded / "models/record.json")["cards"]
    folders = {path.parent for path in carded.glob("models/*/*/*/seed-*/record.json")}
    assert {carded / "models" / place for place in cards} == folders
    for folder in folders:
        ModelCard.load(folder / "model/README.md")
        config = read_object(folder / "model/config_sentence_transformers.json")
        assert (config["prompts"], config["similarity_fn_name"]) == ({}, "cosine")
        assert not (folder / "model/mteb").exists()  # the test sets here are none of MTEB's


def test_a_card_shows_the_data_behind_the_teachers_and_the_scores_of_its_weights(carded):
    card = ModelCard.load(carded / f"models/{PLACE}/model/README.md")
    assert "| raw | Raw \\| text | CC BY-NC 4.0 |" in card.text
    tasks = {result.dataset_type for result in card.data.eval_results}
    assert tasks == {"sts12", "stsb", "stsb-dev"}
    teacher = ModelCard.load(carded / "models/nli/tiny/entropy-0.01/seed-1/model/README.md")
    assert teacher.data.eval_results is None


def test_an_audit_finds_nothing_wrong_and_misses_no_record_of_a_card(carded):
    found = verify(carded)
    assert found.failures == []
    noted = [path for path, _ in found.notes]
    assert not [path for path in noted if path.endswith(("README.md", "transformers.json"))]


def test_the_record_holds_the_digest_of_each_file_and_the_licences(carded):
    record = read_sealed(carded / "models/record.json")
    assert record["cards"][PLACE]["licences"] == {"raw": "CC BY-NC 4.0"}
    assert f"{PLACE}/model/README.md" in record["outputs"]
    for name, digest in record["outputs"].items():
        assert file_digest(carded / "models" / name) == digest


def test_an_audit_finds_a_changed_bit_in_a_card_and_in_the_prompts(results):
    for name in ("README.md", "config_sentence_transformers.json"):
        file = results / f"models/{PLACE}/model/{name}"
        flip(file)
        [failure] = verify(results).failures
        assert str(file) in str(failure) and "damaged" in str(failure)
        flip(file)  # back


def test_the_same_results_give_the_same_cards_and_the_records_of_trainings_stay(results):
    cards = read_sealed(results / "models/record.json")["cards"]
    paths = sorted(results.glob("models/*/*/*/seed-*/record.json"))
    before = [path.read_bytes() for path in paths]
    assert make_cards(results) == cards
    assert [path.read_bytes() for path in paths] == before


def test_a_configuration_that_a_training_has_written_is_kept(results):
    model = results / f"models/{PLACE}"
    config = model / "model/config_sentence_transformers.json"
    config.write_text('{"prompts": {"query": "query: "}}')
    record = read_sealed(model / "record.json")
    record["outputs"]["model/config_sentence_transformers.json"] = file_digest(config)
    write_sealed(model / "record.json", record)
    make_cards(results)
    listed = read_sealed(results / "models/record.json")["outputs"]
    assert f"{PLACE}/model/config_sentence_transformers.json" not in listed
    assert read_object(config)["prompts"] == {"query": "query: "}


def test_a_model_without_weights_gets_no_card_and_data_not_in_the_settings_no_licence(results):
    (results / f"models/{PLACE}/model/model.safetensors").unlink()
    cards = make_cards(results, {"data": {}})
    assert PLACE not in cards
    assert cards["nli/tiny/rcl/seed-2"]["licences"] == {"raw": ""}


# A model of a whole bank has the score of its bank's folds on its card.

WHOLE = ModelPlace("faq-all", "tiny", "tuned", "1")
ANSWERER = {
    "answerer": {"name": "mine", "bank": "faq", "base": "tiny", "protocol": "pairs"},
    "evidence": {"score": 0.5, "low": 0.25, "high": 0.75, "questions": 38},
    "outputs": {"model/model.safetensors": "weights"},
}


def lines_of(
    root: Path, record: dict = ANSWERER, place: ModelPlace = WHOLE, weights: str = "weights"
):
    (root / "answerers/mine").mkdir(parents=True, exist_ok=True)
    write_sealed(root / "answerers/mine/record.json", record)
    return list(fold_lines(place, weights, Chain(root)))


def test_the_score_of_the_folds_is_reported_with_its_interval_and_its_protocol(tmp_path):
    [line] = lines_of(tmp_path)
    assert "MAP 50.00 (95 % interval 25.00 to 75.00), protocol pairs, 38 questions" in line
    assert "answerer mine" in line


@pytest.mark.parametrize(
    "other",
    [
        {"place": WHOLE._replace(corpus="nli")},
        {"place": WHOLE._replace(base="large")},
        {"weights": "others"},
        {"record": ANSWERER | {"evidence": {"score": 0.5, "questions": 38}}},
    ],
)
def test_another_model_or_an_answerer_without_an_interval_has_no_such_line(tmp_path, other):
    assert lines_of(tmp_path, **other) == []
