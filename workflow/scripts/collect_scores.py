"""Join the scores of all runs into one long CSV.

Give the files by name (--scores). If there are too many names for a command line, give a root
folder, and as JSON the runs below it with their seeds: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}.
Each file is checked against the record.json beside it.
"""

from collections.abc import Sequence

from semblance.errors import InputError
from semblance.reporting.scores import (
    collect,
    score_digests,
    score_paths,
    score_records,
    scores_csv,
)
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(
    output: str,
    reporting: Reporting,
    scores: Sequence[str] = (),
    runs: str | None = None,
    root: str = ".",
) -> None:
    if bool(scores) == (runs is not None):
        raise InputError("--scores, --runs", "give one of the two")
    paths = scores or score_paths(root, runs)
    inputs = score_digests(paths)
    files = {output: scores_csv(collect(paths))}
    reporting.write("collect_scores", files, inputs, score_records(paths))


if __name__ == "__main__":
    run(main)
