"""From a model folder to a new one that has the transformer as an ONNX file in fp32 beside it.

The file has the name and the inputs that sentence-transformers and its users expect below a
model folder. Poolings and dense layers stay what they are: modules of the folder.
"""

import contextlib
import importlib.util
import logging
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from semblance import layout
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.files import copy_file, require_new, whole_folder
from semblance.models.architecture import read_architecture
from semblance.models.encoder import Encoder
from semblance.models.folder import load
from semblance.models.modules import POOLER, POOLING_KEYS, Modules
from semblance.models.packing import Packed
from semblance.models.saved import (
    FOLDER,
    LISTING,
    TOKENIZER,
    WEIGHTS_FILE,
    SavedModel,
    stored_length,
)
from semblance.models.vectors import unit
from semblance.provenance import checked, file_digest, read_object, read_sealed, write_json

STAGE = "build_answerer"  # of the record of a trained FAQ
MODEL_SUFFIXES = {".json", ".txt", ".safetensors", ".md"}  # other files, such as pickles, stay
MODEL = "onnx/model.onnx"
REPORT = "onnx/export.json"
PACKAGES = ("onnx", "onnxruntime", "onnxscript")
OUTPUT = "last_hidden_state"
LARGEST = 2_000_000_000  # bytes; one ONNX file holds 2 GiB
EXAMPLE = (2, 7)  # texts, tokens: a shape of 1 would be taken for a constant
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
            return ModelSource(folder / FOLDER, checked(record)["settings"]["max_length"])
        folder = SavedModel.read(record).folder
    elif not (folder / LISTING).is_file():
        advice = "name the folder of a trained FAQ or of a sentence-transformers model"
        raise InputError(folder, "holds no model", advice)
    return ModelSource(folder, stored_length(folder))


def require_packages() -> None:
    """Raise InputError that says how to install what is missing."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        command = f"{sys.executable} -m pip install {' '.join(PACKAGES)}"
        advice = f"run {command} (in a checkout with -c constraints.txt)"
        raise InputError("--onnx", f"needs the packages {', '.join(missing)}", advice)


def require_exportable(folder: Path) -> None:
    """Raise InputError for a model that sentence-transformers could not run on an ONNX file."""
    pooling = Modules.read(folder).pooling()
    if pooling not in (*POOLING_KEYS, POOLER):
        problem = f"the pooling {pooling!r} reads more than an ONNX model's output"
        raise InputError(folder, problem, "export a model with another pooling")
    size = (folder / WEIGHTS_FILE).stat().st_size
    if size > LARGEST:
        problem = f"the weights have {size:,} bytes, more than one ONNX file holds"
        raise InputError(folder, problem, "export a smaller model")


def input_names(folder: Path) -> list[str]:
    """Return the inputs of a folder's ONNX files: BERT alone has types of tokens."""
    names = ["input_ids", "attention_mask"]
    if read_object(folder / "config.json").get("model_type") == "bert":
        names.append("token_type_ids")
    return names


class TokenStates(nn.Module):
    """A model of transformers with the outputs of its last layer alone."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> Tensor:
        """Map (n, t) to (n, t, d)."""
        given = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            given["token_type_ids"] = token_type_ids
        return self.model(**given).last_hidden_state


def write_onnx(folder: Path, path: Path) -> None:
    """Write the transformer of a model folder in fp32, for any number of texts and tokens."""
    from transformers import AutoModel

    model = AutoModel.from_pretrained(
        str(folder),
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=torch.float32,
        attn_implementation="eager",
        add_pooling_layer=False,
    )
    names = input_names(folder)
    example = {name: torch.ones(EXAMPLE, dtype=torch.int64) for name in names}
    example["input_ids"] += read_architecture(folder).pad_token_id
    example["token_type_ids"] = example["attention_mask"] * 0
    example["attention_mask"][0, -1] = 0
    with _quietly():
        torch.onnx.export(
            TokenStates(model).eval(),
            args=(),
            f=str(path),
            kwargs={name: example[name] for name in names},
            input_names=names,
            output_names=[OUTPUT],
            dynamic_shapes={name: {0: "batch", 1: "sequence"} for name in names},
            external_data=False,
            dynamo=True,
            verbose=False,
        )


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep the libraries' progress and advice to their developers from the terminal."""
    from transformers.utils import logging as of_transformers

    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    of_transformers.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
        of_transformers.enable_progress_bar()


class OnnxEncoder(Encoder):
    """Batches, pooling, head and scaling of an encoder; onnxruntime computes the token states."""

    def __init__(self, encoder: Encoder, path: Path):
        """Share the modules of ``encoder``; ``path`` is an ONNX file of the same model."""
        import onnxruntime

        nn.Module.__init__(self)
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
    encoder = load(source.folder).eval()
    tokens = tokenise(source.folder / Path(TOKENIZER).name, SAMPLES)
    expected = encoder.encode(tokens, source.max_length)
    vectors = OnnxEncoder(encoder, file).encode(tokens, source.max_length)
    if not expected.any(1).all():
        problem = "gives vectors that have no direction"
        raise InputError(source.folder, problem, "train the model again")
    difference = float(np.abs(vectors - expected).max())
    if not difference <= TOLERANCE:  # NaN is not within it
        problem = f"its ONNX file gives other vectors, {difference:.1e} away"
        raise InputError(source.folder, problem, "export with the pinned packages")
    cosine = float((unit(vectors) * unit(expected)).sum(1).min())
    return {"largest difference": difference, "least cosine": cosine}
