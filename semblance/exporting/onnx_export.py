"""From a model folder to a new one that has ONNX files beside the same model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.answering.embedding import Embedder
from semblance.answering.folder import StoredAnswerer
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.exporting.faq_quality import Answers, answer_all, questions_of
from semblance.exporting.model_source import ModelSource
from semblance.exporting.new_folder import require_new
from semblance.exporting.onnx_encoder import OnnxEncoder
from semblance.exporting.onnx_files import (
    INT8,
    MODEL,
    require_exportable,
    write_int8,
    write_onnx,
)
from semblance.files import copy_file, whole_folder
from semblance.models.saved import stored_length
from semblance.models.vectors import unit
from semblance.provenance import file_digest, write_json

REPORT = "onnx/export.json"
TOLERANCE = 1e-4  # of a number in a vector of the fp32 file
# Texts of several lengths, most of which need padding beside the others; any language will do.
SAMPLES = (
    "Yes.",
    "How do I reset my password?",
    "The parcel that I ordered last week has not arrived; whom can I ask where it is now?",
    *("one more sentence of a long text, " * count for count in (4, 16, 64, 256)),
)


@dataclass(frozen=True)
class WrittenFile:
    """An ONNX file, and how far its vectors are from the model's own on SAMPLES.

    ``difference`` is the largest of a number, ``cosine`` the least of two vectors of one text.
    ``answers`` are those to the questions of the FAQ, if there is one.
    """

    name: str
    size: int
    sha256: str
    difference: float
    cosine: float
    answers: Answers | None


@dataclass(frozen=True)
class OnnxExport:
    """What an export has written; ``before`` are the answers of the model itself."""

    files: tuple[WrittenFile, ...]
    before: Answers | None


def export_onnx(source: ModelSource, output: Path, int8: bool) -> OnnxExport:
    """Write a copy of a model folder with ONNX files in it, and compare them with the model.

    Raises InputError for a model that cannot be exported, for an ``output`` that is not new, and
    where the fp32 file does not give the model's vectors; then nothing is written.
    """
    require_new(output)
    require_exportable(source.folder)
    with whole_folder(output) as folder:
        for name in source.files():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            copy_file(source.folder / name, folder / name)
        (folder / MODEL).parent.mkdir()
        write_onnx(source.folder, folder / MODEL)
        if int8:
            write_int8(folder / MODEL, folder / INT8)
        found = _compare(source, folder, [MODEL, INT8][: 1 + int8])
        write_json(folder / REPORT, as_json(found))
    return found


def _compare(source: ModelSource, folder: Path, names: Sequence[str]) -> OnnxExport:
    length = stored_length(source.folder)
    if source.answerer is not None:
        length = source.answerer.settings.max_length
    embedder = Embedder(source.folder, length)
    own = embedder.encoder
    expected = _sample_vectors(embedder)
    before = _answers(source.answerer, embedder)
    files = []
    for name in names:
        embedder.encoder = OnnxEncoder(own, folder / name)
        vectors = _sample_vectors(embedder)
        difference = float(np.abs(vectors - expected).max())
        if name == MODEL and not difference <= TOLERANCE:  # NaN is not within it
            problem = f"its ONNX file gives other vectors, {difference:.1e} away"
            raise InputError(source.folder, problem, "export with the pinned packages")
        files.append(
            WrittenFile(
                name,
                (folder / name).stat().st_size,
                file_digest(folder / name),
                difference,
                float((unit(vectors) * unit(expected)).sum(1).min()),
                _answers(source.answerer, embedder),
            )
        )
    return OnnxExport(tuple(files), before)


def _sample_vectors(embedder: Embedder) -> np.ndarray:
    tokens = tokenise(embedder.tokenizer_file, SAMPLES)
    return embedder.encoder.encode(tokens, embedder.max_length)


def _answers(answerer: StoredAnswerer | None, embedder: Embedder) -> Answers | None:
    if answerer is None:
        return None
    asked = questions_of(answerer.entries, answerer.bank)
    if not asked:
        return None
    return answer_all(asked, answerer.bank.candidates, embedder.embed_candidates)


def as_json(export: OnnxExport) -> dict:
    """Return what the export's own file says."""
    files = {}
    for file in export.files:
        files[file.name] = {
            "size": file.size,
            "sha256": file.sha256,
            "largest difference": file.difference,
            "least cosine": file.cosine,
        }
        if file.answers is not None:
            files[file.name]["map"] = file.answers.mean
            files[file.name]["same best answer"] = file.answers.kept(export.before)
    found = {"files": files}
    if export.before is not None:
        found["faq"] = {"questions": len(export.before.best), "map": export.before.mean}
    return found


def lines(export: OnnxExport) -> Iterator[str]:
    """Yield what a user is told: each file, and what it changes on the own FAQ."""
    for file in export.files:
        yield f"{file.name}: {file.size / 1e6:.1f} MB"
        yield f"  vectors: {file.difference:.1e} away at most; least cosine {file.cosine:.4f}"
        if file.answers is not None:
            yield f"  {_loss(file.answers, export.before)}"


def _loss(after: Answers, before: Answers) -> str:
    asked = len(before.best)
    kept = f"{after.kept(before)} of {asked} questions keep their best answer"
    return f"own FAQ: {kept}; MAP {100 * before.mean:.2f} before, {100 * after.mean:.2f} after"
