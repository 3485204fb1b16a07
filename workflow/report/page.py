"""The page: templates filled with the sections."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from workflow.report import numbers

TEMPLATES = Path(__file__).with_name("templates")
MOST_LETTERS = 300  # of a name out of data or config: it stays in its place


@dataclass(frozen=True)
class Section:
    """A section of the page: its anchor, its heading, and what its template shows."""

    name: str
    heading: str
    content: Any


def render(
    title: str,
    subtitle: str,
    warnings: list[str],
    made_with: list[tuple[str, str]],
    parts: list[Section],
) -> str:
    """Return the page. Every text is escaped; no address but a link's is in it."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cut"] = cut
    environment.filters["minus"] = numbers.with_minus
    style = TEMPLATES.joinpath("style.css").read_text(encoding="utf-8")
    return environment.get_template("report.html.j2").render(
        title=title,
        subtitle=subtitle,
        warnings=warnings,
        made_with=made_with,
        parts=parts,
        style=Markup(style),
    )


def cut(text: str, most: int = MOST_LETTERS) -> str:
    """Return a text with at most so many letters."""
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…"
