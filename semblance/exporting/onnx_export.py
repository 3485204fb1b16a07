"""From a model folder to a new one that has an ONNX file beside the same model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from semblance import layout
from semblance.answering.embedding import Embedder
from semblance.answering.folder import MODEL_SUFFIXES, STAGE, read
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.exporting.onnx_files import MODEL, OUTPUT, require_exportable, write_onnx
from semblance.files import copy_file, require_new, whole_folder
from semblance.models.encoder import Encoder
from semblance.models.packing import Packed
from semblance.models.saved import FOLDER, LISTING, SavedModel, stored_length
from semblance.models.vectors import unit
from semblance.provenance import file_digest, read_sealed, write_json

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
class ModelSource:
    """A sentence-transformers folder, and the tokens after which it cuts a text."""

    folder: Path
    max_length: int

    def files(self) -> list[Path]:
        """Return the files of the model, relative to its folder: those of its modules, too."""
        found = [*self.folder.glob("*"), *self.folder.glob("*/*")]
        names = (path.relative_to(self.folder) for path in sorted(found) if path.is_file())
        return [name for name in names if _belongs(name)]


def _belongs(name: Path) -> bool:
    """Tell whether a file is one of a model; pickles and an earlier export are left behind."""
    hidden = name.as_posix().startswith(".")
    return name.suffix in MODEL_SUFFIXES and not hidden and name.parts[0] != "onnx"


def find_model(named: str | Path) -> ModelSource:
    """Return the model of a FAQ's folder, of a training's folder, or of a plain model folder.

    Of a run with one trained FAQ it is this FAQ's. Files that a record lists are checked against it.
    Raises InputError for anything else.
    """
    folder = Path(named)
    answerers = sorted(folder.glob(f"{layout.pattern(layout.ANSWERER)}/{layout.RECORD}"))
    if len(answerers) == 1:
        folder = answerers[0].parent
    record = folder / layout.RECORD
    if record.is_file() and (folder / FOLDER).is_dir():
        if read_sealed(record).get("stage") == STAGE:
            return ModelSource(folder / FOLDER, read(folder).settings.max_length)
        folder = SavedModel.read(record).folder
    elif not (folder / LISTING).is_file():
        advice = "name the folder of a trained FAQ or of a sentence-transformers model"
        raise InputError(folder, "holds no model", advice)
    return ModelSource(folder, stored_length(folder))


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


def export_onnx(source: ModelSource, output: Path) -> dict[str, Any]:
    """Write a copy of a model folder with an ONNX file in it, and compare it with the model.

    Returns what the report says: how far the file's vectors are from the model's own on SAMPLES.
    Raises InputError for a model that cannot be exported, for an ``output`` that is not new, and
    where the file does not give the model's vectors; then nothing is written.
    """
    require_new(output)
    require_exportable(source.folder)
    with whole_folder(output) as folder:
        for name in source.files():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            copy_file(source.folder / name, folder / name)
        file = folder / MODEL
        file.parent.mkdir()
        write_onnx(source.folder, file)
        facts = {"size": file.stat().st_size, "sha256": file_digest(file)} | _compare(source, file)
        write_json(folder / REPORT, {"files": {MODEL: facts}})
    return facts


def _compare(source: ModelSource, file: Path) -> dict[str, float]:
    embedder = Embedder(source.folder, source.max_length)
    tokens = tokenise(embedder.tokenizer_file, SAMPLES)
    expected = embedder.encoder.encode(tokens, source.max_length)
    vectors = OnnxEncoder(embedder.encoder, file).encode(tokens, source.max_length)
    difference = float(np.abs(vectors - expected).max())
    if not difference <= TOLERANCE:  # NaN is not within it
        problem = f"its ONNX file gives other vectors, {difference:.1e} away"
        raise InputError(source.folder, problem, "export with the pinned packages")
    cosine = float((unit(vectors) * unit(expected)).sum(1).min())
    return {"largest difference": difference, "least cosine": cosine}
