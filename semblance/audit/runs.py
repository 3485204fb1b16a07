"""The scores of each run, compared with the recomputed ones and with the long CSV.

The runs are read one after the other, so that memory holds the predictions of one run only.
"""

import csv
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from semblance import layout
from semblance.audit.chain import SCORE_FILE, Chain
from semblance.audit.findings import LINKS, SCORES, UNKNOWN, UNREADABLE, Findings
from semblance.audit.recompute import (
    Identity,
    Key,
    Values,
    alignment_pairs,
    faq_identities,
    faq_values,
    relatedness_values,
    sts_identities,
    sts_values,
    transfer_identities,
    transfer_values,
)
from semblance.counts import counted
from semblance.errors import InputError
from semblance.files import open_text, require_regular
from semblance.names import FAQ_DEV, IN_NATURAL_UNIT, SCORE_KEY, STEPS, STS_DEV
from semblance.reporting.predictions import MOST_PREDICTIONS
from semblance.reporting.scores import MOST_BYTES

TOLERANCE = 1e-11  # of a score in its natural unit: 1e-9 points
NAME = ("task", "subset", "metric", "aggregation", "protocol")  # of a score within its run

RECOMPUTED = {
    "sts": sts_values,
    "transfer": transfer_values,
    "relatedness": relatedness_values,
}

Lines = dict[tuple, dict[str, str]]  # a score's key in all runs -> its line


@dataclass
class Runs:
    """The runs of a results folder, to be checked."""

    chain: Chain
    found: Findings
    left: Lines = field(default_factory=dict)  # lines of the long CSV that no run has claimed yet

    def __post_init__(self):
        self.long = Path(layout.place(self.chain.root, layout.ALL_SCORES))
        self.record = Path(layout.place(self.chain.root, layout.TABLE_RECORD, table=self.long.stem))

    def check(self, readable: list[Path]) -> dict[Path, Values | None]:
        """Check each run; check that the long CSV has the scores of the runs in it, and no others.

        Returns the recomputed scores of each run by its folder, None for unreadable files.
        """
        collected = self._collected(readable)
        self.left = self._read_long()
        runs = {}
        for record in readable:
            if record.is_relative_to(self.chain.root / layout.SCORES):
                runs[record.parent] = self._run(record, record.parent / SCORE_FILE in collected)
        for key in self.left:
            self.found.check(SCORES, False, self.long, f"no run has this score: {' '.join(key)}")
        self._note_unshown(runs, collected | self._shown(readable))
        return runs

    def _collected(self, readable: list[Path]) -> set[Path]:
        """Return the score files that the long CSV was made of."""
        if self.record not in readable:
            return set()
        return set(self.chain.scores_behind(self.record))

    def _shown(self, readable: list[Path]) -> set[Path]:
        """Return the score files of the runs that a table or a figure was made of."""
        found: set[Path] = set()
        for path in readable:
            if self.chain.read(path).get("stage") in ("render_table", "collect_figure"):
                links = self.chain.links(path)
                found |= {Path(link.sought[0]).with_name(SCORE_FILE) for link in links}
        return found

    def _note_unshown(self, runs: Iterable[Path], shown: set[Path]) -> None:
        for folder in runs:
            if folder / SCORE_FILE not in shown:
                self.found.note(folder, "no table and no figure shows this run")

    def _read_long(self) -> Lines:
        if not self.long.exists() and not self.record.exists():
            self.found.note(self.long, "not made yet: it waits until every run has its scores")
            return {}
        try:
            return _read_lines(self.long)
        except UNREADABLE as error:
            self.found.unreadable(SCORES, self.long, error)
            return {}

    def _run(self, record: Path, is_collected: bool) -> Values | None:
        """Check one run's scores; return them recomputed, None if its files cannot be read."""
        folder = record.parent
        try:
            lines = _read_lines(folder / SCORE_FILE)
            require_regular(folder / "predictions.parquet", MOST_PREDICTIONS)
            predictions = pd.read_parquet(folder / "predictions.parquet")
            if is_collected:
                self._claim(lines, folder / SCORE_FILE)
            protocols = self._protocols(record)
            run = _Run(folder, self.chain.read(record), lines, predictions, protocols)
            self._check_steps(run)
            return run.check(self.found)
        except UNREADABLE as error:
            self.found.unreadable(SCORES, folder, error)
            return None

    def _protocols(self, record: Path) -> dict[str, str]:
        """Return the protocol of the test pairs (data) and of the dev pairs, by their records."""
        found = {}
        for link in self.chain.links(record):
            if link.source and link.name in ("data", "dev"):
                settings = self.chain.read(link.source).get("settings", {})
                if "protocol" in settings:
                    found[link.name] = settings["protocol"]
        return found

    def _check_steps(self, run: "_Run") -> None:
        """Check the steps of a run's training against the model's record, where it is here."""
        steps = {float(line["value"]) for line in run.lines.values() if line["metric"] == STEPS}
        model = Path(layout.record(self.chain.root, layout.MODEL, **run.record.get("run", {})))
        if steps and model.is_file():
            taken = self.chain.read(model)["training"]["step"]
            problem = f"the steps of its training are {min(steps):.0f}, and {taken} by {model}"
            self.found.check(LINKS, steps == {taken}, run.folder / "scores.csv", problem)

    def _claim(self, lines: Lines, path: Path) -> None:
        """Check that the long CSV has the lines of a run, and take them out of ``left``."""
        for key, line in lines.items():
            same = self.left.pop(key, None) == line
            self.found.check(SCORES, same, self.long, f"differs from {path}: {' '.join(key)}")


