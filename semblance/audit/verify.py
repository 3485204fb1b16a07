"""Does a finished run hold? Every digest, record and link; every score and table cell from the predictions.

The runs are read one after the other, so that memory holds one run's predictions and everyone's scores.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from semblance.audit.chain import LOCK, UNRECORDED, Chain, damage
from semblance.audit.findings import (
    DIGESTS,
    LINKS,
    SCORES,
    SEALS,
    UNKNOWN,
    UNREADABLE,
    Findings,
)
from semblance.audit.rebuild import Tables
from semblance.audit.recompute import (
    Values,
    faq_identities,
    faq_values,
    sts_identities,
    sts_values,
)
from semblance.errors import InputError
from semblance.layout import IN_NATURAL_UNIT, STS_DEV
from semblance.provenance import ROOT
from semblance.reporting.scores import KEY

PUBLISHED = ROOT / "workflow" / "published.yaml"
TOLERANCE = 1e-11  # of a score in its natural unit: 1e-9 points


def verify(
    root: str | Path,
    resources: str | Path | None = None,
    published: str | Path = PUBLISHED,
    bootstrap: bool = False,
) -> Findings:
    """Check all below the results folder ``root``, and the ``resources`` that it was made from (as of ``Chain``).

    ``published``: the papers' numbers. ``bootstrap``: draw the tables' bootstrap p values again, too.
    Raises InputError only where ``root`` is no folder; what is wrong inside is found, not raised.
    """
    found, chain = Findings(), Chain(root, resources)
    readable = [path for path in chain.paths if _sealed(chain, path, found)]
    _files(chain, readable, found)
    for path in readable:
        try:
            _links(chain, path, found)
        except UNREADABLE as error:
            found.unreadable(LINKS, path, error)
    collected = _collected(chain, readable)
    long = _long(chain.root / "tables" / "scores.csv", found)
    runs = {}
    for path in readable:
        if path.is_relative_to(chain.root / "scores"):
            runs[path.parent] = _run(
                chain, path, long if path.parent / "scores.csv" in collected else None, found
            )
    for key in long:
        found.check(
            SCORES,
            False,
            chain.root / "tables" / "scores.csv",
            f"a score of no run: {' '.join(key)}",
        )
    in_tables = {
        folder: scores for folder, scores in runs.items() if folder / "scores.csv" in collected
    }
    Tables(chain, in_tables, Path(published), bootstrap, found).check(readable)
    return found


def _sealed(chain: Chain, path: Path, found: Findings) -> bool:
    try:
        chain.vouched(path)
    except UNREADABLE as error:
        found.unreadable(SEALS, path, error)
        return False
    return found.check(SEALS, True, path, "")


def _files(chain: Chain, readable: list[Path], found: Findings) -> None:
    """Check each file that a record vouches for, and note those that none does."""
    known = set(chain.paths)
    for record in readable:
        for file, digest in chain.vouched(record).items():
            if record.name != LOCK or file.is_file():  # an archive may go once it is unpacked
                wrong = damage(file, digest)
                found.check(
                    DIGESTS, not wrong, file, f"{wrong}; delete {record} and ask snakemake for it"
                )
                known.add(file)
    for file in sorted(set(_kept(chain)) - known):
        if file.is_relative_to(chain.root / "tables"):
            found.check(
                DIGESTS,
                False,
                file,
                "a table that no record vouches for; delete it and ask snakemake for it",
            )
        else:
            found.note(file, "no record vouches for it")


def _kept(chain: Chain) -> Iterator[Path]:
    for folder in filter(None, (chain.root, chain.resources)):
        for file in folder.rglob("*"):
            if (
                not (file.name.startswith(".") or UNRECORDED & set(file.relative_to(folder).parts))
                and file.is_file()
            ):
                yield file


def _links(chain: Chain, path: Path, found: Findings) -> None:
    for link in chain.links(path):
        sought = " or ".join(link.sought) or "any record"
        told = f"its input {link.name} ({link.digest}) is not what {sought} vouches for"
        if link.source is None and _elsewhere(chain, link.sought):
            found.note(
                path, f"its input {link.name} comes from a folder that is not here; not checked"
            )
        else:
            found.check(LINKS, link.source is not None, path, told)
    stage, run = chain.read(path).get("stage", ""), "/".join(path.parts[-5:-1])
    if stage.startswith("evaluate_"):
        said = chain.read(path).get("run", {}).get("run")
        found.check(LINKS, said == run, path, f"it is the record of {said}")


def _elsewhere(chain: Chain, sought: tuple[str, ...]) -> bool:
    """Say whether a source would lie in a wing (models, corpora, resources) that is not here at all."""
    wings = {
        Path(place).parts[: len(chain.root.parts) + 1]
        for place in sought
        if Path(place).is_relative_to(chain.root)
    }
    if wings:
        return not any(Path(*wing).exists() for wing in wings)
    return chain.resources is None or not any(
        Path(p).is_relative_to(chain.resources) for p in sought
    )


def _collected(chain: Chain, readable: list[Path]) -> set[Path]:
    """Return the score files that the long CSV was made of."""
    record = chain.root / "tables" / "records" / "scores.json"
    return {Path(link.sought[0]) for link in chain.links(record)} if record in readable else set()


def _long(path: Path, found: Findings) -> dict[tuple, dict]:
    try:
        return _by_key(path)
    except UNREADABLE as error:
        found.unreadable(SCORES, path, error)
        return {}


def _by_key(path: Path) -> dict[tuple, dict]:
    with open(path, encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, strict=True))
    keyed = {tuple(row[name] for name in KEY): row for row in rows}
    if len(keyed) != len(rows):
        raise InputError(path, "a score stands twice", "delete it and run again")
    return keyed


def _run(
    chain: Chain, path: Path, long: dict[tuple, dict] | None, found: Findings
) -> Values | None:
    """Check one run's scores; return them recomputed, None where its files cannot be read.

    ``long``: the long CSV's scores, from which those of this run are taken out; None if it is not part of it.
    """
    folder = path.parent
    if long is None:
        found.note(folder, "stands in no table")
    try:
        rows, frame = (
            _by_key(folder / "scores.csv"),
            pd.read_parquet(folder / "predictions.parquet"),
        )
        for key, row in rows.items() if long is not None else ():
            found.check(
                SCORES,
                long.pop(key, None) == row,
                chain.root / "tables" / "scores.csv",
                f"not as in {folder / 'scores.csv'}: {' '.join(key)}",
            )
        return _scores(chain.read(path), folder, rows, frame, found)
    except UNREADABLE as error:
        found.unreadable(SCORES, folder, error)
        return None


def _scores(
    record: dict, folder: Path, rows: dict[tuple, dict], frame: pd.DataFrame, found: Findings
) -> Values:
    """Hold a run's scores against those recomputed; return the recomputed, with those that cannot be as they stand."""
    of_test = record.get("run", {}) | record["inputs"] | {"code": record["code"]}
    of_dev = of_test | {"data": record["inputs"].get("dev")}
    names, shown, scores = (
        ("task", "subset", "metric", "aggregation", "protocol"),
        {},
        folder / "scores.csv",
    )
    for row in rows.values():
        facts = of_dev if row["task"] == STS_DEV else of_test
        found.check(
            LINKS,
            all(row[name] == str(facts[name]) for name in facts if name in row),
            scores,
            f"a line is not of the run, weights, data and code that its record names: {row}",
        )
        shown[tuple(row[name] for name in names)] = (float(row["value"]), int(row["n"]))
    values = {key: value for key, (value, _) in shown.items()}
    if folder.parts[-5] == "faq":
        values_again = faq_values(frame, folder.parts[-4].rpartition("-")[0])
        identities = faq_identities(frame, values)
    else:
        values_again = {}
        for protocol in sorted({key[4] for key in shown}) or [""]:
            values_again |= sts_values(frame, protocol)
        identities = sts_identities(frame, values)
    for key in values_again.keys() | shown.keys():
        _score(key, shown.get(key), values_again.get(key), scores, found)
    for name, holds, where in identities:
        found.check(name, holds, scores, f"{name} does not hold for {where}")
    return {key: score for key, score in shown.items() if key[2] in IN_NATURAL_UNIT} | values_again


def _score(
    key: tuple, shown: tuple | None, again: tuple | None, path: Path, found: Findings
) -> None:
    if again is None and key[2] in IN_NATURAL_UNIT:
        found.checked[UNKNOWN] += 1
        return
    close = shown and again and abs(shown[0] - again[0]) <= TOLERANCE and shown[1] == again[1]
    found.check(
        SCORES,
        bool(close),
        path,
        f"{' '.join(filter(None, key))}: (value, n) shown {shown}, recomputed {again}",
    )
