"""The tables of a config, of made-up scores, for tests of how the shipped tables are printed."""

import random
from collections.abc import Iterator

import pandas as pd

from semblance.fetch.manifest import load_manifest
from semblance.names import FAQ_DEV, FAQ_METRICS, STS_DEV
from semblance.reporting.build import build
from semblance.reporting.comparison import attach
from semblance.reporting.table import Spec, Table, decode_spec
from tests.unit.reporting.example_scores import frame, record
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan, Run
from workflow.planning.stand_ins import StandIns
from workflow.planning.table_checks import published


def tables(*overlays: str) -> list[Table]:
    """Return every table of config files laid over config.yaml, the papers' values beside ours."""
    config = load(laid_over(["config.yaml", *overlays]))
    plan = Plan(config)
    stand_ins = StandIns(plan, load_manifest(config.manifest), published())
    found = []
    for name in config.tables:
        settings = stand_ins.marked(plan.table_spec(name))
        runs = [run for _, run in plan.evaluations_of(name)]
        scores = made_up(plan, decode_spec(settings), runs)
        found.append(attach(build(settings, scores), published()))
    return found


def made_up(plan: Plan, spec: Spec, runs: list[Run]) -> pd.DataFrame:
    """Return scores of all runs of a table, between 50 and 80 points."""
    draw = random.Random(0)
    records = []
    for run in runs:
        for fields in measured(plan, spec, run):
            value = draw.uniform(0.5, 0.8)
            records.append(record(**run._asdict(), **fields, value=value))
    return frame(records)


def measured(plan: Plan, spec: Spec, run: Run) -> Iterator[dict[str, str]]:
    """Yield what a table reads of a run: its scores, and those on dev by which rows may choose."""
    if not spec.folds:
        place = {"protocol": spec.protocols[0], "aggregation": spec.aggregation}
        for task in dict.fromkeys((*spec.tasks, STS_DEV)):
            yield {**place, "task": task, "metric": spec.metric}
        return
    bank, fold = plan.folds_of[run.corpus]
    for protocol in dict.fromkeys((*spec.protocols, FAQ_DEV)):
        place = {"fold": str(fold), "task": bank, "protocol": protocol}
        place["aggregation"] = FAQ_DEV if protocol == FAQ_DEV else "test"
        for metric in FAQ_METRICS:
            yield {**place, "metric": metric}
