"""What a report reads of an output folder, finished or not."""

import contextlib
from functools import cached_property
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.audit.findings import UNREADABLE
from semblance.provenance import Record, read_object, read_sealed
from semblance.reporting.claims import read_claims
from semblance.reporting.judgement import Judgement
from semblance.reporting.judging import judge
from semblance.reporting.published import Published, read_published
from semblance.reporting.table import Table
from workflow.report.outline import Outline

INCOMPLETE = "INCOMPLETE"  # begins the title of a table that is not whole


class Facts:
    """All that a report shows, read once. Files that are missing or damaged are left out.

    ``tables`` by name; ``incomplete``: what a table lacks that is not whole.
    """

    def __init__(
        self, outline: Outline, tables: dict[str, Table], incomplete: dict[str, str] | None = None
    ):
        self.outline = outline
        self.out = Path(outline.out)
        self.tables, self.incomplete = tables, incomplete or {}

    @cached_property
    def published(self) -> Published:
        """The papers' numbers."""
        return read_published()

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The verdicts on the papers' claims, by the tables as they are."""
        return judge(read_claims(), self.tables, self.published)

    @cached_property
    def command(self) -> dict[str, Any]:
        """How the last run on the folder was started; empty where no run has noted it."""
        with contextlib.suppress(*UNREADABLE):
            return read_object(layout.place(self.out, layout.COMMAND))
        return {}

    @cached_property
    def records(self) -> list[Record]:
        """The records of the jobs that have finished."""
        records = []
        for path in self.outline.records:
            with contextlib.suppress(*UNREADABLE):
                records.append(read_sealed(path))
        return records
