"""The papers' tables, ours over theirs, and what stands behind each row."""

import shlex
from dataclasses import dataclass, field

from semblance.provenance import input_digests
from semblance.reporting.grids import EQUAL, MISSING, NAMES
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.significance import ALPHA
from semblance.reporting.table import Cell, Row, Table
from workflow.controller.incomplete import HEAD
from workflow.report import numbers
from workflow.report.curves import Curves, curves
from workflow.report.facts import Facts, Model

SHORT = 12  # digits of a digest


@dataclass(frozen=True)
class ShownCell:
    """One place: our mean, its deviation, its mark, and the paper's value."""

    value: str = ""
    deviation: str = ""
    mark: str = ""
    published: str = ""


@dataclass(frozen=True)
class SeedLine:
    """What one seed has in each column."""

    seed: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """One model behind a row: where it lies, and from what it was made."""

    place: str
    best_step: str
    weights: str
    inputs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Detail:
    """What a row unfolds to; ``choices`` are its corpora, each with the candidate that dev chose."""

    seeds: tuple[SeedLine, ...]
    choices: tuple[tuple[str, str], ...]
    curves: Curves | None
    changes: tuple[tuple[str, str, str], ...]  # setting, the row above, this row
    above: str
    sources: tuple[Source, ...]
    train: str
    explain: str


@dataclass(frozen=True)
class ShownRow:
    """One row as it is printed."""

    label: str
    n: int
    cells: tuple[ShownCell, ...]
    difference: ShownCell
    p: str
    stand_in: bool
    detail: Detail


@dataclass(frozen=True)
class ShownTable:
    """One table as it is printed."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    not_run: tuple[str, ...]
    notes: tuple[str, ...]
    has_differences: bool = False
    has_deviations: bool = False


@dataclass
class Tables:
    """The section: the tables that have a value, and the names of those that have none."""

    shown: list[ShownTable] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)


def section(facts: Facts) -> Tables:
    """Return every table of a report, in the order of the config."""
    found = Tables()
    for name, table in facts.tables.items():
        shown = _Builder(facts, name, table).table()
        if shown.rows:
            found.shown.append(shown)
        else:
            found.not_run.append(table.title.removeprefix(f"{HEAD}: "))
    return found


class _Builder:
    """Makes one table as it is printed."""

    def __init__(self, facts: Facts, name: str, table: Table):
        self.facts = facts
        self.name = name
        self.of = table
        self.layout: Layout = find_layout(table.layout)
        columns = [c for c in table.columns if not self.layout.is_of_one_seed(c)]
        self.columns = tuple(columns)

    def table(self) -> ShownTable:
        shown = []
        missing = []
        above: Row | None = None
        for row in self.of.rows:
            if _has_values(row):
                shown.append(self.row(row, above))
                above = row
            else:
                missing.append(self.label(row))
        return ShownTable(
            name=self.name,
            title=self.of.title,
            columns=tuple(NAMES.get(column, column) for column in self.columns),
            rows=tuple(shown),
            not_run=tuple(missing),
            notes=self.of.notes,
            has_differences=any(row.difference.value for row in shown),
            has_deviations=any(cell.deviation for row in shown for cell in row.cells),
        )

    def label(self, row: Row) -> str:
        protocols = {other.protocol for other in self.of.rows}
        if len(protocols) > 1:
            return f"{row.label} [{row.protocol}]"
        return row.label

    def row(self, row: Row, above: Row | None) -> ShownRow:
        main = row.cells.get(self.layout.main_column)
        contrast = main and main.contrast
        difference = ShownCell()
        p = ""
        if contrast:
            difference = ShownCell(
                value=numbers.signed(contrast.difference),
                deviation=numbers.interval(contrast.low, contrast.high),
                mark=_equal(contrast.p_equivalence),
            )
            p = numbers.probability(contrast.p_holm)
        return ShownRow(
            label=self.label(row),
            n=len(row.seeds),
            cells=tuple(self.cell(row.cells.get(column), column) for column in self.columns),
            difference=difference,
            p=p,
            stand_in=bool(row.stand_in),
            detail=self.detail(row, above),
        )

    def cell(self, cell: Cell | None, column: str) -> ShownCell:
        if cell is None:
            return ShownCell()
        published = numbers.plain(cell.published)
        if cell.mean is None:
            return ShownCell(value=MISSING, published=published)
        deviation = ""
        if cell.sd is not None and self.layout.has_spread(column):
            deviation = f"± {numbers.plain(cell.sd)}"
        mark = {"*": "*", "_": "°"}.get(cell.mark, "")
        return ShownCell(numbers.plain(cell.mean), deviation, mark, published)

    def detail(self, row: Row, above: Row | None) -> Detail:
        models = self.facts.models_of(row)
        changes: tuple[tuple[str, str, str], ...] = ()
        label = ""
        if above is not None:
            changes = _changes(self.facts.settings_of(above), self.facts.settings_of(row))
            changes = _other_models(above, row) + changes
            label = self.label(above)
        return Detail(
            seeds=tuple(self.seeds(row)),
            choices=_choices(row),
            curves=curves(models),
            changes=changes,
            above=label,
            sources=tuple(_made_from(model) for model in models),
            train=self.train_command(models),
            explain="" if self.name in self.facts.incomplete else self.explain_command(row),
        )

    def seeds(self, row: Row) -> list[SeedLine]:
        cells = [row.cells.get(column) for column in self.columns]
        found = {s: [c and c.values.get(s) for c in cells] for s in map(str, row.seeds)}
        found["worst"] = [c and c.worst for c in cells]
        found["best"] = [c and c.best for c in cells]
        lines = [SeedLine(s, tuple(map(numbers.plain, values))) for s, values in found.items()]
        return [line for line in lines if any(line.values)]

    def train_command(self, models: list[Model]) -> str:
        """Return the command that makes the row's first model again; empty of an untrained base."""
        if not models or not self.facts.command:
            return ""
        options = self.facts.command["options"]
        target = self.facts.plan.model_record(*models[0].run)
        words = ["snakemake", "--cores", "all", *options, "--forcerun", target, "--", target]
        return shlex.join(words)

    def explain_command(self, row: Row) -> str:
        column = NAMES.get(self.layout.main_column, self.layout.main_column)
        out = self.facts.plan.out
        return shlex.join(["semblance", "explain", out, self.name, self.label(row), column])


