"""The report of one output folder: its sections, and the templates that show them."""

import shlex
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from jinja2.filters import do_truncate
from markupsafe import Markup

from semblance.counts import counted, duration, signed
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.named_modules import EXTENDS
from semblance.provenance import circumstances
from workflow.extensions import extensions
from workflow.report import claims, figures, tables
from workflow.report.facts import Facts

TEMPLATES = Path(__file__).with_name("templates")
HAND_MADE = "(hand-made)"  # ends the licence of data on which no verdict means anything
MOST_LETTERS = 300


class Section(NamedTuple):
    """A section of the page: its anchor, its name in the list of sections, its heading, its content."""

    name: str
    label: str
    heading: str
    content: Any


def render(headline: str = "", **page: Any) -> str:
    """Return the page. Every text is escaped; no address but a link's is in it."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([TEMPLATES, *EXTENDS.values()]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A name out of data or config stays in its place.
    environment.filters |= {
        "cut": lambda text, most=MOST_LETTERS: do_truncate(environment, text, most, True, "…", 0),
        "signed": signed,
    }
    style = Markup(TEMPLATES.joinpath("style.css").read_text(encoding="utf-8"))
    return environment.get_template("report.html.j2").render(style=style, headline=headline, **page)


def compose(facts: Facts, version: str) -> str:
    """Return the page of what there is; ``version`` names the code that makes it."""
    is_hand_made = any(data.licence.endswith(HAND_MADE) for _, data in data_sets(facts))
    reproduced = claims.section([] if is_hand_made else facts.judgements)
    shown, drawn = tables.section(facts), figures.section(facts)
    trusted = trust(facts)
    # A note that all tables have is one of the whole run, such as that its data are made by hand.
    notes = {facts.outline.notes[name] for name in facts.tables}
    curves = [one["finding"] for one in drawn["drawn"] if one["kind"] == "specifications"]
    findings = curves or [reproduced.headline]
    parts = [
        *first_sections(facts, reproduced),
        Section("tables", "Tables", shown["finding"], shown),
        Section("figures", "Figures", drawn["finding"], drawn),
        Section("trust", "Trust", trusted["finding"], trusted),
    ]
    return render(
        title=f"Semblance report: {facts.outline.out}",
        subtitle=_state(facts),
        headline=findings[0] if reproduced.headline else "",
        counts=reproduced.counts,
        pills=claims.PILLS,
        warnings=list(filter(None, notes)) if len(notes) == 1 else [],
        made_with=_made_with(facts, version),
        parts=parts,
    )


def data_sets(facts: Facts) -> list[tuple[str, Dataset]]:
    """Return the data sets that a run uses, by their names."""
    manifest = load_manifest(facts.outline.manifest)
    return [(name, manifest[name]) for name in facts.outline.datasets]


def first_sections(facts: Facts, reproduced: claims.Claims) -> list[Section]:
    """Return what was reproduced, and what extensions show; of these alone no claim of a paper."""
    others = [Section(*part) for each in extensions("report") for part in each.sections(facts)]
    sections = []
    if reproduced.groups or not others:
        sections.append(Section("claims", "Claims", reproduced.finding, reproduced))
    return sections + others


def trust(facts: Facts) -> dict[str, Any]:
    """Return the commands that check a run, and its data, bases and environment."""
    environment: dict[str, set[str]] = {}
    for record in facts.records:
        for name, value in record.get("environment", {}).items():
            environment.setdefault(name, set()).add(str(value))
    devices = {str(record["device"]) for record in facts.records if "device" in record}
    return {
        "finding": f"{counted(len(facts.records), 'record')} of jobs can be checked by one command",
        "environment": [
            (name, ", ".join(sorted(environment[name]))) for name in sorted(environment)
        ],
        "devices": sorted(devices),
        "data": data_sets(facts),
        "bases": [*facts.outline.origins.items()],
        "slips": sum(not slip.open for slip in facts.published.slips),
        "verify": shlex.join(["semblance", "verify", "--output", facts.outline.out]),
        "run": shlex.join(["snakemake", "--cores", "all", *facts.command.get("options", [])]),
    }


def _state(facts: Facts) -> str:
    missing, done, jobs = len(facts.incomplete), len(facts.records), len(facts.outline.records)
    if not missing and done == jobs:
        return f"Finished: {counted(len(facts.tables), 'table')}, {counted(jobs, 'job')}."
    return (
        f"Not finished: {done} of {counted(jobs, 'job')} are done; "
        f"{missing} of {counted(len(facts.tables), 'table')} lack scores, or are not made of them yet."
    )


def _made_with(facts: Facts, version: str) -> list[tuple[str, str]]:
    rows = [row for table in facts.tables.values() for row in table.rows]
    bases = [facts.outline.labels[row.base] for row in rows]
    stand_ins = Counter(text for row in rows for text in row.stand_in)
    seeds = dict.fromkeys(facts.outline.seeds[name] for name in facts.tables)
    # Earlier records hold their circumstances themselves.
    ran = [record | circumstances(record.path) for record in facts.records]
    used = duration(sum(each.get("seconds", 0.0) for each in ran))
    finished = max((each.get("finished", "") for each in ran), default="")
    last = finished.replace("T", " ").removesuffix("Z")
    facts_of = [
        ("bases", ", ".join(dict.fromkeys(bases))),
        ("stand-ins", "; ".join(text for text, _ in stand_ins.most_common())),
        ("seeds", ", ".join(seeds)),
        ("last job", f"{last} UTC"),
        ("report by", version),
        ("cost", f"{used} of jobs"),
    ]
    return [(name, text) for name, text in facts_of if text]
