"""What a report reads of an output folder, finished or not."""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.errors import InputError
from semblance.names import START
from semblance.provenance import read_object, read_sealed
from semblance.reporting.claims import read_claims
from semblance.reporting.judging import Judgement, judge
from semblance.reporting.published import Published
from semblance.reporting.table import Row
from workflow.planning.plan import Plan, Run
from workflow.planning.stages import model_record
from workflow.planning.table_checks import published
from workflow.status.tables import tables_now

SHORT = 12  # digits of a digest
UNREADABLE = (InputError, OSError, LookupError, TypeError, AttributeError, ValueError)


@dataclass(frozen=True)
class TrainedModel:
    """One trained model, by its record."""

    run: Run
    record: dict[str, Any]

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The dev score at each evaluation of its training: (step, score)."""
        points = self.record.get("training", {}).get("curve", [])
        return [(point["step"], point["dev"]) for point in points if point.get("dev") is not None]

    @property
    def weights(self) -> str:
        """The sha256 of its weights; empty if its record lists none."""
        return self.record.get("outputs", {}).get(layout.WEIGHTS, "")


class Facts:
    """All that a report shows, read once. Files that are missing or damaged are left out."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.out = Path(plan.out)
        self.tables, self.incomplete = tables_now(plan)
        self._models: dict[Run, TrainedModel | None] = {}

    @cached_property
    def published(self) -> Published:
        """The papers' numbers."""
        return published()

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The verdicts on the papers' claims, by the tables as they are."""
        return judge(read_claims(), self.tables, self.published)

    @cached_property
    def command(self) -> dict[str, Any]:
        """How the last run on the folder was started; empty where no run has noted it."""
        with contextlib.suppress(*UNREADABLE):
            noted = read_object(layout.place(self.out, layout.COMMAND))
            if all(isinstance(option, str) for option in noted["options"]):
                return noted
        return {}

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Every record of a finished job below the output folder, in the order of their paths."""
        records = []
        paths = [path for path in files_below(self.out) if path.name == layout.RECORD]
        for path in sorted(paths):
            if not layout.WITHOUT_RECORD & set(path.relative_to(self.out).parts):
                with contextlib.suppress(*UNREADABLE):
                    records.append(read_sealed(path))
        return records

    def model(self, run: Run) -> TrainedModel | None:
        """Return a trained model; None of an untrained base, and of one that is not finished."""
        if run not in self._models:
            self._models[run] = None
            if run.method != START:
                with contextlib.suppress(*UNREADABLE):
                    self._models[run] = TrainedModel(run, read_sealed(model_record(self.plan, run)))
        return self._models[run]

    def models_of(self, row: Row) -> list[TrainedModel]:
        """Return the finished models behind a row: each seed, of a FAQ bank each fold."""
        places = [row.corpus]
        if row.corpus in self.plan.banks:
            places = self.plan.fold_corpora(row.corpus)
        runs = [Run(c, row.base, row.method, seed) for seed in row.seeds for c in places]
        return [model for model in map(self.model, runs) if model]

    def settings_of(self, row: Row) -> dict[str, Any]:
        """Return the flat settings of a row's training, its seed left out; empty of no training."""
        models = self.models_of(row)
        settings = models[0].record.get("settings", {}) if models else {}
        flat = {name: text for key in settings for name, text in _flat(settings[key], key)}
        flat.pop("seed", None)
        return flat


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield each setting by its dotted name."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}")
    else:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder; what a running job deletes meanwhile is passed over."""
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names)
