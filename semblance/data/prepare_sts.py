"""From raw files to the scored pairs that test models, and to the dev pairs that choose them.

Every count is checked.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from semblance.data import sts
from semblance.data.protocol import apply_protocol, write_pairs
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.names import STS_DEV
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


@dataclass(frozen=True)
class DevSettings:
    """The data set whose dev pairs choose each training's checkpoint, and their texts' protocol."""

    dataset: str
    protocol: StsProtocol


def write_dev_pairs(raw: Raw, settings: DevSettings, folder: Path) -> dict[str, int]:
    """Write the dev pairs that choose checkpoints into ``pairs.parquet``; return their number."""
    name = settings.dataset
    if name not in sts.RELEASES:
        known = ", ".join(sts.RELEASES)
        raise InputError("config.sts.dev", f"{name!r} has no dev pairs", f"choose one of {known}")
    released = sts.read_part(raw, name, "dev")
    for what in ("dev", "trial"):  # SICK says trial for dev
        raw.check_one(name, what, len(released))
    pairs = apply_protocol(released, settings.protocol)
    return write_pairs([replace(pair, task=STS_DEV) for pair in pairs], folder)
