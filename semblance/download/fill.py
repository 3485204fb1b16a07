"""A mirror that is filled: the raw data and the models of a run in one folder.

Machines without a network take everything from there. What lies there as pinned is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from semblance.download.answer import Unavailable
from semblance.download.digest_lock import exclusive
from semblance.download.fetch import fetch_dataset, locked_pin
from semblance.download.hub import difference, fetch_repository, mirrored
from semblance.download.hub_api import WEIGHTS, Repository, look_for_weights, repository_of
from semblance.download.manifest import Dataset, File, find_dataset
from semblance.download.transfer import FetchOptions
from semblance.download.wanted import BaseSource, Wanted
from semblance.errors import InputError

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
    wanted: Wanted, manifest: Mapping[str, Dataset], folder: Path, options: FetchOptions
) -> Iterator[Filled]:
    """Fetch what a run downloads into a mirror folder; yield each file when its fate is known.

    ``options`` say from where the raw data come; the bases come from their hub. A file that cannot
    be had stops no other one. A later call goes on where this one stopped.
    """
    for name in wanted.datasets:
        dataset = find_dataset(manifest, name, wanted.manifest)
        for part in _items(dataset):
            yield from _fill_part(name, part, folder, options)
    for name, base in wanted.bases.items():
        repository = repository_of(base, wanted.hub)
        if repository:
            yield from _fill_repository(name, repository, folder, options)
        else:
            yield _look_for_base(name, base)


def _items(dataset: Dataset) -> Iterator[Dataset]:
    """Yield the files and archives of a data set, each as a data set of its own."""
    members = set(dataset.member_paths())
    for file in dataset.files:
        if file.path not in members:
            yield replace(dataset, files=(file,), archives=())
    for archive in dataset.archives:
        inside = set(archive.members.values())
        files = tuple(file for file in dataset.files if file.path in inside)
        yield replace(dataset, files=files, archives=(archive,))


def _fill_part(name: str, part: Dataset, folder: Path, options: FetchOptions) -> Iterator[Filled]:
    known = {file.path: file for file in part.files}
    before = set()
    for path in part.paths():
        file = known.get(path, File(path, None, None))
        if locked_pin(file, folder, None).holds(folder / path):
            before.add(path)
    if len(before) < len(part.paths()):
        try:
            fetch_dataset(part, folder, options)
        except InputError as error:
            yield _failure(name, part, folder, error)
            return
    for path in part.paths():
        state = FETCHED
        if path in before:
            state = HAVE
        yield Filled(name, path, state)


def _failure(name: str, part: Dataset, folder: Path, error: InputError) -> Filled:
    """Return what to do about the one file or archive of a part."""
    [item] = part.archives or part.files
    state = BY_HAND
    if item.urls:
        state = FAILED
    problem = f"{error.problem}; put it at {folder / item.path}"
    if part.homepage:
        problem += f" (see {part.homepage})"
    return Filled(name, item.path, state, problem)


def _fill_repository(
    name: str, repository: Repository, folder: Path, options: FetchOptions
) -> Iterator[Filled]:
    place = Path(mirrored(folder, repository))
    state = HAVE
    with exclusive(folder):
        if difference(place, repository):
            state = FETCHED
        try:
            fetched = fetch_repository(repository, place, place.parents[1], options)
        except InputError as error:
            yield Filled(name, str(repository), FAILED, f"{error.where}: {error.problem}")
            return
    for file in fetched.files:
        yield Filled(name, f"{repository}/{file}", state)


def _look_for_base(name: str, base: BaseSource) -> Filled:
    """Tell whether a base of this machine is there; each machine needs its own."""
    try:
        look_for_weights(base)
    except Unavailable as reason:
        problem = str(reason)
        if base.folder:
            problem += f"; put the model into {base.folder}"
        return Filled(name, WEIGHTS, BY_HAND, problem)
    return Filled(name, base.package or base.folder or "", HAVE)
