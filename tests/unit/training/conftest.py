"""What a small training or embedding reads."""

import pytest

from semblance.data import corpus, tokens
from semblance.models.base import BaseSettings, build_base
from semblance.provenance import read_sealed, write_record
from tests.dag.tiny import write_base


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """The records of a tiny base, of a corpus of pairs and of its tokens."""
    folder = tmp_path_factory.mktemp("inputs")
    write_base(folder / "raw")
    build_base(
        BaseSettings(16, folder=str(folder / "raw"), pooling="mean"),
        folder / "base/record.json",
        "",
    )
    pairs = [(f"question {number}", f"answer {number}", None) for number in range(12)]
    corpus.write_corpus(folder / "corpus", *corpus.number_sentences(pairs))
    write_record(
        folder / "corpus/record.json",
        "prepare_nli",
        outputs=["sentences.arrow", "rows.arrow"],
        started=0.0,
    )
    tokenizer = folder / "base/model/tokenizer.json"
    tokens.write_tokens(
        folder / "tokens/tokens.arrow",
        tokens.tokenise(tokenizer, corpus.read_sentences(folder / "corpus")),
    )
    write_record(
        folder / "tokens/record.json",
        "tokenise",
        outputs=["tokens.arrow"],
        started=0.0,
        tokenizer=read_sealed(folder / "base/record.json")["outputs"]["model/tokenizer.json"],
    )
    return [str(folder / name / "record.json") for name in ("base", "corpus", "tokens")]
