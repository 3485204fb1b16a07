"""A cell or the verdicts on a claim in a few lines: all that a reader needs to check it."""

import textwrap
from collections import Counter
from collections.abc import Iterator

from semblance import layout
from semblance.audit.chain import Chain, Node
from semblance.audit.explain import SOUND, Place, Step, all_tables, states
from semblance.counts import counted, interval, rounded, signed
from semblance.errors import one_of
from semblance.names import REGULATOR
from semblance.reporting.claims import Claims, read_claims
from semblance.reporting.claims_page import RULES, of_stand_in
from semblance.reporting.grids import MISSING, NAMES, with_deviation
from semblance.reporting.judgement import Judgement
from semblance.reporting.judging import judge
from semblance.reporting.predictions import paths_of_seed
from semblance.reporting.published import PAPERS, read_published
from semblance.reporting.table import Cell, Row, Table

DIGITS = 4  # of a seed's value
FINE = 3  # of a difference
SHORT = 100  # characters of what makes a row a stand-in
SIGNS = {1: "+", -1: "−"}
FIGURES = ("verdict", "size", "margin", "difference", "low", "high", "n")  # of a judgement
Line = tuple[str, str]  # what it says, and its text


def cell_lines(chain: Chain, place: Place, tree: Step) -> Iterator[Line]:
    """Yield how a cell came to be, from its seeds to its corpus; ``tree``: all that is behind it."""
    table, row, column = place
    cell = place.cell
    values = [f"{seed}: {rounded(value, DIGITS)}" for seed, value in cell.known.items()]
    yield "cell", f"{_mean_of(cell)}, the mean of {counted(cell.n, 'seed')} ({', '.join(values)})"
    if row.missing:
        yield "missing", ", ".join(row.missing)
    if cell.known:
        yield "a seed", _of_first_seed(chain, place)
    if cell.published is not None:
        unlike = textwrap.shorten("; ".join(row.stand_in), SHORT, placeholder=" …")
        text = f", not comparable: {unlike}" if unlike else ""
        yield "paper", rounded(cell.published) + text
    model = _behind(chain, _scored(chain, table, row), "weights")
    if corpus := _behind(chain, model, "corpus"):
        sizes = [f", {number:,} {what}" for what, number in corpus.record.get("counts", {}).items()]
        yield "corpus", f"{corpus.path.parent.name}{''.join(sizes)}; base {row.base}"
    if control := table.control_of(row):
        text = f"{control.label}: {_mean_of(control.cells[column])}"
        if contrast := cell.contrast:
            ends = interval(contrast.low, contrast.high, FINE)
            text += f"; ours less it {signed(contrast.difference, FINE)} {ends}, {row.test}"
        yield "control", text
        other = _behind(chain, _scored(chain, table, control), "weights")
        if model and other:
            yield "unlike it", "; ".join(_unlike(model, other)) or "nothing but the data"
    yield from file_lines(tree)


def _mean_of(cell: Cell) -> str:
    return MISSING if cell.mean is None else with_deviation(cell.mean, cell.sd)


def _scored(chain: Chain, table: Table, row: Row) -> Node | None:
    """Return the record of the evaluation of a row's first seed, on the first fold if it has some."""
    path = paths_of_seed(chain.root, table, row, row.seeds[0])[0]
    return chain.find(path.with_name(layout.RECORD))


def _behind(chain: Chain, node: Node | None, role: str) -> Node | None:
    """Return the record of an input of a node; None where one of the two is not here."""
    places = [link.place for link in node.links if link.role == role] if node else []
    return chain.find(places[0]) if places else None


def _of_first_seed(chain: Chain, place: Place) -> str:
    """Return what the value of the first seed is made from, and on how many items."""
    table, row, column = place
    counts: dict[str, int] = {}
    for role in ("dev", "data"):
        if source := _behind(chain, _scored(chain, table, row), role):
            counts |= source.record.get("counts", {})
    if table.folds:
        sizes = [f"{number:,} {what}" for what, number in counts.items()]
        return f"the mean of {table.folds} folds of a bank: {', '.join(sizes)}"
    tasks = [column] if column in counts else table.tasks
    seed = next(iter(place.cell.known))
    values = [
        f"{NAMES.get(task, task)} {rounded(row.cells[task].known.get(seed))}"
        for task in tasks
        if task in row.cells
    ]
    mean = "the mean of " if len(tasks) > 1 else ""
    items = f"{sum(counts.get(task, 0) for task in tasks):,} items"
    text = f"{mean}{counted(len(tasks), 'task')}, {table.metric} over {items}"
    return f"{text}; seed {seed}: {', '.join(values)}" if values else text


