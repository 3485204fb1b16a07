"""From raw files to the pairs of the tasks that SentEval scores with a regressor, in its order."""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.data.protocol import apply_protocol
from semblance.data.raw import Raw
from semblance.data.sts import RELEASES, ScoredPair, read_parts
from semblance.errors import InputError
from semblance.settings import StsProtocol

PAIRS = "pairs.parquet"
COLUMNS = ("task", "part", "index", "sentence1", "sentence2", "score")


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
        if name not in RELEASES:
            problem = f"{name!r} has no train pairs for a regressor"
            advice = f"those that have are {', '.join(RELEASES)}"
            raise InputError("config.sts.datasets", problem, advice)
        for part, pairs in read_parts(raw, name).items():
            for pair in in_order(apply_protocol(pairs, settings.protocol)):
                row = asdict(pair) | {"part": part}
                rows.append({column: row[column] for column in COLUMNS})
    write_parquet(pa.Table.from_pylist(rows), folder / PAIRS)
    return dict(Counter(row["task"] for row in rows))


def in_order(pairs: list[ScoredPair]) -> list[ScoredPair]:
    """Return pairs in the order in which SentEval numbers them before it draws batches.

    It sorts them by the numbers of words of both sentences and then by the score; equal ones keep
    their order.
    """
    return sorted(
        pairs, key=lambda p: (len(p.sentence1.split()), len(p.sentence2.split()), p.score)
    )
