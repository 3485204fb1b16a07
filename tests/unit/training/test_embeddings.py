"""Embeddings are written block by block, so that memory does not grow with the corpus."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semblance.data.tokens import read_tokens
from semblance.errors import InputError
from semblance.models import encoder as encoder_module
from semblance.models import folder as model_folder
from semblance.provenance import checked
from semblance.training import embeddings
from tests.example_settings import COMPUTE


def write(inputs, out, compute=COMPUTE):
    """Embed the corpus; return the vectors and their record."""
    base, _, tokens = inputs
    embeddings.embed(base, tokens, str(out), max_length=16, compute=compute, code="code")
    return np.load(out / "embeddings.npy"), checked(out / "record.json")


def test_blocks_hold_each_sentences_own_vector(inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(encoder_module, "BLOCK", 7)  # 24 sentences: three blocks and a rest
    written, record = write(inputs, tmp_path / "out")
    encoder = model_folder.load(Path(inputs[0]).parent / "model").eval()
    tokens = read_tokens(Path(inputs[2]).parent / "tokens.arrow")
    one_by_one = np.concatenate([encoder.encode(tokens.part(i, i + 1), 16) for i in range(24)])
    assert written.shape == one_by_one.shape and written.dtype == np.float16
    # half precision keeps 11 bits
    assert np.abs(written - one_by_one).max() < 2e-3 * np.abs(one_by_one).max()
    assert len(np.unique(written, axis=0)) == 24 == record["sentences"]


def test_the_declared_precision_is_used_and_recorded(inputs, tmp_path):
    plain, _ = write(inputs, tmp_path / "fp32")
    half, record = write(inputs, tmp_path / "bf16", replace(COMPUTE, precision="bf16"))
    assert not np.array_equal(plain, half)
    # eight bits of mantissa, through some products
    assert np.abs(plain - half).max() < 2**-5 * np.abs(plain).max()
    assert record["settings"]["precision"] == "bf16"


def test_a_corpus_without_a_sentence_is_refused(inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(embeddings, "read_tokens", lambda path: read_tokens(path).part(0, 0))
    with pytest.raises(InputError, match="tokens/record.json: holds no sentence"):
        write(inputs, tmp_path / "out")
    assert not (tmp_path / "out/embeddings.npy").exists()


@pytest.mark.parametrize(
    "value, said", [(np.inf, "not finite as float16"), (1.0, "collapsed onto one direction")]
)
def test_infinite_or_collapsed_embeddings_leave_no_file(inputs, tmp_path, monkeypatch, value, said):
    encode = lambda self, tokens, length: np.full((len(tokens.offsets) - 1, 16), value, np.float32)
    monkeypatch.setattr(encoder_module.Encoder, "encode", encode)
    with pytest.raises(InputError, match=said):
        write(inputs, tmp_path / "out")
    left = [path.suffix for path in (tmp_path / "out").iterdir()]
    assert not set(left) & {".npy", ".json", ".part"}
