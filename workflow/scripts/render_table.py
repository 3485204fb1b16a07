"""Render one table from the long CSV of scores, as CSV, Markdown, LaTeX and JSON.

Where the predictions of a row and of its reference lie under --predictions-root, the paired
bootstrap's p is added. With --published, the papers' values stand beside ours.
"""

import argparse
import json

from semblance.errors import InputError
from semblance.provenance import write_text
from semblance.reporting.formats import csv_text, latex, markdown
from semblance.reporting.predictions import with_bootstrap
from semblance.reporting.published import attach, read_published
from semblance.reporting.records import decode_spec, to_json
from semblance.reporting.scores import read_scores
from semblance.reporting.tables import build
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", required=True, help="the table's settings, as JSON")
    parser.add_argument("--scores", required=True, help="the long CSV")
    parser.add_argument("--predictions-root", help="folder that holds sts/ and faq/")
    parser.add_argument("--published", help="the papers' numbers (published.yaml)")
    for form in ("csv", "markdown", "latex", "json"):
        parser.add_argument(f"--{form}", required=True, help=f"the {form} file to write")
    args = parser.parse_args(argv)

    try:
        settings = json.loads(args.settings)
    except json.JSONDecodeError as error:
        raise InputError("--settings", f"not JSON ({error})") from None
    table = build(settings, read_scores(args.scores))
    if args.predictions_root:
        spec = decode_spec(settings)
        table = with_bootstrap(table, args.predictions_root, spec.draws, spec.bootstrap_seed)
    if args.published:
        table = attach(table, read_published(args.published))
    for path, form in ((args.csv, csv_text), (args.markdown, markdown), (args.latex, latex), (args.json, to_json)):
        write_text(path, form(table))


if __name__ == "__main__":
    run(main)
