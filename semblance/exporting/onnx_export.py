"""From a model folder to a new one that has an ONNX file beside the same model."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.exporting.model_source import ModelSource
from semblance.exporting.new_folder import require_new
from semblance.exporting.onnx_files import MODEL, OUTPUT, require_exportable, write_onnx
from semblance.files import copy_file, whole_folder
from semblance.models.encoder import Encoder
from semblance.models.folder import load
from semblance.models.packing import Packed
from semblance.models.saved import TOKENIZER
from semblance.models.vectors import unit
from semblance.provenance import file_digest, write_json

REPORT = "onnx/export.json"
TOLERANCE = 1e-4  # of a number in a vector
# Texts of several lengths, most of which need padding beside the others; any language will do.
SAMPLES = (
    "Yes.",
    "How do I reset my password?",
    "The parcel that I ordered last week has not arrived; whom can I ask where it is now?",
    *("one more sentence of a long text, " * count for count in (4, 16, 64, 256)),
)


@dataclass(frozen=True)
class OnnxExport:
    """The ONNX file, and how far its vectors are from the model's own on SAMPLES.

    ``difference`` is the largest of a number, ``cosine`` the least of two vectors of one text.
    """

    size: int
    sha256: str
    difference: float
    cosine: float

    def lines(self) -> Iterator[str]:
        """Yield what the command prints."""
        yield f"{MODEL}: {self.size / 1e6:.1f} MB"
        yield f"  vectors: {self.difference:.1e} away at most; least cosine {self.cosine:.4f}"


class OnnxEncoder(Encoder):
    """Batches, pooling, head and scaling of an encoder; onnxruntime computes the token states."""

    def __init__(self, encoder: Encoder, path: Path):
        """Share the modules of ``encoder``; ``path`` is an ONNX file of the same model."""
        torch.nn.Module.__init__(self)
        vars(self).update(vars(encoder))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        providers = ["CPUExecutionProvider"]
        self.session = onnxruntime.InferenceSession(str(path), options, providers=providers)

    def token_states(self, packed: Packed, plan: None = None, read: dict | None = None) -> Tensor:
        """Return what the ONNX file makes of each token, (T, d), of one padded batch."""
        lengths = packed.lengths.numpy()
        real = np.arange(lengths.max()) < lengths[:, None]  # (n, t)
        ids = np.full(real.shape, self.shape.pad_token_id, np.int64)
        ids[real] = packed.ids.numpy()
        given = {
            "input_ids": ids,
            "attention_mask": real.astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        named = [each.name for each in self.session.get_inputs()]
        (states,) = self.session.run([OUTPUT], {name: given[name] for name in named})
        return torch.from_numpy(states[real])


def export_onnx(source: ModelSource, output: Path) -> OnnxExport:
    """Write a copy of a model folder with an ONNX file in it, and compare it with the model.

    Raises InputError for a model that cannot be exported, for an ``output`` that is not new, and
    where the file does not give the model's vectors; then nothing is written.
    """
    require_new(output)
    require_exportable(source.folder)
    with whole_folder(output) as folder:
        for name in source.files():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            copy_file(source.folder / name, folder / name)
        (folder / MODEL).parent.mkdir()
        write_onnx(source.folder, folder / MODEL)
        found = _compare(source, folder / MODEL)
        facts = {
            "size": found.size,
            "sha256": found.sha256,
            "largest difference": found.difference,
            "least cosine": found.cosine,
        }
        write_json(folder / REPORT, {"files": {MODEL: facts}})
    return found


def _compare(source: ModelSource, file: Path) -> OnnxExport:
    encoder = load(source.folder).eval()
    tokens = tokenise(source.folder / Path(TOKENIZER).name, SAMPLES)
    expected = encoder.encode(tokens, source.max_length)
    vectors = OnnxEncoder(encoder, file).encode(tokens, source.max_length)
    difference = float(np.abs(vectors - expected).max())
    if not difference <= TOLERANCE:  # NaN is not within it
        problem = f"its ONNX file gives other vectors, {difference:.1e} away"
        raise InputError(source.folder, problem, "export with the pinned packages")
    cosine = float((unit(vectors) * unit(expected)).sum(1).min())
    return OnnxExport(file.stat().st_size, file_digest(file), difference, cosine)
