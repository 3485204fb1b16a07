"""Simulate the tests of the tables at the spread of the seeds that the tables measured."""

import time

from semblance.files import write_text
from semblance.provenance import beside, named_beside, read_records, write_record
from semblance.reporting.simulation import simulate
from semblance.reporting.simulation_page import simulation_csv, simulation_markdown
from semblance.reporting.table import read_tables, table_digests
from workflow.scripts import cli
from workflow.scripts.endings import run

FORMS = {"csv": simulation_csv, "markdown": simulation_markdown}


def main(argv: list[str] | None = None) -> None:
    parser = cli.of_tables(__doc__)
    for form in FORMS:
        parser.add_argument(f"--{form}", required=True, help=f"the {form} file to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    inputs = table_digests(args.tables)
    found = simulate(read_tables(inputs))
    written = {getattr(args, name): form for name, form in FORMS.items()}
    for path, form in written.items():
        write_text(path, form(found))
    named = named_beside(args.record, inputs)
    write_record(
        args.record,
        "simulate_statistics",
        outputs=[beside(args.record, path) for path in written],
        started=started,
        code=args.code,
        inputs=named,
        records=named_beside(args.record, read_records(args.tables)),
        tables=list(named),
    )


if __name__ == "__main__":
    run(main)
