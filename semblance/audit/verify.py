"""Checks of a finished run: digests, records, links, and scores and cells made again.

Scores and the cells of tables are recomputed from the predictions.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from semblance import layout
from semblance.audit.chain import UNRECORDED, Chain
from semblance.audit.deleted import DELETED, deletes_models, is_deleted
from semblance.audit.figures import check_figures
from semblance.audit.findings import (
    DIGESTS,
    KEPT,
    LINKS,
    SEALS,
    UNREADABLE,
    Findings,
)
from semblance.audit.link import Link
from semblance.audit.listing import LOCK, damage
from semblance.audit.rebuild import Tables
from semblance.audit.runs import Runs
from semblance.layout import RECORD
from semblance.provenance import ROOT, read_sealed, record_digest

PUBLISHED = ROOT / "workflow" / "published.yaml"
OLD = (
    "made by an earlier version, whose records keep nothing of the records that they read: a record"
    " that was changed and sealed anew would not be found"
)
KEPT_RECORDS = f"{layout.pattern(layout.MODEL)}/checkpoints/*/finished/{RECORD}"


def verify(
    root: str | Path,
    downloads: str | Path | None = None,
    published: str | Path = PUBLISHED,
    bootstrap: bool = False,
) -> Findings:
    """Check all below the results folder ``root``, and the downloads that it was made from.

    ``downloads``: as in ``Chain``. ``published``: the papers' numbers. ``bootstrap``: draw the
    tables' bootstrap p values again, too. What is wrong in the folders stands in the findings;
    only a folder that does not exist raises an InputError.
    """
    found = Findings()
    chain = Chain(root, downloads)
    readable = [path for path in chain.paths if _is_sealed(chain, path, found)]
    _check_missing(chain, readable, found)
    _check_files(chain, readable, found)
    if not chain.is_linked:
        found.note(chain.root, OLD)
    for path in readable:
        try:
            _check_links(chain, path, found)
        except UNREADABLE as error:
            found.unreadable(LINKS, path, error)
    for path in sorted(chain.root.glob(KEPT_RECORDS)):
        _check_kept(chain, path, found)
    runs = Runs(chain, found).check(readable)
    Tables(chain, runs, Path(published), bootstrap, found).check(readable)
    check_figures(chain, readable, found)
    found.delete = _to_delete(chain, found)
    return found


def _to_delete(chain: Chain, found: Findings) -> set[Path]:
    """Return the records of the damaged files, or the files themselves where no record lists them.

    What is made from a damaged file fails, too, and the next run makes it again. So the other
    problems count only where no file is damaged.
    """
    damaged = [problem for problem in found.failures if problem.kind in (SEALS, DIGESTS, KEPT)]
    paths = {Path(problem.path) for problem in damaged or found.failures}
    files = found.delete | {chain.owners.get(path, path) for path in paths}
    return {file for file in files if file.is_file()}


def _is_sealed(chain: Chain, path: Path, found: Findings) -> bool:
    try:
        chain.listed(path)
    except UNREADABLE as error:
        found.unreadable(SEALS, path, error)
        return False
    return found.check(SEALS, True, path, "")


def _check_missing(chain: Chain, readable: list[Path], found: Findings) -> None:
    """Check that each record that another one was made from is there, where its folder is."""
    read = {source for path in readable for source in chain.sources(path)}
    for path in sorted(read - set(chain.paths)):
        if chain.has_folder_of(path):
            found.check(SEALS, False, path, "missing: other records were made from it")


def _check_files(chain: Chain, readable: list[Path], found: Findings) -> None:
    """Check each file that a record lists, and note those that no record lists."""
    known = set(chain.paths)
    deleted = deletes_models(chain.root)
    for record in readable:
        for file, digest in chain.listed(record).items():
            if record.name == LOCK and not file.is_file():
                continue  # an archive may go once it is unpacked
            if deleted and is_deleted(file, record, chain.read(record)):
                found.note(file, f"{DELETED}; its record keeps its digest")
                continue
            wrong = damage(file, digest)
            found.check(DIGESTS, not wrong, file, wrong)
            known.add(file)
        for file, digest in chain.user_files(record).items():
            _check_user_file(file, digest, record, found)
    for file in sorted(set(_recorded(chain)) - known):
        if file.is_relative_to(chain.root / layout.INCOMPLETE):
            found.note(file, "not checked: a table whose runs are not all finished")
        elif file.is_relative_to(chain.root / layout.TABLES):
            found.check(DIGESTS, False, file, "no record lists this table")
        else:
            found.note(file, "no record lists this file")


def _check_user_file(file: Path, digest: str, record: Path, found: Findings) -> None:
    """Check a file of the user's own that prepared data were made from."""
    if not file.is_file():
        found.note(file, "not checked: the user's own file is not here any more")
        return
    wrong = damage(file, digest)
    problem = f"made from other content of {file}, a file of your own: it is {wrong}"
    found.check(DIGESTS, not wrong, record, problem)


