"""What a report reads of an output folder, finished or not."""

import contextlib
from functools import cached_property
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.errors import InputError
from semblance.provenance import Record, read_object, read_sealed
from semblance.reporting.claims import read_claims
from semblance.reporting.judgement import Judgement
from semblance.reporting.judging import judge
from semblance.reporting.published import Published
from workflow.planning import stages
from workflow.planning.plan import Plan
from workflow.planning.table_checks import published
from workflow.run.current_tables import tables_now

UNREADABLE = (InputError, OSError, LookupError, TypeError, AttributeError, ValueError)


class Facts:
    """All that a report shows, read once. Files that are missing or damaged are left out."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.out = Path(plan.out)
        self.tables, self.incomplete = tables_now(plan)

    @cached_property
    def published(self) -> Published:
        """The papers' numbers."""
        return published()

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
    def jobs(self) -> list[stages.Job]:
        """The jobs of the run but for its downloads, which may go once they are read.

        The report is not over while its page is made.
        """
        return [
            job
            for job in stages.jobs(self.plan)
            if job.stage != "report" and stages.STAGES[job.stage].work != "download"
        ]

    @cached_property
    def records(self) -> list[Record]:
        """The records of the jobs that have finished."""
        records = []
        for job in self.jobs:
            with contextlib.suppress(*UNREADABLE):
                records.append(read_sealed(stages.record(self.plan, job)))
        return records
