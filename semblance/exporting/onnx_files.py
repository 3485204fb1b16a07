"""A model's transformer as an ONNX file in fp32.

The file has the name and the inputs that sentence-transformers and its users expect below a
model folder. Poolings and dense layers stay what they are: modules of the folder.
"""

import contextlib
import importlib.util
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from semblance.errors import InputError
from semblance.models.architecture import read_architecture
from semblance.models.modules import POOLER, POOLING_KEYS, Modules
from semblance.models.saved import WEIGHTS_FILE
from semblance.provenance import read_object

MODEL = "onnx/model.onnx"
PACKAGES = ("onnx", "onnxruntime", "onnxscript")
OUTPUT = "last_hidden_state"
LARGEST = 2_000_000_000  # bytes; one ONNX file holds 2 GiB
EXAMPLE = (2, 7)  # texts, tokens: a shape of 1 would be taken for a constant


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


class TokenStates(torch.nn.Module):
    """A model of transformers with the outputs of its last layer alone."""

    def __init__(self, model: torch.nn.Module):
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