@dataclass
class _Run:
    """One evaluated run: its record, the lines of its scores, and its predictions.

    ``protocols`` are those of the pairs that it read, by the name of the input; of a FAQ bank none.
    """

    folder: Path
    record: dict
    lines: Lines
    predictions: pd.DataFrame
    protocols: dict[str, str]

    def check(self, found: Findings) -> Values:
        """Compare the scores with those recomputed; return the recomputed ones.

        Scores that predictions cannot give are returned as they are shown.
        """
        path = self.folder / SCORE_FILE
        self._check_origin(path, found)
        shown = {}
        for line in self.lines.values():
            shown[tuple(line[name] for name in NAME)] = (float(line["value"]), int(line["n"]))
        again = self._recomputed({key[-1] for key in shown})
        for key in again.keys() | shown.keys():
            _check_score(key, shown.get(key), again.get(key), path, found)
        for identity, holds, where in self._identities(shown):
            found.check(identity, holds, path, f"{identity} does not hold for {where}")
        unknown = {key: score for key, score in shown.items() if key[2] in IN_NATURAL_UNIT}
        for (_, _, metric, _, _), (_, count) in unknown.items():
            if metric == "alignment":
                pairs = alignment_pairs(self.predictions)
                problem = (
                    f"alignment is of {counted(count, 'pair')}, and {pairs} by the predictions"
                )
                found.check(SCORES, count == pairs, path, problem)
        return unknown | again

    def _check_origin(self, path: Path, found: Findings) -> None:
        """Check that each line names the run, weights, data and code of the record."""
        record = self.record
        of_test = record.get("run", {}) | record["inputs"] | {"code": record["code"]}
        of_dev = of_test | {"data": record["inputs"].get("dev")}
        for line in self.lines.values():
            is_dev = line["task"] == STS_DEV or line["protocol"] == FAQ_DEV
            facts = of_dev if is_dev else of_test
            same = all(line[name] == str(facts[name]) for name in facts if name in line)
            found.check(
                LINKS,
                same,
                path,
                f"a line names another run, weights, data or code than the record: {line}",
            )
            protocol = self.protocols.get("dev" if is_dev else "data", line["protocol"])
            problem = f"its pairs have the protocol {protocol}, another one than the line: {line}"
            found.check(LINKS, line["protocol"] == protocol, path, problem)

    @property
    def _tests(self) -> str:
        """The kind of tests that the run was evaluated on, as its folder says."""
        return self.folder.parts[-5]

    def _recomputed(self, protocols: set[str]) -> Values:
        if self._tests == "faq":
            bank = self.folder.parts[-4].rpartition("-")[0]
            return faq_values(self.predictions, bank)
        recompute = RECOMPUTED[self._tests]
        values: Values = {}
        for protocol in sorted(protocols) or [""]:
            values |= recompute(self.predictions, protocol)
        return values

    def _identities(self, shown: Values) -> Iterator[Identity]:
        values = {key: value for key, (value, _) in shown.items()}
        if self._tests == "faq":
            return faq_identities(self.predictions, values)
        if self._tests == "transfer":
            return transfer_identities(self.predictions)
        if self._tests == "relatedness":
            return iter(())
        return sts_identities(self.predictions, values)


def _check_score(
    key: Key, shown: tuple | None, again: tuple | None, path: Path, found: Findings
) -> None:
    """Check one score of a run: (value, number of items) as shown and as recomputed."""
    if again is None and key[2] in IN_NATURAL_UNIT:
        found.checked[UNKNOWN] += 1
        return
    same = False
    if shown and again:
        same = abs(shown[0] - again[0]) <= TOLERANCE and shown[1] == again[1]
    name = " ".join(filter(None, key))
    found.check(SCORES, same, path, f"{name}: (value, n) shown {shown}, recomputed {again}")


def _read_lines(path: Path) -> Lines:
    with open_text(path, MOST_BYTES) as handle:
        lines = list(csv.DictReader(handle, strict=True))
    key = operator.itemgetter(*SCORE_KEY)
    keyed = {key(line): line for line in lines}
    if len(keyed) != len(lines):
        raise InputError(path, "a score stands twice", "delete it and run again")
    return keyed
