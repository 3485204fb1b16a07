"""Write the parts of README.md and docs/ that follow from other files, where a page marks them.

Such as ``<!-- count:jobs -->1,388<!-- /count -->`` or ``<!-- datasets -->...<!-- /datasets -->``.
It also writes docs/config.schema.json, and papers/reference.json, which rows are compared with.
Run it in the project's root after a change of the config, its types or the manifest (make docs).
"""

import re
from collections import Counter
from itertools import groupby
from pathlib import Path

from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.reporting.formats import escape_markdown
from semblance.reporting.published import Published
from workflow.checks.load import load_files
from workflow.checks.tables import published
from workflow.config import describe
from workflow.config.model import Config
from workflow.planning.stages import jobs, submissions
from workflow.planning.stand_ins import REFERENCE, reference_text
from workflow.run.costs import Cost, estimates
from workflow.scripts import cli
from workflow.scripts.endings import run

TRAININGS = ("train", "train_entropy", "train_initial", "train_final", "train_curve")
SCHEMA = Path("docs/config.schema.json")
SHIPPED = ((), ("configs/simcse-sources.yaml",))  # the second has rows that the first cannot have
PLACE = re.compile(r"(<!-- (?:count:)?(\w+) -->).*?(<!-- /(?:count|\2) -->)", re.DOTALL)


def main(argv: list[str] | None = None) -> None:
    """Fill in every page, and name those that changed."""
    cli.command("fill_docs", __doc__).parse_args(argv)
    texts = texts_of(estimates([]))
    for path in (Path("README.md"), *sorted(Path("docs").glob("*.md")), SCHEMA):
        before = path.read_text(encoding="utf-8")
        after = filled(before, texts)
        if path == SCHEMA:
            after = describe.schema()
        if after != before:
            write_text(path, after)
            print(path)
    write_text(REFERENCE, reference_text(shipped_configs()))


def shipped_configs() -> list[Config]:
    return [load_files(overlays) for overlays in SHIPPED]


def texts_of(cost: Cost) -> dict[str, str]:
    """Return by its name each text and each number, written as the pages write it."""
    everything = jobs(cost.plan)
    stages = Counter(job.stage for job in everything)
    counts = {
        "trainings": sum(stages[stage] for stage in TRAININGS),
        "final_models": stages["train"] + stages["train_final"],
        "entropy_models": stages["train_entropy"],
        "initial_models": stages["train_initial"],
        "curves": stages["train_curve"],
        "jobs": len(everything),
        "submissions": submissions(cost.plan, everything),
        "gpu_hours": round(cost.total_hours(everything, "gpu")),
        "slips": sum(not slip.open for slip in published().slips),
        "gigabytes": round(cost.disk(everything) / 1000),
    }
    blocks = {
        "keys": describe.page(),
        "layout": Path("workflow/documentation/results.md").read_text(encoding="utf-8"),
        "datasets": datasets(cost.config.manifest),
        "readings": mistakes(published(), are_open=True),
        "mistakes": mistakes(published()),
    }
    written = {name: f"{count:,}" for name, count in counts.items()}
    return written | {name: f"\n{block}" for name, block in blocks.items()}


def filled(text: str, texts: dict[str, str]) -> str:
    """Return a page with the current text at each mark."""
    return PLACE.sub(lambda place: f"{place[1]}{texts[place[2]]}{place[3]}", text)


def mistakes(printed: Published, are_open: bool = False) -> str:
    """Return the papers' mistakes, a section for each paper; ``are_open``: what is none."""
    lines = []
    chosen = [slip for slip in printed.slips if slip.open == are_open]
    for paper, slips in groupby(chosen, key=lambda slip: slip.paper):
        lines.append(f"\n## {printed.titles.get(paper, paper.capitalize())}\n")
        noted = (f"{slip.where.partition(', ')[2]}: {slip.note}" for slip in slips)
        lines += [f"- {escape_markdown(note)}" for note in noted]
    return "\n".join(lines) + "\n"


def datasets(manifest: str) -> str:
    """Return a table with a row for each data set of the manifest, in its order."""
    lines = ["| dataset | source | licence | expected |", "|---|---|---|---|"]
    for name, dataset in load_manifest(manifest).items():
        title = f"[{dataset.title}]({dataset.homepage})" if dataset.homepage else dataset.title
        counts = ", ".join(f"{count:,} {what}" for what, count in dataset.expected.items())
        lines.append(f"| `{name}` | {title} | {dataset.licence} | {counts} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run(main)
