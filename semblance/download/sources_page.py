"""The table of all sources, as `semblance sources` prints it."""

from collections.abc import Iterable, Sequence

from semblance.download.sources import FAILED, HERE, MIRROR, REACHED, Answer, missing

ROW = "{:24}  {:>5}  {:>6}  {:>7}  {:>7}  {:>20}  {}"
HEAD = ("source", "here", "mirror", "reached", "missing", "to download", "state")
RULE = "-" * 88
ADVICE = (
    "what to do: try again later, correct the address or digest in the manifest or the config, name"
    " a mirror that has the files (mirror: in the config), or leave out the tables that need them"
)


def page(answers: Sequence[Answer]) -> str:
    """Return one row a source, then what failed and what to do about it."""
    lost = missing(answers)
    lines = [ROW.format(*HEAD), RULE]
    for source in dict.fromkeys(answer.source for answer in answers):
        own = [answer for answer in answers if answer.source == source]
        lines.append(_row(source, own, [answer for answer in lost if answer.source == source]))
    others = [a for a in answers if a.state == FAILED and a not in lost]
    lines += [f"note: {_line(a)}; another place has the file" for a in others]
    lines += [f"missing: {_line(a)}" for a in lost]
    if lost:
        lines.append(ADVICE)
    return "\n".join(lines)


def _row(source: str, own: Sequence[Answer], lost: Sequence[Answer]) -> str:
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


def _line(answer: Answer) -> str:
    return f"{answer.source}: {answer.file}: {answer.problem}"
