"""The stage that whitens a base: its model, its record, and what it refuses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semblance import locks
from semblance.data.tokens import read_tokens, tokenise
from semblance.errors import InputError
from semblance.locks import Busy, exclusive
from semblance.models import encoder as encoder_module
from semblance.models import folder as model_folder
from semblance.provenance import checked, input_digests, read_sealed
from semblance.training import whitening
from tests.example_settings import COMPUTE
from tests.unit.models.tiny_models import by_library


def fitted(inputs, out, compute=COMPUTE):
    """Fit a whitening; return the model's vectors of the fitted sentences, and the base's."""
    base, _, tokens = inputs
    whitening.fit_whitening(base, tokens, str(out), compute, "code")
    checked(out / "record.json")
    data = read_tokens(Path(tokens).parent / "tokens.arrow")
    folders = (out / "model", Path(base).parent / "model")
    return tuple(model_folder.load(folder).eval().encode(data, 16) for folder in folders)


def covariance(vectors):
    return np.cov(vectors.astype(np.float64).T)


# The last layer norm of the tiny base has no gains, so that the numbers of each vector sum to 0.
EXPECTED = np.diag([0.0] + [1.0] * 15)


def test_the_models_vectors_of_the_corpus_have_mean_0_and_covariance_1(inputs, tmp_path):
    found, base = fitted(inputs, tmp_path / "out")
    assert np.abs(covariance(base) - EXPECTED).max() > 0.1
    assert np.abs(found.astype(np.float64).mean(0)).max() < 1e-4
    assert np.abs(covariance(found) - EXPECTED).max() < 1e-4


def test_fitting_again_gives_the_same_bytes_and_blocks_are_joined(inputs, tmp_path, monkeypatch):
    whole, _ = fitted(inputs, tmp_path / "whole")
    fitted(inputs, tmp_path / "again")
    records = [read_sealed(tmp_path / name / "record.json") for name in ("whole", "again")]
    assert records[0]["outputs"] == records[1]["outputs"]  # the same bytes
    monkeypatch.setattr(encoder_module, "BLOCK", 7)  # 24 sentences: three blocks and a rest
    blocks, _ = fitted(inputs, tmp_path / "blocks")
    assert np.abs(whole @ whole.T - blocks @ blocks.T).max() < 1e-3


def test_sentence_transformers_gives_equal_vectors(inputs, tmp_path):
    fitted(inputs, tmp_path)
    folder = tmp_path / "model"
    texts = ["a b c", "x", "the quick brown fox"]
    ours = model_folder.load(folder).eval().encode(tokenise(folder / "tokenizer.json", texts), 16)
    assert np.abs(by_library(folder).encode(texts) - ours).max() < 1e-4 * np.abs(ours).max()


def test_in_bf16_only_the_encoder_computes_so_and_the_record_says_it(inputs, tmp_path):
    """The whitening is fitted and applied in full precision: the covariance stays 1."""
    fitted(inputs, tmp_path / "out", replace(COMPUTE, precision="bf16"))
    encoder = model_folder.load(tmp_path / "out" / "model").eval()
    encoder.precision = "bf16"
    found = encoder.encode(read_tokens(Path(inputs[2]).parent / "tokens.arrow"), 16)
    assert np.abs(covariance(found)[1:, 1:] - np.eye(15)).max() < 1e-4
    record = read_sealed(tmp_path / "out" / "record.json")
    assert (record["stage"], record["sentences"], record["code"]) == ("fit_whitening", 24, "code")
    assert record["settings"]["precision"] == "bf16"
    assert input_digests(record).keys() == {"base", "tokens"}
    assert all(link["record"] for link in record["inputs"])


def test_vectors_that_are_not_finite_are_refused(inputs, tmp_path, monkeypatch):
    encode = lambda self, tokens, length: np.full((len(tokens.offsets) - 1, 16), np.inf)
    monkeypatch.setattr(encoder_module.Encoder, "encode", encode)
    with pytest.raises(InputError, match="not finite"):
        fitted(inputs, tmp_path)


def test_a_folder_that_another_process_writes_is_left_alone(inputs, tmp_path, monkeypatch):
    with exclusive(tmp_path / "out"), monkeypatch.context() as patch:
        patch.setattr(locks, "_held", {})  # as another process sees it
        with pytest.raises(Busy):
            fitted(inputs, tmp_path / "out")
