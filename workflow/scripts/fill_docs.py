"""Write the parts of README.md and docs/ that follow from other files.

These are the counts, the table of raw files, the list of what lies where under results/, and how
often verdicts err.
Run it in the project's root after a change of config.yaml or of the manifest.
"""

import argparse
from pathlib import Path

from semblance.fetch.manifest import load_manifest
from workflow.costing import usage
from workflow.documentation import counts, datasets, error_rates, results
from workflow.scripts.endings import run

DATA = Path("docs/data.md")


def main(argv: list[str] | None = None) -> None:
    """Fill in every page, and name those that changed."""
    parser = argparse.ArgumentParser(
        prog="fill_docs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(argv)
    cost = usage.estimates([])
    manifest = load_manifest(cost.config.manifest)
    values = counts.counts(cost)
    for page in (Path("README.md"), *sorted(Path("docs").glob("*.md"))):
        before = page.read_text(encoding="utf-8")
        after = counts.fill_counts(before, values, str(page))
        after = error_rates.fill(results.fill_layout(after))
        if page == DATA:
            after = datasets.fill_files(after, manifest)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(page)


if __name__ == "__main__":
    run(main)