def _unlike(model: Node, control: Node) -> Iterator[str]:
    """Yield the settings of a training that differ from those of another, and its regulators."""
    ours, theirs = (
        [link.place.parts[-2] for link in node.links if link.role == "corpus"]
        for node in (model, control)
    )
    if ours != theirs:
        yield f"corpus {', '.join(ours)} (control {', '.join(theirs)})"
    own, other = (node.record.get("settings", {}) for node in (model, control))
    for key in sorted(own.keys() | other.keys()):
        if key != "seed" and own.get(key) != other.get(key):
            yield f"{key} {own.get(key)} (control {other.get(key)})"
    regulators = [link.place for link in model.links if link.role.startswith(REGULATOR)]
    if regulators:
        yield f"regulators by {', '.join(dict.fromkeys(path.parts[-3] for path in regulators))}"


def file_lines(tree: Step) -> Iterator[Line]:
    """Yield how many files are in which state, and each that is not as its record says."""
    by_file = states(tree)
    kinds = Counter(state for state in by_file.values() if state in SOUND)
    yield "files", "; ".join(f"{number:,} {state}" for state, number in kinds.most_common())
    for file, state in by_file.items():
        if state not in SOUND:
            yield "wrong", f"{file}: {state}"


def explain_claim(chain: Chain, words: str) -> Step:
    """Return the verdicts on the claim of a name, or of some of its words, each as a source."""
    papers = sorted(chain.root.glob("logs/*.yaml")) or PAPERS  # a kept run has its own
    claims = read_claims(papers)
    names = [
        name
        for name, claim in claims.by_name.items()
        if words in (name, claim.table) or words.casefold() in claim.says.casefold()
    ]
    name = names[0] if len(names) == 1 else one_of(words, "claim", names or claims.by_name)
    chosen = Claims({name: claims.by_name[name]}, claims.paths)
    tables = all_tables(chain)
    printed = read_published(papers)
    return verdicts(name, judge(chosen, tables, printed))


def verdicts(name: str, judgements: list[Judgement]) -> Step:
    """Return the verdicts on a claim: how each came to be, and what would change it."""
    steps = []
    for judged in judgements:
        verdict = of_stand_in(judged, judged.shown_verdict)
        facts: dict[str, object] = {"verdict": "; ".join([verdict, *judged.remarks])}
        if judged.is_judged:
            kind = _kind(judged)
            limits = [f"±{rounded(judged.margin)}"]
            if kind != "none":
                limits.insert(0, "0")
            if kind == "above":
                limits.append(signed(judged.size))
            ours = f"{signed(judged.difference, judged.digits)} {judged.interval}".strip()
            facts |= {
                "ours": f"{ours}, {counted(judged.n, 'seed')}",
                "paper": f"{signed(judged.size) or 'no size'}; margin ±{rounded(judged.margin)}",
                "rows": _compared(judged),
                "rule": RULES[kind],
                "changed by": f"an interval on another side of {', '.join(filter(None, limits))}",
            }
        facts["figures"] = {one: getattr(judged, one) for one in FIGURES}
        steps.append(Step(f"{judged.says} ({judged.claim.source})", facts=facts))
    return Step(name, sources=steps)


def _kind(judged: Judgement) -> str:
    """Return by which rule a claim was judged."""
    if judged.claim.is_question:
        return "question"
    if judged.claim.expects != "difference":
        return "none"
    if judged.low is None or judged.low <= 0 <= judged.high:
        return "both"
    return "above" if judged.low > 0 else "below"


def _compared(judged: Judgement) -> str:
    """Return the rows of a claim with their weights and values; of rivals, each of which must hold."""
    texts = []
    for name, term in judged.claim.terms.items():
        row = judged.rows[name]
        cell = row.cells.get(judged.column)
        sign = SIGNS.get(term.weight, f"{term.weight:+g} ×")
        if name in judged.claim.rivals:
            sign = "− each of"
        texts.append(f"{sign} {row.label} {_mean_of(cell) if cell else ''}".rstrip())
    place = f"{judged.claim.table}: {judged.base}, {judged.corpus}, {judged.protocol}"
    return f"{', '.join(texts)} ({place})"


def claim_lines(tree: Step) -> Iterator[Line]:
    """Yield the first verdict on a claim in full, and a line for each other."""
    first, *others = tree.sources
    yield "claim", first.name
    yield from ((name, text) for name, text in first.facts.items() if name != "figures")
    for other in others:
        yield "also", f"{other.name}: {other.facts.get('ours', '')} {other.facts['verdict']}"
