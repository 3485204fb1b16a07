"""The frozen embeddings of an entropy model: one vector for each distinct sentence of the corpus."""

import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from semblance.data.corpus import read_tokens
from semblance.errors import InputError, is_passing
from semblance.files import whole_file
from semblance.locks import exclusive
from semblance.models import folder as model_folder
from semblance.models.encoder import Compute, device_name, set_up
from semblance.models.vectors import collapsed
from semblance.provenance import checked, write_record

BLOCK = 1 << 15  # sentences embedded and written at a time: memory does not grow with the corpus


def read_embeddings(path: str | Path) -> np.ndarray:
    """Memory-map embeddings, (N, d) float16; InputError for any other array, and for pickled objects."""
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        if is_passing(error):
            raise
        raise InputError(
            path, f"no array that can be read ({error})", "delete it and run again"
        ) from None
    if not isinstance(vectors, np.ndarray) or vectors.dtype != np.float16 or vectors.ndim != 2:
        raise InputError(path, "not an array (N, d) of float16", "delete it and run again")
    return vectors


def embed(
    model: str, tokens: str, output: str, max_length: int, compute: Compute, code: str
) -> None:
    """Write ``embeddings.npy`` (N, d) float16, made in evaluation mode, and its record, into ``output``.

    ``model`` and ``tokens`` are records of the stages before.
    """
    started = time.monotonic()
    device = set_up(compute.threads, compute.gpus, compute.matmul)
    model_record, token_record = checked(model), checked(tokens)
    encoder = model_folder.load(Path(model).parent / "model").eval().to(device)
    encoder.precision = compute.precision
    data, folder = read_tokens(Path(tokens).parent / "tokens.arrow"), Path(output)
    size = (len(data.offsets) - 1, encoder.shape.hidden_size)
    if not size[0]:
        raise InputError(tokens, "holds no sentence", "use a larger corpus")
    with (
        exclusive(folder),
        whole_file(folder / "embeddings.npy") as temporary,
        open(temporary, "wb") as stream,
    ):
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f2", "fortran_order": False, "shape": size}
        )
        for first in range(0, size[0], BLOCK):
            vectors = encoder.encode(data.part(first, first + BLOCK), max_length).astype(np.float16)
            if not np.isfinite(vectors).all():
                raise InputError(
                    model, "gives embeddings that are not finite as float16", "train it again"
                )
            if not first and collapsed(vectors[:1000]):
                raise InputError(
                    model,
                    "gives embeddings that have collapsed onto one direction",
                    "train it with another φ",
                )
            stream.write(vectors.tobytes())
    inputs = {
        "model": model_record["outputs"]["model/model.safetensors"],
        "tokens": token_record["outputs"]["tokens.arrow"],
    }
    write_record(
        folder / "record.json",
        "embed",
        outputs=["embeddings.npy"],
        started=started,
        code=code,
        inputs=inputs,
        sentences=size[0],
        max_length=max_length,
        settings=asdict(compute),
        device=device_name(device),
    )
