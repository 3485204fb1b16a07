"""Whether every file of a run can be had: asked of all addresses at the same time, nothing fetched.

What is already downloaded, or lies in a mirror folder, is checked by its digest and asked of nobody.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from semblance import layout
from semblance.errors import InputError
from semblance.fetch import hub
from semblance.fetch.datasets import locked_pin, places
from semblance.fetch.manifest import (
    Dataset,
    DatasetPart,
    File,
    Pin,
    below,
    find_dataset,
    is_of_hub,
    is_url,
)
from semblance.fetch.wanted import HOW_TO_FILL, BaseSource, Found, State, Wanted
from semblance.fetch.web import Patience, Unavailable, ask_address

THREADS = 16
SECONDS = 30.0  # for all questions together
# Two attempts of one question end within the rest of a minute.
BRIEF = Patience(attempts=2, first=1.0, longest=2.0, timeout=12.0)


class Probe(NamedTuple):
    """Something to ask of one place; ``ask`` raises Unavailable or InputError."""

    source: str
    file: str
    place: str
    ask: Callable[[], list[Found]]


def ask_all(probes: Sequence[Probe], seconds: float = SECONDS) -> list[Found]:
    """Ask all questions at the same time; return the answers in the questions' order."""
    pool = ThreadPoolExecutor(THREADS)
    futures = [pool.submit(probe.ask) for probe in probes]
    done, _ = wait(futures, timeout=seconds)
    pool.shutdown(wait=False, cancel_futures=True)
    answers = []
    for probe, future in zip(probes, futures, strict=True):
        try:
            if future not in done:
                raise Unavailable(f"no answer within {seconds:.0f} s")
            answers += future.result()
        except (Unavailable, InputError) as error:
            problem = getattr(error, "problem", str(error))
            failure = Found(probe.source, probe.file, State.FAILED, None, probe.place, problem)
            answers.append(failure)
    return answers


def missing(answers: Iterable[Found]) -> list[Found]:
    """Return the failed answers for those files that no other place has."""
    answers = list(answers)
    had = {(answer.source, answer.file) for answer in answers if answer.state != State.FAILED}
    return [a for a in answers if a.state == State.FAILED and (a.source, a.file) not in had]


def probes(wanted: Wanted, manifest: Mapping[str, Dataset]) -> list[Probe]:
    """Return the questions for the data sets and bases that are wanted."""
    found: list[Probe] = []
    for name in wanted.datasets:
        for part in find_dataset(manifest, name, wanted.manifest).parts():
            found += _RawData(name, wanted).probes(part)
    return found + [_probe_of_base(name, base, wanted) for name, base in wanted.bases.items()]


# --- raw data -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RawData:
    """Asks for the parts of a data set."""

    name: str
    wanted: Wanted

    def probes(self, part: DatasetPart) -> Iterator[Probe]:
        """Yield a question for each place of a part, or one if it or all its members are there."""
        item = part.item
        mirror = self.wanted.mirror
        # Only an archive may do without a digest, if it has nothing but pinned members.
        found = [self._at_hand(file, needs_digest=True) for file in part.files]
        if not all(found):
            found = [self._at_hand(item, part.needs_digest)]
        if all(found):
            yield Probe(self.name, item.path, State.HERE, lambda: found)
        elif part.members and is_url(mirror):
            yield Probe(self.name, item.path, str(mirror), partial(self._ask_mirror, part))
        else:
            for place in places(item, mirror) or [""]:
                yield Probe(self.name, item.path, place, partial(self._ask, item, place))

    def _at_hand(self, file: File, needs_digest: bool) -> Found | None:
        """Return the answer for a file that is downloaded, or lies in a mirror folder as pinned."""
        pin = self._pin(file)
        folders = {State.HERE: self.wanted.data}
        if self.wanted.mirror is not None and not is_url(self.wanted.mirror):
            folders[State.MIRROR] = Path(self.wanted.mirror)
        for state, folder in folders.items():
            path = folder / file.path
            if path.is_file() and not pin.mismatch(path) and (pin.has_digest or not needs_digest):
                return Found(self.name, file.path, state, path.stat().st_size)
        return None

    def _ask_mirror(self, part: DatasetPart) -> list[Found]:
        """Ask a mirror's address for the members of an archive, and else for the archive."""
        mirror = str(self.wanted.mirror)
        with suppress(Unavailable):
            answers = [self._ask(file, below(mirror, file.path)) for file in part.files]
            return list(chain.from_iterable(answers))
        return self._ask(part.item, below(mirror, part.item.path))

    def _ask(self, file: File, place: str) -> list[Found]:
        """Ask an address, or say why a mirror folder does not have the file."""
        pin = self._pin(file)
        if not place:
            raise Unavailable("it has no public address")
        if not is_url(place):
            if not Path(place).is_file():
                raise Unavailable("no such file in the mirror")
            unknown = "neither the manifest nor a lock file has its digest"
            raise Unavailable(pin.mismatch(Path(place)) or unknown)
        stated = ask_address(place, BRIEF)
        problem = pin.contradiction(stated)
        if is_of_hub(place) and not (pin.has_digest or stated.has_digest):
            problem = "no digest is stated there"
        if problem:
            raise Unavailable(problem)
        size = stated.size if pin.size is None else pin.size
        return [Found(self.name, file.path, State.REACHED, size)]

    def _pin(self, file: File) -> Pin:
        return locked_pin(file, self.wanted.data, self.wanted.mirror)


