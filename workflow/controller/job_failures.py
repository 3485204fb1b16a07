"""What the logs of failed jobs say that left no log of Slurm: local ones, and those it refused."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from workflow.controller.failures import error_in

LAST = 5  # lines of a job's log that are shown
ADVICE = "mend what the last line says; the same command goes on from here"
KILLED = (
    "the log tells of no error, so the job was probably killed (by a time limit, or for lack of"
    " memory): Snakemake's lines above name the signal or the exit status; the same command goes on"
    " from here"
)
REFUSED = "look above for the answer of sbatch; slurm/profile.yaml has what each job asks for"


def report_jobs(failed: Iterable, reported: str) -> str:
    """Return what to print about Snakemake's ``failed`` jobs, or an empty text.

    ``reported`` is what ``failures.report`` prints; jobs that it names are left out.
    """
    lines: list[str] = []
    for job in _single_jobs(failed):
        head = f"failed: {job.rule.name} {_place(job)}"
        if head not in reported:
            lines += _format_failure(head, _log_of(job))
    return "\n".join(lines)


def _single_jobs(failed: Iterable) -> Iterator:
    """Yield the jobs; of a group, the first one without its output."""
    for job in failed:
        members = [job]
        if job.is_group():
            members = [member for member in job.jobs if not _is_made(member)]
        yield from sorted(members, key=str)[:1]


def _is_made(job) -> bool:
    return all(Path(file).exists() for file in job.output)


def _place(job) -> str:
    """Return the folder of a job's first output."""
    return str(job.output[0]).rpartition("/")[0]


def _log_of(job) -> str:
    path = Path(str(job.log[0]))
    if not path.is_file():
        return ""
    return path.read_text(encoding="utf-8", errors="replace").strip()


def _format_failure(head: str, log: str) -> list[str]:
    if not log:
        return [f"{head}: it did not begin", f"    try: {REFUSED}"]
    advice = ADVICE
    if not error_in(log):
        advice = KILLED
    last = log.splitlines()[-LAST:]
    return [head, *(f"    | {line}" for line in last), f"    try: {advice}"]
