"""Trainings from a base with prompts: their tokens have them, and so has the trained model."""

import json
import shutil
from pathlib import Path

import pytest

from semblance.data.tokens import read_tokens, tokenise
from semblance.errors import InputError
from semblance.models.prompts import PROMPTS_FILE
from semblance.models.saved import SavedModel
from semblance.provenance import input_digests, read_sealed, write_record
from semblance.training.embeddings import embed
from semblance.training.inputs import TrainingInputs, check_inputs
from semblance.training.settings import MaskedWords
from tests.example_settings import COMPUTE, train_settings
from tests.scripts.flags import flags
from tests.unit.models.tiny_models import built
from tests.unit.training.small import train
from workflow.scripts import tokenise as tokenise_script

PROMPTS = {"query": "ask: ", "document": "say: "}


@pytest.fixture(scope="module")
def prompted(inputs, tmp_path_factory):
    """The records of a base with prompts, of a FAQ's corpus, and of its tokens."""
    folder = tmp_path_factory.mktemp("prompted")
    raw = Path(inputs[0]).parents[1] / "raw"
    built(raw, folder / "base", limit=32, prompts=PROMPTS, default_prompt="query")
    shutil.copytree(Path(inputs[1]).parent, folder / "faq")
    base, corpus = (folder / name / "record.json" for name in ("base", "faq"))
    files = ["sentences.arrow", "rows.arrow"]
    write_record(corpus, "prepare_faq", outputs=files, started=0.0)
    return [str(base), str(corpus), run_tokenise(base, corpus, folder / "tokens")]


def run_tokenise(base, corpus, out) -> str:
    record = str(out / "record.json")
    tokenise_script.main(flags(corpus=corpus, base=base, output=record))
    return record


def test_questions_are_tokenised_as_queries_and_answers_as_documents(prompted):
    base, corpus, tokens = prompted
    texts = []
    for number in range(12):
        texts += [f"ask: question {number}", f"say: answer {number}"]
    expected = tokenise(SavedModel.read(base).tokenizer, texts)
    found = read_tokens(Path(tokens).parent / "tokens.arrow")
    assert found.ids.tolist() == expected.ids.tolist()
    record = read_sealed(tokens)
    assert record["prompts"] == {"prompts": PROMPTS, "default_prompt_name": "query"}
    assert input_digests(record)["rows"] == read_sealed(corpus)["outputs"]["rows.arrow"]


def test_without_prompts_tokens_and_their_record_say_nothing_of_them(inputs, tmp_path):
    base, corpus, tokens = inputs
    again = run_tokenise(base, corpus, tmp_path)
    assert "prompts" not in read_sealed(again) and "rows" not in input_digests(read_sealed(again))
    theirs = Path(tokens).parent / "tokens.arrow"
    assert (tmp_path / "tokens.arrow").read_bytes() == theirs.read_bytes()


def test_tokens_without_the_prompts_of_the_base_are_refused(inputs, prompted, tmp_path):
    with pytest.raises(InputError, match="made by other prompts than that of .*base"):
        check_inputs(TrainingInputs(prompted[0], prompted[1], inputs[2]))
    with pytest.raises(InputError, match="made by other prompts than that of .*base"):
        embed(prompted[0], inputs[2], tmp_path, 32, COMPUTE, "code")
    assert not list(tmp_path.iterdir())


def test_a_trained_model_has_the_prompts_of_its_base(prompted, tmp_path):
    train(prompted, tmp_path, train_settings(max_length=32))
    stated = json.loads((tmp_path / "model" / PROMPTS_FILE).read_text())
    assert stated == {"prompts": PROMPTS, "default_prompt_name": "query"}
    assert SavedModel.read(tmp_path / "record.json").prompts.texts == PROMPTS


@pytest.mark.parametrize(
    "changed", [{"views": "delete"}, {"masked_words": MaskedWords(weight=0.1)}]
)
def test_a_training_that_would_change_tokens_of_prompts_is_refused(prompted, tmp_path, changed):
    with pytest.raises(InputError, match="changes tokens, those of the base's prompts among them"):
        train(prompted, tmp_path, train_settings(max_length=32, **changed))
