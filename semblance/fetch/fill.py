"""A mirror that is filled: the raw data and the models of a run in one folder.

Machines without a network take everything from there. What lies there as pinned is kept.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from semblance.errors import InputError
from semblance.fetch import hub
from semblance.fetch.datasets import fetching, locked_pin
from semblance.fetch.digest_lock import exclusive
from semblance.fetch.manifest import Dataset, DatasetPart, find_dataset
from semblance.fetch.wanted import Found, State, Wanted
from semblance.fetch.web import PATIENT, Patience, Unavailable


def fill_mirror(
    wanted: Wanted,
    manifest: Mapping[str, Dataset],
    folder: Path,
    source: str | None = None,
    patience: Patience = PATIENT,
) -> Iterator[Found]:
    """Fetch what a run downloads into a mirror folder; yield each file when its fate is known.

    ``source`` is another mirror that has the raw data; the bases come from their hub. A file that
    cannot be had stops no other one. A later call goes on where this one stopped.
    """
    for name in wanted.datasets:
        for part in find_dataset(manifest, name, wanted.manifest).parts():
            yield from _fill_part(name, part, folder, source, patience)
    for name, base in wanted.bases.items():
        repository = hub.repository_of(base, wanted.hub)
        if repository:
            yield from _fill_repository(name, repository, folder, patience)
            continue
        try:  # each machine needs its own
            hub.look_for_weights(base)
        except Unavailable as reason:
            advice = f"; put the model into {base.folder}" if base.folder else ""
            yield Found(name, hub.WEIGHTS, State.BY_HAND, problem=f"{reason}{advice}")
        else:
            yield Found(name, base.package or base.folder or "", State.HERE)


def _fill_part(
    name: str, part: DatasetPart, folder: Path, source: str | None, patience: Patience
) -> Iterator[Found]:
    states = {}
    for file in part.files:
        is_there = locked_pin(file, folder, None).holds(folder / file.path)
        states[file.path] = State.HERE if is_there else State.FETCHED
    try:
        if State.FETCHED in states.values():
            with fetching(folder, source, patience) as into_folder:
                into_folder.fetch(part)
    except InputError as error:
        problem = f"{error.problem}; put it at {folder / part.item.path}"
        if part.homepage:
            problem += f" (see {part.homepage})"
        state = State.FAILED if part.item.urls else State.BY_HAND
        yield Found(name, part.item.path, state, problem=problem)
        return
    for path, state in states.items():
        yield Found(name, path, state)


def _fill_repository(
    name: str, repository: hub.Repository, folder: Path, patience: Patience
) -> Iterator[Found]:
    place = Path(hub.mirrored(folder, repository))
    with exclusive(folder):
        state = State.HERE if hub.holds(place, repository) else State.FETCHED
        try:
            found = hub.fetch_repository(repository, place, place.parents[1], patience=patience)
        except InputError as error:
            problem = f"{error.where}: {error.problem}"
            yield Found(name, str(repository), State.FAILED, problem=problem)
            return
    for file in found["files"]:
        yield Found(name, f"{repository}/{file}", state)
