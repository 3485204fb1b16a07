"""Figures that are measured on the embeddings of models, from files to files."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from semblance.data.corpus import read_sentences
from semblance.errors import InputError
from semblance.evaluation.metrics import NEAR
from semblance.evaluation.prepared import PAIRS, Texts, read_pairs
from semblance.evaluation.scored import Target, device_of, open_model
from semblance.figures import KINDS, FigureRun, FigureSettings, Row
from semblance.files import rows_csv, write_text
from semblance.models.encoder import Encoder
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.named_modules import MEASURED, load_module
from semblance.provenance import Record, beside, checked, named_beside, write_record


@dataclass(frozen=True)
class TextEncoder:
    """An encoder that reads texts up to the longest input of its folder."""

    encoder: Encoder
    saved: SavedModel

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return the embedding of each text, (n, d) float32.

        Raises InputError where one is not finite.
        """
        read = Texts(texts, self.saved.tokenizer, self.saved.prompts.default)
        return read.encode(self.encoder, self.saved.max_length).of(texts)


@dataclass(frozen=True)
class StsB:
    """The test pairs of STS-B: their texts and gold scores."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    gold: np.ndarray

    @classmethod
    def read(cls, folder: Path) -> "StsB":
        """Read them from the prepared test sets; InputError if STS-B is not among these."""
        pairs = read_pairs(folder)
        inside = pairs["task"] == "stsb"
        if not inside.any():
            raise InputError(folder, "holds no pairs of STS-B", "add stsb to sts.datasets")
        texts = [tuple(pairs[name][inside].tolist()) for name in ("sentence1", "sentence2")]
        return cls(*texts, pairs["score"][inside].astype(np.float64))

    @cached_property
    def sentences(self) -> list[str]:
        """Each distinct sentence once, in the order of the pairs."""
        return list(dict.fromkeys([*self.left, *self.right]))

    @cached_property
    def near(self) -> np.ndarray:
        """The numbers of the pairs with a gold score above 4."""
        return np.flatnonzero(self.gold > NEAR)


@dataclass(frozen=True)
class FigureInputs:
    """The records that a figure is measured from: one model for each run, and its texts.

    ``texts`` is the record of the prepared test sets, or of a corpus for a kind that searches one.
    """

    models: tuple[str, ...]
    texts: str


def measure_figure(
    settings: FigureSettings, inputs: FigureInputs, csv: str, target: Target
) -> None:
    """Write the data of a figure that is measured on models, and the record."""
    started = time.monotonic()
    module = load_module(MEASURED, settings.kind, "settings.kind")
    digests: dict[str, str] = {}
    records: dict[str, Record] = {}

    def note(record_path: str, name: str, record: Record) -> None:
        """Note a file that is read, and the record that lists it."""
        digests[str(Path(record_path).parent / name)] = record["outputs"][name]
        records[record_path] = record

    folder = Path(inputs.texts).parent
    record = checked(inputs.texts)
    if KINDS[settings.kind] == "model":
        data, name = StsB.read(folder), PAIRS
    else:
        data, name = read_sentences(folder), "sentences.arrow"
    note(inputs.texts, name, record)
    rows: list[Row] = []
    device = ""
    for run, path in zip(settings.runs(), inputs.models, strict=True):
        saved = SavedModel.read(path)
        note(path, WEIGHTS, saved.record)
        encoder, _ = open_model(saved, target)
        device = device_of(encoder)
        found = module.rows(TextEncoder(encoder, saved), data, **settings.options)
        rows += [{**run._asdict(), **row} for row in found]
    write_text(csv, rows_csv((*FigureRun._fields, *module.COLUMNS), rows))
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
