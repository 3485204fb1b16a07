"""Recompute every cell of every table from the predictions, and check every digest and record.

Prints how many checks hold, each problem as `path: what`, and the commands that mend the problems;
exit status 1 if there is one. The records name the downloads and the user's own files. A kept run
(docs/runs/NAME) is checked as far as it goes, its bootstrap drawn again.
"""

import argparse
import sys
from pathlib import Path

from semblance.audit.findings import findings_json, format_findings
from semblance.audit.kept import RECORDS, verify_kept
from semblance.audit.verify import verify
from workflow.run import lock
from workflow.run.started import last_output
from workflow.run.status import holder_of
from workflow.scripts import cli


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance verify", __doc__)
    cli.add_run(flags)
    flags.add_argument(
        "--downloads", type=Path, help="its downloads, if they lie elsewhere than the records say"
    )
    flags.add_argument(
        "--bootstrap", action="store_true", help="draw the bootstrap p values again, too (slow)"
    )
    cli.add_json(flags)
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    results = args.output or last_output()
    if not (args.output or args.json):
        print(f"run: {results}")  # the last one, which need not be the one that is meant
    if Path(results, RECORDS).is_file():
        findings = verify_kept(Path(results))
    else:
        findings = verify(results, args.downloads, bootstrap=args.bootstrap)
    if args.json:
        print(findings_json(findings))
        sys.exit(1 if findings.problems else 0)
    print(format_findings(findings), end="")
    holder = holder_of(Path(results, lock.NAME))
    if findings.problems and holder and holder.state == "alive":
        print(f"note: a run works on {results}: verify it again at its end")
    if findings.problems:
        sys.exit(1)
    print(f"The way to any one cell: semblance explain TABLE ROW COLUMN --output {results}")
