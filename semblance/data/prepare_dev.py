"""From raw files to the dev pairs that choose each training's checkpoint."""

from dataclasses import dataclass, replace
from pathlib import Path

from semblance.data import sts
from semblance.data.protocol import apply_protocol, write_pairs
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
    name = settings.dataset
    if name not in sts.RELEASES:
        known = ", ".join(sts.RELEASES)
        raise InputError("config.sts.dev", f"{name!r} has no dev pairs", f"choose one of {known}")
    released = sts.read_part(raw, name, "dev")
    for what in ("dev", "trial"):  # SICK says trial for dev
        raw.check_one(name, what, len(released))
    pairs = apply_protocol(released, settings.protocol)
    return write_pairs([replace(pair, task=STS_DEV) for pair in pairs], folder)
