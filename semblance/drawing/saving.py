"""A figure as SVG and as PNG: the same figure gives the same bytes."""

import io

from matplotlib.figure import Figure

from semblance.drawing.style import styled

DPI = 300


@styled
def svg_text(figure: Figure) -> str:
    """Return a figure as SVG, its texts as text and without a date."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


@styled
def png_bytes(figure: Figure) -> bytes:
    """Return a figure as PNG of 300 dots an inch, on white."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    return stream.getvalue()
