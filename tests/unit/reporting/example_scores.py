"""Rows of the long CSV and settings for tests: sensible in all that a test does not care about."""

import csv
import io
import re

import pandas as pd

from semblance.names import SCORE_COLUMNS
from semblance.reporting.build import build
from semblance.reporting.formats import markdown

TASKS = ("sts12", "sts13")
RUN = {"corpus": "nli", "base": "tiny", "method": "simcse", "phi": "", "seed": 1, "fold": ""}
SCORE = {"task": "sts12", "subset": "", "metric": "spearman", "aggregation": "all"}
SCORE |= {"protocol": "senteval", "value": 0.5, "n": 100, "precision": "fp32"}
FAQ = {"layout": "faq", "dataset": "bank", "folds": 2, "tasks": []}  # settings of a table
ORIGIN = {"code": "c0", "environment": "e0", "weights": "w0", "data": "d0"}


def record(**given):
    """One score as the evaluate stage writes it; ``run`` follows from its parts."""
    fields = RUN | SCORE | ORIGIN | given
    fields["run"] = f"{fields['corpus']}/{fields['base']}/{fields['method']}/seed-{fields['seed']}"
    return fields


def frame(records):
    return pd.DataFrame(records, columns=list(SCORE_COLUMNS))


def write(path, records):
    """Write score lines as given, checks left out, so that a test can write wrong ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(SCORE_COLUMNS)
        writer.writerows([[fields[name] for name in SCORE_COLUMNS] for fields in records])
    return path


def runs(method, values, **given):
    """Scores of one method: ``values`` is {seed: (score of each task in TASKS)}."""
    return [
        record(method=method, seed=seed, task=task, value=value, **given)
        for seed, scores in values.items()
        for task, value in zip(TASKS, scores, strict=True)
    ]


def untrained(*values, **given):
    """Scores of a base as it is: one value for each task in TASKS."""
    return runs("start", {0: values}, corpus="none", **given)


def row(method, seeds, **given):
    """Settings of one row, without its label."""
    return {"corpus": "nli", "base": "tiny", "method": method, "seeds": list(seeds)} | given


def spec(rows, **given):
    """Settings of a table; ``rows`` is {label: (method, seeds)} or {label: settings of the row}."""
    made = [
        {"label": label} | (row(*asked) if isinstance(asked, tuple) else asked)
        for label, asked in rows.items()
    ]
    return {"name": "t", "title": "T", "layout": "sts", "tasks": list(TASKS), "rows": made} | given


def table(rows, scores, **given):
    """Build a table of such settings from records of scores."""
    return build(spec(rows, **given), frame(scores))


def csv_lines(text):
    """The lines of a CSV by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text)))


def markdown_lines(shown):
    """The lines of a table's Markdown without what aligns its columns."""
    return [re.sub("-+", "-", re.sub(" +", " ", line)) for line in markdown(shown).splitlines()]


def markdown_table(shown):
    """The texts of a table's Markdown: {label of a row: {name of a column: text}}."""
    lines = [re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in markdown_lines(shown)]
    header, _, *rows = [line for line in lines if line]
    return {label: dict(zip(header[1:], texts, strict=True)) for label, *texts in rows}


def of_fold(method, seed, fold, value, protocol="pairs", lift=(0.0, 0.0, 0.0, 0.0), **given):
    """Scores of one fold of a bank under a protocol: each metric is ``value`` and its lift."""
    place = {"corpus": f"bank-{fold}", "fold": str(fold), "task": "bank", "method": method}
    place |= {"seed": seed, "protocol": protocol, "aggregation": "test"} | given
    metrics = zip(("acc@1", "acc@3", "acc@5", "map"), lift, strict=True)
    return [record(**place, metric=metric, value=value + more) for metric, more in metrics]
