"""From raw files to the pairs of the tasks that SentEval scores with a regressor, in its order."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.data.pair_files import RELEASES, Release
from semblance.data.protocol import apply_protocol
from semblance.data.raw import Raw
from semblance.data.sts import ScoredPair
from semblance.errors import InputError
from semblance.settings import StsProtocol

PAIRS = "pairs.parquet"


@dataclass(frozen=True)
class RelatednessSettings:
    """The data sets, each in three parts, and the protocol of their texts, which labels their scores."""

    datasets: tuple[str, ...]
    protocol: StsProtocol


def write_parts(raw: Raw, settings: RelatednessSettings, folder: Path) -> dict[str, int]:
    """Write the train, dev and test pairs into ``pairs.parquet``; return the pairs of each task.

    Columns: task, part, index (the line in the part's file), sentence1, sentence2, score.
    """
    rows = []
    for name in settings.datasets:
        for part, pairs in _parts(raw, name).items():
            ordered = in_order(apply_protocol(pairs, settings.protocol))
            rows += [_row(part, pair) for pair in ordered]
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.Table.from_pylist(rows), folder / PAIRS)
    tasks = [row["task"] for row in rows]
    return {task: tasks.count(task) for task in dict.fromkeys(tasks)}


def _parts(raw: Raw, name: str) -> dict[str, list[ScoredPair]]:
    """Return the pairs of each part of a release, after counting them."""
    release = _release(name)
    files = {"train": release.train, "dev": release.dev, "test": release.test}
    parts = {part: release.read(raw.file(name, file)) for part, file in files.items()}
    counts = {part: len(pairs) for part, pairs in parts.items()}
    raw.check(name, **counts, trial=counts["dev"])  # SICK says trial for dev
    return parts


def _release(name: str) -> Release:
    if name not in RELEASES:
        known = ", ".join(RELEASES)
        problem = f"{name!r} has no train pairs for a regressor"
        raise InputError("config.sts.datasets", problem, f"those that have are {known}")
    return RELEASES[name]


def _row(part: str, pair: ScoredPair) -> dict:
    return {
        "task": pair.task,
        "part": part,
        "index": pair.index,
        "sentence1": pair.sentence1,
        "sentence2": pair.sentence2,
        "score": pair.score,
    }


def in_order(pairs: list[ScoredPair]) -> list[ScoredPair]:
    """Return pairs in the order in which SentEval numbers them before it draws batches.

    It sorts them by the numbers of words of both sentences and then by the score; equal ones keep
    their order.
    """
    return sorted(pairs, key=_rank)


def _rank(pair: ScoredPair) -> tuple[int, int, float]:
    return len(pair.sentence1.split()), len(pair.sentence2.split()), pair.score
