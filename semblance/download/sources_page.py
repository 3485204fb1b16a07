"""The table of all sources, as `semblance sources` prints it."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from semblance.download.sources import FAILED, HERE, MIRROR, REACHED, Answer, missing
from semblance.download.wanted import HOW_TO_FILL

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
    state = "missing"
    if not lost:
        state = "good"
    return ROW.format(
        source,
        _count(own, HERE),
        _count(own, MIRROR),
        len(reached),
        len({a.file for a in lost}),
        _total(reached.values()),
        state,
    )


def _count(own: Iterable[Answer], state: str) -> int:
    return len({answer.file for answer in own if answer.state == state})


def _total(sizes: Iterable[int | None]) -> str:
    """Return the known sizes in MB, and how many sizes nobody states."""
    sizes = list(sizes)
    known = [size for size in sizes if size is not None]
    text = f"{sum(known) / 1e6:,.1f} MB"
    if len(known) < len(sizes):
        text += f" + {len(sizes) - len(known)} unknown"
    return text


def _grouped(failures: Iterable[Answer]) -> list[str]:
    """Return one line for those failures of a source that have the same host and problem."""
    groups: dict[tuple[str, str, str], list[Answer]] = {}
    for answer in failures:
        key = (answer.source, urlsplit(answer.place).netloc, answer.problem)
        groups.setdefault(key, []).append(answer)
    return [_line(group) for group in groups.values()]


def _line(group: Sequence[Answer]) -> str:
    first = group[0]
    text = f"{first.source}: {first.file}"
    if first.place:
        text += f" ({first.place})"
    if len(group) > 1:
        text += f" and {len(group) - 1} more there"
    return f"{text}: {first.problem}"
