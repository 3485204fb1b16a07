"""The figures of a run as they were drawn, and the sentences that a search found."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from semblance import layout
from semblance.drawing import contrasts as forest_plot
from semblance.drawing.inline import inline_svg
from semblance.drawing.saving import svg_text
from semblance.provenance import beside, checked, read_text
from semblance.reporting.figures import contrasts
from workflow.report import numbers
from workflow.report.facts import UNREADABLE, Facts

FOREST = "contrasts"
COLUMN = 300  # points: a wider drawing takes the place of two
VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ')
TEXTS = {  # a kind of figure: what it shows
    "alignment_uniformity": "Alignment and uniformity of all models",
    "curve": "Alignment and uniformity along a training",
    "singular_values": "Singular values of the embeddings of STS-B",
    "cosine_densities": "Cosines of STS-B pairs by gold score",
    "anisotropy": "Anisotropy, as RCL's Eqs. 4 to 6 argue it",
    "dev_curves": "Dev score along the trainings",
    "by_regulators": "Score against the number of regulators",
    "by_phi": "Score of entropy models against φ",
    "accuracy_at_k": "Share of questions whose answer is among the first k",
    "retrieval": "What a search finds first",
}


@dataclass(frozen=True)
class Drawn:
    """One figure: its SVG is ready for the page."""

    name: str
    caption: str
    svg: Markup
    wide: bool


@dataclass(frozen=True)
class Hit:
    """One sentence that a model found for a query."""

    rank: str
    cosine: str
    sentence: str


@dataclass(frozen=True)
class Found:
    """The first sentences that each model found for one query."""

    query: str
    models: list[tuple[str, list[Hit]]]


@dataclass
class Figures:
    """The section."""

    forests: list[Drawn] = field(default_factory=list)
    drawn: list[Drawn] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def section(facts: Facts) -> Figures:
    """Return the figures of a run: every method against its control first, then the config's."""
    shown = Figures()
    for name, figure in facts.plan.config["figures"].items():
        kind = figure["kind"]
        try:
            if kind == "retrieval":
                shown.found += _searches(facts, name)
            elif kind != FOREST:
                text = _drawing(facts, name)
                shown.drawn.append(_drawn(name, TEXTS[kind], text))
        except UNREADABLE:
            shown.missing.append(name)
    shown.forests = list(_forests(facts))
    return shown


def _drawing(facts: Facts, name: str) -> str:
    """Return the SVG of a figure; raises InputError for one that its record does not list so."""
    path = layout.place(facts.out, layout.DRAWING, figure=name, form="svg")
    record = layout.place(facts.out, layout.DRAWING_RECORD, figure=name)
    checked(record, beside(record, path))
    return read_text(path)


def _forests(facts: Facts) -> Iterator[Drawn]:
    """Draw every method against its control, table by table, by the tables as they are.

    A finished run keeps all of them in one drawing, ``figures/contrasts.svg``.
    """
    for name, table in facts.tables.items():
        rows = contrasts.rows_of(table)
        if rows:
            text = svg_text(forest_plot.draw(rows, {}))
            yield _drawn(f"{FOREST}-{name}", f"{table.title}: against the control", text)


def _drawn(name: str, caption: str, text: str) -> Drawn:
    description = f"The numbers stand in figures/{name.partition('-')[0]}.csv."
    svg = inline_svg(text, name, caption, description)
    return Drawn(name, caption, Markup(svg), wide=_drawn_width(svg) > COLUMN)


def _drawn_width(svg: str) -> float:
    """Return the width of a drawing in points, as its view box states it; 0 without one."""
    found = VIEW_BOX.search(svg)
    return float(found[1]) if found else 0.0


def _searches(facts: Facts, name: str) -> list[Found]:
    """Return the searches of a figure: for each query the sentences that each model found."""
    text = read_text(layout.place(facts.out, layout.FIGURE, figure=name))
    queries: dict[str, dict[str, list[Hit]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        model = f"{row['base']}, {row['method']}"
        if row["corpus"] != "none":
            model += f" on {row['corpus']}"
        hit = Hit(row["rank"], numbers.plain(float(row["cosine"])), row["sentence"])
        queries.setdefault(row["query"], {}).setdefault(model, []).append(hit)
    return [Found(query, list(models.items())) for query, models in queries.items()]
