"""From a FAQ bank, its final models and the evaluations on its folds to one answerer."""

from dataclasses import asdict, dataclass
from pathlib import Path

from semblance.answering.derivation import (
    AnswererSettings,
    Known,
    judge_answerer,
    read_curves,
    settings_of,
    texts_of,
)
from semblance.answering.entries import FaqEntry
from semblance.answering.folder import Origin, write_answerer
from semblance.answering.judgement import Judgement
from semblance.answering.measured import read_asked, read_evaluations
from semblance.answering.threshold import PICTURE
from semblance.answering.threshold_picture import draw_threshold
from semblance.data.arrow import read_parquet
from semblance.drawing.saving import svg_text
from semblance.errors import InputError
from semblance.evaluation.prepared import QUESTIONS
from semblance.models.compute import device_name, set_up
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.provenance import checked, named_beside

ENTRIES = "entries.parquet"  # of a prepared bank


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
    bank_file = Path(sources.bank).parent / ENTRIES
    entries = read_entries(bank_file)
    questions = read_asked(Path(sources.bank).parent, wanted.protocol)
    measured = read_evaluations(sources.evaluations, wanted.base, questions)
    judgement = judge_answerer(wanted, measured)
    paths = dict(zip(wanted.models, sources.models, strict=True))
    model_path = paths[wanted.way(judgement.chosen).model]
    model = SavedModel.read(model_path)
    curves = read_curves(sources.curves)
    weights = str(Path(model_path).parent / WEIGHTS)
    read = {str(bank_file): bank["outputs"][ENTRIES], weights: model.weights_digest}
    records = {sources.bank: bank, model_path: model.record}
    known = Known.of(entries, questions)
    texts = texts_of(wanted, judgement, known, model.record, curves.lines)
    origin = Origin(
        code=code,
        inputs=named_beside(record, measured.digests | curves.digests | read),
        records=named_beside(record, measured.records | curves.records | records),
        texts=texts | {PICTURE: svg_text(draw_threshold(judgement))},
        facts={
            "answerer": asdict(wanted),
            "evidence": judgement.as_json(),
            "device": device_name(device),
        },
        device=device,
    )
    write_answerer(record.parent, entries, model, settings_of(wanted, judgement), origin)
    return judgement


def read_entries(path: Path) -> list[FaqEntry]:
    """Read the entries of a prepared bank."""
    rows = read_parquet(path, ("id", "question", "answer", "wordings")).to_pylist()
    if not rows:
        raise InputError(path, "holds no entry", "prepare the bank again")
    return [FaqEntry(r["id"], r["question"], r["answer"], tuple(r["wordings"])) for r in rows]
