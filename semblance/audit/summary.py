"""One cell, or the verdict on one claim, in a few lines: all that a reader needs to check it."""

from collections import Counter
from collections.abc import Iterator, Mapping

from semblance import layout
from semblance.audit.cells import seed_folders
from semblance.audit.chain import Chain, Node
from semblance.audit.explain import SOUND, Place, Step, states
from semblance.counts import counted, interval, rounded, signed
from semblance.names import REGULATOR
from semblance.reporting.claim_rows import Rows, row_groups
from semblance.reporting.claims_page import RULES, of_stand_in
from semblance.reporting.grids import MISSING, NAMES, with_deviation
from semblance.reporting.judging import Judgement
from semblance.reporting.published import Published
from semblance.reporting.table import Cell, Row, Table

DIGITS = 4  # of a seed's value
FINE = 3  # of a difference
FEW = 2  # ways in which a row is a stand-in, the others counted
SIGNS = {1: "+", -1: "−"}
Line = tuple[str, str]  # what it says, and its text

# By the rule of a verdict, what other interval would change it.
OTHERWISE = {
    "above": "one with 0 in it, or on another side of {size} or of {margin}",
    "both": "one without 0, or on another side of ±{margin}",
    "below": "one with 0 in it, or on another side of −{margin}",
    "none": "one on another side of ±{margin}",
    "question": "one on another side of 0, or of ±{margin}",
}


def cell_summary(chain: Chain, place: Place, tree: Step) -> Iterator[Line]:
    """Yield how a cell came to be, from its seeds to its corpus; ``tree``: all that is behind it."""
    table, row, column = place
    cell = place.cell
    seeds = [f"{seed}: {rounded(one, DIGITS)}" for seed, one in cell.known.items()]
    yield "cell", f"{_shown(cell)}, the mean of {counted(cell.n, 'seed')} ({', '.join(seeds)})"
    if row.missing:
        yield "missing", ", ".join(row.missing)
    scored = _scored(chain, table, row)
    yield "a seed", _of_seed(chain, place, scored)
    if cell.published is not None:
        unlike = "; ".join(row.stand_in[:FEW])
        if len(row.stand_in) > FEW:
            unlike += f" and {len(row.stand_in) - FEW} more"
        text = f"{rounded(cell.published)}, not comparable: {unlike}"
        yield "paper", text if unlike else rounded(cell.published)
    model = _source(chain, scored, "weights")
    if corpus := _source(chain, model, "corpus"):
        counts = corpus.record.get("counts", {})
        sizes = ", ".join(f"{number:,} {what}" for what, number in counts.items())
        text = f"{corpus.path.parent.name}: {sizes}" if sizes else corpus.path.parent.name
        yield "corpus", f"{text}; base {row.base}"
    if control := table.control_of(row):
        yield "control", _against(row, control, column)
        other = _source(chain, _scored(chain, table, control), "weights")
        if model and other:
            yield "unlike it", "; ".join(_differences(model, other)) or "nothing but the data"
    by_file = states(tree)
    kinds = Counter(by_file.values()).most_common()
    sound = [f"{number:,} {state}" for state, number in kinds if state in SOUND]
    yield "files", "; ".join([*sound, "--all names each"])
    yield from (
        ("wrong", f"{file}: {state}") for file, state in by_file.items() if state not in SOUND
    )


def _scored(chain: Chain, table: Table, row: Row) -> Node | None:
    """Return the record of the evaluation of a row's first seed, on the first fold if it has some."""
    folder = seed_folders(chain.root, table, row, row.seeds[0])[0]
    return chain.find(folder / layout.RECORD)


def _of_seed(chain: Chain, place: Place, scored: Node | None) -> str:
    """Return what the value of a seed is made from, and on how many items."""
    table, row, column = place
    counts: dict[str, int] = {}
    for role in ("dev", "data"):
        if source := _source(chain, scored, role):
            counts |= source.record.get("counts", {})
    if table.folds:
        sizes = "; ".join(f"{what}: {number:,}" for what, number in counts.items())
        return f"the mean of its {table.folds} folds, of a bank with {sizes}"
    tasks = [column] if column in counts else table.tasks
    seed = next(iter(place.cell.known), str(row.seeds[0]))
    shown = {task: row.cells[task] for task in tasks if task in row.cells}
    values = [f"{_named(task)} {rounded(cell.known.get(seed))}" for task, cell in shown.items()]
    mean = f"the mean of {len(tasks)} tasks; " if len(tasks) > 1 else ""
    form = "" if table.aggregation == "all" else f" ({table.aggregation})"
    items = f"{sum(counts.get(task, 0) for task in tasks):,} items"
    return f"{mean}{table.metric}{form} of seed {seed} over {items}: {', '.join(values)}".rstrip(
        ": "
    )


