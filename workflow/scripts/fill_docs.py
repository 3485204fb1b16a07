"""Write the parts of README.md and docs/ that follow from other files.

These are the counts, the table of data sets and the list of what lies where under results/. A page
marks the place of a count: ``<!-- count:jobs -->1,388<!-- /count -->``.
Run it in the project's root after a change of config.yaml or of the manifest.
"""

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from semblance.errors import InputError
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.reporting.formats import escape_markdown
from semblance.reporting.published import Published, read_published
from workflow.costing.model import Cost, estimates
from workflow.documentation import results
from workflow.planning.stages import jobs, submissions
from workflow.planning.table_checks import PUBLISHED
from workflow.scripts import cli
from workflow.scripts.endings import run

DATA = Path("docs/data.md")
SLIPS = Path("docs/slips.md")
SLIPS_HEAD = """# Mistakes in the papers

Places where a paper contradicts itself, or where what it prints cannot be. The tables show the printed values; no code
copies a mistake. The list is made of `workflow/published.yaml` (`known_slips`); tests compute its numbers from the
printed tables.
"""
TRAININGS = ("train", "train_entropy", "train_initial", "train_final", "train_curve")
PLACE = re.compile(r"<!-- count:(\w+) -->.*?<!-- /count -->", re.DOTALL)
HEADING = "## Every data set"


def main(argv: list[str] | None = None) -> None:
    """Fill in every page, and name those that changed."""
    cli.command("fill_docs", __doc__).parse_args(argv)
    cost = estimates([])
    manifest = load_manifest(cost.config.manifest)
    values = counts(cost)
    for page in (Path("README.md"), *sorted(Path("docs").glob("*.md"))):
        before = page.read_text(encoding="utf-8")
        after = fill_counts(before, values, str(page))
        after = results.fill_layout(after)
        if page == DATA:
            after = fill_datasets(after, manifest)
        if page == SLIPS:
            after = slips_page(read_published(PUBLISHED))
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(page)


def counts(cost: Cost) -> dict[str, str]:
    """Return each number by its name, written as the pages write it."""
    everything = jobs(cost.plan)
    stages = Counter(job.stage for job in everything)
    values = {
        "trainings": sum(stages[stage] for stage in TRAININGS),
        "final_models": stages["train"] + stages["train_final"],
        "entropy_models": stages["train_entropy"],
        "initial_models": stages["train_initial"],
        "curves": stages["train_curve"],
        "jobs": len(everything),
        "submissions": submissions(cost.plan, everything),
        "gpu_hours": round(cost.total_hours(everything, "gpu")),
        "slips": len(read_published(PUBLISHED).slips),
        "gigabytes": round(cost.disk(everything) / 1000),
    }
    return {name: f"{value:,}" for name, value in values.items()}


def fill_counts(text: str, values: dict[str, str], where: str) -> str:
    """Return a page with the current number at each mark; InputError for an unknown name."""

    def number(place: re.Match) -> str:
        name = place[1]
        if name not in values:
            raise InputError(where, f"no count is named {name!r}", f"use {', '.join(values)}")
        return f"<!-- count:{name} -->{values[name]}<!-- /count -->"

    return PLACE.sub(number, text)


def slips_page(published: Published) -> str:
    """Return the page of the papers' mistakes, a section for each paper."""
    lines = [SLIPS_HEAD]
    for paper, slips in itertools.groupby(published.slips, key=lambda slip: slip.paper):
        lines.append(f"## {published.titles.get(paper, paper.capitalize())}\n")
        for slip in slips:
            where = slip.where.partition(", ")[2]
            lines.append(f"- {escape_markdown(f'{where}: {slip.note}')}")
        lines.append("")
    return "\n".join(lines)


def dataset_rows(manifest: Mapping[str, Dataset]) -> list[str]:
    """Return one Markdown row for each data set of the manifest, in its order."""
    rows = []
    for name, dataset in manifest.items():
        title = f"[{dataset.title}]({dataset.homepage})" if dataset.homepage else dataset.title
        counts = ", ".join(f"{count:,} {what}" for what, count in dataset.expected.items())
        rows.append(f"| `{name}` | {title} | {dataset.licence} | {counts} |")
    return rows


def fill_datasets(text: str, manifest: Mapping[str, Dataset]) -> str:
    """Return the page with the rows of its table, its last part, made anew."""
    head, table = text.split(HEADING)
    kept = [line for line in table.splitlines() if not line.startswith("| `")]
    return HEADING.join([head, "\n".join([*kept, *dataset_rows(manifest)]) + "\n"])


if __name__ == "__main__":
    run(main)
