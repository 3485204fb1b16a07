"""One dataset of the manifest to the data folder: from a mirror, its addresses or its archives."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from semblance.download.manifest import Archive, Dataset, File
from semblance.download.pin import LARGEST, Pin, is_url
from semblance.download.transfer import Altered, Transfer, Unavailable, fetch_file
from semblance.download.unpack import extract
from semblance.errors import InputError
from semblance.files import sync
from semblance.layout import DIGEST_LOCK
from semblance.locks import FileLock, NoLocks
from semblance.provenance import file_digest, read_sealed, write_sealed


@dataclass(frozen=True)
class FetchOptions:
    """Where files may come from, and which are accepted.

    With a ``mirror`` (a folder or an http(s) address) no other place is tried. ``offline`` forbids
    the network. A file that the manifest does not pin needs ``accept_unpinned`` once.
    """

    mirror: str | Path | None = None
    accept_unpinned: bool = False
    offline: bool = False
    transfer: Transfer = Transfer()


def fetch_dataset(
    dataset: Dataset, destination: str | Path, options: FetchOptions = FetchOptions()
) -> dict:
    """Fetch a dataset's files into ``destination`` and return ``{"files": {path: {sha256, size}}}``.

    A file that is there with the right digest stays. Otherwise each address is tried in turn. The
    digest of a file that the manifest does not pin is kept in the lock file at its first download,
    and checked from then on. Raises InputError; nothing half-written takes a file's place.
    """
    folder = Path(destination)
    folder.mkdir(parents=True, exist_ok=True)
    with _exclusive(folder):
        fetcher = _Fetcher(dataset, folder, options)
        fetcher.fetch_files()
        return {"files": {path: _entry(folder / path) for path in dataset.paths()}}


class _Fetcher:
    """Fetches the files of one dataset into a folder.

    ``locked`` is the content of the lock file: {path: {sha256, size}}. It grows as unpinned files
    arrive.
    """

    def __init__(self, dataset: Dataset, folder: Path, options: FetchOptions):
        self.dataset = dataset
        self.folder = folder
        self.options = options
        self.locked: dict[str, dict] = {}
        if (folder / DIGEST_LOCK).exists():
            self.locked = read_sealed(folder / DIGEST_LOCK)

    def fetch_files(self) -> None:
        """Fetch what is missing or altered; InputError if a file is nowhere to be had."""
        inside = self.dataset.member_paths()
        for file in self.dataset.files:
            if file.path not in inside:
                self._fetch(file, unpinned=self.options.accept_unpinned)
        for archive in self.dataset.archives:
            self._fetch_members(archive)

    def _fetch(self, file: File, unpinned: bool) -> None:
        """Make sure that a file is there as pinned; ``unpinned`` accepts one without a pin."""
        pin = self._pin(file)
        if pin.sha256 is None and not unpinned:
            raise InputError(
                file.path,
                "the manifest does not pin its digest",
                "--accept-unpinned accepts any content and keeps its digest in " + DIGEST_LOCK,
            )
        target = self.folder / file.path
        if pin.holds(target):
            return
        problems = []
        if target.exists():
            problems.append(f"the file that is there: {pin.mismatch(target)}")
        for place in self._places(file):
            try:
                fetch_file(place, target, pin, self.options.transfer)
            except Unavailable as reason:
                problems.append(f"{place}: {reason}")
            else:
                self._lock(file)
                return
        self._give_up(file, problems)

    def _give_up(self, file: File, problems: list[str]) -> None:
        advice = "give a mirror that has it"
        if self.dataset.homepage:
            advice += f" (its home page: {self.dataset.homepage})"
        if not problems and self.options.offline:
            problems = ["not there, and the network is forbidden"]
        elif not problems:
            problems = ["it has no public address"]
        raise InputError(file.path, "; ".join(problems), advice)

    def _fetch_members(self, archive: Archive) -> None:
        """Fetch the wanted members of an archive, and the archive only if it is needed for them."""
        files = {file.path: file for file in self.dataset.files}
        members = {
            name: files.get(path, File(path, None, None)) for name, path in archive.members.items()
        }
        missing = [
            name
            for name, member in members.items()
            if not self._pin(member).holds(self.folder / member.path)
        ]
        if self.options.mirror is not None:  # a mirror may hold the members themselves
            missing = [name for name in missing if not self._fetch_from_mirror(members[name])]
        if not missing:
            return
        # Where all members are pinned, the archive needs no pin of its own.
        all_pinned = all(member.sha256 is not None for member in members.values())
        self._fetch(archive, unpinned=all_pinned or self.options.accept_unpinned)
        for name in missing:
            self._unpack(archive, name, members[name])

    def _fetch_from_mirror(self, member: File) -> bool:
        """Fetch an archive's member from the mirror itself; return whether the mirror has it."""
        pin = self._pin(member)
        if pin.sha256 is None and not self.options.accept_unpinned:
            return False
        for place in self._places(member):
            try:
                fetch_file(place, self.folder / member.path, pin, self.options.transfer)
            except Altered as reason:
                raise InputError(member.path, f"{place}: {reason}", "mend the mirror") from None
            except Unavailable:
                return False
            self._lock(member)
            return True
        return False

    def _unpack(self, archive: Archive, name: str, member: File) -> None:
        target = self.folder / member.path
        fresh = target.with_name(target.name + ".fresh")
        extract(self.folder / archive.path, name, fresh, member.size or LARGEST)
        problem = self._pin(member).mismatch(fresh)
        if problem:
            fresh.unlink()
            raise InputError(member.path, f"member {name} of {archive.path}: {problem}")
        fresh.replace(target)
        sync(target.parent)
        self._lock(member)

    def _places(self, file: File) -> list[str]:
        """List where to look for a file, in order."""
        mirror = self.options.mirror
        if mirror is not None and not is_url(mirror):
            return [str(Path(mirror, file.path))]
        if self.options.offline:
            return []
        if mirror is not None:
            return [f"{str(mirror).rstrip('/')}/{quote(file.path)}"]
        return list(file.urls)

    def _pin(self, file: File) -> Pin:
        """Return the manifest's pin of a file, or that of the lock file where there is none."""
        if file.sha256 is None and file.path in self.locked:
            locked = self.locked[file.path]
            return Pin(locked["sha256"], locked["size"])
        return file.pin

    def _lock(self, file: File) -> None:
        """Keep the digest of a file that the manifest does not pin."""
        if file.sha256 is None:
            self.locked[file.path] = _entry(self.folder / file.path)
            write_sealed(self.folder / DIGEST_LOCK, self.locked)


def _entry(path: Path) -> dict:
    return {"sha256": file_digest(path), "size": path.stat().st_size}


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch into a folder, so that none shares a part file with another."""
    lock = FileLock(folder / ".fetching")
    try:
        with suppress(NoLocks):  # then nothing keeps two processes off one part file
            lock.take(wait=True)
        yield
    finally:
        lock.release()
