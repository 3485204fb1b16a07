"""One data set of the manifest to the data folder: from a mirror, its addresses or its archives."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.fetch import digest_lock
from semblance.fetch.download import fetch_file
from semblance.fetch.manifest import (
    LARGEST,
    Dataset,
    DatasetPart,
    File,
    Pin,
    below,
    found_entry,
    is_of_hub,
    is_url,
)
from semblance.fetch.origins import note_origins, origin, stamp
from semblance.fetch.unpack import extract
from semblance.fetch.wanted import HOW_TO_FILL
from semblance.fetch.web import PATIENT, Altered, Patience, Unavailable, ask_address
from semblance.files import sync
from semblance.layout import DIGEST_LOCK


def fetch_dataset(
    dataset: Dataset,
    destination: str | Path,
    mirror: str | Path | None = None,
    patience: Patience = PATIENT,
) -> dict:
    """Fetch a data set's files into ``destination``; return ``{"files": {path: {sha256, size}}}``.

    A file that is there with the right digest stays. Otherwise each address is tried in turn; of a
    ``mirror``, folder or address, no other place is. Where the manifest does not pin a file, its
    hub states the digest; it is kept in the lock file at the first download and required from then
    on. Raises InputError; nothing half-written takes a file's place.
    """
    folder = Path(destination)
    with fetching(folder, mirror, patience) as into_folder:
        for part in dataset.parts():
            into_folder.fetch(part)
        return {"files": {path: found_entry(folder / path) for path in dataset.paths()}}


@contextmanager
def fetching(folder: Path, mirror: str | Path | None, patience: Patience) -> "Iterator[_Fetching]":
    """Hold a folder of raw data, to fetch into it; note afterwards what came from a mirror."""
    with digest_lock.exclusive(folder):
        into_folder = _Fetching(folder, mirror, patience)
        try:
            yield into_folder
        finally:
            note_origins(folder, into_folder.origins)


@dataclass
class _Fetching:
    """Fetches files into a folder; ``origins`` are those of a mirror folder that were copied."""

    folder: Path
    mirror: str | Path | None
    patience: Patience
    origins: dict[Path, dict[str, Any]] = field(default_factory=dict)

    def fetch(self, part: DatasetPart) -> None:
        """Make sure that each file of a part is there as pinned; InputError if nowhere it is.

        An archive is fetched only if one of its members is neither there nor in the mirror.
        """
        missing = {name: file for name, file in part.members.items() if not self._has(file)}
        if part.members and not missing:
            return
        item = part.item
        pin = item.pin
        # An archive that nobody pins does no harm where each of its members is pinned: it is read
        # within bounds, and only members with the right digest take their place.
        if part.needs_digest:
            pin = self._known_pin(item)
        if not pin.holds(self.folder / item.path):
            self._take_from_any(part, pin)
        for name, file in missing.items():
            self._unpack(item, name, file)

    def _take_from_any(self, part: DatasetPart, pin: Pin) -> None:
        problems = []
        for place in places(part.item, self.mirror):
            try:
                return self._take(place, part.item, pin)
            except Unavailable as reason:
                problems.append(f"{place}: {reason}")
        advice = HOW_TO_FILL
        if part.homepage:
            advice = f"see {part.homepage}; {advice}"
        problem = "; ".join(problems) or "it has no public address"
        raise InputError(part.item.path, problem, advice)

    def _take(self, place: str, file: File, pin: Pin) -> None:
        """Fetch a file from one place; raise Unavailable."""
        source = Path(place)
        # Before the copy: an edit during it then looks like one after it, and is noticed.
        taken = None
        if not is_url(place) and source.is_file():
            taken = stamp(source)
        digest = fetch_file(place, self.folder / file.path, pin, self.patience)
        if taken:
            self.origins[source] = origin(taken, digest, file.path)
        if pin.has_digest:
            self._lock(file)

    def _has(self, member: File) -> bool:
        """Tell whether an archive's member is there; one of the mirror itself is fetched."""
        pin = self._pin(member)
        if pin.holds(self.folder / member.path):
            return True
        if self.mirror is None or not pin.has_digest:
            return False
        place = below(self.mirror, member.path)
        try:
            self._take(place, member, pin)
        except Altered as reason:
            # The archive may have the right one, but a mirror with one bad file is to be mended.
            raise InputError(member.path, f"{place}: {reason}", "mend the mirror") from None
        except Unavailable:
            return False
        return True

    def _known_pin(self, file: File) -> Pin:
        """Return the pin of a file with its digest, which a hub states if nobody else does."""
        pin = self._pin(file)
        if pin.has_digest:
            return pin
        problems = ["neither the manifest nor a lock file has its digest"]
        for url in file.urls:
            try:
                stated = ask_address(url, self.patience) if is_of_hub(url) else Pin()
            except Unavailable as reason:
                problems.append(f"{url}: {reason}")
                continue
            if stated.has_digest:
                return stated
            problems.append(f"{url}: no digest is stated there")
        advice = f"fetch it once with a network, or put {DIGEST_LOCK} into the mirror"
        raise InputError(file.path, "; ".join(problems), advice)

    def _unpack(self, archive: File, name: str, member: File) -> None:
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

    def _pin(self, file: File) -> Pin:
        return locked_pin(file, self.folder, self.mirror)

    def _lock(self, file: File) -> None:
        """Keep the digest of a file that the manifest does not pin."""
        if not file.pin.has_digest:
            entry = found_entry(self.folder / file.path)
            digest_lock.keep(self.folder / DIGEST_LOCK, file.path, entry)


def places(file: File, mirror: str | Path | None) -> list[str]:
    """List where to look for a file, in order."""
    return list(file.urls) if mirror is None else [below(mirror, file.path)]


def locked_pin(file: File, folder: Path, mirror: str | Path | None) -> Pin:
    """Return the pin of a file: the manifest's, or that in the lock file of folder or mirror."""
    if file.pin.has_digest:
        return file.pin
    folders = [folder]
    if mirror is not None and not is_url(mirror):
        folders.append(Path(mirror))
    for place in folders:
        locked = digest_lock.entries(place / DIGEST_LOCK).get(file.path)
        if locked:
            return Pin(locked["sha256"], locked["size"])
    return file.pin
