"""The collected figures, made once more from their files and compared."""

from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.audit.findings import FORMS, UNREADABLE, Findings
from semblance.figures import FigureSettings
from semblance.provenance import read_text
from semblance.reporting.collected import collected_csv
from semblance.settings import decode

MOST_BYTES = 1 << 28  # of a figure's CSV


def check_figures(chain: Chain, readable: list[Path], found: Findings) -> None:
    """Check the CSV of each collected figure that one of the readable records lists."""
    for path in readable:
        record = chain.read(path)
        if record.get("stage") != "collect_figure":
            continue
        file = Path(layout.place(chain.root, layout.FIGURE, figure=path.stem))
        try:
            settings = decode(FigureSettings, record.get("settings"), f"{path}: settings")
            same = read_text(file, MOST_BYTES) == collected_csv(settings, chain.root)
        except UNREADABLE as error:
            found.unreadable(FORMS, path, error)
            continue
        found.check(FORMS, same, file, "differs from what its settings and files give")
