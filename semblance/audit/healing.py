"""Problems grouped under their causes, and the commands that mend these.

A damaged or missing file makes many other checks fail: of what was made from it, nothing can be
recomputed. These follow from the damage, and go when it goes.
"""

import os
import shlex
import sys
from collections import defaultdict
from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.audit.findings import DIGESTS, SEALS, Cure, Findings, Problem, RootCause
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.provenance import read_object

OF_FILES = (DIGESTS, SEALS)  # kinds of problems of a file itself, which follow from no other


class Healing:
    """The problems of a verification, their causes and their cures."""

    def __init__(self, chain: Chain, found: Findings):
        self.chain = chain
        self.found = found
        self._known = set(chain.paths)
        self._upstream: dict[Path, frozenset[Path]] = {}
        of_files = [problem for problem in found.failures if problem.kind in OF_FILES]
        self._damaged = {self._record(problem) for problem in of_files}

    def causes(self) -> list[RootCause]:
        """Return the problems in groups, one for each record that a cause lies in."""
        problems: dict[Path, list[Problem]] = defaultdict(list)
        consequences: dict[Path, list[Problem]] = defaultdict(list)
        for problem in self.found.failures:
            record = self._record(problem)
            blamed = self._damaged & {record, *self._made_from(record)}
            if problem.kind in OF_FILES or not blamed:
                problems[record].append(problem)
            else:
                consequences[min(blamed)].append(problem)
        return [RootCause(own, consequences[record]) for record, own in problems.items()]

    def _record(self, problem: Problem) -> Path:
        """Return the record of the stage that wrote the path of a problem, or else the path."""
        path = Path(problem.path)
        if path in self.chain.owners:
            return self.chain.owners[path]
        if path.name != RECORD and (path / RECORD).exists():
            return path / RECORD
        return path

    def _made_from(self, record: Path) -> frozenset[Path]:
        """Return every record that a record was made from, directly or not."""
        if record not in self._known:
            return frozenset()
        if record not in self._upstream:
            self._upstream[record] = frozenset()  # a forged record may name itself
            sources = self.chain.sources(record)
            further = [self._made_from(source) for source in sources]
            self._upstream[record] = frozenset(sources).union(*further)
        return self._upstream[record]

    def advice(self, causes: list[RootCause]) -> list[str]:
        """Return the lines that tell how to mend the causes; none if there is no cause."""
        cures = [self._cure(problem) for cause in causes for problem in cause.problems]
        remake = sorted({path for cure in cures for path in cure.remake})
        remove = sorted({path for cure in cures for path in cure.remove})
        lines = _Commands(self.chain).lines(remake, remove, any(cure.rerun for cure in cures))
        if not lines:
            return []
        return ["To mend this:", *(f"    {line}" for line in lines), "Then verify again."]

    def _cure(self, problem: Problem) -> Cure:
        if problem.cure:
            return problem.cure
        record = self._record(problem)
        if record.name == layout.DIGEST_LOCK:
            return Cure(remove=(record,))
        return Cure(remake=(record,))


class _Commands:
    """The commands of a shell that run stages again, as the run that made the results was run."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.note = self._read_note()

    def _read_note(self) -> dict:
        """Return how the run was started; nothing if that is not known, or was another folder."""
        try:
            note = read_object(layout.place(self.chain.root, layout.COMMAND))
            here = Path(note["folder"], note["output"])
        except (InputError, OSError, LookupError, TypeError):
            return {}
        if Path(os.path.abspath(here)) != self.chain.root:
            return {}
        return note

    def lines(self, remake: list[Path], remove: list[Path], rerun: bool) -> list[str]:
        """Return the commands that remove files and run the stages of records again."""
        targets = [self._spelt(path) for path in remake]
        commands = []
        if remake or remove:
            commands.append(shlex.join(["rm", "-rf", *targets, *map(self._spelt, remove)]))
        if remake:
            commands.append(f"{self._snakemake()} {shlex.join(targets)}")
        if rerun:
            commands.append(self._snakemake())
        if commands and self.note:
            commands.insert(0, shlex.join(["cd", self.note["folder"]]))
        return commands

    def _snakemake(self) -> str:
        if not self.note:
            return "snakemake --cores all [--configfile FILES of the run]"
        # In the end `--` keeps the targets apart from the files of --configfile.
        options = [*self.note["options"], "--cores", "all"]
        return shlex.join([sys.executable, "-m", "snakemake", *options])

    def _spelt(self, path: Path) -> str:
        """Return a path as the rules spell it: below the folders that the config names."""
        for name, folder in self._folders():
            if path.is_relative_to(folder):
                return os.path.join(name, path.relative_to(folder))
        return str(path)

    def _folders(self) -> list[tuple[str, Path]]:
        if not self.note:
            return [(os.path.relpath(self.chain.root), self.chain.root)]
        names = [self.note["output"], self.note["downloads"]]
        return [(name, Path(os.path.abspath(Path(self.note["folder"], name)))) for name in names]
