"""The records of a finished run as one chain: the files that each vouches for, the records its inputs lead to.

A results folder keeps each artefact beside its ``record.json``, the tables theirs under
``tables/records``; raw data and base models lie in the resources folder.
"""

import functools
import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from semblance import layout
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.provenance import canonical, file_digest, read_sealed, text_digest

LOCK = layout.DIGEST_LOCK
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
INITIAL = MODEL.replace("{method}", layout.INITIAL)
TRAINED = {
    "base": (BASE,),
    "corpus": (CORPUS,),
    "tokens": (TOKENS,),
    "dev": (FOLD_DEV, STS_DEV),
}
SOURCES = {  # stage -> name of an input -> where the record that vouches for it may lie
    "tokenise": {"sentences": (CORPUS,), "tokenizer": (BASE,)},
    "train": TRAINED,
    "train_initial": TRAINED,
    "train_entropy": TRAINED | {"base": (INITIAL, BASE)},
    "embed": {"model": (MODEL,), "tokens": (TOKENS,)},
    "evaluate_sts": {"weights": (MODEL,), "data": (STS_TEST,), "dev": (STS_DEV,)},
    "evaluate_faq": {"weights": (MODEL,), "data": (BANK,)},
}
PLACES = (layout.TOKENS, layout.MODEL, layout.EMBEDDINGS, layout.STS_SCORES, layout.FAQ_SCORES)
OF_FILES = (
    "collect_scores",
    "render_table",
    "compare_published",
)  # stages that name their inputs as files


@dataclass(frozen=True)
class Link:
    """One input of a record: its digest, the record that vouches for it, and where that was looked for."""

    name: str
    digest: str
    source: Path | None
    sought: tuple[str, ...]


class Chain:
    """All records below a results folder and the resources that it was made from.

    ``resources``: their folder; by default ``resources`` beside the results, where there is one.
    """

    def __init__(self, root: str | Path, resources: str | Path | None = None):
        self.root, default = Path(root), Path(root).parent / "resources"
        self.resources = Path(resources) if resources else default if default.is_dir() else None
        self._read: dict[Path, dict] = {}
        for folder in filter(None, (self.root, self.resources)):
            if not folder.is_dir():
                raise InputError(folder, "no such folder", "name a folder that a run has filled")

    @functools.cached_property
    def paths(self) -> list[Path]:
        """The path of every record, sorted."""
        found = [
            path
            for path in self.root.rglob(RECORD)
            if not UNRECORDED & set(path.relative_to(self.root).parts)
        ]
        found += [*self.root.glob(layout.pattern(layout.TABLE_RECORD))]
        if self.resources:
            found += [
                *self.resources.rglob(RECORD),
                *self.resources.glob(f"{layout.RAW_DATA}/{layout.pattern(layout.RAW_RECORD)}"),
            ]
            found += self.resources.glob(f"{layout.RAW_DATA}/{LOCK}")
        return sorted(found)

    def read(self, path: Path) -> dict:
        """Read a record, once; InputError if its seal is broken or it has not the form of one."""
        if path not in self._read:
            record = read_sealed(path)
            for name in ("outputs", "inputs"):
                told = record.get(name, {})
                if not isinstance(told, dict) or not all(
                    isinstance(digest, str) for digest in told.values()
                ):
                    raise InputError(path, f"its {name} are no digests", "delete it and run again")
            self._read[path] = record
        return self._read[path]

    def vouched(self, path: Path) -> dict[Path, str]:
        """Return {file: sha256} of what the record at ``path`` vouches for."""
        record = self.read(path)
        if "outputs" in record:
            return {
                Path(os.path.normpath(path.parent / name)): digest
                for name, digest in record["outputs"].items()
            }
        data, files = (
            (path.parent, record)
            if path.name == LOCK
            else (path.parent.parent, record.get("files", {}))
        )
        return {
            Path(os.path.normpath(data / name)): entry["sha256"] for name, entry in files.items()
        }

    @functools.cached_property
    def owners(self) -> dict[Path, Path]:
        """Each file with the record that vouches for it; an unreadable record vouches for nothing."""
        found: dict[Path, Path] = {}
        for path in self.paths:
            if path.name != LOCK and self._readable(path):
                found |= dict.fromkeys(self.vouched(path), path)
        return found

    def _readable(self, path: Path) -> bool:
        try:
            return bool(self.read(path))
        except InputError:
            return False

    def links(self, path: Path) -> Iterator[Link]:
        """Yield the inputs of the record at ``path``, each with the record that vouches for its digest, if any."""
        record = self.read(path)
        stage = record.get("stage", "")
        for name, digest in record.get("inputs", {}).items():
            if name == "published" or stage == "download_model":
                continue  # their sources lie outside of what a run keeps
            file = self._file(path, stage, name)
            sought = (str(file),) if file else self._sought(path, stage, name)
            sources = (
                [self.owners.get(file)]
                if file
                else [Path(s) for pattern in sought for s in sorted(glob.glob(pattern))]
            )
            yield Link(
                name,
                digest,
                next((s for s in sources if s and self._gives(s, digest, file)), None),
                sought,
            )

    def _file(self, path: Path, stage: str, name: str) -> Path | None:
        """Return the file that an input's name tells, None where the name tells a role."""
        if stage.startswith("prepare_"):
            return Path(
                os.path.normpath((self.resources or Path("resources")) / layout.RAW_DATA / name)
            )
        return Path(os.path.normpath(path.parent / name)) if stage in OF_FILES else None

    def _sought(self, path: Path, stage: str, name: str) -> tuple[str, ...]:
        """Return the patterns of where the record behind an input may lie."""
        root = glob.escape(str(self.root))
        downloads = glob.escape(str(self.resources or "resources"))
        if name.endswith(f"/{RECORD}"):  # frozen embeddings stand under their own path
            return ("/".join([root, *map(glob.escape, Path(name).parts[-6:])]),)
        place = {key: glob.escape(value) for key, value in self._place(path).items()}
        patterns = SOURCES.get(stage, {}).get(name, ())
        if name == "weights" and place["method"] == layout.START:
            patterns = (BASE,)
        place["bank"] = place.get("corpus", "").rpartition("-")[0]
        return tuple(
            pattern.format(root=root, downloads=downloads, **place) for pattern in patterns
        )

    def _place(self, path: Path) -> dict[str, str]:
        """Return corpus, base, method and seed, as far as a record's path names them."""
        folder = path.parent.relative_to(self.root).as_posix()
        for template in PLACES:
            if found := layout.parse(template, folder):
                return found
        return {}

    def _gives(self, source: Path, digest: str, file: Path | None) -> bool:
        if not self._readable(source):
            return False
        if file:
            return self.vouched(source)[file] == digest
        outputs = self.read(source).get("outputs", {})
        return digest == text_digest(canonical(outputs)) or digest in outputs.values()


def damage(path: Path, expected: str) -> str:
    """Return what is wrong with a file whose digest is known; empty if nothing is."""
    if not path.is_file():
        return f"missing: expected sha256 {expected}"
    actual = file_digest(path)
    return "" if actual == expected else f"damaged: expected sha256 {expected}, found {actual}"
