"""Simulate the tests of the tables at the spread of the seeds that the tables measured."""

from collections.abc import Sequence

from semblance.provenance import beside, read_records
from semblance.reporting.simulation import simulate
from semblance.reporting.simulation_page import simulation_csv, simulation_markdown
from semblance.reporting.table import read_tables, table_digests
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Pages, Reporting


@program(__doc__)
def main(tables: Sequence[str], pages: Pages, reporting: Reporting) -> None:
    inputs = table_digests(tables)
    found = simulate(read_tables(inputs))
    reporting.write(
        "simulate_statistics",
        {pages.csv: simulation_csv(found), pages.markdown: simulation_markdown(found)},
        inputs,
        read_records(tables),
        tables=[beside(reporting.record, path) for path in inputs],
    )


if __name__ == "__main__":
    run(main)
