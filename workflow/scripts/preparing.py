"""What the programs share that prepare one corpus or one set of sentence pairs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from semblance.data.raw import Raw
from semblance.fetch.manifest import load_manifest
from semblance.provenance import write_record
from workflow.scripts.program import program


@dataclass(frozen=True)
class RawFiles:
    """Where the raw files of a preparation are, and what the manifest says of them."""

    manifest: str
    data: str

    def read(self) -> Raw:
        """Return the raw files, which check themselves."""
        return Raw(load_manifest(self.manifest), self.data)


def preparation(
    description: str,
    stage: str,
    kind: type,
    write: Callable[[Raw, Any, Path], dict[str, int]],
    outputs: Sequence[str],
) -> Callable[..., None]:
    """Return the program of a stage that makes ``outputs`` of raw files, and then their record.

    ``kind`` is the type of its settings. ``write(raw, settings, folder)`` returns the counts.
    """

    @program(description)
    def main(settings: kind, files: RawFiles, output: Path, code: str = "") -> None:
        started = time.monotonic()
        raw = files.read()
        counts = write(raw, settings, output.parent)
        write_record(
            output,
            stage,
            outputs=outputs,
            started=started,
            code=code,
            counts=counts,
            settings=asdict(settings),
            **raw.facts(),
        )

    return main
