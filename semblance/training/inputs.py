"""What a training reads: records of earlier stages, checked before use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.errors import InputError
from semblance.models.encoder import Encoder
from semblance.models.saved import SavedModel
from semblance.names import REGULATOR, STEPS_OF
from semblance.provenance import Record, checked, outputs_digest, read_sealed
from semblance.training.embeddings import NAME as EMBEDDINGS
from semblance.training.loop import Measures


@dataclass(frozen=True)
class TrainingInputs:
    """The records of a training's inputs, and its dev score.

    ``dev(encoder)`` returns the dev score, higher is better, or measures in its place, as in
    ``loop.fit``; without it the last weights are kept, or those of the best window.
    """

    base: str  # the model to start from
    corpus: str
    tokens: str  # of the corpus
    regulators: Sequence[str] = ()  # the embeddings of the corpus by each
    dev: Callable[[Encoder], float | Measures] | None = None
    dev_record: Record | None = None  # of the dev data
    steps_of: Sequence[str] = ()  # trainings that say how many steps to take; models may be gone
    keeps_model: bool = True  # the trained model is an output


class SavedRegulators(NamedTuple):
    """The frozen embeddings of the corpus by each regulator.

    ``digests`` and ``records`` have "regulator 1" and so on as keys: where a run lies decides no result.
    """

    embeddings: list[np.ndarray]  # (N, d) float16 each, memory-mapped
    digests: dict[str, str]
    records: dict[str, Record]
    precision: dict[str, str]  # that they were made in, of the model and of matrix products
    unmoved: list[str]  # those whose model has not left its start


class CheckedInputs(NamedTuple):
    """Inputs that are as their records say, with the digest of the content of each."""

    start: SavedModel
    corpus: Path  # the folder
    tokens: Path  # the file
    regulators: SavedRegulators
    digests: dict[str, str]
    records: dict[str, Record]


def check_inputs(inputs: TrainingInputs) -> CheckedInputs:
    """Check every input against its record; InputError for one that is damaged or does not fit."""
    start = SavedModel.read(inputs.base)
    corpus = checked(inputs.corpus)
    tokens = checked(inputs.tokens)
    start.check_tokens(inputs.tokens, tokens)
    regulators = read_regulators(inputs.regulators)
    read = {"base": start.record, "corpus": corpus, "tokens": tokens}
    if inputs.dev_record:
        read["dev"] = inputs.dev_record
    read |= {f"{STEPS_OF} {n}": read_sealed(path) for n, path in enumerate(inputs.steps_of, 1)}
    return CheckedInputs(
        start,
        Path(inputs.corpus).parent,
        Path(inputs.tokens).parent / "tokens.arrow",
        regulators,
        digests=regulators.digests | {n: outputs_digest(record) for n, record in read.items()},
        records=regulators.records | read,
    )


def read_regulators(paths: Sequence[str]) -> SavedRegulators:
    """Check and memory-map the embeddings with these records."""
    records = {f"{REGULATOR} {n}": checked(path) for n, path in enumerate(paths, 1)}
    precision = {}
    for name in ("precision", "matmul"):
        used = {record["settings"][name] for record in records.values()}
        precision |= {name: " and ".join(sorted(used))} if used else {}
    return SavedRegulators(
        [np.load(Path(path).parent / EMBEDDINGS, mmap_mode="r") for path in paths],
        {role: record["outputs"][EMBEDDINGS] for role, record in records.items()},
        records,
        precision,
        [role for role, path in zip(records, paths, strict=True) if _is_unmoved(path)],
    )


def _is_unmoved(path: str) -> bool:
    """Tell whether no window of a teacher's training had a lower loss than its first one.

    Then nothing of Eq. 2, its φ included, shows in the teacher. ``path``: the record of its
    embeddings.
    """
    links = read_sealed(path)["inputs"]
    models = [Path(path).parent / link["place"] for link in links if link["role"] == "model"]
    of_models = [read_sealed(model).get("training", {}).get("windows") for model in models]
    return any(windows and min(windows) == windows[0] for windows in of_models)


def check_unchanged(start: SavedModel) -> None:
    """Raise InputError if the start model changed since it was checked, hours ago.

    Its tokenizer and its configuration become part of the trained model.
    """
    if SavedModel.read(start.record_path).record["outputs"] != start.record["outputs"]:
        raise InputError(start.record_path, "changed while it was trained from", "start again")
