"""What the scripts share that prepare one corpus or one set of sentence pairs."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from semblance.data.raw import Raw
from semblance.download.manifest import load_manifest
from semblance.provenance import write_record
from semblance.settings import decode_json
from workflow.scripts.cli import preparation


@dataclass(frozen=True)
class Preparation:
    """One stage: the type of its settings, the function that writes, and the files it writes.

    ``write(raw, settings, folder)`` returns the counts for the record.
    """

    stage: str
    settings: type
    write: Callable[[Raw, Any, Path], dict[str, int]]
    outputs: tuple[str, ...]


def prepare(preparation_of: Preparation, description: str, argv: list[str] | None) -> None:
    """Read the command line and the raw files, and write the data and then their record."""
    started = time.monotonic()
    args = preparation(description).parse_args(argv)
    settings = decode_json(preparation_of.settings, args.settings)
    raw = Raw(load_manifest(args.manifest), args.data)
    counts = preparation_of.write(raw, settings, Path(args.output).parent)
    write_record(
        args.output,
        preparation_of.stage,
        outputs=preparation_of.outputs,
        started=started,
        code=args.code,
        counts=counts,
        settings=asdict(settings),
        **raw.facts(),
    )
