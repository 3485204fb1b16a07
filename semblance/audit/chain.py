"""The records of a finished run as a chain: the files in each, and where its inputs come from.

A results folder keeps the record of each artefact beside it, those of the tables in a folder of
their own; raw data and base models lie in the resources folder.
"""

import functools
import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from semblance import layout, names
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.provenance import canonical, file_digest, read_sealed, text_digest

LOCK = layout.DIGEST_LOCK
SCORE_FILE = "scores.csv"  # of one run
UNRECORDED = layout.WITHOUT_RECORD
BASE = f"{{downloads}}/{layout.BASE}/{RECORD}"
CORPUS = f"{{root}}/{layout.CORPUS}/{RECORD}"
# The tokens of a corpus may be those of another base, whose tokenizer is the same.
TOKENS = f"{{root}}/{layout.TOKENS}/{RECORD}".replace("{base}", "*")
STS_TEST = f"{{root}}/{layout.STS_TEST}/{RECORD}"
STS_DEV = f"{{root}}/{layout.STS_DEV_DATA}/{RECORD}"
FOLD_DEV = f"{{root}}/{layout.FOLD_DEV_DATA}/{RECORD}"
BANK = f"{{root}}/{layout.BANK}/{RECORD}"
MODEL = f"{{root}}/{layout.MODEL}/{RECORD}"
INITIAL = MODEL.replace("{method}", names.INITIAL)
TRAINED = {
    "base": (BASE,),
    "corpus": (CORPUS,),
    "tokens": (TOKENS,),
    "dev": (FOLD_DEV, STS_DEV),
}
SOURCES = {  # stage -> name of an input -> where the record that lists it may lie
    "tokenise": {"sentences": (CORPUS,), "tokenizer": (BASE,)},
    "train": TRAINED,
    "train_initial": TRAINED,
    "train_entropy": TRAINED | {"base": (INITIAL, BASE)},
    "embed": {"model": (MODEL,), "tokens": (TOKENS,)},
    "evaluate_sts": {"weights": (MODEL,), "data": (STS_TEST,), "dev": (STS_DEV,)},
    "evaluate_faq": {"weights": (MODEL,), "data": (BANK,), "dev": (FOLD_DEV,)},
}
PLACES = (layout.TOKENS, layout.MODEL, layout.EMBEDDINGS, layout.STS_SCORES, layout.FAQ_SCORES)
OUTSIDE = ("published", "claims")  # inputs that lie outside of what a run keeps
# Stages whose records name their inputs as files.
OF_FILES = (
    "collect_scores",
    "render_table",
    "compare_published",
    "judge_claims",
    "simulate_statistics",
)


@dataclass(frozen=True)
class Link:
    """One input of a record: its digest, the record that lists it, the places looked at for it."""

    name: str
    digest: str
    source: Path | None
    sought: tuple[str, ...]


