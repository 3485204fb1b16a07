"""What a table is made of: its settings, and its cells and rows."""

import dataclasses
import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from semblance.counts import counted
from semblance.names import SEEDS_OF_START, START
from semblance.provenance import checked_digest, read_text
from semblance.reporting.layouts import find_layout
from semblance.settings import Positive, decode, parse_json

BY_MEAN = "by mean"  # the average by the mean of subsets: its name in ``Row.items``
BETWEEN = "between subsets"  # likewise: the average over all pairs less that by the mean
MARGIN = 0.5  # points within which two methods count as equal, if the settings name none


@dataclass(frozen=True, kw_only=True)
class RowSpec:
    """The settings of one row; ``published`` names its counterpart as ``paper/table/row``.

    ``stand_in`` says in what the row differs from its counterpart; empty where in nothing.
    ``control`` is the row's own, in place of the table's.
    """

    label: str
    base: str
    method: str
    seeds: tuple[int, ...]
    corpus: str | None = None
    published: str | None = None
    stand_in: tuple[str, ...] = ()
    control: str | None = None


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a table shows, and of what.

    ``margin``: a difference within ±margin points counts as none.
    """

    name: str
    title: str
    layout: str
    tasks: tuple[str, ...] = ()
    dataset: str | None = None
    folds: int | None = None
    metric: str = "spearman"
    aggregation: str = "all"
    margin: Positive = MARGIN


@dataclass(frozen=True, kw_only=True)
class Spec(Measured):
    """The settings of one table.

    ``control``: a row's label, or a method (each row is compared with that method on its own
    base), or ``previous``. No untrained model is compared, or is a control.
    """

    rows: tuple[RowSpec, ...]
    protocols: tuple[str, ...] = ()
    control: str | None = None
    note: str = ""
    draws: int = 1000
    bootstrap_seed: int = 0


@dataclass(frozen=True)
class Contrast:
    """A cell's difference from its control's, in points, unrounded; None: not defined.

    ``low`` and ``high``: 95 % interval of the t-test, whose p is ``p``; ``p_holm``: corrected for
    the number of rows that its column tests. ``p_exact``: of sign flips, or of labels if unpaired.
    ``p_equivalence``: of two one-sided tests against the table's margin; 1 below three seeds.
    ``detectable``: the difference that the seeds show with 80 % power. ``bootstrap_…`` and ``p_bootstrap``: of seeds
    and test items together; ``item_error``: the standard error from the items alone.
    ``subsets_reach``: half of the interval of seeds, subsets of the tasks and items together.
    docs/statistics.md explains each.
    """

    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    p_exact: float | None = None
    p_equivalence: float | None = None
    detectable: float | None = None
    p_bootstrap: float | None = None
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None
    item_error: float | None = None
    subsets_reach: float | None = None


@dataclass(frozen=True)
class Cell:
    """One place of a table: a value for each seed, unrounded; none at all if one is missing.

    ``partial``: the values that exist where one is missing. A table does not show them, because
    their mean is of other seeds than its other means; a claim is judged by them.
    """

    values: dict[str, float]
    partial: dict[str, float] = field(default_factory=dict)
    contrast: Contrast | None = None
    mark: str = ""
    published: float | None = None

    @property
    def known(self) -> dict[str, float]:
        """The values of all seeds that have one."""
        return self.values or self.partial

    @property
    def n(self) -> int:
        """Number of seeds of the mean."""
        return len(self.values)

    @property
    def worst(self) -> float | None:
        """The value of the worst seed; None below two values."""
        return min(self.values.values()) if self.n > 1 else None

    @property
    def best(self) -> float | None:
        """The value of the best seed; None below two values."""
        return max(self.values.values()) if self.n > 1 else None

    @property
    def mean(self) -> float | None:
        """Mean over the seeds; None without a value."""
        return statistics.fmean(self.values.values()) if self.values else None

    @property
    def sd(self) -> float | None:
        """Sample standard deviation (ddof 1); None below two values."""
        return statistics.stdev(self.values.values()) if self.n > 1 else None

    @property
    def population_sd(self) -> float | None:
        """Standard deviation with ddof 0, as S-SimCSE seems to print it; None below two values."""
        return statistics.pstdev(self.values.values()) if self.n > 1 else None

    @property
    def difference(self) -> float | None:
        """Our mean less the paper's value; None where either is missing."""
        if self.mean is None or self.published is None:
            return None
        return self.mean - self.published


