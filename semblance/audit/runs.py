"""The scores of each run, compared with the recomputed ones.

The runs are read one after the other, so that memory holds the predictions of one run only.
"""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from semblance import layout
from semblance.audit.chain import Chain, Node
from semblance.audit.findings import LINKS, SCORES, UNKNOWN, Findings, bar
from semblance.audit.recompute import Values, average_precision, recompute
from semblance.counts import counted
from semblance.errors import InputError
from semblance.layout import PREDICTIONS, SCORE_FILE
from semblance.names import FAQ_DEV, SCORE_KEY, STEPS, STS_DEV
from semblance.provenance import input_digests

TOLERANCE = 1e-11  # of a score in its natural unit: 1e-9 points
NONE = (math.nan, 0)  # the score of no line; it equals none
NAME = ("task", "subset", "metric", "aggregation", "protocol")  # of a score within its run

Lines = list[dict[str, str]]


def scores_behind(node: Node) -> list[Path]:
    """Return the score files that the record of a table or of the long CSV names."""
    links = [link for link in node.links if link.role.endswith(f"/{SCORE_FILE}")]
    return [link.place.with_name(SCORE_FILE) for link in links]


@dataclass
class Runs:
    """The runs of a results folder, to be checked."""

    chain: Chain
    found: Findings

    def check(self, nodes: list[Node]) -> dict[Path, Values | None]:
        """Check the scores of each run, and note those that nothing shows.

        Returns the recomputed scores of each run by its folder, None for unreadable files.
        """
        runs = {}
        shown = set()
        for node in bar(nodes, "scores"):
            if node.stage in ("collect_scores", "render_table", "collect_figure"):
                shown |= {link.place.parent for link in node.links}
            if node.path.is_relative_to(self.chain.root / layout.SCORES):
                runs[node.path.parent] = self._run(node)
        for folder in runs:
            if folder not in shown:
                self.found.note(folder, "no table and no figure shows this run")
        long = Path(layout.place(self.chain.root, layout.ALL_SCORES))
        if not long.exists() and not any(node.stage == "collect_scores" for node in nodes):
            self.found.note(long, "not made yet: it waits until every run has its scores")
        return runs

    def _run(self, node: Node) -> Values | None:
        """Check one run's scores; return them recomputed, None if its files cannot be read."""
        folder = node.path.parent
        path = folder / SCORE_FILE
        with self.found.reading(SCORES, folder):
            with open(path, encoding="utf-8", newline="") as handle:
                lines = list(csv.DictReader(handle, strict=True))
            if len({tuple(line[name] for name in SCORE_KEY) for line in lines}) != len(lines):
                raise InputError(path, "a score stands twice", "delete it and run again")
            predictions = pd.read_parquet(folder / PREDICTIONS)
            self._check_steps(node, lines, path)
            self._check_origin(node, lines, path)
            return self._recomputed(lines, predictions, path)
        return None

    def _check_steps(self, node: Node, lines: Lines, path: Path) -> None:
        """Check the steps of a run's training against the model's record, where it is here."""
        steps = {float(line["value"]) for line in lines if line["metric"] == STEPS}
        model = Path(layout.record(self.chain.root, layout.MODEL, **node.record.get("run", {})))
        if steps and model.is_file():
            taken = self.chain.node(model).record["training"]["step"]
            problem = f"the steps of its training are {min(steps):.0f}, and {taken} by {model}"
            self.found.check(LINKS, path, steps == {taken}, problem)

    def _check_origin(self, node: Node, lines: Lines, path: Path) -> None:
        """Check that each line names the run, weights, data, code and protocol of the records."""
        inputs = input_digests(node.record)
        of_test = node.record.get("run", {}) | inputs | {"code": node.record["code"]}
        sources = {link.role: self.chain.find(link.place) for link in node.links}
        for line in lines:
            role = "data"
            if line["task"] == STS_DEV or line["protocol"] == FAQ_DEV:
                role = "dev"
            facts = of_test | {"data": inputs.get(role)}
            same = all(line[name] == str(facts[name]) for name in facts if name in line)
            problem = f"a line names another run, weights, data or code than the record: {line}"
            self.found.check(LINKS, path, same, problem)
            settings = {}
            if sources.get(role) is not None:
                settings = sources[role].record.get("settings", {})
            protocol = settings.get("protocol", line["protocol"])
            problem = f"its pairs have the protocol {protocol}, another one than the line: {line}"
            self.found.check(LINKS, path, line["protocol"] == protocol, problem)

    def _recomputed(self, lines: Lines, predictions: pd.DataFrame, path: Path) -> Values:
        """Compare the scores with those recomputed; return the recomputed ones.

        Scores that predictions cannot give are returned as they are shown.
        """
        shown: Values = {}
        for line in lines:
            shown[tuple(line[name] for name in NAME)] = (float(line["value"]), int(line["n"]))
        tests, corpus = path.parts[-6:-4]
        again = recompute(tests, predictions, shown, corpus)
        unknown = self.chain.unknown
        again = {key: value for key, value in again.items() if key[2] not in unknown}
        for key in sorted(again.keys() | shown.keys()):
            if key[2] in unknown:
                self.found.checked[UNKNOWN] += 1
                again[key] = shown[key]
                if key[2] == "alignment":
                    self._check_alignment(shown[key][1], predictions, path)
                continue
            ours, theirs = again.get(key, NONE), shown.get(key, NONE)
            same = abs(theirs[0] - ours[0]) <= TOLERANCE and theirs[1] == ours[1]
            problem = f"{' '.join(filter(None, key))}: (value, n) shown {shown.get(key)}, "
            problem += f"recomputed {again.get(key)}"
            self.found.check(SCORES, path, same, problem)
        if "ap" in predictions:  # by which items are drawn
            precision = predictions["ranks"].map(average_precision)
            same = np.allclose(predictions["ap"], precision, rtol=0, atol=TOLERANCE)
            self.found.check(SCORES, path, same, "its average precisions are not of its ranks")
        return again

    def _check_alignment(self, count: int, predictions: pd.DataFrame, path: Path) -> None:
        """Check the number of pairs of an alignment: STS-B's test pairs with gold above 4."""
        pairs = ((predictions["task"] == "stsb") & (predictions["gold"] > 4)).sum()
        problem = f"alignment is of {counted(count, 'pair')}, and {pairs} by the predictions"
        self.found.check(SCORES, path, count == pairs, problem)
