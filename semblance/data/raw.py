"""The raw files of data sets, checked against their digests and counts as they are read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.fetch.manifest import Dataset, Pin
from semblance.layout import RAW_RECORD
from semblance.provenance import Record, file_digest, read_sealed


class Raw:
    """The raw files of a manifest's data sets below one folder, checked as they are opened.

    ``inputs`` collects {relative path: sha256} of every file that was opened, ``records`` the
    record of the download of each, and ``user_files`` the paths of files that no manifest names.
    """

    def __init__(self, datasets: Mapping[str, Dataset], folder: str | Path):
        self.datasets = datasets
        self.folder = Path(folder)
        self.inputs: dict[str, str] = {}
        self.records: dict[str, Record] = {}
        self.user_files: list[str] = []

    def facts(self) -> dict[str, Any]:
        """Return the inputs of a record of the raw files, and the record or the file behind each."""
        files = {path: self.folder / path for path in self.inputs}
        files |= {path: Path(path) for path in self.user_files}
        return {"inputs": self.inputs, "records": files | self.records}

    def dataset(self, name: str) -> Dataset:
        """Return a data set of the manifest; raises InputError that lists the known names."""
        if name not in self.datasets:
            known = ", ".join(sorted(self.datasets))
            raise InputError(f"dataset {name}", "is not in the manifest", f"known are {known}")
        return self.datasets[name]

    def files(self, name: str) -> list[Path]:
        """Return the files of a data set, each checked against its expected digests."""
        return [self._checked(name, path) for path in self.dataset(name).paths()]

    def file(self, name: str, ending: str = "") -> Path:
        """Return the one file of a data set whose name ends so, checked against its digests."""
        paths = [path for path in self.dataset(name).paths() if path.endswith(ending)]
        if len(paths) != 1:
            problem = f"{len(paths)} files end in {ending!r}, expected one"
            raise InputError(f"dataset {name}", problem)
        return self._checked(name, paths[0])

    def user_file(self, path: str) -> Path:
        """Return a user's own file, which no manifest names; its digest goes into ``inputs``."""
        self.inputs[path] = file_digest(path)
        self.user_files.append(path)
        return Path(path)

    def check(self, name: str, **found: int) -> None:
        """Compare what was found with every count that the manifest states of a data set."""
        for what in self.dataset(name).expected:
            if what not in found:
                where = f"manifest: {name}.expected.{what}"
                problem = "names a count that Semblance does not know"
                raise InputError(where, problem, f"known are {', '.join(found)}")
            self.check_one(name, what, found[what])

    def check_one(self, name: str, what: str, found: int) -> None:
        """Compare one count with the one that the manifest states, if it states one."""
        expected = self.dataset(name).expected.get(what, found)
        if found != expected:
            problem = f"{name}: {what}: {found} found, {expected} expected"
            raise InputError(self.folder, problem, "fetch the original release again")

    def _checked(self, name: str, path: str) -> Path:
        full = self.folder / path
        if not full.is_file():
            raise InputError(full, "no such file", f"run the download of {name}")
        pins = [file.pin for file in self.dataset(name).files if file.path == path]
        pins = [pin for pin in pins if pin.has_digest] + self._downloaded(name, path)
        if not pins:
            record = self.folder / RAW_RECORD.format(name=name)
            problem = f"nothing states its digest: neither the manifest nor {record}"
            raise InputError(full, problem, f"run the download of {name}")
        digest = file_digest(full)
        for pin in pins:
            problem = ""
            if pin.sha256 is None:
                problem = pin.mismatch(full)
            elif pin.sha256 != digest:
                problem = f"expected sha256 {pin.sha256}, found {digest}"
            if problem:
                raise InputError(full, f"damaged: {problem}", "delete it and run again")
        self.inputs[path] = digest
        return full

    def _downloaded(self, name: str, path: str) -> list[Pin]:
        """Return what the record of the download, if there is one, states of a file's content."""
        key = RAW_RECORD.format(name=name)
        if not (self.folder / key).is_file():
            return []
        record = read_sealed(self.folder / key)
        self.records[path] = record
        entry = record["files"].get(path, {})
        return [Pin(entry["sha256"], None)] if "sha256" in entry else []
