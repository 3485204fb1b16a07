"""The model folder that a user names for an export, in any of its forms."""

from dataclasses import dataclass
from pathlib import Path

from semblance import layout
from semblance.errors import InputError
from semblance.models.module_files import LISTING
from semblance.models.saved import FOLDER, SavedModel, stored_length
from semblance.provenance import checked, read_sealed

STAGE = "build_answerer"  # of the record of a trained FAQ
MODEL_SUFFIXES = {".json", ".txt", ".safetensors", ".md"}  # other files, such as pickles, stay


@dataclass(frozen=True)
class ModelSource:
    """A sentence-transformers folder, and the tokens after which it cuts a text."""

    folder: Path
    max_length: int

    def files(self) -> list[Path]:
        """Return the files of the model, relative to its folder: those of its modules, too."""
        found = [*self.folder.glob("*"), *self.folder.glob("*/*")]
        names = (path.relative_to(self.folder) for path in sorted(found) if path.is_file())
        return [name for name in names if _belongs(name)]


def _belongs(name: Path) -> bool:
    """Tell whether a file is one of a model; pickles and an earlier export are left behind."""
    hidden = name.as_posix().startswith(".")
    return name.suffix in MODEL_SUFFIXES and not hidden and name.parts[0] != "onnx"


def find_model(named: str | Path) -> ModelSource:
    """Return the model of a FAQ's folder, of a training's folder, or of a plain model folder.

    Files that a record lists are checked against it. Raises InputError for anything else.
    """
    folder = _only_answerer(Path(named))
    record = folder / layout.RECORD
    if record.is_file() and (folder / FOLDER).is_dir():
        if read_sealed(record).get("stage") == STAGE:
            return ModelSource(folder / FOLDER, checked(record)["settings"]["max_length"])
        folder = SavedModel.read(record).folder
    elif not (folder / LISTING).is_file():
        advice = "name the folder of a trained FAQ or of a sentence-transformers model"
        raise InputError(folder, "holds no model", advice)
    return ModelSource(folder, stored_length(folder))


def _only_answerer(named: Path) -> Path:
    """Return the folder named, or the only trained FAQ that a run has made in it."""
    found = sorted(named.glob(f"{layout.pattern(layout.ANSWERER)}/{layout.RECORD}"))
    if len(found) == 1:
        return found[0].parent
    return named
