"""Checks of a finished run: digests, records, links, and scores and cells made again.

Scores and the cells of tables are recomputed from the predictions.
"""

from collections.abc import Iterator
from pathlib import Path

from semblance import layout
from semblance.audit.chain import LOCK, UNRECORDED, Chain, Link, damage
from semblance.audit.findings import DIGESTS, LINKS, SEALS, UNREADABLE, Findings
from semblance.audit.rebuild import Tables
from semblance.audit.runs import Runs
from semblance.provenance import ROOT

PUBLISHED = ROOT / "workflow" / "published.yaml"


def verify(
    root: str | Path,
    resources: str | Path | None = None,
    published: str | Path = PUBLISHED,
    bootstrap: bool = False,
) -> Findings:
    """Check all below the results folder ``root``, and the ``resources`` that it was made from.

    ``resources``: as in ``Chain``. ``published``: the papers' numbers. ``bootstrap``: draw the
    tables' bootstrap p values again, too. What is wrong in the folders stands in the findings;
    only a folder that does not exist raises an InputError.
    """
    found = Findings()
    chain = Chain(root, resources)
    readable = [path for path in chain.paths if _is_sealed(chain, path, found)]
    _check_files(chain, readable, found)
    for path in readable:
        try:
            _check_links(chain, path, found)
        except UNREADABLE as error:
            found.unreadable(LINKS, path, error)
    runs = Runs(chain, found).check(readable)
    Tables(chain, runs, Path(published), bootstrap, found).check(readable)
    return found


def _is_sealed(chain: Chain, path: Path, found: Findings) -> bool:
    try:
        chain.listed(path)
    except UNREADABLE as error:
        found.unreadable(SEALS, path, error)
        return False
    return found.check(SEALS, True, path, "")


def _check_files(chain: Chain, readable: list[Path], found: Findings) -> None:
    """Check each file that a record lists, and note those that no record lists."""
    known = set(chain.paths)
    for record in readable:
        for file, digest in chain.listed(record).items():
            if record.name == LOCK and not file.is_file():
                continue  # an archive may go once it is unpacked
            wrong = damage(file, digest)
            advice = f"delete {record} and run snakemake again"
            found.check(DIGESTS, not wrong, file, f"{wrong}; {advice}")
            known.add(file)
    for file in sorted(set(_kept(chain)) - known):
        if file.is_relative_to(chain.root / layout.INCOMPLETE):
            found.note(file, "not checked: a table whose runs are not all finished")
        elif file.is_relative_to(chain.root / layout.TABLES):
            problem = "no record lists this table; delete it and run snakemake again"
            found.check(DIGESTS, False, file, problem)
        else:
            found.note(file, "no record lists this file")


def _kept(chain: Chain) -> Iterator[Path]:
    """Yield every file of the results and resources that must have a record."""
    for folder in chain.folders:
        for file in folder.rglob("*"):
            hidden = file.name.startswith(".")
            unrecorded = UNRECORDED & set(file.relative_to(folder).parts)
            if not hidden and not unrecorded and file.is_file():
                yield file


def _check_links(chain: Chain, path: Path, found: Findings) -> None:
    for link in chain.links(path):
        if link.source is None and _is_elsewhere(chain, link):
            note = f"its input {link.name} is not checked: it comes from a folder that is not here"
            found.note(path, note)
            continue
        sought = " or ".join(link.sought)
        problem = f"its input {link.name} has sha256 {link.digest}; no record lists it for {sought}"
        found.check(LINKS, link.source is not None, path, problem)
    record = chain.read(path)
    if record.get("stage", "").startswith("evaluate_"):
        run = record.get("run", {}).get("run")
        same = run == "/".join(path.parts[-5:-1])
        found.check(LINKS, same, path, f"it is the record of another run: {run}")


def _is_elsewhere(chain: Chain, link: Link) -> bool:
    """Tell whether a source may lie in a folder (models, corpora, resources) that is not here."""
    return not link.sought or not all(_is_folder_here(chain, Path(p)) for p in link.sought)


def _is_folder_here(chain: Chain, place: Path) -> bool:
    """Tell whether the resources, or the folder of the results, that a place lies in are here."""
    if place.is_relative_to(chain.root):
        top = place.relative_to(chain.root).parts[0]
        return (chain.root / top).exists()
    return chain.resources is not None and place.is_relative_to(chain.resources)
