"""Every file of a run: whether it can be had, or fetched into a mirror.

The addresses are asked at the same time, and nothing is downloaded. What is already downloaded, or
lies in a mirror folder, is compared with its digest and asked of nobody.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from semblance import layout
from semblance.errors import InputError
from semblance.fetch import hub
from semblance.fetch.manifest import Dataset, File, find_dataset, is_url
from semblance.fetch.raw import ask_place, fetch_file, places
from semblance.fetch.wanted import HOW_TO_FILL, BaseSource, Found, State, Wanted
from semblance.fetch.web import Unavailable, ask_address

THREADS = 16
SECONDS = 30.0  # for all questions together
COLUMNS = (State.HERE, State.MIRROR, State.REACHED, State.FAILED)  # of the table


class Question(NamedTuple):
    """Something to ask about one file; ``ask`` raises Unavailable or InputError."""

    source: str
    file: str
    ask: Callable[[], list[Found]]


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
            answers += future.result()
        except (Unavailable, InputError) as error:
            problem = getattr(error, "problem", str(error))
            answers.append(Found(question.source, question.file, State.FAILED, problem=problem))
    return answers


def missing(answers: Iterable[Found]) -> list[Found]:
    """Return the answers for the files that no place has."""
    return [answer for answer in answers if answer.state == State.FAILED]


def questions(wanted: Wanted, manifest: Mapping[str, Dataset]) -> list[Question]:
    """Return the questions for the data sets and bases that are wanted."""
    asked = []
    for name in wanted.datasets:
        for file in find_dataset(manifest, name, wanted.manifest).downloads:
            # Here, as digests take their time: only what a server may delay has a limit.
            ask = _at_hand(name, file, wanted) or partial(_ask_for_file, name, file, wanted.mirror)
            asked.append(Question(name, file.path, ask))
    for name, base in wanted.bases.items():
        asked.append(Question(name, hub.WEIGHTS, partial(_ask_for_base, name, base, wanted)))
    return asked


def _at_hand(name: str, file: File, wanted: Wanted) -> Callable[[], list[Found]] | None:
    """Return the answer for a file that is downloaded, or lies in a mirror folder as pinned."""
    folders = {State.HERE: wanted.data}
    if wanted.mirror is not None and not is_url(wanted.mirror):
        folders[State.MIRROR] = Path(wanted.mirror)
    for state, folder in folders.items():
        if file.pin.holds(folder / file.path):
            size = (folder / file.path).stat().st_size
            return lambda: [Found(name, file.path, state, size)]
    return None


def _ask_for_file(name: str, file: File, mirror: str | None) -> list[Found]:
    """Ask the places of a file in turn, until one has it."""
    problems = []
    for place in places(file, mirror):
        try:
            size = ask_place(file, place, mirror).size
            return [Found(name, file.path, State.REACHED, file.size or size)]
        except Unavailable as reason:
            problems.append(f"{place}: {reason}")
    raise Unavailable("; ".join(problems) or "it has no public address")


def _ask_for_base(name: str, base: BaseSource, wanted: Wanted) -> list[Found]:
    """Look for a base on this machine and in the mirror, and else ask its hub."""
    folder = wanted.base_folder(name)
    repository = hub.repository_of(base, wanted.hub)
    if (folder / layout.RECORD).is_file():
        return [Found(name, "model", State.HERE)]
    if repository is None:
        hub.look_for_weights(base)
        return [Found(name, hub.WEIGHTS, State.HERE)]
    repository.check_revision()
    if hub.holds(folder / layout.SOURCE, repository):
        return [Found(name, str(repository), State.HERE)]
    place = hub.mirrored(wanted.mirror, repository)
    if is_url(place):
        with suppress(Unavailable):
            ask_address(f"{place}/{hub.RECORD}")
            return [Found(name, str(repository), State.REACHED)]
    elif place and hub.holds(Path(place), repository):
        return [Found(name, str(repository), State.MIRROR)]
    _, pins = hub.ask_listing(repository)
    return [Found(name, file, State.REACHED, pin.size) for file, pin in pins.items()]


# --- the table, as `semblance sources` prints it --------------------------------------------------

ROW = "{:24}  {:>5}  {:>6}  {:>7}  {:>7}  {:>20}  {}"
HEAD = ("source", "here", "mirror", "reached", "missing", "to download", "state")
RULE = "-" * 88
ADVICE = (
    "what to do: try again later, correct the address or digest in the manifest or the config, or"
    f" leave out the tables that need them; {HOW_TO_FILL}"
)


def page(answers: Sequence[Found]) -> str:
    """Return one row a source, then what failed and what to do about it."""
    lines = [ROW.format(*HEAD), RULE]
    for source in dict.fromkeys(answer.source for answer in answers):
        own = [answer for answer in answers if answer.source == source]
        states = Counter(answer.state for answer in own)
        counts = [states[state] for state in COLUMNS]
        sizes = [answer.size for answer in own if answer.state == State.REACHED]
        total = f"{sum(size or 0 for size in sizes) / 1e6:,.1f} MB"
        if unknown := sizes.count(None):
            total += f" + {unknown} unknown"
        state = "missing" if states[State.FAILED] else "good"
        lines.append(ROW.format(source, *counts, total, state))
    lost = missing(answers)
    lines += [f"missing: {answer.source}: {answer.file}: {answer.problem}" for answer in lost]
    if lost:
        lines.append(ADVICE)
    return "\n".join(lines)


# --- a mirror that is filled ----------------------------------------------------------------------


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
            yield _fill_file(name, file, folder, source, dataset.homepage)
    for name, base in wanted.bases.items():
        repository = hub.repository_of(base, wanted.hub)
        if repository:
            yield from _fill_repository(name, repository, folder)
            continue
        try:  # each machine needs its own
            hub.look_for_weights(base)
        except Unavailable as reason:
            advice = f"; put the model into {base.folder}" if base.folder else ""
            yield Found(name, hub.WEIGHTS, State.BY_HAND, problem=f"{reason}{advice}")
        else:
            yield Found(name, base.package or base.folder or "", State.HERE)


def _fill_file(
    name: str, file: File, folder: Path, source: str | None, homepage: str | None
) -> Found:
    target = folder / file.path
    state = State.HERE if file.pin.holds(target) else State.FETCHED
    try:
        fetch_file(file, folder, source)
    except InputError as error:
        page = f" (see {homepage})" if homepage else ""
        problem = f"{error.problem}; put it at {target}{page}"
        return Found(name, file.path, State.FAILED if file.urls else State.BY_HAND, None, problem)
    return Found(name, file.path, state)


def _fill_repository(name: str, repository: hub.Repository, folder: Path) -> Iterator[Found]:
    place = Path(hub.mirrored(folder, repository))
    state = State.HERE if hub.holds(place, repository) else State.FETCHED
    try:
        files = hub.fetch_repository(repository, place)["files"]
    except InputError as error:
        problem = f"{error.where}: {error.problem}"
        yield Found(name, str(repository), State.FAILED, problem=problem)
        return
    for file in files:
        yield Found(name, f"{repository}/{file}", state)
