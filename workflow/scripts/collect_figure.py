"""Write the data of one figure from the files of finished runs.

Each file is checked against its record. Nothing is computed a second time.
"""

import argparse
import time

from semblance.figures import FigureSettings
from semblance.files import write_text
from semblance.provenance import beside, named_beside, read_records, write_record
from semblance.reporting.collected import collected_csv, file_digests, source_files
from semblance.settings import decode, parse_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="the figure's settings, as JSON")
    parser.add_argument("--results", required=True, help="the results folder")
    parser.add_argument("--output", required=True, help="the CSV to write")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    plain = parse_json(args.settings, "--settings")
    settings = decode(FigureSettings, plain, "--settings")
    sources = source_files(settings, args.results)
    inputs = file_digests(settings, args.results)
    write_text(args.output, collected_csv(settings, args.results))
    write_record(
        args.record,
        "collect_figure",
        outputs=[beside(args.record, args.output)],
        started=started,
        code=args.code,
        inputs=named_beside(args.record, inputs),
        records=named_beside(args.record, read_records(source.record for source in sources)),
        settings=plain,
    )


if __name__ == "__main__":
    run(main)
