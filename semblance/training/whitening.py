"""The whitening of a base, fitted on a corpus: a model that needs no training."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn

from semblance.data.tokens import Tokens, read_tokens
from semblance.errors import InputError
from semblance.files import whole_folder
from semblance.layout import RECORD
from semblance.locks import exclusive
from semblance.models import folder as model_folder
from semblance.models.compute import Compute, device_name, set_up
from semblance.models.encoder import Encoder
from semblance.models.saved import FOLDER, SavedModel
from semblance.models.whitening import Whitening, fit
from semblance.provenance import checked, outputs_digest, write_record


def fit_whitening(model: str, tokens: str, output: str | Path, compute: Compute, code: str) -> None:
    """Write ``model/``, the base with its whitening, and its record into the folder ``output``.

    ``model`` and ``tokens`` are records of the base and of the corpus's tokens. Raises InputError
    for a corpus of too few sentences, and for tokens of another tokenizer.
    """
    started = time.monotonic()
    device = set_up(compute.threads, compute.gpus, compute.matmul)
    base = SavedModel.read(model)
    token_record = checked(tokens)
    base.check_tokens(tokens, token_record)
    data = read_tokens(Path(tokens).parent / "tokens.arrow")
    place = Path(output)
    with exclusive(place):
        encoder = model_folder.load(base.folder).eval().to(device)
        encoder.precision = compute.precision
        # ASSUME each distinct sentence counts once, in whichever rows of the corpus it stands
        encoder.whitening = _as_layer(fit(_embedded(encoder, data, base), str(base.record_path)))
        with whole_folder(place / FOLDER) as staging:
            files = model_folder.save(encoder, staging, base.folder, base.max_length)
        write_record(
            place / RECORD,
            "fit_whitening",
            outputs=[f"{FOLDER}/{name}" for name in files],
            started=started,
            code=code,
            inputs={"base": outputs_digest(base.record), "tokens": outputs_digest(token_record)},
            records={"base": base.record, "tokens": token_record},
            sentences=len(data.offsets) - 1,
            settings=asdict(compute),
            device=device_name(device),
        )


def _embedded(encoder: Encoder, data: Tokens, base: SavedModel) -> Iterator[np.ndarray]:
    for vectors in encoder.encode_blocks(data, base.max_length):
        if not np.isfinite(vectors).all():
            problem = "gives embeddings that are not finite"
            raise InputError(base.record_path, problem, "choose another base")
        yield vectors


def _as_layer(whitening: Whitening) -> nn.Linear:
    """Return a whitening as a linear layer in float32: x Wᵀ + b with b = -mean W."""
    width = len(whitening.mean)
    layer = nn.Linear(width, width)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(whitening.matrix.T))
        layer.bias.copy_(torch.from_numpy(-whitening.mean @ whitening.matrix))
    return layer
