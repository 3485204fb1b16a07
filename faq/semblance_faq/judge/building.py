"""From a FAQ bank, its final models and the evaluations on its folds to one answerer."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from semblance.data.arrow import read_parquet
from semblance.evaluation.prepared import QUESTIONS
from semblance.layout import BANK_ENTRIES, fold_corpus
from semblance.models.compute import device_name, set_up
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.names import START
from semblance.provenance import checked, named_beside
from semblance.settings import Count, Length, Seed, Share, Threads
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.answer.folder import AnsweringSettings, embed_answerer, write_answerer
from semblance_faq.answer.places import SUMMARY
from semblance_faq.judge.evaluations import Evaluations, Way, read_clusters, read_evaluations
from semblance_faq.judge.evidence import FoldResult, joined
from semblance_faq.judge.judgement import Judgement, judge, over_seeds
from semblance_faq.judge.summary import Subject, summary_text
from semblance_faq.judge.threshold import OTHER_FIELDS, Floor, find_floor


@dataclass(frozen=True)
class AnswererSettings:
    """What an answerer is made of.

    ``models`` are the methods of the models to choose from, ``ways`` how they answer, the simplest
    first. ``protocol`` says what the test asks, ``precision`` is what the threshold must be shown to
    have. The first of the ``seeds`` is that of the final models.
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

    def results(self, evaluations: Evaluations) -> dict[str, list]:
        """Return the result of each way on each fold."""
        corpora = [fold_corpus(self.bank, fold) for fold in range(self.folds)]
        runs = {way.method: evaluations.of_way(way, self.seeds, corpora) for way in self.ways}
        return {method: over_seeds(results, self.folds) for method, results in runs.items()}


@dataclass(frozen=True)
class Sources:
    """The records that an answerer is made from; ``models`` in the order of the settings'."""

    bank: str
    models: Sequence[str]
    evaluations: Sequence[str]


def build_answerer(
    wanted: AnswererSettings, sources: Sources, record: Path, gpus: int, code: str
) -> Judgement:
    """Write the answerer into the folder of ``record``; return what its choice rests on."""
    device = set_up(wanted.threads, gpus, "auto")  # a service computes in fp32, too
    bank = checked(sources.bank, BANK_ENTRIES, QUESTIONS)
    bank_file = Path(sources.bank).parent / BANK_ENTRIES
    rows = read_parquet(bank_file, ("id", "question", "answer", "wordings")).to_pylist()
    entries = [FaqEntry(r["id"], r["question"], r["answer"], tuple(r["wordings"])) for r in rows]
    clusters = read_clusters(bank_file.parent, wanted.protocol)
    evaluations = read_evaluations(sources.evaluations, wanted.protocol, clusters)
    results = wanted.results(evaluations)
    plain = [way.method for way in wanted.ways if way.is_plain]
    untrained = [way.method for way in wanted.ways if way.is_untrained]
    judgement = judge(results, plain, wanted.precision, untrained)
    way = wanted.way(judgement.chosen)
    model_path = dict(zip(wanted.models, sources.models, strict=True))[way.model]
    model = SavedModel.read(model_path)
    inputs = evaluations.digests | {str(bank_file): bank["outputs"][BANK_ENTRIES]}
    inputs[str(Path(model_path).parent / WEIGHTS)] = model.weights_digest
    records = evaluations.records | {sources.bank: bank}
    records[model_path] = model.record
    about = _subject(wanted, way, entries, model.record)
    ranking = way.ranking
    settings = AnsweringSettings(
        ranking.by, ranking.match, wanted.max_length, judgement.threshold()
    )
    stored = embed_answerer(entries, model, settings, device)
    floor = measure_floor(Answerer(stored), results[way.method])
    judgement = replace(judgement, floor=floor)
    write_answerer(
        record.parent,
        model,
        replace(stored, settings=replace(settings, floor=floor.score)),
        texts={SUMMARY: summary_text(judgement, about)},
        code=code,
        inputs=named_beside(record, inputs),
        records=named_beside(record, records),
        answerer=asdict(wanted),
        evidence=asdict(judgement),
        is_better=judgement.is_better,
        device=device_name(device),
    )
    return judgement


def measure_floor(answerer: Answerer, tests: Sequence[FoldResult]) -> Floor:
    """Find the floor of an answerer, given what its way made of the held-out questions."""
    others = np.asarray([answerer.rank_scores(question).max() for question in OTHER_FIELDS])
    columns = (joined(tests, name) for name in ("confidence", "right", "without"))
    threshold = answerer.stored.settings.threshold
    return find_floor(*columns, others, math.inf if threshold is None else threshold.score)


def _subject(
    wanted: AnswererSettings, way: Way, entries: Sequence[FaqEntry], model: dict[str, Any]
) -> Subject:
    """Return what the summary is about; ``model`` is the record of the chosen model."""
    made = "the start model as it is"
    if way.model != START:
        steps = model["training"]["step"]
        seed = model["settings"]["seed"]
        length = f"{steps} step{'s' * (steps != 1)}"
        made = f"{way.model}, trained on all entries for {length} with seed {seed}"
    words = {each.method: each.words for each in wanted.ways}
    return Subject(wanted.name, len(entries), way, wanted.protocol, made, wanted.base, words)