def _recorded(chain: Chain) -> Iterator[Path]:
    """Yield every file of the results and of the downloads that must have a record."""
    folders = [chain.root]
    for downloads in chain.downloads:
        folders += [downloads / layout.RAW_DATA, downloads / Path(layout.BASE).parts[0]]
    for folder in folders:
        for file in folder.rglob("*"):
            hidden = file.name.startswith(".")
            unrecorded = UNRECORDED & set(file.relative_to(folder).parts)
            if not hidden and not unrecorded and file.is_file():
                yield file


def _check_links(chain: Chain, path: Path, found: Findings) -> None:
    for link in chain.links(path):
        if chain.is_elsewhere(link):
            note = f"its input {link.name} is not checked: it comes from a folder that is not here"
            found.note(path, note)
            continue
        sought = " or ".join(link.sought)
        problem = f"its input {link.name} has sha256 {link.digest}; no record lists it for {sought}"
        found.check(LINKS, link.source is not None, path, problem)
        if link.source and chain.is_linked:
            _check_record_read(chain, path, link, link.source, found)
    record = chain.read(path)
    if record.get("stage", "").startswith("evaluate_"):
        run = record.get("run", {}).get("run")
        same = run == "/".join(path.parts[-5:-1])
        found.check(LINKS, same, path, f"it is the record of another run: {run}")


def _check_record_read(chain: Chain, path: Path, link: Link, source: Path, found: Findings) -> None:
    """Check that the record behind an input still says what it said when it was read."""
    says = chain.digest(source)
    if link.kept:
        problem = f"made from {source} when that said something else than now: {link.kept}, {says}"
    else:
        problem = f"keeps no digest of {source}, which its input {link.name} comes from"
    if not found.check(LINKS, says == link.kept, path, problem):
        found.delete.add(source)  # either of the two may be the forged one


def _check_kept(chain: Chain, kept: Path, found: Findings) -> None:
    """Check the kept copy of a finished training: its files, and its record against the model's."""
    model = kept.parents[3]
    try:
        record = read_sealed(kept)
        digests = dict(record["outputs"])
    except UNREADABLE as error:
        found.check(KEPT, False, kept, f"cannot be read: {error}")
        return
    for name, digest in digests.items():
        file = kept.parent / name
        if not _is_same_file(file, model / name):
            wrong = damage(file, digest)
            found.check(KEPT, not wrong, kept, f"{name} is {wrong}")
    if chain.is_readable(model / RECORD):
        same = record_digest(record) == chain.digest(model / RECORD)
        found.check(KEPT, same, model / RECORD, f"says something else than {kept}")


def _is_same_file(one: Path, other: Path) -> bool:
    """Tell whether two names are hard links to one file, which is checked under the other name."""
    return one.exists() and other.exists() and os.path.samefile(one, other)
