"""What the page of a run is told of its plan: plain values, which stand in one JSON."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outline:
    """A plan, as far as its page shows it.

    By table: ``notes``, and ``seeds``, how many there are and the name of their list. By base:
    ``labels``. By downloaded base: ``origins``, whence it comes. By figure: ``figures``, its kind;
    ``drawn`` are those with a drawing. By section of a distribution beside the project: ``others``, the
    names of its entries. ``records`` are those of all jobs but the downloads, which may
    go once they are read, and the report, which is not over while its page is made.
    """

    out: str
    manifest: str
    notes: dict[str, str | None]
    seeds: dict[str, str]
    labels: dict[str, str]
    origins: dict[str, str]
    datasets: tuple[str, ...]
    figures: dict[str, str]
    drawn: tuple[str, ...]
    others: dict[str, tuple[str, ...]]
    records: tuple[str, ...]
