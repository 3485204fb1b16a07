"""Join the scores of all runs into one long CSV.

There are too many files to name each on a command line: --runs is a JSON of the runs below the root
folder, with their seeds: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}. Each file is checked against
the record.json beside it.
"""

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
def main(runs: str, root: str, output: str, reporting: Reporting) -> None:
    paths = score_paths(root, runs)
    files = {output: scores_csv(collect(paths))}
    reporting.write("collect_scores", files, score_digests(paths), score_records(paths))


if __name__ == "__main__":
    run(main)
