"""What a small training or embedding reads."""

import pytest

from semblance.data import corpus, tokens
from semblance.models.saved import SavedModel
from semblance.provenance import write_record
from tests.dag.tiny import write_base
from tests.unit.models.tiny_models import built


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """The records of a tiny base, of a corpus of pairs and of its tokens."""
    folder = tmp_path_factory.mktemp("inputs")
    write_base(folder / "raw")
    tokenizer = built(folder / "raw", folder / "base") / "tokenizer.json"
    records = [folder / name / "record.json" for name in ("base", "corpus", "tokens")]
    pairs = [(f"question {number}", f"answer {number}", None) for number in range(12)]
    corpus.write_corpus(folder / "corpus", *corpus.number_sentences(pairs))
    files = ["sentences.arrow", "rows.arrow"]
    write_record(records[1], "prepare_nli", outputs=files, started=0.0)
    texts = tokens.tokenise(tokenizer, corpus.read_sentences(folder / "corpus"))
    tokens.write_tokens(folder / "tokens/tokens.arrow", texts)
    digest = SavedModel.read(records[0]).tokenizer_digest
    files = ["tokens.arrow"]
    write_record(records[2], "tokenise", outputs=files, started=0.0, tokenizer=digest)
    return [str(record) for record in records]
