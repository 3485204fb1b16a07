"""Figures that are measured on the embeddings of models, from files to files."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from semblance.data.corpus import read_sentences
from semblance.errors import InputError
from semblance.evaluation.geometry import NEAR
from semblance.evaluation.prepared import PAIRS, read_pairs
from semblance.evaluation.scored import Target, device_of, open_model
from semblance.evaluation.texts import Texts
from semblance.figures import KINDS, FigureRun, FigureSettings, Row, Source, figure_csv
from semblance.files import write_text
from semblance.models.encoder import Encoder
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.named_modules import MEASURED, load_module
from semblance.provenance import Record, beside, checked, named_beside, write_record
from semblance.settings import unknown_word


@dataclass(frozen=True)
class Model:
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
class Collection:
    """The distinct sentences of a corpus."""

    sentences: list[str]


@dataclass(frozen=True)
class FigureInputs:
    """The records that a figure is measured from: one model for each run, and its texts.

    ``texts`` is the record of the prepared test sets, or of a corpus for a kind that searches one.
    """

    models: tuple[str, ...]
    texts: str


def _read_texts(source: Source, folder: Path) -> tuple[StsB | Collection, str]:
    """Return the texts of a figure, and the name of their file."""
    match source:
        case "model":
            return StsB.read(folder), PAIRS
        case "collection":
            return Collection(read_sentences(folder)), "sentences.arrow"
        case _:
            raise unknown_word("settings.kind", source, Source)


class _Measurement:
    """Measures the models of one figure one after the other, and notes what it read."""

    def __init__(self, settings: FigureSettings, inputs: FigureInputs, target: Target):
        self.settings = settings
        self.inputs = inputs
        self.target = target
        self.module = load_module(MEASURED, settings.kind, "settings.kind")
        self.digests: dict[str, str] = {}
        self.records: dict[str, Record] = {}
        self.device = ""
        record = checked(inputs.texts)
        folder = Path(inputs.texts).parent
        self.data, name = _read_texts(KINDS[settings.kind], folder)
        self._note(inputs.texts, name, record)

    def rows(self) -> Iterator[Row]:
        """Yield the rows of each model."""
        for run, path in zip(self.settings.runs(), self.inputs.models, strict=True):
            saved = SavedModel.read(path)
            self._note(path, WEIGHTS, saved.record)
            encoder, _ = open_model(saved, self.target)
            self.device = device_of(encoder)
            model = Model(encoder, saved)
            for row in self.module.rows(model, self.data, **self.settings.options):
                yield {**run._asdict(), **row}

    def _note(self, record_path: str, name: str, record: Record) -> None:
        """Note a file that is read, and the record that lists it."""
        self.digests[str(Path(record_path).parent / name)] = record["outputs"][name]
        self.records[record_path] = record


def measure_figure(
    settings: FigureSettings, inputs: FigureInputs, csv: str, target: Target
) -> None:
    """Write the data of a figure that is measured on models, and the record."""
    started = time.monotonic()
    measurement = _Measurement(settings, inputs, target)
    columns = (*FigureRun._fields, *measurement.module.COLUMNS)
    write_text(csv, figure_csv(columns, measurement.rows()))
    record = target.record
    write_record(
        record,
        "measure_figure",
        outputs=[beside(record, csv)],
        started=started,
        code=target.code,
        inputs=named_beside(record, measurement.digests),
        records=named_beside(record, measurement.records),
        settings=asdict(settings) | asdict(target.compute),
        device=measurement.device,
    )
