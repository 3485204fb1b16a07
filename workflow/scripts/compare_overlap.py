"""Set the lexical overlap of each source of pairs beside the paper's."""

from collections.abc import Sequence
from pathlib import Path

from semblance import layout
from semblance.provenance import file_digest, read_records
from semblance.reporting.overlap import overlap_csv, read_overlaps
from semblance.reporting.published import read_published
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(
    corpora: Sequence[str], rows: dict, published: str, csv: str, reporting: Reporting
) -> None:
    text = overlap_csv(read_overlaps(corpora), rows, read_published(published))
    paths = [str(Path(record).parent / layout.OVERLAP) for record in corpora]
    inputs = {path: file_digest(path) for path in paths}
    own = {"published": published}
    reporting.write("compare_overlap", {csv: text}, inputs, read_records(corpora), own, rows=rows)


if __name__ == "__main__":
    run(main)
