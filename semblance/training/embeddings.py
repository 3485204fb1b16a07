"""The frozen embeddings of a model: one vector for each sentence of the corpus."""

import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from semblance.data.tokens import Tokens, read_tokens
from semblance.errors import InputError
from semblance.files import whole_file
from semblance.layout import RECORD
from semblance.locks import exclusive
from semblance.models import folder as model_folder
from semblance.models.compute import Compute, device_name, set_up
from semblance.models.encoder import Encoder
from semblance.models.saved import SavedModel
from semblance.models.vectors import collapsed
from semblance.provenance import checked, write_record

NAME = "embeddings.npy"
SAMPLE = 1000  # sentences that show whether the embeddings have collapsed


def embed(
    model: str, tokens: str, output: str | Path, max_length: int, compute: Compute, code: str
) -> None:
    """Write ``embeddings.npy``, (N, d) float16, and its record into the folder ``output``.

    ``model`` and ``tokens`` are records of earlier stages. The model is in evaluation mode.
    Raises InputError for tokens that the model does not read, a corpus without a sentence, and
    embeddings that no training can use.
    """
    started = time.monotonic()
    device = set_up(compute.threads, compute.gpus, compute.matmul)
    saved = SavedModel.read(model)
    token_record = checked(tokens)
    saved.check_tokens(tokens, token_record)
    encoder = model_folder.load(saved.folder).eval().to(device)
    encoder.precision = compute.precision
    data = read_tokens(Path(tokens).parent / "tokens.arrow")
    sentences = len(data.offsets) - 1
    if not sentences:
        raise InputError(tokens, "holds no sentence", "use a larger corpus")
    folder = Path(output)
    with exclusive(folder), whole_file(folder / NAME) as temporary:
        _write_blocks(encoder, data, max_length, temporary, model)
    write_record(
        folder / RECORD,
        "embed",
        outputs=[NAME],
        started=started,
        code=code,
        inputs={"model": saved.weights_digest, "tokens": token_record["outputs"]["tokens.arrow"]},
        records={"model": saved.record, "tokens": token_record},
        sentences=sentences,
        max_length=max_length,
        settings=asdict(compute),
        device=device_name(device),
    )


def _write_blocks(encoder: Encoder, data: Tokens, max_length: int, path: Path, model: str) -> None:
    """Embed all sentences and write them, block by block, in NumPy's format."""
    sentences = len(data.offsets) - 1
    shape = (sentences, encoder.shape.hidden_size)
    header = {"descr": "<f2", "fortran_order": False, "shape": shape}
    with open(path, "wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for number, block in enumerate(encoder.encode_blocks(data, max_length)):
            # The regulators read directions alone, which 11 bits of a number carry well enough.
            vectors = block.astype(np.float16)
            if not np.isfinite(vectors).all():
                problem = "gives embeddings that are not finite as float16"
                raise InputError(model, problem, "train it again")
            if number == 0 and collapsed(vectors[:SAMPLE]):
                problem = "gives embeddings that have collapsed onto one direction"
                raise InputError(model, problem, "train it with other settings, such as another φ")
            stream.write(vectors.tobytes())