class Chain:
    """All records below a results folder and the resources that it was made from.

    ``resources``: their folder; by default ``resources`` beside the results, if it is there.
    Raises InputError for a folder that does not exist.
    """

    def __init__(self, root: str | Path, resources: str | Path | None = None):
        self.root = Path(root)
        self.resources: Path | None = self.root.parent / "resources"
        if resources:
            self.resources = Path(resources)
        elif not self.resources.is_dir():
            self.resources = None
        self._read: dict[Path, dict] = {}
        for folder in self.folders:
            if not folder.is_dir():
                raise InputError(folder, "no such folder", "name a folder that a run has filled")

    @property
    def folders(self) -> list[Path]:
        """The folders that hold records: the results, and the resources if they are there."""
        if self.resources is None:
            return [self.root]
        return [self.root, self.resources]

    @functools.cached_property
    def paths(self) -> list[Path]:
        """The path of every record, sorted."""
        found = [
            path
            for path in self.root.rglob(RECORD)
            if not UNRECORDED & set(path.relative_to(self.root).parts)
        ]
        found += self.root.glob(layout.pattern(layout.TABLE_RECORD))
        if self.resources:
            data = self.resources / layout.RAW_DATA
            found += self.resources.rglob(RECORD)
            found += data.glob(layout.pattern(layout.RAW_RECORD))
            found += data.glob(LOCK)
        return sorted(found)

    def read(self, path: Path) -> dict:
        """Read a record, once; InputError if its seal is broken or it has not the form of one."""
        if path not in self._read:
            record = read_sealed(path)
            for name in ("outputs", "inputs"):
                if not _are_digests(record.get(name, {})):
                    raise InputError(
                        path, f"its {name} do not map names to digests", "delete it and run again"
                    )
            self._read[path] = record
        return self._read[path]

    def listed(self, path: Path) -> dict[Path, str]:
        """Return {file: sha256} of the files that the record at ``path`` lists."""
        record = self.read(path)
        if "outputs" in record:
            return _below(path.parent, record["outputs"])
        if path.name == LOCK:
            folder = path.parent
            entries = record
        else:
            folder = path.parent.parent
            entries = record.get("files", {})
        return _below(folder, {name: entry["sha256"] for name, entry in entries.items()})

    @functools.cached_property
    def owners(self) -> dict[Path, Path]:
        """Each file with the record that lists it, as far as the records can be read."""
        found: dict[Path, Path] = {}
        for path in self.paths:
            if path.name != LOCK and self._is_readable(path):
                found |= dict.fromkeys(self.listed(path), path)
        return found

    def _is_readable(self, path: Path) -> bool:
        try:
            return bool(self.read(path))
        except InputError:
            return False

    def links(self, path: Path) -> Iterator[Link]:
        """Yield the inputs of a record, each with the record that lists its digest."""
        record = self.read(path)
        stage = record.get("stage", "")
        for name, digest in record.get("inputs", {}).items():
            if name in OUTSIDE or stage == "download_model":
                continue  # their sources lie outside of what a run keeps
            file = self._file(path, stage, name)
            if file:
                yield self._link_to_file(name, digest, file)
            else:
                yield self._link_to_record(name, digest, self._sought(path, stage, name))

    def scores_behind(self, path: Path) -> list[Path]:
        """Return the score files that the record of a table or of the long CSV names."""
        links = self.links(path)
        return [Path(link.sought[0]) for link in links if link.name.endswith(f"/{SCORE_FILE}")]

    def _link_to_file(self, name: str, digest: str, file: Path) -> Link:
        owner = self.owners.get(file)
        if owner and self.listed(owner)[file] != digest:
            owner = None
        return Link(name, digest, owner, (str(file),))

    def _link_to_record(self, name: str, digest: str, sought: tuple[str, ...]) -> Link:
        for pattern in sought:
            for source in map(Path, sorted(glob.glob(pattern))):
                if self._gives(source, digest):
                    return Link(name, digest, source, sought)
        return Link(name, digest, None, sought)

    def _gives(self, source: Path, digest: str) -> bool:
        """Tell whether a digest is that of one output of a record, or of all of them together."""
        if not self._is_readable(source):
            return False
        outputs = self.read(source).get("outputs", {})
        return digest == text_digest(canonical(outputs)) or digest in outputs.values()

    def _file(self, path: Path, stage: str, name: str) -> Path | None:
        """Return the file that an input's name stands for; None if the name is a role."""
        if stage.startswith("prepare_"):
            file = (self.resources or Path("resources")) / layout.RAW_DATA / name
        elif stage in OF_FILES:
            file = path.parent / name
        else:
            return None
        return Path(os.path.normpath(file))

    def _sought(self, path: Path, stage: str, name: str) -> tuple[str, ...]:
        """Return the patterns of where the record behind an input may lie."""
        root = glob.escape(str(self.root))
        downloads = glob.escape(str(self.resources or "resources"))
        if name.endswith(f"/{RECORD}"):  # frozen embeddings go by their own path
            parts = map(glob.escape, Path(name).parts[-6:])
            return ("/".join([root, *parts]),)
        place = {key: glob.escape(value) for key, value in self._place(path).items()}
        patterns = SOURCES.get(stage, {}).get(name, ())
        if name == "weights" and place["method"] == names.START:
            patterns = (BASE,)
        place["bank"] = place.get("corpus", "").rpartition("-")[0]
        return tuple(p.format(root=root, downloads=downloads, **place) for p in patterns)

    def _place(self, path: Path) -> dict[str, str]:
        """Return the corpus, base, method and seed that a record's path names."""
        folder = path.parent.relative_to(self.root).as_posix()
        for template in PLACES:
            if found := layout.parse(template, folder):
                return found
        return {}


def _are_digests(value: object) -> bool:
    """Tell whether a record's entry maps names to texts."""
    return isinstance(value, dict) and all(isinstance(digest, str) for digest in value.values())


def _below(folder: Path, names: dict[str, str]) -> dict[Path, str]:
    return {Path(os.path.normpath(folder / name)): digest for name, digest in names.items()}


def damage(path: Path, expected: str) -> str:
    """Return what is wrong with a file whose digest is known; empty if nothing is."""
    if not path.is_file():
        return f"missing: expected sha256 {expected}"
    actual = file_digest(path)
    if actual == expected:
        return ""
    return f"damaged: expected sha256 {expected}, found {actual}"
