"""The figures of a run as they were drawn, and the sentences that a search found."""

import base64
import html
import re
from collections import Counter
from typing import Any

from markupsafe import Markup

from semblance import layout
from semblance.counts import counted, rounded
from semblance.drawing import read_rows
from semblance.provenance import beside, checked, read_text
from workflow.report.facts import UNREADABLE, Facts

FOREST = "contrasts"  # the tables show it
COLUMN = 300  # points: a wider drawing takes the place of two
VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ')
TITLE = re.compile(r"<title>(.*?)</title>")  # of a drawing, and of its points that have names


def section(facts: Facts) -> dict[str, Any]:
    """Return the figures of a run, in the order of the config."""
    shown: dict[str, Any] = {"drawn": [], "found": [], "missing": []}
    for name, kind in facts.outline.figures.items():
        try:
            if kind == "retrieval":
                shown["found"] += _searches(facts, name)
            elif kind != FOREST:
                shown["drawn"].append({"kind": kind, **_drawn(facts, name)})
        except UNREADABLE:
            shown["missing"].append(name)
    shown["finding"] = f"{counted(len(shown['drawn']), 'figure')}, each headed by what it shows"
    return shown


def _drawn(facts: Facts, name: str) -> dict[str, Any]:
    """Return a drawing and what it shows: an image, or the drawing itself where points have names."""
    path = layout.place(facts.out, layout.DRAWING, figure=name, form="svg")
    record = layout.place(facts.out, layout.DRAWING_RECORD, figure=name)
    checked(record, beside(record, path))
    text = read_text(path)
    finding, *names = [*map(html.unescape, TITLE.findall(text))] or [name]
    image = base64.b64encode(text.encode()).decode()
    return {
        "name": name,
        "finding": finding,
        "names": names,
        "image": f"data:image/svg+xml;base64,{image}",
        "inline": Markup(text[text.index("<svg") :]) if names else "",
        "wide": float(VIEW_BOX.search(text)[1]) > COLUMN,
    }


def _searches(facts: Facts, name: str) -> list[tuple[str, dict[str, list[tuple[str, str]]]]]:
    """Return for each query of a figure the cosine and the sentence of what each model found."""
    path = layout.place(facts.out, layout.FIGURE, figure=name)
    queries: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for row in read_rows("retrieval", path):
        model = f"{row['base']}, {row['method']}"
        if row["corpus"] != "none":
            model += f" on {row['corpus']}"
        hit = (rounded(row["cosine"]), row["sentence"])
        queries.setdefault(row["query"], {}).setdefault(model, []).append(hit)
    said = []
    for query, models in queries.items():
        [(_, number)] = Counter(hits[0][1] for hits in models.values()).most_common(1)
        of = counted(len(models), "model")
        said.append((f"{number} of {of} find the same sentence first for “{query}”", models))
    return said
