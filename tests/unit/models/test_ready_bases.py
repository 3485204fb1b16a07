"""Small models with the shapes of the ready bases give the vectors of sentence-transformers by role.

E5: BERT, mean, normalised, a prompt for each role. BGE and Arctic: BERT, cls, normalised, a prompt
for queries. Multilingual E5: a BERT encoder with XLM-R's tokenizer. And XLM-R itself, whose
positions start behind the number of its padding token.
"""

import numpy as np
import pytest

from semblance.data.tokens import tokenise
from semblance.models import folder as model_folder
from semblance.models.saved import SavedModel
from tests.unit.models.foreign import LIMIT, write_foreign
from tests.unit.models.tiny_models import add_module, built, by_library, edit_json

TEXTS = [
    "how do i renew a loan",
    "renew",
    "a loan a loan how do i renew it when it is late again now",
]
E5 = ({"query": "query: ", "document": "passage: "}, "query")
BGE = ({"query": "represent this: "}, None)
SHAPES = {  # name: the family of the encoder and that of the tokenizer, the pooling, the prompts
    "e5": ("bert", "bert", "mean", E5),
    "bge": ("bert", "bert", "cls", BGE),
    "multilingual-e5": ("bert", "xlm-roberta", "mean", E5),
    "xlm-roberta": ("xlm-roberta", "xlm-roberta", "mean", E5),
}


@pytest.mark.parametrize("name", SHAPES)
def test_both_give_the_same_vectors_by_role(name, tmp_path):
    encoder, tokenizer, pooling, (prompts, default) = SHAPES[name]
    source = write_foreign(tmp_path / "source", encoder, tokenizer)
    edit_json(source / "1_Pooling/config.json", pooling_mode=pooling)
    add_module(source, "Normalize")  # a folder without files: it is not there
    built(source, tmp_path, None, LIMIT, prompts=prompts, default_prompt=default)
    base = SavedModel.read(tmp_path / "record.json")
    ours, theirs = model_folder.load(base.folder).eval(), by_library(base.folder)
    pairs = [
        (theirs.encode_query(TEXTS), base.prompts.queries(TEXTS)),
        (theirs.encode_document(TEXTS), base.prompts.documents(TEXTS)),
        (theirs.encode(TEXTS), [base.prompts.default + text for text in TEXTS]),
    ]
    for expected, texts in pairs:
        found = ours.encode(tokenise(base.tokenizer, texts), base.max_length)
        assert np.abs(found - expected).max() < 1e-6
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
