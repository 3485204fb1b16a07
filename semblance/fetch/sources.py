"""Whether every file of a run can be had: asked of all addresses at the same time, nothing fetched.

What is already downloaded, or lies in a mirror folder, is checked by its digest and asked of nobody.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from semblance import layout
from semblance.errors import InputError
from semblance.fetch import digest_lock
from semblance.fetch.datasets import locked_pin, places
from semblance.fetch.hub import (
    RECORD,
    WEIGHTS,
    Repository,
    ask_listing,
    holds,
    look_for_weights,
    mirrored,
    repository_of,
)
from semblance.fetch.manifest import Archive, Dataset, File, find_dataset, is_of_hub, is_url
from semblance.fetch.wanted import HOW_TO_FILL, BaseSource, Wanted
from semblance.fetch.web import Patience, Unavailable, ask_address

THREADS = 16
SECONDS = 30.0  # for all questions together
# Two attempts of one question end within the rest of a minute.
BRIEF = Patience(attempts=2, first=1.0, longest=2.0, timeout=12.0)
HERE = "here"
MIRROR = "mirror"
REACHED = "reached"
FAILED = "failed"


class Answer(NamedTuple):
    """What one place says of one file, which belongs to a source: a data set or a base.

    ``size`` is in bytes, None where nobody states it. ``problem`` says why a ``place`` failed.
    """

    source: str
    file: str
    state: str
    size: int | None = None
    place: str = ""
    problem: str = ""


class Question(NamedTuple):
    """Something to ask of one place; ``ask`` raises Unavailable or InputError."""

    source: str
    file: str
    place: str
    ask: Callable[[], list[Answer]]


def ask_all(questions: Sequence[Question], seconds: float = SECONDS) -> list[Answer]:
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
            failure = Answer(question.source, question.file, FAILED, None, question.place, problem)
            answers.append(failure)
    return answers


def missing(answers: Iterable[Answer]) -> list[Answer]:
    """Return the failed answers for those files that no other place has."""
    answers = list(answers)
    had = {(answer.source, answer.file) for answer in answers if answer.state != FAILED}
    return [a for a in answers if a.state == FAILED and (a.source, a.file) not in had]


def questions(wanted: Wanted, manifest: Mapping[str, Dataset]) -> list[Question]:
    """Return the questions for the data sets and bases that are wanted."""
    found: list[Question] = []
    for name in wanted.datasets:
        dataset = find_dataset(manifest, name, wanted.manifest)
        inside = dataset.member_paths()
        for file in dataset.files:
            if file.path not in inside:
                found += _questions_of_file(name, file, wanted)
        for archive in dataset.archives:
            members = list(archive.files_inside(dataset).values())
            found += _questions_of_archive(name, archive, members, wanted)
    return found + [_question_of_base(name, base, wanted) for name, base in wanted.bases.items()]


# --- raw data -------------------------------------------------------------------------------------


def _questions_of_archive(
    name: str, archive: Archive, members: list[File], wanted: Wanted
) -> Iterator[Question]:
    """Yield the questions for an archive, or one question where its members are at hand."""
    found = [_at_hand(name, member, wanted) for member in members]

    def ask_mirror() -> list[Answer]:
        """Ask a mirror's address for the members of an archive, and else for the archive."""
        try:
            return [_ask_address(name, m, places(m, wanted.mirror)[0], wanted) for m in members]
        except Unavailable:
            return [_ask_address(name, archive, places(archive, wanted.mirror)[0], wanted)]

    if all(found):
        yield Question(name, archive.path, HERE, lambda: found)
    elif is_url(wanted.mirror):
        yield Question(name, archive.path, str(wanted.mirror), ask_mirror)
    else:
        yield from _questions_of_file(name, archive, wanted)


def _questions_of_file(name: str, file: File, wanted: Wanted) -> Iterator[Question]:
    found = _at_hand(name, file, wanted)
    if found:
        yield Question(name, file.path, HERE, lambda: [found])
        return
    for place in places(file, wanted.mirror) or [""]:
        yield Question(name, file.path, place, partial(_ask_place, name, file, place, wanted))


def _ask_place(name: str, file: File, place: str, wanted: Wanted) -> list[Answer]:
    """Ask an address, or say why a mirror folder does not have the file."""
    if not place:
        raise Unavailable("it has no public address")
    if is_url(place):
        return [_ask_address(name, file, place, wanted)]
    if not Path(place).is_file():
        raise Unavailable("no such file in the mirror")
    problem = locked_pin(file, wanted.data, wanted.mirror).mismatch(Path(place))
    raise Unavailable(problem or "neither the manifest nor a lock file has its digest")


