"""From a FAQ bank, its final models and the evaluations on its folds to one answerer."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from semblance.answering.entries import FaqEntry
from semblance.answering.folder import Origin, write_answerer
from semblance.answering.judgement import Judgement, judge
from semblance.answering.learning_curve import CURVE, curve_lines, read_curve
from semblance.answering.measured import Way, read_asked, read_evaluations
from semblance.answering.settings import AnsweringSettings
from semblance.answering.summary import Subject, summary_text
from semblance.data.arrow import read_parquet
from semblance.errors import InputError
from semblance.evaluation.prepared import QUESTIONS
from semblance.layout import SUMMARY, fold_corpus
from semblance.models.compute import device_name, set_up
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.names import START
from semblance.provenance import checked, named_beside, record_digest
from semblance.settings import Count, Length, Seed, Share, Threads

ENTRIES = "entries.parquet"  # of a prepared bank


@dataclass(frozen=True)
class AnswererSettings:
    """What an answerer is made of.

    ``models`` are the methods of the models to choose from, ``protocol`` says what the test asks,
    ``precision`` is what the threshold must be shown to have. The first of the ``seeds`` is that of
    the final models.
    """

    name: str
    bank: str
    base: str
    folds: Count
    seeds: tuple[Seed, ...]
    protocol: str
    precision: Share
    max_length: Length
    threads: Threads
    models: tuple[str, ...]
    ways: tuple[Way, ...]

    def way(self, method: str) -> Way:
        """Return the way of a method."""
        return next(way for way in self.ways if way.method == method)

    @property
    def plain(self) -> list[str]:
        """The ways that need no training and no model of one's own: the start model, and BM25."""
        return [way.method for way in self.ways if _is_plain(way)]


def _is_plain(way: Way) -> bool:
    return way.method == START or way.ranking.by == "words"


@dataclass(frozen=True)
class Sources:
    """The records that an answerer is made from; ``models`` in the order of the settings'.

    ``curves`` is the record of its learning curves, if it has some.
    """

    bank: str
    models: tuple[str, ...]
    evaluations: tuple[str, ...]
    curves: tuple[str, ...] = ()


def build_answerer(
    wanted: AnswererSettings, sources: Sources, record: Path, gpus: int, code: str
) -> Judgement:
    """Write the answerer beside ``record``; return what its choice rests on."""
    device = set_up(wanted.threads, gpus, "highest")  # a service computes in fp32, too
    bank = checked(sources.bank, ENTRIES, QUESTIONS)
    entries = read_entries(Path(sources.bank).parent / ENTRIES)
    questions = read_asked(Path(sources.bank).parent, wanted.protocol)
    measured = read_evaluations(sources.evaluations, wanted.base, questions)
    corpora = [fold_corpus(wanted.bank, fold) for fold in range(wanted.folds)]
    ways = {way.method: measured.of_way(way, wanted.seeds, corpora) for way in wanted.ways}
    judgement = judge(ways, wanted.folds, wanted.plain, wanted.precision)
    chosen = wanted.way(judgement.chosen)
    model_path = dict(zip(wanted.models, sources.models, strict=True))[chosen.model]
    model = SavedModel.read(model_path)
    settings = AnsweringSettings(
        chosen.ranking.by, chosen.ranking.match, wanted.max_length, judgement.threshold()
    )
    curves = _read_curves(sources.curves)
    made = _made(model, chosen)
    about = Subject(wanted.name, len(entries), chosen, wanted.protocol, made, curves.lines)
    bank_file = str(Path(sources.bank).parent / ENTRIES)
    weights = str(Path(model_path).parent / WEIGHTS)
    read = {bank_file: bank["outputs"][ENTRIES], weights: model.weights_digest}
    records = {sources.bank: record_digest(bank), model_path: record_digest(model.record)}
    origin = Origin(
        code=code,
        inputs=named_beside(record, measured.digests | curves.digests | read),
        records=named_beside(record, measured.records | curves.records | records),
        texts={SUMMARY: summary_text(judgement, about)},
        facts={
            "answerer": asdict(wanted),
            "evidence": judgement.as_json(),
            "device": device_name(device),
        },
        device=device,
    )
    write_answerer(record.parent, entries, model, settings, origin)
    return judgement


def read_entries(path: Path) -> list[FaqEntry]:
    """Read the entries of a prepared bank."""
    rows = read_parquet(path, ("id", "question", "answer", "wordings")).to_pylist()
    if not rows:
        raise InputError(path, "holds no entry", "prepare the bank again")
    return [FaqEntry(r["id"], r["question"], r["answer"], tuple(r["wordings"])) for r in rows]


class _Curves(NamedTuple):
    """What the learning curves say, and the digests of their file and of their record, by path."""

    lines: tuple[str, ...] = ()
    digests: dict[str, str] = {}
    records: dict[str, str] = {}


def _read_curves(paths: tuple[str, ...]) -> _Curves:
    """Read the learning curves of an answerer; there are none without a record."""
    if not paths:
        return _Curves()
    [path] = paths
    record = checked(path, CURVE)
    file = Path(path).parent / CURVE
    digests = {str(file): record["outputs"][CURVE]}
    return _Curves(tuple(curve_lines(read_curve(file))), digests, {path: record_digest(record)})


def _made(model: SavedModel, way: Way) -> str:
    """Say how a model was made."""
    if way.model == START:
        return "the start model as it is"
    steps = model.record["training"]["step"]
    seed = model.record["settings"]["seed"]
    return f"{way.model}, trained on all entries for {steps} steps with seed {seed}"