def _choices(row: Row) -> tuple[tuple[str, str], ...]:
    """Return each corpus or fold with the label of the candidate that its dev scores chose."""
    if row.choose is None:
        return ()
    labels = row.choose.labels
    return tuple((place, labels[method]) for place, method in row.chosen.items())


def _has_values(row: Row) -> bool:
    return any(cell.values for cell in row.cells.values())


def _equal(p: float | None) -> str:
    if p is not None and p < ALPHA:
        return EQUAL
    return ""


def _changes(above: dict[str, str], here: dict[str, str]) -> tuple[tuple[str, str, str], ...]:
    """Return the settings in which two trainings differ; none where one of them is no training."""
    if not above or not here:
        return ()
    names = [name for name in {**above, **here} if above.get(name) != here.get(name)]
    return tuple((name, above.get(name, "–"), here.get(name, "–")) for name in names)


def _other_models(above: Row, here: Row) -> tuple[tuple[str, str, str], ...]:
    """Return corpus and base where two rows differ in them."""
    pairs = [(name, getattr(above, name), getattr(here, name)) for name in ("corpus", "base")]
    return tuple(pair for pair in pairs if pair[1] != pair[2])


def _made_from(model: Model) -> Source:
    training = model.record.get("training", {})
    inputs = input_digests(model.record)
    named = {name: digest for name, digest in inputs.items() if "/" not in name}
    named["code"] = model.record.get("code", "")
    return Source(
        place=model.run.path(),
        best_step=str(training.get("best_step") or ""),
        weights=model.weights[:SHORT],
        inputs=tuple((name, digest[:SHORT]) for name, digest in named.items() if digest),
    )