def _at_hand(name: str, file: File, wanted: Wanted) -> Answer | None:
    """Return the answer for a file that is downloaded, or lies in a mirror folder as pinned."""
    pin = locked_pin(file, wanted.data, wanted.mirror)
    folders = {HERE: wanted.data}
    if wanted.mirror is not None and not is_url(wanted.mirror):
        folders[MIRROR] = Path(wanted.mirror)
    # The members of an archive without a digest are checked one by one.
    needs_digest = file.has_digest or not isinstance(file, Archive)
    for state, folder in folders.items():
        path = folder / file.path
        if path.is_file() and not pin.mismatch(path) and (pin.has_digest or not needs_digest):
            return Answer(name, file.path, state, path.stat().st_size)
    return None


def _ask_address(name: str, file: File, url: str, wanted: Wanted) -> Answer:
    pin = locked_pin(file, wanted.data, wanted.mirror)
    stated = ask_address(url, BRIEF)
    problem = pin.contradiction(stated)
    if is_of_hub(url) and not (pin.has_digest or stated.has_digest):
        problem = "no digest is stated there"
    if problem:
        raise Unavailable(problem)
    return Answer(name, file.path, REACHED, stated.size if pin.size is None else pin.size)


# --- bases ----------------------------------------------------------------------------------------


def _question_of_base(name: str, base: BaseSource, wanted: Wanted) -> Question:
    """Return the question for a base: about its folder, its package, or its files on the hub."""
    repository = repository_of(base, wanted.hub)
    if (wanted.base_folder(name) / layout.RECORD).is_file():
        return Question(name, "model", HERE, lambda: [Answer(name, "model", HERE)])
    if repository:
        ask = partial(_ask_for_repository, name, repository, wanted)
        return Question(name, str(repository), wanted.hub.address, ask)

    def look() -> list[Answer]:
        """Look for the weights on this machine."""
        look_for_weights(base)
        return [Answer(name, WEIGHTS, HERE)]

    return Question(name, WEIGHTS, base.folder or f"package {base.package}", look)


def _ask_for_repository(name: str, repository: Repository, wanted: Wanted) -> list[Answer]:
    """Look for a repository in the folder of the base and in the mirror, and else ask its hub."""
    repository.check_revision()
    folder = wanted.base_folder(name)
    if holds(folder / layout.SOURCE, repository):
        return [Answer(name, str(repository), HERE)]
    place = mirrored(wanted.mirror, repository)
    if place and not is_url(place) and holds(Path(place), repository):
        return [Answer(name, str(repository), MIRROR)]
    if is_url(place):
        with suppress(Unavailable):
            ask_address(f"{place}/{RECORD}", BRIEF)
            return [Answer(name, str(repository), REACHED)]
    locked = digest_lock.entries(folder.parent / layout.DIGEST_LOCK).get(repository.key)
    _, pins = ask_listing(repository, locked, BRIEF)
    return [Answer(name, file, REACHED, pin.size) for file, pin in pins.items()]


# --- the table, as `semblance sources` prints it --------------------------------------------------

ROW = "{:24}  {:>5}  {:>6}  {:>7}  {:>7}  {:>20}  {}"
HEAD = ("source", "here", "mirror", "reached", "missing", "to download", "state")
RULE = "-" * 88
ADVICE = (
    "what to do: try again later, correct the address or digest in the manifest or the config, or"
    f" leave out the tables that need them; {HOW_TO_FILL}"
)


def page(answers: Sequence[Answer]) -> str:
    """Return one row a source, then what failed and what to do about it."""
    lost = missing(answers)
    lines = [ROW.format(*HEAD), RULE]
    for source in dict.fromkeys(answer.source for answer in answers):
        own = [answer for answer in answers if answer.source == source]
        gone = {answer.file for answer in lost if answer.source == source}
        sizes = {answer.file: answer.size for answer in own if answer.state == REACHED}
        known = [size for size in sizes.values() if size is not None]
        total = f"{sum(known) / 1e6:,.1f} MB"
        if len(known) < len(sizes):
            total += f" + {len(sizes) - len(known)} unknown"
        here, mirror = (len({a.file for a in own if a.state == state}) for state in (HERE, MIRROR))
        state = "missing" if gone else "good"
        lines.append(ROW.format(source, here, mirror, len(sizes), len(gone), total, state))
    others = [a for a in answers if a.state == FAILED and a not in lost]
    lines += [f"note: {line}; another place has the file" for line in _grouped(others)]
    lines += [f"missing: {line}" for line in _grouped(lost)]
    if lost:
        lines.append(ADVICE)
    return "\n".join(lines)


def _grouped(failures: Iterable[Answer]) -> Iterator[str]:
    """Yield one line for those failures of a source that have the same host and problem."""
    groups: dict[tuple[str, str, str], list[Answer]] = {}
    for answer in failures:
        key = (answer.source, urlsplit(answer.place).netloc, answer.problem)
        groups.setdefault(key, []).append(answer)
    for first, *more in groups.values():
        place = f" ({first.place})" if first.place else ""
        others = f" and {len(more)} more there" if more else ""
        yield f"{first.source}: {first.file}{place}{others}: {first.problem}"
