"""From raw files to the dev pairs that choose each training's checkpoint."""

from dataclasses import dataclass, replace
from pathlib import Path

from semblance.data.pair_files import RELEASES, write_pairs
from semblance.data.protocol import apply_protocol
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.names import STS_DEV
from semblance.settings import StsProtocol


@dataclass(frozen=True)
class DevSettings:
    """The data set whose dev pairs choose each training's checkpoint, and their texts' protocol."""

    dataset: str
    protocol: StsProtocol


def write_dev_pairs(raw: Raw, settings: DevSettings, folder: Path) -> dict[str, int]:
    """Write the dev pairs that choose checkpoints into ``pairs.parquet``; return their number."""
    if settings.dataset not in RELEASES:
        known = ", ".join(RELEASES)
        raise InputError(
            "config.sts.dev", f"{settings.dataset!r} has no dev pairs", f"choose one of {known}"
        )
    release = RELEASES[settings.dataset]
    found = release.read(raw.file(settings.dataset, release.dev))
    for what in ("dev", "trial"):
        raw.check_one(settings.dataset, what, len(found))
    pairs = apply_protocol(found, settings.protocol)
    return write_pairs([replace(pair, task=STS_DEV) for pair in pairs], folder)
