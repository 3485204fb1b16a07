"""A mirror that is filled: the raw data and the models of a run in one folder.

Machines without a network take everything from there. What lies there as pinned is kept.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from semblance.errors import InputError
from semblance.fetch.datasets import fetching, locked_pin
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
from semblance.fetch.manifest import Dataset, Part, find_dataset
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
        for part in dataset.parts():
            yield from _fill_part(name, part, dataset.homepage, folder, source, patience)
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
    name: str,
    part: Part,
    homepage: str | None,
    folder: Path,
    source: str | None,
    patience: Patience,
) -> Iterator[Filled]:
    states = {}
    for file in part.files:
        is_there = locked_pin(file, folder, None).holds(folder / file.path)
        states[file.path] = HAVE if is_there else FETCHED
    try:
        if FETCHED in states.values():
            with fetching(folder, source, patience) as into_folder:
                into_folder.fetch(part, homepage)
    except InputError as error:
        problem = f"{error.problem}; put it at {folder / part.item.path}"
        if homepage:
            problem += f" (see {homepage})"
        yield Filled(name, part.item.path, FAILED if part.item.urls else BY_HAND, problem)
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
            found = fetch_repository(repository, place, place.parents[1], patience=patience)
        except InputError as error:
            yield Filled(name, str(repository), FAILED, f"{error.where}: {error.problem}")
            return
    for file in found["files"]:
        yield Filled(name, f"{repository}/{file}", state)
