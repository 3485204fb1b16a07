"""What a table is made of: the settings that ask for it, and the cell, row and table that answer."""

import dataclasses
import json
import math
import statistics
from dataclasses import dataclass, field

from semblance.errors import InputError
from semblance.layout import START, STS_DEV
from semblance.settings import decode

LAYOUTS = ("sts", "faq", "regulators", "seeds", "dev")
AVERAGE = "Average"
UNTRAINED = START  # the method that is no training: one value, no seeds


@dataclass(frozen=True)
class RowSpec:
    """One row asked for; ``published`` names its counterpart as ``paper/table/row``."""

    label: str
    base: str
    method: str
    seeds: tuple[int, ...]
    corpus: str | None = None
    published: str | None = None


@dataclass(frozen=True)
class Spec:
    """The settings of one table.

    ``reference``: a row's label, or a method (each row is compared with that method on its own
    base), or ``previous``.
    """

    name: str
    title: str
    layout: str
    rows: tuple[RowSpec, ...]
    tasks: tuple[str, ...] = ()
    dataset: str | None = None
    folds: int | None = None
    protocols: tuple[str, ...] = ()
    metric: str = "spearman"
    aggregation: str = "all"
    reference: str | None = None
    stand_in: bool = False
    note: str = ""
    draws: int = 1000
    bootstrap_seed: int = 0


@dataclass(frozen=True)
class Cell:
    """One place of a table: the values by seed, unrounded, in the table's unit; empty where missing."""

    values: dict[str, float]
    p: float | None = None
    p_bootstrap: float | None = None
    mark: str = ""
    published: float | None = None

    @property
    def n(self) -> int:
        """Number of seeds with a value."""
        return len(self.values)

    @property
    def mean(self) -> float | None:
        """Mean over the seeds; None without a value."""
        return math.fsum(self.values.values()) / self.n if self.values else None

    @property
    def sd(self) -> float | None:
        """Sample standard deviation (ddof 1); None below two values."""
        return statistics.stdev(self.values.values()) if self.n > 1 else None

    @property
    def difference(self) -> float | None:
        """Our mean less the paper's value; None where either is missing."""
        return None if self.mean is None or self.published is None else self.mean - self.published


@dataclass(frozen=True)
class Row:
    """One method under one protocol; ``origin`` says how its scores came about, ``missing`` which are absent."""

    label: str
    corpus: str
    base: str
    method: str
    seeds: tuple[int, ...]
    protocol: str
    cells: dict[str, Cell]
    origin: dict[str, tuple[str, ...]]
    missing: tuple[str, ...] = ()
    published: str | None = None
    reference: str | None = None
    test: str = ""


@dataclass(frozen=True)
class Table:
    """A whole table, ready for any form."""

    name: str
    title: str
    layout: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    tasks: tuple[str, ...] = ()
    dataset: str | None = None
    folds: int | None = None
    metric: str = "spearman"
    aggregation: str = "all"
    stand_in: bool = False
    notes: tuple[str, ...] = field(default=())


def decode_spec(data: dict) -> Spec:
    """Decode and check a table's settings; raises InputError naming the key."""
    spec = decode(
        Spec, data, f"table {data.get('name', '?')}" if isinstance(data, dict) else "table"
    )
    where, labels = f"table {spec.name}", [row.label for row in spec.rows]
    if spec.layout not in LAYOUTS:
        raise InputError(
            f"{where}.layout", f"unknown layout {spec.layout!r}", f"known: {', '.join(LAYOUTS)}"
        )
    if len(set(labels)) != len(labels) or not labels:
        raise InputError(
            f"{where}.rows", "no rows, or two with one label", "give each row its own label"
        )
    if spec.reference not in (None, "previous", *labels, *(row.method for row in spec.rows)):
        raise InputError(
            f"{where}.reference", f"no row has the label or the method {spec.reference!r}"
        )
    if spec.layout == "faq" and not (spec.dataset and spec.folds):
        raise InputError(where, "a faq table needs dataset and folds")
    if spec.layout not in ("faq", "dev") and not spec.tasks:
        raise InputError(
            f"{where}.tasks", "no tasks", "name the tasks whose average the table shows"
        )
    return _with_defaults(spec)


def _with_defaults(spec: Spec) -> Spec:
    protocols = spec.protocols or (("pairs",) if spec.layout == "faq" else ("senteval",))
    tasks = () if spec.layout == "faq" else spec.tasks or (STS_DEV,)
    # Table 4 of RCL marks each column against the one before it.
    reference = spec.reference or ("previous" if spec.layout == "regulators" else None)
    return dataclasses.replace(spec, protocols=protocols, tasks=tasks, reference=reference)


def to_json(table: Table) -> str:
    """Return the table as JSON, means and sd written out beside the values that make them."""
    data = dataclasses.asdict(table)
    for row, plain in zip(table.rows, data["rows"], strict=True):
        for column, cell in row.cells.items():
            plain["cells"][column] |= {"mean": cell.mean, "sd": cell.sd, "n": cell.n}
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str, where: str = "table") -> Table:
    """Read ``to_json``'s form again; raises InputError where the text is not one."""
    try:
        data = json.loads(text)
        for row in data["rows"]:
            for cell in row["cells"].values():
                for derived in ("mean", "sd", "n"):
                    del cell[derived]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise InputError(where, f"not a rendered table ({error!r})", "render it again") from None
    return decode(Table, data, where)
