"""Weights that a run deleted on purpose, after their use, as its config says (``keep.models``)."""

from pathlib import Path
from typing import Any

from semblance import layout
from semblance.errors import InputError
from semblance.provenance import read_object

STAGES = ("train_initial", "train_entropy", "train", "fit_whitening")  # that the rules say it of
DELETED = "deleted after its use (keep.models: final)"


def deletes_models(root: Path) -> bool:
    """Tell whether the last run on a results folder deleted models, by its note of its config."""
    try:
        keep = read_object(layout.place(root, layout.CONFIG)).get("keep")
    except (InputError, OSError):
        return False
    return isinstance(keep, dict) and keep.get("models") == "final"


def is_deleted(file: Path, path: Path, record: dict[str, Any]) -> bool:
    """Tell whether a file that the record at ``path`` lists are weights that are gone after use."""
    weights = path.parent / layout.WEIGHTS
    return record.get("stage") in STAGES and file == weights and not file.exists()
