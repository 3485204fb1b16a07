"""Whether every file of a run can be had: asked of all addresses at the same time, nothing fetched.

What is already downloaded, or lies in a mirror folder, is checked by its digest and asked of nobody.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from semblance import layout
from semblance.download.address import ask_address
from semblance.download.answer import Patience, Unavailable
from semblance.download.digest_lock import DigestLock
from semblance.download.fetch import locked_pin
from semblance.download.hub import RECORD, check_statement, difference, lock_name, mirrored
from semblance.download.hub_api import (
    WEIGHTS,
    Repository,
    ask_listing,
    look_for_weights,
    repository_of,
)
from semblance.download.manifest import Archive, Dataset, File, find_dataset
from semblance.download.pin import Pin, is_of_hub, is_url
from semblance.download.wanted import HOW_TO_FILL, BaseSource, Wanted
from semblance.errors import InputError

THREADS = 16
SECONDS = 30.0  # for all questions together
# Two attempts of one question (6 s to connect, 6 s to answer) end within the rest of a minute.
BRIEF = Patience(attempts=2, first=1.0, longest=2.0, timeout=6.0)
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
    futures = [pool.submit(_answer, question) for question in questions]
    done, _ = wait(futures, timeout=seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    answers = []
    for question, future in zip(questions, futures, strict=True):
        if future in done:
            answers += future.result()
        else:
            answers.append(_failure(question, f"no answer within {seconds:.0f} s"))
    return answers


def _answer(question: Question) -> list[Answer]:
    try:
        return question.ask()
    except Unavailable as reason:
        return [_failure(question, str(reason))]
    except InputError as error:
        return [_failure(question, error.problem)]


def _failure(question: Question, problem: str) -> Answer:
    return Answer(question.source, question.file, FAILED, None, question.place, problem)


def missing(answers: Iterable[Answer]) -> list[Answer]:
    """Return the failed answers for those files that no other place has."""
    answers = list(answers)
    had = {(answer.source, answer.file) for answer in answers if answer.state != FAILED}
    return [a for a in answers if a.state == FAILED and (a.source, a.file) not in had]


# --- raw data -------------------------------------------------------------------------------------


def questions_of_dataset(name: str, dataset: Dataset, wanted: Wanted) -> Iterator[Question]:
    """Yield one question for each place of each file of a data set."""
    inside = set(dataset.member_paths())
    for file in dataset.files:
        if file.path not in inside:
            yield from _questions_of_file(name, file, wanted)
    for archive in dataset.archives:
        yield from _questions_of_archive(name, dataset, archive, wanted)


def _questions_of_archive(
    name: str, dataset: Dataset, archive: Archive, wanted: Wanted
) -> Iterator[Question]:
    """Yield the questions for an archive, or one question where its members are at hand."""
    pinned = {file.path: file for file in dataset.files}
    members = [pinned.get(path, File(path, None, None)) for path in archive.members.values()]
    found = [_at_hand(name, member, wanted) for member in members]
    if all(found):
        answers = [answer for answer in found if answer]
        yield Question(name, archive.path, HERE, lambda: answers)
    elif is_url(wanted.mirror):
        ask = partial(_ask_mirror, name, archive, members, wanted)
        yield Question(name, archive.path, str(wanted.mirror), ask)
    else:
        yield from _questions_of_file(name, archive, wanted)


def _ask_mirror(
    name: str, archive: Archive, members: Sequence[File], wanted: Wanted
) -> list[Answer]:
    """Ask a mirror's address for the members of an archive, and else for the archive itself."""
    try:
        asked = [_ask_address(name, m, _mirrored(m, wanted), wanted) for m in members]
    except Unavailable:
        return _ask_address(name, archive, _mirrored(archive, wanted), wanted)
    return [answer for answers in asked for answer in answers]


def _mirrored(file: File, wanted: Wanted) -> str:
    return f"{str(wanted.mirror).rstrip('/')}/{quote(file.path)}"


def _questions_of_file(name: str, file: File, wanted: Wanted) -> Iterator[Question]:
    found = _at_hand(name, file, wanted)
    if found:
        yield Question(name, file.path, HERE, lambda: [found])
        return
    addresses = list(file.urls)
    if is_url(wanted.mirror):
        addresses = [_mirrored(file, wanted)]
    elif wanted.mirror is not None:
        path = Path(wanted.mirror, file.path)
        problem = _problem_of_mirror(file, path, wanted)
        yield Question(name, file.path, str(path), partial(_fail, problem))
        return
    if not addresses:
        yield Question(name, file.path, "", partial(_fail, "it has no public address"))
    for url in addresses:
        yield Question(name, file.path, url, partial(_ask_address, name, file, url, wanted))


