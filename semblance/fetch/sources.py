"""Every file of a run: whether it can be had, or fetched into a mirror.

The addresses are asked at the same time, and nothing is downloaded. What is already downloaded, or
lies in a mirror folder, is compared with its digest and asked of nobody.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from semblance import layout
from semblance.counts import counted, text_table
from semblance.errors import InputError
from semblance.fetch import hub
from semblance.fetch.manifest import (
    HOW_TO_FILL,
    BaseSource,
    Dataset,
    File,
    Hub,
    Wanted,
    find_dataset,
    is_url,
)
from semblance.fetch.raw import ask_place, fetch_file, from_places
from semblance.fetch.web import Unavailable, ask_address

THREADS = 16
SECONDS = 30.0  # for all questions together


class State(StrEnum):
    """Whether and where a file is."""

    HERE = "have"  # it is downloaded, or lies in the mirror that is filled
    MIRROR = "mirror"  # it lies in the mirror
    REACHED = "reached"  # an address has it
    FETCHED = "fetched"
    FAILED = "missing"  # a place does not have it


class Found(NamedTuple):
    """What is known of one file of a source: a data set or a base.

    ``size`` is in bytes, None where nobody states it. ``problem`` says why no place has the file.
    """

    source: str
    file: str
    state: State
    size: int | None = None
    problem: str = ""

    def __str__(self) -> str:
        problem = f": {self.problem}" if self.problem else ""
        return f"{self.state:8} {self.source:20} {self.file}{problem}"


class Question(NamedTuple):
    """Something to ask about one file; ``ask`` raises Unavailable or InputError."""

    source: str
    file: str
    ask: Callable[[], Found]


def ask_all(questions: Sequence[Question], seconds: float = SECONDS) -> list[Found]:
    """Ask all questions at the same time; return the answers in the questions' order."""
    pool = ThreadPoolExecutor(THREADS)
    futures = [pool.submit(question.ask) for question in questions]
    done, _ = wait(futures, timeout=seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    answers = []
    for question, future in zip(questions, futures, strict=True):
        try:
            if future not in done:
                raise Unavailable(f"no answer within {seconds:.0f} s")
            answers.append(future.result())
        except (Unavailable, InputError) as error:
            answers.append(Found(question.source, question.file, State.FAILED, None, str(error)))
    return answers


def missing(answers: Iterable[Found]) -> list[Found]:
    """Return the answers for the files that no place has."""
    return [answer for answer in answers if answer.state == State.FAILED]


def questions(wanted: Wanted, manifest: Mapping[str, Dataset]) -> list[Question]:
    """Return the questions for the data sets and bases that are wanted."""
    asked = []
    for name in wanted.datasets:
        for file in find_dataset(manifest, name, wanted.manifest).downloads:
            ask = partial(_ask_for_file, name, file, wanted.mirror)
            # Here, as digests take their time: only what a server may delay has a limit.
            if state := _at_hand(file, wanted):
                ask = partial(Found, name, file.path, state)
            asked.append(Question(name, file.path, ask))
    for name, base in wanted.bases.items():
        asked.append(Question(name, hub.WEIGHTS, partial(_ask_for_base, name, base, wanted)))
    return asked


def _at_hand(file: File, wanted: Wanted) -> State | None:
    """Return whether a file is downloaded, or lies in a mirror folder, as pinned."""
    if file.pin.holds(wanted.data / file.path):
        return State.HERE
    if wanted.mirror is None or is_url(wanted.mirror):
        return None
    return State.MIRROR if file.pin.holds(Path(wanted.mirror, file.path)) else None


def _ask_for_file(name: str, file: File, mirror: str | None) -> Found:
    """Ask the places of a file in turn, until one has it."""
    stated = from_places(file, mirror, lambda place: ask_place(file, place, mirror))
    return Found(name, file.path, State.REACHED, file.size or stated.size)


def _ask_for_base(name: str, base: BaseSource, wanted: Wanted) -> Found:
    """Look for a base on this machine and in the mirror, and else ask its hub."""
    folder = wanted.base_folder(name)
    if (folder / layout.RECORD).is_file():
        return Found(name, "model", State.HERE)
    repository = hub.repository_of(base, wanted.hub)
    if repository is None:
        return Found(name, str(hub.local_weights(base)), State.HERE)
    repository.check_revision()
    found = partial(Found, name, str(repository))
    if hub.holds(folder / layout.SOURCE, repository):
        return found(State.HERE)
    place = hub.mirrored(wanted.mirror, repository)
    if is_url(place):
        with suppress(Unavailable):
            ask_address(f"{place}/{hub.RECORD}")
            return found(State.REACHED)
    elif place and hub.holds(Path(place), repository):
        return found(State.MIRROR)
    _, pins = hub.ask_listing(repository)
    return found(State.REACHED, sum(pin.size or 0 for pin in pins.values()))


NO_CONNECTION = "the connection failed"  # in the words of semblance.fetch.web
HOST = re.compile(r"https?://([^/:\s]+)")
COLUMNS = (State.HERE, State.MIRROR, State.REACHED, State.FAILED)  # of the table
HEAD = ("source", "here", "mirror", "reached", "missing", "to download", "state")
ADVICE = (
    "what to do: try again later, correct the address or digest in the manifest or the config, or"
    f" leave out the tables that need them; {HOW_TO_FILL}"
)


def page(answers: Sequence[Found]) -> str:
    """Return one row a source, then what failed and what to do about it."""
    cells = [HEAD]
    for source in dict.fromkeys(answer.source for answer in answers):
        own = [answer for answer in answers if answer.source == source]
        states = Counter(answer.state for answer in own)
        sizes = [answer.size for answer in own if answer.state == State.REACHED]
        total = f"{sum(size or 0 for size in sizes) / 1e6:,.1f} MB"
        if unknown := sizes.count(None):
            total += f" + {unknown} unknown"
        counts = [states[state] for state in COLUMNS]
        cells.append((source, *counts, total, "missing" if states[State.FAILED] else "good"))
    lines = text_table(cells)
    lost = missing(answers)
    cut_off = [answer for answer in lost if NO_CONNECTION in answer.problem]
    if cut_off:
        hosts = {host for answer in cut_off for host in HOST.findall(answer.problem)}
        where = f" to {', '.join(sorted(hosts))}" if hosts else ""
        lines.append(f"no connection{where} ({counted(len(cut_off), 'file')})")
    others = [answer for answer in lost if answer not in cut_off]
    lines += [f"missing: {answer.source}: {answer.file}: {answer.problem}" for answer in others]
    if lost:
        lines.append(ADVICE)
    return "\n".join(lines)


def fill_mirror(
    wanted: Wanted, manifest: Mapping[str, Dataset], folder: Path, source: str | None = None
) -> Iterator[Found]:
    """Fetch what a run downloads into a mirror folder; yield each file when its fate is known.

    ``source`` is another mirror that has the raw data; the bases come from their hub. A file that
    cannot be had stops no other one, and what is there as pinned is kept.
    """
    for name in wanted.datasets:
        dataset = find_dataset(manifest, name, wanted.manifest)
        for file in dataset.downloads:
            target = folder / file.path
            state = State.HERE if file.pin.holds(target) else State.FETCHED
            problem = ""
            try:
                fetch_file(file, folder, source)
            except InputError as error:
                state = State.FAILED
                link = f" (see {dataset.homepage})" if dataset.homepage else ""
                problem = f"{error.problem}; put it at {target}{link}"
            yield Found(name, file.path, state, problem=problem)
    for name, base in wanted.bases.items():
        yield _fill_base(name, base, wanted.hub, folder)


def _fill_base(name: str, base: BaseSource, address: Hub, folder: Path) -> Found:
    """Fetch a base of a hub; one of a package or folder has to be on each machine."""
    repository = hub.repository_of(base, address)
    try:
        if repository is None:
            return Found(name, str(hub.local_weights(base)), State.HERE)
        place = Path(hub.mirrored(folder, repository))
        state = State.HERE if hub.holds(place, repository) else State.FETCHED
        hub.fetch_repository(repository, place)
        return Found(name, str(repository), state)
    except InputError as error:
        return Found(name, hub.WEIGHTS, State.FAILED, problem=str(error))