# --- bases ----------------------------------------------------------------------------------------


def _probe_of_base(name: str, base: BaseSource, wanted: Wanted) -> Probe:
    """Return the question for a base: about its folder, its package, or its files on the hub."""
    repository = hub.repository_of(base, wanted.hub)
    if (wanted.base_folder(name) / layout.RECORD).is_file():
        return Probe(name, "model", State.HERE, lambda: [Found(name, "model", State.HERE)])
    if repository:
        ask = partial(_ask_for_repository, name, repository, wanted)
        return Probe(name, str(repository), wanted.hub.address, ask)

    def look() -> list[Found]:
        """Look for the weights on this machine."""
        hub.look_for_weights(base)
        return [Found(name, hub.WEIGHTS, State.HERE)]

    return Probe(name, hub.WEIGHTS, base.folder or f"package {base.package}", look)


def _ask_for_repository(name: str, repository: hub.Repository, wanted: Wanted) -> list[Found]:
    """Look for a repository in the folder of the base and in the mirror, and else ask its hub."""
    repository.check_revision()
    folder = wanted.base_folder(name)
    if hub.holds(folder / layout.SOURCE, repository):
        return [Found(name, str(repository), State.HERE)]
    place = hub.mirrored(wanted.mirror, repository)
    if place and not is_url(place) and hub.holds(Path(place), repository):
        return [Found(name, str(repository), State.MIRROR)]
    if is_url(place):
        with suppress(Unavailable):
            ask_address(f"{place}/{hub.RECORD}", BRIEF)
            return [Found(name, str(repository), State.REACHED)]
    _, pins = hub.ask_listing(repository, folder.parent / layout.DIGEST_LOCK, BRIEF)
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
    lost = missing(answers)
    lines = [ROW.format(*HEAD), RULE]
    for source in dict.fromkeys(answer.source for answer in answers):
        own = [answer for answer in answers if answer.source == source]
        gone = {answer.file for answer in lost if answer.source == source}
        sizes = {answer.file: answer.size for answer in own if answer.state == State.REACHED}
        known = [size for size in sizes.values() if size is not None]
        total = f"{sum(known) / 1e6:,.1f} MB"
        if len(known) < len(sizes):
            total += f" + {len(sizes) - len(known)} unknown"
        here, mirror = (
            len({a.file for a in own if a.state == state}) for state in (State.HERE, State.MIRROR)
        )
        state = "missing" if gone else "good"
        lines.append(ROW.format(source, here, mirror, len(sizes), len(gone), total, state))
    others = [a for a in answers if a.state == State.FAILED and a not in lost]
    lines += [f"note: {line}; another place has the file" for line in _grouped(others)]
    lines += [f"missing: {line}" for line in _grouped(lost)]
    if lost:
        lines.append(ADVICE)
    return "\n".join(lines)


def _grouped(failures: Iterable[Found]) -> Iterator[str]:
    """Yield one line for those failures of a source that have the same host and problem."""
    groups: dict[tuple[str, str, str], list[Found]] = {}
    for answer in failures:
        key = (answer.source, urlsplit(answer.place).netloc, answer.problem)
        groups.setdefault(key, []).append(answer)
    for first, *more in groups.values():
        place = f" ({first.place})" if first.place else ""
        others = f" and {len(more)} more there" if more else ""
        yield f"{first.source}: {first.file}{place}{others}: {first.problem}"