def _fail(problem: str) -> list[Answer]:
    raise Unavailable(problem)


def _at_hand(name: str, file: File, wanted: Wanted) -> Answer | None:
    """Return the answer for a file that is downloaded, or lies in a mirror folder as pinned."""
    pin = locked_pin(file, wanted.data, wanted.mirror)
    folders = {HERE: wanted.data}
    if wanted.mirror is not None and not is_url(wanted.mirror):
        folders[MIRROR] = Path(wanted.mirror)
    for state, folder in folders.items():
        if _is_good(folder / file.path, file, pin):
            return Answer(name, file.path, state, (folder / file.path).stat().st_size)
    return None


def _is_good(path: Path, file: File, pin: Pin) -> bool:
    """Tell whether a file is there as pinned; the members of an archive are checked one by one."""
    if isinstance(file, Archive) and not file.has_digest:
        return path.is_file() and not pin.mismatch(path)
    return pin.holds(path)


def _problem_of_mirror(file: File, path: Path, wanted: Wanted) -> str:
    if not path.is_file():
        return "no such file in the mirror"
    problem = locked_pin(file, wanted.data, wanted.mirror).mismatch(path)
    return problem or "neither the manifest nor a lock file has its digest"


def _ask_address(name: str, file: File, url: str, wanted: Wanted) -> list[Answer]:
    pin = locked_pin(file, wanted.data, wanted.mirror)
    stated = ask_address(url, BRIEF)
    problem = pin.contradiction(stated)
    if is_of_hub(url) and not (pin.has_digest or stated.has_digest):
        problem = "no digest is stated there"
    if problem:
        raise Unavailable(problem)
    size = pin.size
    if size is None:
        size = stated.size
    return [Answer(name, file.path, REACHED, size)]


# --- bases ----------------------------------------------------------------------------------------


def questions_of_base(name: str, base: BaseSource, wanted: Wanted) -> Question:
    """Return the question for a base: about its model folder, its package, or its files on the hub."""
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
    if not difference(folder / layout.SOURCE, repository):
        return [Answer(name, str(repository), HERE)]
    place = mirrored(wanted.mirror, repository)
    if is_url(place):
        with contextlib.suppress(Unavailable):
            ask_address(f"{place}/{RECORD}", BRIEF)
            return [Answer(name, str(repository), REACHED)]
    elif place and not difference(Path(place), repository):
        return [Answer(name, str(repository), MIRROR)]
    return _ask_hub(name, repository, folder.parent)


def _ask_hub(name: str, repository: Repository, lock_folder: Path) -> list[Answer]:
    locked = DigestLock(lock_folder / layout.DIGEST_LOCK).get(lock_name(repository))
    listing = ask_listing(repository, BRIEF)
    if locked and locked["commit"] != listing.commit:
        problem = f"the lock file has commit {locked['commit']}, the hub states {listing.commit}"
        raise Unavailable(problem)
    for file, pin in listing.files.items():
        check_statement(repository, file, pin, locked)
    return [Answer(name, file, REACHED, pin.size) for file, pin in listing.files.items()]


def questions(wanted: Wanted, manifest: Mapping[str, Dataset]) -> list[Question]:
    """Return the questions for the data sets and bases that are wanted."""
    found: list[Question] = []
    for name in wanted.datasets:
        dataset = find_dataset(manifest, name, wanted.manifest)
        found += questions_of_dataset(name, dataset, wanted)
    return found + [questions_of_base(name, base, wanted) for name, base in wanted.bases.items()]


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
        lines.append(
            _source_row(source, own, [answer for answer in lost if answer.source == source])
        )
    others = [a for a in answers if a.state == FAILED and a not in lost]
    lines += [f"note: {line}; another place has the file" for line in _grouped(others)]
    lines += [f"missing: {line}" for line in _grouped(lost)]
    if lost:
        lines.append(ADVICE)
    return "\n".join(lines)


def _source_row(source: str, own: Sequence[Answer], lost: Sequence[Answer]) -> str:
    reached = {a.file: a.size for a in own if a.state == REACHED}
    known = [size for size in reached.values() if size is not None]
    total = f"{sum(known) / 1e6:,.1f} MB"
    if len(known) < len(reached):
        total += f" + {len(reached) - len(known)} unknown"
    return ROW.format(
        source,
        len({a.file for a in own if a.state == HERE}),
        len({a.file for a in own if a.state == MIRROR}),
        len(reached),
        len({a.file for a in lost}),
        total,
        "missing" if lost else "good",
    )


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
