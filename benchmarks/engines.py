"""Other engines that turn text into vectors: their speed, and how often they find the same neighbour.

Each has the same tokens in batches of like length, and as many threads. CTranslate2 and OpenVINO are
no packages of the project: `pip install ctranslate2 openvino` adds them to the table.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.workload import Task
from semblance.data.tokens import Tokens, tokenise
from semblance.exporting.onnx_export import input_names, write_onnx
from semblance.files import whole_file

BATCH = 64  # sentences, padded to the longest
States = Callable[[np.ndarray, np.ndarray], np.ndarray]  # token numbers and mask -> (n, t, d)


def embedding(task: Task, base: Path, length: int) -> Callable[[list[str]], np.ndarray]:
    """Return the function of an engine that embeds texts of at most ``length`` tokens, (n, d)."""
    states = ENGINES[task.who](task, base)
    return lambda texts: _pooled(states, tokenise(base / "tokenizer.json", texts), length)


def installed(precision: str) -> list[str]:
    """Return the names of the installed engines that have a precision on a CPU."""
    return [name for name in ENGINES if find_spec(name) and name in PRECISE[precision]]


def _pooled(states: States, tokens: Tokens, length: int) -> np.ndarray:
    """Return the mean of each sentence's last states, (n, d)."""
    lengths = np.minimum(tokens.lengths(), length)
    order = np.argsort(lengths, kind="stable")
    vectors: list[np.ndarray] = []
    for first in range(0, len(order), BATCH):
        batch = order[first : first + BATCH]
        ids = np.zeros((len(batch), lengths[batch].max()), np.int64)
        for row, sentence in zip(ids, batch, strict=True):
            start = tokens.offsets[sentence]
            row[: lengths[sentence]] = tokens.ids[start : start + lengths[sentence]]
        mask = np.arange(ids.shape[1]) < lengths[batch][:, None]
        found = states(ids, mask.astype(np.int64)) * mask[:, :, None]
        vectors.append(found.sum(1) / lengths[batch][:, None])
    return np.concatenate(vectors)[np.argsort(order)]


def _onnx(base: Path) -> Path:
    """Return the model of a base as an ONNX file, made once."""
    path = base.parent / "model.onnx"
    if not path.exists():
        with whole_file(path) as part:
            write_onnx(base, part)
    return path


def _inputs(base: Path, ids: np.ndarray, mask: np.ndarray) -> dict[str, np.ndarray]:
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return {name: given[name] for name in input_names(base)}


def _onnxruntime(task: Task, base: Path) -> States:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = task.threads
    session = onnxruntime.InferenceSession(str(_onnx(base)), options, ["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, _inputs(base, ids, mask))[0]


def _openvino(task: Task, base: Path) -> States:
    import openvino

    precision = {"fp32": "f32", "bf16": "bf16"}[task.precision]
    settings = {"INFERENCE_NUM_THREADS": task.threads, "INFERENCE_PRECISION_HINT": precision}
    model = openvino.Core().compile_model(str(_onnx(base)), "CPU", settings)
    return lambda ids, mask: model(_inputs(base, ids, mask))[0]


def _ctranslate2(task: Task, base: Path) -> States:
    import ctranslate2
    from ctranslate2.converters import TransformersConverter

    folder = base.parent / "ctranslate2"
    if not folder.exists():
        TransformersConverter(str(base)).convert(str(folder))
    model = ctranslate2.Encoder(str(folder), compute_type="float32", intra_threads=task.threads)

    def states(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        rows = [row[: int(size)].tolist() for row, size in zip(ids, mask.sum(1), strict=True)]
        return np.array(model.forward_batch(rows).last_hidden_state)

    return states


ENGINES = {"onnxruntime": _onnxruntime, "openvino": _openvino, "ctranslate2": _ctranslate2}
PRECISE = {"fp32": tuple(ENGINES), "bf16": ("openvino",)}