@dataclass(frozen=True, kw_only=True)
class Row(RowSpec):
    """One method under one protocol; ``control`` is the label of the row that it is compared with.

    ``origin`` has the precision, protocol, code and environment of its scores, ``missing`` the runs
    that lack a score. ``steps`` are those of the training of an entropy model, by seed;
    ``unmoved`` of its ``trainings`` have a teacher that has not left its start. ``items``: of a
    column, the covariance (points squared) of what the test items cause in this row and in each row
    above it and in itself, by label; empty where not known. ``by_mean``: by seed, the average of
    which each task is the mean of its subsets' correlations, of a row whose average is of
    correlations over all pairs of a task.
    """

    protocol: str
    cells: dict[str, Cell]
    origin: dict[str, tuple[str, ...]]
    missing: tuple[str, ...] = ()
    steps: dict[str, float] = field(default_factory=dict)
    unmoved: int = 0
    trainings: int = 0
    test: str = ""
    items: dict[str, dict[str, float]] = field(default_factory=dict)
    by_mean: dict[str, float] = field(default_factory=dict)

    @property
    def is_untrained(self) -> bool:
        """Whether it has one value and no seeds: the base as it is, or whitened."""
        return self.method == START or tuple(self.seeds) == SEEDS_OF_START

    @property
    def has_unmoved(self) -> str:
        """How many of its trainings have a teacher that has not moved, in words."""
        return f"{self.unmoved} of {counted(self.trainings, 'training')}"

    def contrast(self, column: str) -> Contrast | None:
        """Return the row's contrast with its control in a column."""
        cell = self.cells.get(column)
        return cell and cell.contrast

    def covariance(self, other: "Row", column: str) -> float | None:
        """Return what the test items cause in both rows together; None where it is not known."""
        matrix = self.items.get(column, {}).get(other.label)
        if matrix is None:
            matrix = other.items.get(column, {}).get(self.label)
        return matrix


@dataclass(frozen=True, kw_only=True)
class Table(Measured):
    """A whole table, ready for any form."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def control_of(self, row: Row) -> Row | None:
        """Return the row that a row is compared with; None where it is with none."""
        place = (row.control, row.protocol)
        return next((one for one in self.rows if (one.label, one.protocol) == place), None)


def decode_spec(data: dict) -> Spec:
    """Decode a table's settings; its layout decides what they leave open."""
    spec = decode(Spec, data, f"table {data.get('name', '?')}")
    layout = find_layout(spec.layout, f"table {spec.name}.layout")
    metric = layout.metric or spec.metric
    return dataclasses.replace(
        spec,
        tasks=spec.tasks if layout.tasks is None else layout.tasks,
        metric="" if layout.metrics else metric,  # with several, each column has its own
        aggregation=layout.aggregation or spec.aggregation,
        protocols=spec.protocols or layout.protocols,
        control=spec.control or layout.control,
    )


def to_json(table: Table) -> str:
    """Return the table as JSON, means and sd written out beside the values that make them."""
    data = dataclasses.asdict(table)
    for row, plain in zip(table.rows, data["rows"], strict=True):
        for column, cell in row.cells.items():
            plain["cells"][column] |= {"mean": cell.mean, "sd": cell.sd, "n": cell.n}
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str, where: str = "table") -> Table:
    """Read ``to_json``'s form again; raises InputError where the text is not one.

    Fields are read by their names: what an earlier or a later version has beside them is left out.
    """
    table = decode(Table, parse_json(text, where), where, extra="ignore")
    find_layout(table.layout, f"{where}: layout")
    return table


def table_digests(records: Iterable[str | Path]) -> dict[str, str]:
    """Check the JSON of each table against its record; return {path: sha256}."""
    tables = {f"{record.parent}/../json/{record.name}": record for record in map(Path, records)}
    return {path: checked_digest(record, path) for path, record in tables.items()}


def from_file(path: str | Path) -> Table:
    """Read the JSON of a table; raises InputError naming the file if it is not one."""
    return from_json(read_text(path), str(path))


def read_tables(paths: Iterable[str | Path]) -> list[Table]:
    """Read the JSON of tables, as ``from_file`` does."""
    return list(map(from_file, paths))
