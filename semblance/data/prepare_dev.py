"""From raw files to the dev pairs that choose each training's checkpoint."""

from dataclasses import dataclass, replace
from pathlib import Path

from semblance.data.pair_files import RELEASES, write_pairs
from semblance.data.protocol import apply_protocol
from semblance.data.raw import Raw
from semblance.data.scored_file import OwnPairs, pairs_of
from semblance.data.sts import ScoredPair
from semblance.errors import InputError
from semblance.names import STS_DEV
from semblance.settings import StsProtocol


@dataclass(frozen=True)
class DevSettings:
    """The data set whose dev pairs choose each training's checkpoint, and their texts' protocol.

    ``own``: where it is a user's own file, what that is.
    """

    dataset: str
    protocol: StsProtocol
    own: OwnPairs | None = None


def write_dev_pairs(raw: Raw, settings: DevSettings, folder: Path) -> dict[str, int]:
    """Write the dev pairs that choose checkpoints into ``pairs.parquet``; return their number."""
    if settings.own is not None:
        found = pairs_of(raw, settings.dataset, settings.own)
    else:
        found = _released_dev_pairs(raw, settings.dataset)
    pairs = apply_protocol(found, settings.protocol)
    return write_pairs([replace(pair, task=STS_DEV) for pair in pairs], folder)


def _released_dev_pairs(raw: Raw, name: str) -> list[ScoredPair]:
    """Return the dev pairs of a release in three files, after counting them."""
    if name not in RELEASES:
        known = ", ".join(RELEASES)
        raise InputError("config.sts.dev", f"{name!r} has no dev pairs", f"choose one of {known}")
    release = RELEASES[name]
    found = release.read(raw.file(name, release.dev))
    for what in ("dev", "trial"):
        raw.check_one(name, what, len(found))
    return found
