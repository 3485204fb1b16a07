"""Render one table from the scores of its own runs, as CSV, Markdown, LaTeX and JSON.

Each file of scores or predictions is checked against the record.json beside it. The papers' values
stand beside ours.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from semblance.layout import SCORES, place
from semblance.reporting.bootstrap import with_bootstrap
from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.formats import markdown, table_csv
from semblance.reporting.latex import latex
from semblance.reporting.predictions import prediction_digests
from semblance.reporting.published import read_published
from semblance.reporting.scores import collect, score_digests, score_paths, score_records
from semblance.reporting.table import decode_spec, to_json
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting, by_stem

PRINTERS = {"csv": table_csv, "markdown": markdown, "latex": latex, "json": to_json}


@dataclass(frozen=True)
class Forms:
    """The file of each form."""

    csv: str
    markdown: str
    latex: str
    json: str


@program(__doc__)
def main(
    settings: dict,
    runs: str,
    results: str,
    forms: Forms,
    reporting: Reporting,
    papers: Sequence[str],
) -> None:
    paths = score_paths(place(results, SCORES), runs)
    inputs = score_digests(paths)
    table = build(settings, collect(paths))
    inputs |= prediction_digests(table, results)
    spec = decode_spec(settings)
    table = with_bootstrap(table, results, spec.draws, spec.bootstrap_seed)
    table = attach(table, read_published(papers))
    files = {path: PRINTERS[form](table) for form, path in asdict(forms).items()}
    records = score_records(inputs)
    reporting.write("render_table", files, inputs, records, by_stem(papers), settings=settings)


if __name__ == "__main__":
    run(main)
