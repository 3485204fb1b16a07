"""What the evaluations on the folds of a FAQ bank say of each way to answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.data.arrow import read_parquet
from semblance.data.text import bare_or_whole
from semblance.errors import InputError
from semblance.evaluation.prepared import QUESTIONS
from semblance.layout import PREDICTIONS
from semblance.names import START
from semblance.provenance import Record, checked
from semblance.ranking.candidates import Ranking
from semblance_faq.judge.evidence import FoldResult, clusters_of

COLUMNS = ("protocol", "query", "ap", "acc@1", "confidence", "without")


@dataclass(frozen=True)
class Way:
    """One way to answer: a method, and how it ranks.

    ``seeds`` are those of its evaluations; a method without a training has seed 0 alone.
    """

    method: str
    seeds: tuple[int, ...]
    ranking: Ranking = field(default_factory=Ranking)

    @property
    def model(self) -> str:
        """The method whose model it uses."""
        return self.ranking.of or self.method

    @property
    def is_untrained(self) -> bool:
        """Whether it needs no training."""
        return self.model == START or self.ranking.by == "words"

    @property
    def is_plain(self) -> bool:
        """Whether it ranks by the start model's vectors alone, or by words alone."""
        return self.is_untrained and self.ranking.by != "hybrid"

    @property
    def words(self) -> str:
        """Its name in a text: the model, and by what it ranks."""
        if self.ranking.by == "words":
            return "BM25"
        model = "the start model" if self.model == START else self.model
        return f"{model} with BM25" if self.ranking.by == "hybrid" else model


class FoldRun(NamedTuple):
    """Which evaluation it is: the corpus of a fold, a method, a seed."""

    corpus: str
    method: str
    seed: int


@dataclass
class Evaluations:
    """The results of evaluations, and the digests of the files and the records read, by path."""

    results: dict[FoldRun, FoldResult] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)

    def of_way(self, way: Way, seeds: Sequence[int], corpora: Sequence[str]) -> list[FoldResult]:
        """Return the results of a way: of the first seed fold by fold, then of the next seed.

        The one run of a method without a training counts for every seed.
        """
        tests = []
        for seed in seeds:
            own = 0 if way.seeds == (0,) else seed
            for corpus in corpora:
                tests.append(self.results[FoldRun(corpus, way.method, own)])
        return tests


def read_clusters(bank: Path, protocol: str) -> dict[str, int]:
    """Return the cluster of each question of a prepared bank, which is a folder, by its id.

    Questions that share a right answer or a group, or that differ only in case, white space and
    punctuation, are one cluster.
    """
    names = ("protocol", "id", "text", "group", "relevant")
    rows = read_parquet(bank / QUESTIONS, names).to_pylist()
    rows = [row for row in rows if row["protocol"] == protocol]
    marks = []
    for row in rows:
        answers = [("answer", number) for number in row["relevant"]]
        marks.append([*answers, ("group", row["group"]), ("text", bare_or_whole(row["text"]))])
    clusters = clusters_of(marks)
    return {row["id"]: int(c) for row, c in zip(rows, clusters, strict=True)}


def read_evaluations(
    records: Iterable[str], protocol: str, clusters: Mapping[str, int]
) -> Evaluations:
    """Read the evaluations of models of one base, known by their records.

    Raises InputError for a damaged file, and where two of one fold do not ask the same questions.
    """
    evaluations = Evaluations()
    asked: dict[str, list[str]] = {}
    for path in records:
        record = checked(path, PREDICTIONS)
        run = record["run"]
        place = FoldRun(run["corpus"], run["method"], int(run["seed"]))
        folder = Path(path).parent
        queries, result = _fold_result(folder, protocol, clusters)
        if asked.setdefault(place.corpus, queries) != queries:
            problem = "asks other questions than another method's"
            raise InputError(path, problem, "delete its record and run again")
        evaluations.results[place] = result
        evaluations.records[path] = record
        evaluations.digests[f"{folder}/{PREDICTIONS}"] = record["outputs"][PREDICTIONS]
    return evaluations


def _fold_result(
    folder: Path, protocol: str, clusters: Mapping[str, int]
) -> tuple[list[str], FoldResult]:
    """Return the test questions of one fold under a protocol, and what was found for them."""
    table = read_parquet(folder / PREDICTIONS, COLUMNS)
    columns = {name: np.asarray(table[name].to_pylist()) for name in COLUMNS}
    asked = columns["protocol"] == protocol
    chosen = {name: column[asked] for name, column in columns.items()}
    queries = chosen["query"].tolist()
    result = FoldResult(
        precision=chosen["ap"].astype(float),
        right=chosen["acc@1"] == 1,
        confidence=chosen["confidence"].astype(float),
        without=chosen["without"].astype(float),
        cluster=np.asarray([clusters[query] for query in queries]),
    )
    return queries, result
