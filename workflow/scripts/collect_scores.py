"""Join the scores of all runs into one long CSV, and the same as Parquet beside it.

There are too many files to name each on a command line: --runs is a JSON of the runs below the root
folder, with their seeds: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}. Each file is checked against
the record.json beside it.
"""

from pathlib import Path

from semblance.reporting.scores import (
    collect,
    score_digests,
    score_paths,
    score_records,
    scores_csv,
    scores_parquet,
)
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(runs: str, root: str, output: str, reporting: Reporting) -> None:
    paths = score_paths(root, runs)
    frame = collect(paths)
    parquet = str(Path(output).with_suffix(".parquet"))
    files = {output: scores_csv(frame), parquet: scores_parquet(frame)}
    reporting.write("collect_scores", files, score_digests(paths), score_records(paths))


if __name__ == "__main__":
    run(main)
