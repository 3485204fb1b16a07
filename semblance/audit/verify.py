"""Checks of a finished run: digests, records, links, and scores and cells made again.

Scores and the cells of tables are recomputed from the predictions.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from semblance import layout
from semblance.audit.chain import UNRECORDED, Chain, Link, Node, is_download
from semblance.audit.findings import DIGESTS, KEPT, LINKS, SEALS, UNREADABLE, Findings, bar
from semblance.audit.runs import Runs
from semblance.audit.tables import Tables
from semblance.layout import RECORD
from semblance.provenance import BESIDE, damage
from semblance.reporting.published import PAPERS

KEPT_RECORDS = [
    f"{layout.pattern(of)}/{layout.pattern(layout.FINISHED)}/{RECORD}" for of in layout.TRAINED
]


def verify(
    root: str | Path,
    downloads: str | Path | None = None,
    papers: Sequence[Path] = PAPERS,
    bootstrap: bool = False,
) -> Findings:
    """Check all below the results folder ``root``, and the downloads that it was made from.

    ``downloads``: as in ``Chain``. ``papers``: the files of their numbers and claims. ``bootstrap``: draw the
    tables' bootstrap p values again, too. What is wrong in the folders stands in the findings;
    only a folder that cannot be checked at all raises an InputError.
    """
    findings = Findings()
    chain = Chain(root, downloads)
    nodes = check_records(chain, findings)
    runs = Runs(chain, findings).check(nodes)
    Tables(chain, runs, papers, bootstrap, findings).check(nodes)
    findings.delete = _to_delete(nodes, findings)
    return findings


def check_records(chain: Chain, found: Findings) -> list[Node]:
    """Check all records, and the files and inputs that they list; return those that are whole."""
    nodes = []
    folders = (chain.root, *chain.downloads)
    for path in chain.paths:
        with found.reading(SEALS, path):
            node = chain.node(path)
            outside = [str(f) for f in node.files if not any(map(f.is_relative_to, folders))]
            what = "which lies outside of the results and the downloads"
            if found.check(SEALS, path, not outside, f"lists {', '.join(outside)}, {what}"):
                nodes.append(node)
    for path in sorted(set().union(*(node.sources for node in nodes))):
        if chain.is_here(path) and not path.exists():
            found.check(SEALS, path, False, "missing: other records were made from it")
    _check_files(chain, nodes, found)
    for node in nodes:
        _check_links(chain, node, found)
    for path in sorted(path for kept in KEPT_RECORDS for path in chain.root.glob(kept)):
        _check_kept(chain, path, found)
    return nodes


def _to_delete(nodes: list[Node], found: Findings) -> set[Path]:
    """Return the records of the damaged files, or the files themselves where no record lists them.

    What is made from a damaged file fails, too, and the next run makes it again. So the other
    problems count only where no file is damaged.
    """
    owners = {file: node.path for node in nodes for file in node.files}
    damaged = [problem for problem in found.failures if problem.kind in (SEALS, DIGESTS, KEPT)]
    paths = {Path(problem.path) for problem in damaged or found.failures}
    files = found.delete | {owners.get(path, path) for path in paths}
    return {file for file in files if file.is_file()}


def _check_files(chain: Chain, nodes: list[Node], found: Findings) -> None:
    """Check each file that a record lists, and note those that no record lists."""
    known = set(chain.paths)
    for node in bar(nodes, "files"):
        for file, digest in node.files.items():
            known.add(file)
            if reason := chain.lacks(file, node):
                found.note(file, f"{reason}; its record keeps its digest")
                continue
            wrong = damage(file, digest)
            found.check(DIGESTS, file, not wrong, wrong)
    for file in sorted(set(_recorded(chain)) - known):
        if file.is_relative_to(chain.root / layout.TABLES):
            found.check(DIGESTS, file, False, "no record lists this table")
        else:
            found.note(file, "no record lists this file")


def _recorded(chain: Chain) -> Iterator[Path]:
    """Yield every file of the results and of the downloads that must have a record."""
    folders = [chain.root]
    for downloads in chain.downloads:
        folders += [downloads / layout.RAW_DATA, downloads / Path(layout.BASE).parts[0]]
    for folder in folders:
        for file in folder.rglob("*"):
            hidden = file.name.startswith(".")
            unrecorded = file.suffix == BESIDE or UNRECORDED & set(file.relative_to(folder).parts)
            if not hidden and not unrecorded and file.is_file():
                yield file


def _check_links(chain: Chain, node: Node, found: Findings) -> None:
    """Check what a record was made from, and that the record of scores is of its own run."""
    for link in node.links:
        if not link.record:
            _check_unlisted(chain, node, link, found)
        elif chain.is_here(link.place):
            _check_link(chain, node, link, found)
        else:
            found.note(
                node.path, "an input is not checked: it comes from a folder that is not here"
            )
    if node.stage.startswith("evaluate_"):
        run = node.record.get("run", {}).get("run")
        same = run == "/".join(node.path.parts[-5:-1])
        found.check(LINKS, node.path, same, f"it is the record of another run: {run}")


def _check_link(chain: Chain, node: Node, link: Link, found: Findings) -> None:
    """Check that the record behind an input lists it, and says what it said when it was read."""
    source = chain.find(link.place)
    lists = source is not None and source.lists(link.digest)
    problem = f"its input {link.role} has sha256 {link.digest}; no record lists it for "
    problem += str(link.place)
    if found.check(LINKS, node.path, lists, problem):
        problem = f"made from {link.place} when that said something else than now: "
        problem += f"{link.record}, {source.digest}"
        if not found.check(LINKS, node.path, source.digest == link.record, problem):
            found.delete.add(link.place)  # either of the two may be the forged one


def _check_unlisted(chain: Chain, node: Node, link: Link, found: Findings) -> None:
    """Check an input that is in no record: it must be a file of the user's own."""
    file = link.place
    if file.is_relative_to(chain.root) or is_download(file):
        problem = f"keeps no digest of {file}, which its input {link.role} comes from"
        found.check(LINKS, node.path, False, problem)
    elif file.is_file():
        wrong = damage(file, link.digest)
        problem = f"made from other content of {file}, a file of your own: it is {wrong}"
        found.check(DIGESTS, node.path, not wrong, problem)
    else:
        found.note(file, "not checked: the user's own file is not here any more")


def _check_kept(chain: Chain, kept: Path, found: Findings) -> None:
    """Check the kept copy of a finished training: its files, and its record against the model's."""
    model = kept.parents[3]
    try:
        copy = chain.node(kept)
    except UNREADABLE as error:
        found.check(KEPT, kept, False, f"cannot be read: {error}")
        return
    for file, expected in copy.files.items():
        name = os.path.relpath(file, kept.parent)
        output = model / name
        # A hard link to the output is checked under that name.
        if not (file.exists() and output.exists() and file.samefile(output)):
            wrong = damage(file, expected)
            found.check(KEPT, kept, not wrong, f"{name} is {wrong}")
    node = chain.find(model / RECORD)
    if node is not None:
        found.check(KEPT, node.path, copy.digest == node.digest, f"says something else than {kept}")
