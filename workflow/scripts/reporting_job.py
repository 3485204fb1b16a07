"""What the programs of tables, pages and figures share: the files and the record that end them."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.files import whole_file
from semblance.provenance import Record, beside, file_digest, named_beside, write_record


def by_stem(paths: Iterable[str]) -> dict[str, str]:
    """Return files of the project by their names without an ending, as records name them."""
    return {Path(path).stem: path for path in paths}


@dataclass(frozen=True)
class Reporting:
    """The arguments of such a program, besides what it reads and makes; it starts now."""

    record: str
    code: str = ""
    started: float = field(default_factory=time.monotonic, init=False)

    def write(
        self,
        stage: str,
        files: Mapping[str, str | bytes],
        inputs: Mapping[str, str],
        records: Mapping[str, Record],
        own: Mapping[str, str] | None = None,
        **facts: Any,
    ) -> None:
        """Write the content of each path, and then the record.

        ``inputs`` are digests and ``records`` records of what was read, by path; ``own`` are files
        of the project that were read, by role.
        """
        for path, content in files.items():
            whole = content.encode() if isinstance(content, str) else content
            with whole_file(path) as temporary:
                temporary.write_bytes(whole)
        digests = {role: file_digest(path) for role, path in (own or {}).items()}
        write_record(
            self.record,
            stage,
            outputs=[beside(self.record, path) for path in files],
            started=self.started,
            code=self.code,
            inputs=named_beside(self.record, inputs) | digests,
            records=named_beside(self.record, records),
            **facts,
        )
