"""How many jobs a scheduler is given for the jobs of a plan: it runs the jobs of a group as one."""

from collections.abc import Iterable

from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job, inputs


def submissions(plan: Plan, found: Iterable[Job]) -> int:
    """Return how many jobs a scheduler is given for ``found``: none for local ones, one for groups."""
    present = set(found)
    submitted = [job for job in present if not STAGES[job.stage].local]
    return sum(not _joins(plan, job, present) for job in submitted)


def _joins(plan: Plan, job: Job, present: set[Job]) -> bool:
    """Tell whether a job shares the submission of another one that is present."""
    joins = STAGES[job.stage].joins
    if not joins:
        return False
    return any(other.stage in joins and other in present for other in inputs(plan, job))
