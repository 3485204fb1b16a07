"""From raw files to the test sets of sentence pairs, with every count checked."""

from dataclasses import dataclass
from pathlib import Path

from semblance.data import sts
from semblance.data.protocol import apply_protocol, write_pairs
from semblance.data.raw import Raw
from semblance.settings import StsProtocol

STS_YEARS = {f"sts{year}": year for year in sts.YEARS}


@dataclass(frozen=True)
class StsSettings:
    """The test sets' datasets, and the protocol of their texts, which labels their scores."""

    datasets: tuple[str, ...]
    protocol: StsProtocol


def write_test_pairs(raw: Raw, settings: StsSettings, folder: Path) -> dict[str, int]:
    """Write the test pairs of every data set into ``pairs.parquet``; return the pairs of each task."""
    pairs: list[sts.ScoredPair] = []
    for name in settings.datasets:
        pairs += released_pairs(raw, name)
    return write_pairs(apply_protocol(pairs, settings.protocol), folder)


def released_pairs(raw: Raw, name: str) -> list[sts.ScoredPair]:
    """Return the test pairs of a data set of the manifest with the texts as released, counted.

    A data set that is neither of SemEval's years nor in RELEASES is one CSV file with the columns
    sentence1, sentence2 and score; its task has its name.
    """
    if name in sts.RELEASES:
        return sts.read_parts(raw, name)["test"]
    if name in STS_YEARS:
        pairs = sts.read_sts_year(raw.files(name), STS_YEARS[name])
    else:
        pairs = sts.read_pairs_csv(raw.file(name), name)
    raw.check(name, pairs=len(pairs))
    return pairs
