"""What a folder states outside tokenizer.json: we read the texts that transformers reads, or refuse."""

import json

import pytest
from transformers import AutoTokenizer

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.models.found import read_found
from semblance.models.stated import TOKENIZER_CONFIG
from tests.dag.tiny import write_base
from tests.unit.models.tiny_models import built, edit_json

TEXTS = ["A CAFE b", "Cafe\u0301 x", "Zo\u00eb", "\u5bc6x\u7801"]
VALUES = [
    {key: value}
    for key in ("do_lower_case", "strip_accents", "tokenize_chinese_chars")
    for value in (True, False, None)  # None: the key is not there
] + [{"do_lower_case": False, "strip_accents": False}, {"truncation_side": "right"}]


@pytest.fixture
def raw(tmp_path):
    write_base(tmp_path / "raw")
    return tmp_path / "raw"


@pytest.mark.parametrize(
    "kind", ["BertTokenizer", "BertTokenizerFast", "PreTrainedTokenizerFast", None]
)
@pytest.mark.parametrize("changes", VALUES, ids=str)
@pytest.mark.parametrize("lowercase", [True, False])
def test_texts_are_read_as_transformers_reads_them_or_refused(raw, lowercase, changes, kind):
    tokenizer = json.loads((raw / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = lowercase
    (raw / "tokenizer.json").write_text(json.dumps(tokenizer))
    edit_json(raw / TOKENIZER_CONFIG, tokenizer_class=kind, **changes)
    theirs = AutoTokenizer.from_pretrained(str(raw))(TEXTS)["input_ids"]
    tokens = tokenise(raw / "tokenizer.json", TEXTS)
    ours = [tokens.part(i, i + 1).ids.tolist() for i in range(len(TEXTS))]
    try:
        read_found(raw)
    except InputError as error:
        assert "in tokenizer.json" in str(error)
        assert ours != theirs
    else:
        assert ours == theirs


def test_a_folder_that_agrees_with_its_tokenizer_is_read(raw):
    edit_json(raw / TOKENIZER_CONFIG, tokenizer_class="BertTokenizer", do_lower_case=True)
    read_found(raw)
    built(raw, raw.parent / "base")


REFUSED = {
    "lower case": (
        TOKENIZER_CONFIG,
        {"do_lower_case": False},
        "do_lower_case is false, in tok.* true",
    ),
    "the end": (TOKENIZER_CONFIG, {"truncation_side": "left"}, "truncation_side is left"),
    "cut vectors": ("config_sentence_transformers.json", {"truncate_dim": 4}, "truncate_dim is 4"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_read_in_another_way_is_refused_by_its_key(raw, name):
    file, changes, problem = REFUSED[name]
    path = raw / file
    path.touch()
    path.write_text(path.read_text() or "{}")
    edit_json(path, **{"tokenizer_class": "BertTokenizer"} | changes)
    for read in (read_found, lambda folder: built(folder, raw.parent / "base")):
        with pytest.raises(InputError, match=problem):
            read(raw)


def test_pads_before_a_text_are_refused_where_scores_are_compared(raw):
    edit_json(raw / TOKENIZER_CONFIG, padding_side="left")
    with pytest.raises(InputError, match="padding_side is left"):
        read_found(raw)


def test_a_base_whose_texts_are_put_in_lower_case_before_is_refused(raw):
    tokenizer = json.loads((raw / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    (raw / "tokenizer.json").write_text(json.dumps(tokenizer))
    (raw / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    with pytest.raises(InputError, match="do_lower_case is true"):
        built(raw, raw.parent / "base")