def _named(column: str) -> str:
    return NAMES.get(column, column)


def _shown(cell: Cell) -> str:
    return MISSING if cell.mean is None else with_deviation(cell.mean, cell.sd)


def _source(chain: Chain, node: Node | None, role: str) -> Node | None:
    """Return the record of an input of a node; None where one of the two is not here."""
    places = [link.place for link in node.links if link.role == role] if node else []
    return chain.find(places[0]) if places else None


def _against(row: Row, control: Row, column: str) -> str:
    """Return a row's control, and what stands between the two."""
    text = f"{control.label}: {_shown(control.cells[column])}"
    contrast = row.contrast(column)
    if contrast is None:
        return text
    ends = interval(contrast.low, contrast.high, FINE)
    difference = f"{signed(contrast.difference, FINE)} {ends}".strip()
    return f"{text}; ours less it {difference} over other seeds, {row.test}"


def _differences(model: Node, control: Node) -> Iterator[str]:
    """Yield the settings of a training that differ from those of another, and its regulators."""
    own, other = (node.record.get("settings", {}) for node in (model, control))
    for key in sorted(own.keys() | other.keys()):
        if key != "seed" and own.get(key) != other.get(key):
            yield f"{key} {own.get(key)} (control {other.get(key)})"
    links = [link for link in model.links if link.role.startswith(REGULATOR)]
    if links:
        yield f"regulators by {', '.join(dict.fromkeys(link.place.parts[-3] for link in links))}"


def claim_summary(
    judgements: list[Judgement], tables: Mapping[str, Table], published: Published, every: bool
) -> Iterator[Line]:
    """Yield the verdicts on a claim, how they came to be, and what would change them.

    Of many judgements, such as one for each column, the first alone is explained in full unless
    ``every`` is set.
    """
    for place, found in enumerate(judgements):
        verdict = of_stand_in(found, found.shown_verdict)
        ours = f"{signed(found.difference, found.digits)} {found.interval}".strip()
        if place and not every:
            column = "" if found.claim.at_least else _named(found.column)
            names = (found.reading, column, found.base, found.corpus)
            yield "also", f"{' '.join(filter(None, names))}: {ours} {verdict}".replace("  ", " ")
            continue
        yield "claim", f"{found.says} ({found.claim.source})"
        yield "verdict", "; ".join([verdict, *found.remarks])
        if found.is_judged:
            paper = signed(found.size) or "no size"
            margin = rounded(found.margin)
            ours += f", {counted(found.n, 'seed')}; the paper: {paper}; margin ±{margin}"
            yield "interval", ours
            kind = _kind(found)
            yield "rows", _compared(found, tables[found.claim.table], published)
            yield "rule", RULES[kind]
            yield (
                "changed by",
                OTHERWISE[kind].format(size=signed(found.size) or "0", margin=margin),
            )


def _kind(found: Judgement) -> str:
    """Return by which rule a claim was judged."""
    if found.claim.is_question:
        return "question"
    if found.claim.expects != "difference":
        return "none"
    if found.low is None or found.low <= 0 <= found.high:
        return "both"
    return "above" if found.low > 0 else "below"


def _compared(found: Judgement, table: Table, published: Published) -> str:
    """Return the rows of a claim with their weights and values; of rivals, each of which must hold."""
    place = {found.base, found.protocol, *found.corpus.split()}
    rows: Rows = {}
    for group in row_groups(found.claim, table, published):
        names = [name for row in group.values() for name in (row.base, row.protocol, row.corpus)]
        if place <= set(names):
            rows = group
    texts = []
    for name, term in found.claim.terms.items():
        cell = rows[name].cells.get(found.column)
        sign = SIGNS.get(term.weight, f"{term.weight:+g} ×")
        if name in found.claim.rivals:
            sign = "− each of"
        texts.append(f"{sign} {rows[name].label} {_shown(cell) if cell else ''}".rstrip())
    return f"{', '.join(texts)} ({table.name}: {found.base}, {found.corpus}, {found.protocol})"
