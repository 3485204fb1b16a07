"""One dataset of the manifest to the data folder: from a mirror, its addresses or its archives."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from semblance.download.address import ask_address
from semblance.download.answer import Altered, Unavailable
from semblance.download.digest_lock import DigestLock, exclusive
from semblance.download.manifest import Archive, Dataset, File
from semblance.download.origins import note_origins, origin, stamp
from semblance.download.pin import LARGEST, Pin, is_of_hub, is_url
from semblance.download.transfer import FetchOptions, fetch_file
from semblance.download.unpack import extract
from semblance.download.wanted import HOW_TO_FILL
from semblance.errors import InputError
from semblance.files import sync
from semblance.layout import DIGEST_LOCK
from semblance.provenance import file_digest


def fetch_dataset(
    dataset: Dataset, destination: str | Path, options: FetchOptions = FetchOptions()
) -> dict:
    """Fetch a dataset's files into ``destination`` and return ``{"files": {path: {sha256, size}}}``.

    A file that is there with the right digest stays. Otherwise each address is tried in turn. Where
    the manifest does not pin a file, its hub states the digest; it is kept in the lock file at the
    first download and required from then on. Raises InputError; nothing half-written takes a
    file's place.
    """
    folder = Path(destination)
    with exclusive(folder):
        fetcher = _Fetcher(dataset, folder, options)
        fetcher.fetch_files()
        return {"files": {path: _entry(folder / path) for path in dataset.paths()}}


class _Fetcher:
    """Fetches the files of one dataset into a folder.

    The lock file of the folder holds {path: {sha256, size}} of the files that the manifest does
    not pin. A mirror that is a folder may bring a lock file of its own.
    """

    def __init__(self, dataset: Dataset, folder: Path, options: FetchOptions):
        self.dataset = dataset
        self.folder = folder
        self.options = options
        self.lock = DigestLock(folder / DIGEST_LOCK)
        self.origins: dict[Path, dict[str, Any]] = {}  # files of a mirror folder that were copied

    def fetch_files(self) -> None:
        """Fetch what is missing or altered; InputError if a file is nowhere to be had."""
        inside = self.dataset.member_paths()
        try:
            for file in self.dataset.files:
                if file.path not in inside:
                    self._fetch(file, self._known_pin(file))
            for archive in self.dataset.archives:
                self._fetch_members(archive)
        finally:
            note_origins(self.folder, self.origins)

    def _fetch(self, file: File, pin: Pin) -> None:
        """Make sure that a file is there as ``pin`` states."""
        target = self.folder / file.path
        if pin.holds(target):
            return
        problems = []
        if pin.has_digest and target.exists():
            problems.append(f"the file that is there: {pin.mismatch(target)}")
        for place in self._places(file):
            try:
                self._take(place, file.path, pin)
            except Unavailable as reason:
                problems.append(f"{place}: {reason}")
            else:
                if pin.has_digest:
                    self._lock(file)
                return
        self._give_up(file, problems)

    def _take(self, place: str, path: str, pin: Pin) -> None:
        """Fetch a file from one place; raise Unavailable."""
        taken = None
        if not is_url(place) and Path(place).is_file():
            taken = stamp(Path(place))
        digest = fetch_file(place, self.folder / path, pin, self.options.transfer)
        if taken:
            self.origins[Path(place)] = origin(taken, digest, path)

    def _give_up(self, file: File, problems: list[str]) -> None:
        advice = HOW_TO_FILL
        if self.dataset.homepage:
            advice = f"see {self.dataset.homepage}; {advice}"
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
        pin = archive.pin
        if not archive.has_pinned_members(self.dataset.files):
            pin = self._known_pin(archive)
        self._fetch(archive, pin)
        for name in missing:
            self._unpack(archive, name, members[name])

    def _fetch_from_mirror(self, member: File) -> bool:
        """Fetch an archive's member from the mirror itself; return whether the mirror has it."""
        pin = self._pin(member)
        if not pin.has_digest:
            return False
        for place in self._places(member):
            try:
                self._take(place, member.path, pin)
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
        """Return the manifest's pin of a file, or that of a lock file where there is none."""
        return locked_pin(file, self.folder, self.options.mirror)

    def _known_pin(self, file: File) -> Pin:
        """Return the pin of a file with its digest, which a hub states if nobody else does."""
        pin = self._pin(file)
        if pin.has_digest:
            return pin
        problems = ["neither the manifest nor a lock file has its digest"]
        for url in file.urls:
            try:
                return self._stated_pin(url)
            except Unavailable as reason:
                problems.append(f"{url}: {reason}")
        advice = f"fetch it once with a network, or put {DIGEST_LOCK} into the mirror"
        raise InputError(file.path, "; ".join(problems), advice)

    def _stated_pin(self, url: str) -> Pin:
        """Return the pin that a hub states of an address; raise Unavailable if it states none."""
        if self.options.offline:
            raise Unavailable("the network is forbidden")
        stated = Pin(None, None)
        if is_of_hub(url):
            stated = ask_address(url, self.options.transfer.patience)
        if not stated.has_digest:
            raise Unavailable("no digest is stated there")
        return stated

    def _lock(self, file: File) -> None:
        """Keep the digest of a file that the manifest does not pin."""
        if not file.pin.has_digest:
            self.lock.keep(file.path, _entry(self.folder / file.path))


def locked_pin(file: File, folder: Path, mirror: str | Path | None) -> Pin:
    """Return the pin of a file: the manifest's, or that of the lock file of its folder or mirror."""
    if file.pin.has_digest:
        return file.pin
    folders = [folder]
    if mirror is not None and not is_url(mirror):
        folders.append(Path(mirror))
    for place in folders:
        locked = DigestLock(place / DIGEST_LOCK).get(file.path)
        if locked:
            return Pin(locked["sha256"], locked["size"])
    return file.pin


def _entry(path: Path) -> dict:
    return {"sha256": file_digest(path), "size": path.stat().st_size}
