"""A mirror that is filled: the raw data and the models of a run in one folder.

Machines without a network take everything from there. What lies there as pinned is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from semblance.errors import InputError
from semblance.fetch.datasets import fetch_dataset, locked_pin
from semblance.fetch.digest_lock import exclusive
from semblance.fetch.hub import (
    WEIGHTS,
    Repository,
    fetch_repository,
    holds,
    look_for_weights,
    mirrored,
    repository_of,
)
from semblance.fetch.manifest import Dataset, File, find_dataset
from semblance.fetch.wanted import Wanted
from semblance.fetch.web import PATIENT, Patience, Unavailable

HAVE = "have"
FETCHED = "fetched"
BY_HAND = "by hand"  # it has no address: somebody has to put it there
FAILED = "missing"  # no address gives it


class Filled(NamedTuple):
    """One file of a data set or base (``source``), and whether it is in the mirror now.

    ``problem`` says of a file that is not why, and where it has to be put.
    """

    source: str
    file: str
    state: str
    problem: str = ""

    @property
    def is_there(self) -> bool:
        """Tell whether the file can be used from now on."""
        return self.state in (HAVE, FETCHED)

    def __str__(self) -> str:
        text = f"{self.state:8} {self.source:20} {self.file}"
        if self.problem:
            text += f": {self.problem}"
        return text


def fill_mirror(
    wanted: Wanted,
    manifest: Mapping[str, Dataset],
    folder: Path,
    source: str | None = None,
    patience: Patience = PATIENT,
) -> Iterator[Filled]:
    """Fetch what a run downloads into a mirror folder; yield each file when its fate is known.

    ``source`` is another mirror that has the raw data; the bases come from their hub. A file that
    cannot be had stops no other one. A later call goes on where this one stopped.
    """
    for name in wanted.datasets:
        dataset = find_dataset(manifest, name, wanted.manifest)
        inside = dataset.member_paths()
        for file in dataset.files:
            if file.path not in inside:
                part = replace(dataset, files=(file,), archives=())
                yield from _fill_part(name, part, folder, source, patience)
        for archive in dataset.archives:
            files = tuple(f for f in dataset.files if f.path in archive.members.values())
            part = replace(dataset, files=files, archives=(archive,))
            yield from _fill_part(name, part, folder, source, patience)
    for name, base in wanted.bases.items():
        repository = repository_of(base, wanted.hub)
        if repository:
            yield from _fill_repository(name, repository, folder, patience)
            continue
        try:  # each machine needs its own
            look_for_weights(base)
        except Unavailable as reason:
            advice = f"; put the model into {base.folder}" if base.folder else ""
            yield Filled(name, WEIGHTS, BY_HAND, f"{reason}{advice}")
        else:
            yield Filled(name, base.package or base.folder or "", HAVE)


def _fill_part(
    name: str, part: Dataset, folder: Path, source: str | None, patience: Patience
) -> Iterator[Filled]:
    """Fetch the one file, or the one archive, of a part of a data set."""
    known = {file.path: file for file in part.files}
    states = {}
    for path in part.paths():
        pin = locked_pin(known.get(path, File(path, None, None)), folder, None)
        states[path] = HAVE if pin.holds(folder / path) else FETCHED
    try:
        if FETCHED in states.values():
            fetch_dataset(part, folder, source, patience)
    except InputError as error:
        [item] = part.archives or part.files
        problem = f"{error.problem}; put it at {folder / item.path}"
        if part.homepage:
            problem += f" (see {part.homepage})"
        yield Filled(name, item.path, FAILED if item.urls else BY_HAND, problem)
        return
    for path, state in states.items():
        yield Filled(name, path, state)


def _fill_repository(
    name: str, repository: Repository, folder: Path, patience: Patience
) -> Iterator[Filled]:
    place = Path(mirrored(folder, repository))
    with exclusive(folder):
        state = HAVE if holds(place, repository) else FETCHED
        try:
            files = fetch_repository(repository, place, place.parents[1], patience=patience)[
                "files"
            ]
        except InputError as error:
            yield Filled(name, str(repository), FAILED, f"{error.where}: {error.problem}")
            return
    for file in files:
        yield Filled(name, f"{repository}/{file}", state)
