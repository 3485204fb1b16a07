"""The figures of a run as they were drawn, and the sentences that a search found."""

import base64
import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from semblance import layout
from semblance.counts import rounded
from semblance.drawing import svg_text
from semblance.figures import contrasts
from semblance.provenance import beside, checked, read_text
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
    "by_regulators": "Score against the number of regulators",
    "by_phi": "Score of entropy models against φ",
    "retrieval": "What a search finds first",
}


def section(facts: Facts) -> dict[str, list[Any]]:
    """Return the figures of a run: every method against its control first, then the config's."""
    shown: dict[str, list[Any]] = {"forests": [], "drawn": [], "found": [], "missing": []}
    for name, figure in facts.plan.config.figures.items():
        kind = figure.kind
        try:
            if kind == "retrieval":
                shown["found"] += _searches(facts, name)
            elif kind != FOREST:
                path = layout.place(facts.out, layout.DRAWING, figure=name, form="svg")
                record = layout.place(facts.out, layout.DRAWING_RECORD, figure=name)
                checked(record, beside(record, path))
                shown["drawn"].append(_drawn(name, TEXTS[kind], read_text(path)))
        except UNREADABLE:
            shown["missing"].append(name)
    shown["forests"] = list(_forests(facts))
    return shown


def _forests(facts: Facts) -> Iterator[dict[str, Any]]:
    """Draw every method against its control, table by table, by the tables as they are.

    A finished run keeps all of them in one drawing, ``figures/contrasts.svg``.
    """
    for name, table in facts.tables.items():
        rows = contrasts.contrast_rows(table)
        if rows:
            text = svg_text(contrasts.draw_panels(rows))
            yield _drawn(f"{FOREST}-{name}", f"{table.title}: against the control", text)


def _drawn(name: str, caption: str, text: str) -> dict[str, Any]:
    """Return a drawing as an image that the page holds itself."""
    source = f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"
    about = f"{caption}. The numbers stand in figures/{name.partition('-')[0]}.csv."
    wide = float(VIEW_BOX.search(text)[1]) > COLUMN
    return {"name": name, "caption": caption, "source": source, "about": about, "wide": wide}


def _searches(facts: Facts, name: str) -> list[tuple[str, dict[str, list[tuple[str, str]]]]]:
    """Return for each query of a figure the cosine and the sentence of what each model found."""
    text = read_text(layout.place(facts.out, layout.FIGURE, figure=name))
    queries: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        model = f"{row['base']}, {row['method']}"
        if row["corpus"] != "none":
            model += f" on {row['corpus']}"
        hit = (rounded(float(row["cosine"])), row["sentence"])
        queries.setdefault(row["query"], {}).setdefault(model, []).append(hit)
    return list(queries.items())
