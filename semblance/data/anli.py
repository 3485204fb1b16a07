"""Adversarial natural language inference (Nie et al. 2020): one file a round, R1 to R3."""

from collections.abc import Iterator
from pathlib import Path

from semblance.data.json_lines import read_json_lines
from semblance.data.nli import NliPair
from semblance.data.text import filled
from semblance.errors import InputError, at

LABEL_OF = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def read_anli(path: Path | str) -> Iterator[NliPair]:
    """Yield the pairs of one round: JSON lines with context, hypothesis and label e, n or c.

    The context, several sentences long, is the premise. An unknown label, an empty text, a missing
    field and a file without a pair raise InputError.
    """
    line = 0
    for line, row in read_json_lines(path):
        context = filled(row.get("context"), "context", path, line)
        hypothesis = filled(row.get("hypothesis"), "hypothesis", path, line)
        label = filled(row.get("label"), "label", path, line)
        if label not in LABEL_OF:
            raise InputError(at(path, line), f"unknown label {label!r:.80}", "e, n or c")
        yield NliPair(context, hypothesis, LABEL_OF[label], line)
    if not line:
        raise InputError(at(path, 1), "no pair", "fetch the release again")
