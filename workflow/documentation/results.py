"""What lies where in an output folder: one text for docs/results.md and the folder's own README.md."""

import re
from pathlib import Path

from semblance.files import write_text

TEXT = Path(__file__).with_name("results.md").read_text(encoding="utf-8")
PLACE = re.compile("<!-- layout -->.*<!-- /layout -->", re.DOTALL)
HEAD = """# What lies where in this folder

Semblance has written everything here. To free the space of one model, delete its whole folder.

"""


def fill_layout(text: str) -> str:
    """Return a page with the text at its marked place."""
    return PLACE.sub(lambda _: f"<!-- layout -->\n{TEXT}<!-- /layout -->", text)


def write_readme(folder: str | Path) -> None:
    """Write the README.md of an output folder."""
    write_text(Path(folder, "README.md"), HEAD + TEXT)
