"""Rows of the long CSV for tests: every field named, sensible where the test does not care."""

import csv

import pandas as pd

from semblance.reporting.scores import COLUMNS

TASKS = ("sts12", "sts13")


def record(**given):
    """One score as the evaluate stage writes it; ``run`` follows from its parts."""
    fields = (
        dict(
            corpus="nli",
            base="tiny",
            method="simcse",
            phi="",
            seed=1,
            fold="",
            task="sts12",
            subset="",
            metric="spearman",
            aggregation="all",
            protocol="senteval",
            value=0.5,
            n=100,
            precision="fp32",
            code="c0",
            environment="e0",
            weights="w0",
            data="d0",
        )
        | given
    )
    fields["run"] = f"{fields['corpus']}/{fields['base']}/{fields['method']}/seed-{fields['seed']}"
    return fields


def frame(records):
    return pd.DataFrame(records, columns=list(COLUMNS))


def write(path, records):
    """Write score lines as given, checks left out, so that a test can write wrong ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([[fields[name] for name in COLUMNS] for fields in records])
    return path


def runs(method, values, **given):
    """Scores of one method: ``values`` is {seed: (score of each task in TASKS)}."""
    return [
        record(method=method, seed=seed, task=task, value=value, **given)
        for seed, scores in values.items()
        for task, value in zip(TASKS, scores, strict=True)
    ]


def spec(rows, **given):
    """Settings of a table; ``rows`` is {label: (method, seeds)} or {label: settings of the row}."""
    made = [
        {"label": label, "corpus": "nli", "base": "tiny", "method": row[0], "seeds": list(row[1])}
        if isinstance(row, tuple)
        else {"label": label} | row
        for label, row in rows.items()
    ]
    return {"name": "t", "title": "T", "layout": "sts", "tasks": list(TASKS), "rows": made} | given
