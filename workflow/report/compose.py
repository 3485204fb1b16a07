"""The report of one output folder, from its sections."""

from collections import Counter
from typing import Any

from semblance.counts import counted
from workflow.report import answerers, claims, costs, figures, tables, trust
from workflow.report.facts import Facts
from workflow.report.page import Section, render


def compose(facts: Facts, version: str) -> str:
    """Return the page of what there is; ``version`` names the code that makes it."""
    costs_now = costs.section(facts.plan)
    parts = [
        *first_sections(facts),
        Section(
            "figures", "Every method against its control, and other figures", figures.section(facts)
        ),
        Section("tables", _heading_of_tables(facts), tables.section(facts)),
        Section("costs", "Cost", costs_now),
        Section("trust", "How to trust it", trust.section(facts)),
    ]
    return render(
        title=f"Semblance report: {facts.plan.out}",
        subtitle=_state(facts, costs_now),
        warnings=_shared_notes(facts),
        made_with=_made_with(facts, costs_now, version),
        parts=parts,
    )


def first_sections(facts: Facts) -> list[Section]:
    """Return what was reproduced, and the answerers; of an own FAQ alone no claim of a paper."""
    found = []
    reproduced = claims.section(facts.judgements)
    if reproduced.lines or not facts.plan.config["answerers"]:
        found.append(Section("claims", "What was reproduced", reproduced))
    if facts.plan.config["answerers"]:
        answering = answerers.section(facts)
        found.append(Section("answerers", "The models that answer from your FAQ", answering))
    return found


def _heading_of_tables(facts: Facts) -> str:
    if any(row.published for table in facts.tables.values() for row in table.rows):
        return "The papers' tables"
    return "Tables"


def last_date(facts: Facts) -> str:
    """Return when the last job of a run was finished, which is the report's date; empty of none."""
    dates = [record["finished"] for record in facts.records if "finished" in record]
    return max(dates, default="").replace("T", " ").removesuffix("Z")


def _state(facts: Facts, cost: costs.Costs) -> str:
    missing = len(facts.incomplete)
    if not missing and cost.done == cost.jobs:
        return f"Finished: {counted(len(facts.tables), 'table')}, {counted(cost.jobs, 'job')}."
    return (
        f"Not finished: {cost.done} of {counted(cost.jobs, 'job')} are done; "
        f"{missing} of {counted(len(facts.tables), 'table')} miss scores."
    )


def _shared_notes(facts: Facts) -> list[str]:
    """Return the notes that all tables have, such as that the data are made by hand."""
    tables = list(facts.tables.values())
    if len(tables) < 2:
        return []
    return [note for note in tables[0].notes if all(note in table.notes for table in tables)]


def _made_with(facts: Facts, cost: costs.Costs, version: str) -> list[tuple[str, str]]:
    found = [
        ("bases", _names_of_bases(facts)),
        ("stand-ins", _told_stand_ins(facts)),
        ("seeds", _numbers_of_seeds(facts)),
        ("last job", f"{last_date(facts)} UTC"),
        ("report by", version),
        ("cost", f"{cost.used} of jobs, {cost.disk} on disk"),
    ]
    return [(name, text) for name, text in found if text]


def _names_of_bases(facts: Facts) -> str:
    used = dict.fromkeys(row.base for table in facts.tables.values() for row in table.rows)
    labels = [facts.plan.config["bases"][base].get("label", base) for base in used]
    return ", ".join(dict.fromkeys(labels))


def _told_stand_ins(facts: Facts) -> str:
    """Return in what the rows with a paper's counterpart differ from it, the commonest first."""
    counts: Counter[str] = Counter()
    for table in facts.tables.values():
        for row in table.rows:
            counts.update(row.stand_in)
    told = [text for text, _ in counts.most_common(6)]
    if len(counts) > len(told):
        told.append(f"{len(counts) - len(told)} more: see the notes of the tables")
    return "; ".join(told)


def _numbers_of_seeds(facts: Facts) -> str:
    """Return how many seeds the tables ask for, by the names of the seeds."""
    config: dict[str, Any] = facts.plan.config
    asked = [config["tables"][table]["seeds"] for table in facts.tables]
    return ", ".join(f"{len(config['seeds'][name])} ({name})" for name in dict.fromkeys(asked))
