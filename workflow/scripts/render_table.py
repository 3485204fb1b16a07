"""Render one table from the scores of its own runs, as CSV, Markdown, LaTeX and JSON.

Each file of scores or predictions is checked against the record.json beside it. With --published,
the papers' values stand beside ours.
"""

import argparse
import time

from semblance.files import write_text
from semblance.layout import SCORES, place
from semblance.provenance import beside, file_digest, named_beside, write_record
from semblance.reporting.bootstrap import with_bootstrap
from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.formats import markdown, table_csv
from semblance.reporting.latex import latex
from semblance.reporting.predictions import prediction_digests
from semblance.reporting.published import read_published
from semblance.reporting.scores import collect, score_digests, score_paths, score_records
from semblance.reporting.table import decode_spec, to_json
from semblance.settings import parse_json
from workflow.scripts.endings import run

FORMS = {"csv": table_csv, "markdown": markdown, "latex": latex, "json": to_json}


def main(argv: list[str] | None = None) -> None:
    args = read_arguments(argv)
    started = time.monotonic()
    settings = parse_json(args.settings, "--settings")
    paths = score_paths(place(args.results, SCORES), args.runs)
    inputs = score_digests(paths)
    table = build(settings, collect(paths))
    inputs |= prediction_digests(table, args.results)
    spec = decode_spec(settings)
    table = with_bootstrap(table, args.results, spec.draws, spec.bootstrap_seed)
    named = named_beside(args.record, inputs)
    if args.published:
        named["published"] = file_digest(args.published)
        table = attach(table, read_published(args.published))
    written = {getattr(args, name): form for name, form in FORMS.items()}
    for path, form in written.items():
        write_text(path, form(table))
    write_record(
        args.record,
        "render_table",
        outputs=[beside(args.record, path) for path in written],
        started=started,
        code=args.code,
        inputs=named,
        records=named_beside(args.record, score_records(inputs)),
        settings=settings,
    )


def read_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--settings", required=True, help="the table's settings, as JSON")
    parser.add_argument(
        "--runs",
        required=True,
        metavar="JSON",
        help='the table\'s runs below RESULTS/scores: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}',
    )
    parser.add_argument(
        "--results", required=True, help="the results folder, which holds scores and predictions"
    )
    parser.add_argument("--published", help="the papers' numbers (published.yaml)")
    for form in FORMS:
        parser.add_argument(f"--{form}", required=True, help=f"the {form} file to write")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    return parser.parse_args(argv)


if __name__ == "__main__":
    run(main)
