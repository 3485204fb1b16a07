"""Figures that are measured on the embeddings of models, from files to files."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from semblance.data.corpus import read_sentences
from semblance.errors import InputError
from semblance.evaluation.metrics import NEAR
from semblance.evaluation.prepared import PAIRS, Texts, read_pairs
from semblance.evaluation.scored import Target, device_of, open_model
from semblance.figures import KINDS, Embed, FigureRun, FigureSettings, Row, StsB
from semblance.files import rows_csv, write_text
from semblance.models.encoder import Encoder
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.named_modules import FIGURES, load_module
from semblance.provenance import beside, checked, named_beside, write_record


def read_stsb(folder: Path) -> StsB:
    """Read STS-B from the prepared test sets; InputError if it is not among these."""
    pairs = read_pairs(folder)
    inside = pairs["task"] == "stsb"
    if not inside.any():
        raise InputError(folder, "holds no pairs of STS-B", "add stsb to sts.datasets")
    left, right = (pairs[name][inside].tolist() for name in ("sentence1", "sentence2"))
    near = np.flatnonzero(pairs["score"][inside].astype(np.float64) > NEAR)
    return StsB(list(dict.fromkeys([*left, *right])), [(left[i], right[i]) for i in near])


def embedding(encoder: Encoder, saved: SavedModel) -> Embed:
    """Return how a model embeds texts, which it reads up to the longest input of its folder."""

    def embed(texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of texts, (N, d)."""
        read = Texts(texts, saved.tokenizer, saved.prompts.default)
        return read.encode(encoder, saved.max_length).of(texts)

    return embed


def measure_figure(
    settings: FigureSettings, models: Sequence[str], texts: str, csv: str, target: Target
) -> None:
    """Write the data of a figure that is measured on models, and the record.

    ``models`` are the records of its runs' models. ``texts`` is the record of the prepared test
    sets, or of a corpus for a kind that searches one.
    """
    started = time.monotonic()
    module = load_module(FIGURES, settings.kind, "settings.kind")
    records = {texts: checked(texts)}
    files = {texts: PAIRS}  # what is read of that which a record lists
    if KINDS[settings.kind] == "model":
        data = read_stsb(Path(texts).parent)
    else:
        data = read_sentences(Path(texts).parent)
        files[texts] = "sentences.arrow"
    rows: list[Row] = []
    device = ""
    for (run, _), path in zip(settings.runs(), models, strict=True):
        saved = SavedModel.read(path)
        records[path], files[path] = saved.record, WEIGHTS
        encoder, _ = open_model(saved, target)
        device = device_of(encoder)
        measured = module.rows(embedding(encoder, saved), data, **settings.options)
        rows += [{**run._asdict(), **row} for row in measured]
    write_text(csv, rows_csv((*FigureRun._fields, *module.COLUMNS), rows))
    digests = {
        str(Path(record).parent / name): records[record]["outputs"][name]
        for record, name in files.items()
    }
    write_record(
        target.record,
        "measure_figure",
        outputs=[beside(target.record, csv)],
        started=started,
        code=target.code,
        inputs=named_beside(target.record, digests),
        records=named_beside(target.record, records),
        settings=asdict(settings) | asdict(target.compute),
        device=device,
    )
