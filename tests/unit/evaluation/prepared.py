"""What the tests of evaluations share: how the demo's data are prepared, and scores read."""

import csv
import json
from pathlib import Path

from semblance.provenance import ROOT


def prepare(script, settings: dict, record: Path) -> None:
    """Run a prepare script on the demo's data."""
    script.main(
        ["--settings", json.dumps(settings), "--manifest", str(ROOT / "demo/manifest.yaml")]
        + ["--data", str(ROOT / "demo/data"), "--output", str(record)]
    )


def records(folder: Path, *names: str) -> list[str]:
    """Return the paths of the records in some folders."""
    return [str(folder / name / "record.json") for name in names]


def lines(record: Path) -> list[dict[str, str]]:
    """Return the lines of the scores beside a record."""
    with open(record.parent / "scores.csv", newline="") as stream:
        return list(csv.DictReader(stream))
