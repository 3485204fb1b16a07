"""Score a model on the STS tasks under every protocol: why is my number not the paper's?

FOLDER is a model of sentence-transformers or transformers, or a trained model of a run. One line of
the table is one protocol: a pooling (a star marks the folder's own), the form of the texts (as
SentEval has them, or raw: as released), and how the subsets of a task become one number: over all
pairs together, or the mean of the subsets, plain or weighted by size. The papers print the average of
seven tasks for `senteval`, `all` and Spearman.

Nothing is downloaded without --fetch: --data says where the data are, and tasks that are not there are
named. With --fetch the model may be one of the hub, as OWNER/NAME or OWNER/NAME@COMMIT: it and the data
are fetched into the folder of --data, pinned at first use as those of a run are. The commit is printed.

Exit status 0: there is a table. 2: the folder, the data or a file of pairs cannot be used; one line
says why.
"""

import argparse
import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from semblance import layout
from semblance.data.raw import Raw
from semblance.data.sts import OwnPairs, ScoredPair, own_pairs
from semblance.errors import InputError
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.files import write_text
from semblance.models.saved import SavedModel
from semblance.provenance import ROOT
from workflow.planning.data import ALL_TASKS, of_manifest, sts_tests
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status.started import read_start
from workflow.terminal import painter

if TYPE_CHECKING:
    from semblance.evaluation.protocols import Row, TextInput
    from semblance.models.found import FoundModel

DOWNLOADS = "resources"
MANIFEST = ROOT / "workflow" / "manifest.yaml"
DATASETS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")
ADVICE = "name by --data a folder of downloads, a mirror, or the output folder of a run"
TASKS = {"sickr": "sick"}  # tasks that have another name than their data set
METRICS = ("spearman", "pearson")


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance score", __doc__)
    flags.add_argument(
        "folder",
        metavar="FOLDER",
        help="the folder of a model; with --fetch also a name of the hub",
    )
    flags.add_argument("--fetch", action="store_true", help="fetch the model and the data first")
    flags.add_argument("--mirror", help="with --fetch: a folder or URL that has them")
    flags.add_argument(
        "--data",
        default=DOWNLOADS,
        help="a folder of downloads, a mirror, or the output folder of a run "
        f"(default: {DOWNLOADS})",
    )
    flags.add_argument("--tasks", nargs="+", metavar="TASK", help="these tasks alone, such as stsb")
    flags.add_argument(
        "--pairs",
        nargs="+",
        default=[],
        metavar="FILE",
        help="your own scored pairs (CSV, Excel, JSON lines), each file one more task",
    )
    flags.add_argument("--prompt", metavar="NAME", help="a prompt that the folder declares")
    flags.add_argument("--max-length", type=int, metavar="TOKENS", help="other than the folder's")
    flags.add_argument("--metric", choices=METRICS, default=METRICS[0], help="of the table shown")
    flags.add_argument(
        "--number", type=float, help="a printed average: show the protocols nearest to it"
    )
    flags.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all cores")
    flags.add_argument("--json", action="store_true", help="print every score as JSON")
    flags.add_argument("--csv", metavar="FILE", help="write every score to FILE, unrounded")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Find the data, score the model task by task, and print the table."""
    args = parser().parse_args(argv)
    if not 1 <= args.threads <= 1024:
        raise InputError("--threads", f"{args.threads} threads", "give a number from 1 to 1024")
    if args.fetch:
        args.folder = fetch_all(args)
    source = find_data(args.data)
    found = look_for(source, args.tasks, args.pairs)
    _show(args, _score_sets(args, found), found)


def fetch_all(args: argparse.Namespace) -> str:
    """Fetch the data of the tasks, and a model of the hub; return the folder of the model."""
    from semblance.fetch.datasets import fetch_dataset
    from semblance.fetch.hub import Repository, current_commit, fetch_repository

    downloads = Path(os.path.expanduser(args.data))
    folder = args.folder
    if not Path(os.path.expanduser(folder)).is_dir():
        if not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*(@[0-9a-f]{7,40})?", folder):
            raise InputError(folder, "no folder, and no name of the hub, such as OWNER/NAME")
        name, _, commit = folder.partition("@")
        repository = Repository(name, commit or current_commit(name))
        print(f"model: {repository.key}", file=sys.stderr)
        folder = str(downloads / "models" / repository.key.replace("/", "--"))
        fetch_repository(repository, folder, downloads / "models", args.mirror)
    manifest = load_manifest(MANIFEST)
    for task in args.tasks or DATASETS:
        if name := manifest.get(TASKS.get(task, task)):
            fetch_dataset(name, downloads / layout.RAW_DATA, args.mirror)
    return folder


@dataclass(frozen=True)
class Source:
    """Where data may lie: a manifest's data sets below a folder, and a user's own files by name."""

    manifest: Mapping[str, Dataset]
    folder: Path
    datasets: tuple[str, ...] = DATASETS
    own: Mapping[str, OwnPairs] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """The data sets and files of pairs that are there, and why each other data set is missing."""

    raw: Raw
    datasets: tuple[str, ...]
    own: dict[str, OwnPairs]
    missing: dict[str, str]

    def pairs(self) -> dict[str, list[ScoredPair]]:
        """Return the test pairs of each set with the texts as released, counted.

        What is recognised in a user's own file is printed.
        """
        from semblance.data.prepare_sts import released_pairs  # slow to import

        found = {name: released_pairs(self.raw, name) for name in self.datasets}
        return found | {name: own_pairs(self.raw, name, own) for name, own in self.own.items()}


def find_data(named: str) -> Source:
    """Return the data that ``--data`` names; InputError for a folder that is not there."""
    folder = Path(os.path.expanduser(named))
    if (folder / layout.CONFIG).is_file():
        return _of_run(folder)
    if (folder / layout.RAW_DATA).is_dir():
        folder = folder / layout.RAW_DATA
    return Source(load_manifest(MANIFEST), folder)


def _of_run(out: Path) -> Source:
    """Return the raw data that a run has downloaded, by its own manifest."""
    found = read_start(str(out))
    with contextlib.chdir(found.folder):  # from which the paths of its config count
        manifest = load_manifest(found.config.manifest)
        folder = Path(found.config.downloads, layout.RAW_DATA).absolute()
        tests = sts_tests(found.config)
        own = {
            name: OwnPairs(**{**pairs, "path": os.path.abspath(pairs["path"])})
            for name, pairs in tests.get("own", {}).items()
        }
    names = of_manifest(found.config, tests["datasets"])
    return Source(manifest, folder, tuple(names), own)


def look_for(source: Source, wanted: Sequence[str] | None, files: Sequence[str]) -> Found:
    """Return which of the wanted sets are there, and add files; InputError if none is left.

    Without ``wanted`` all sets of the source are.
    """
    datasets = []
    missing = {}
    own = {}
    for task in wanted or [*source.datasets, *source.own]:
        name = TASKS.get(task, task)
        if name in source.own:
            own[name] = source.own[name]
            continue
        if name not in source.manifest:
            known = ", ".join([*source.datasets, *source.own])
            raise InputError(f"--tasks {task}", "there is no such data set", f"known are {known}")
        paths = source.manifest[name].paths()
        absent = [path for path in paths if not (source.folder / path).is_file()]
        if absent:
            missing[name] = f"{source.folder / absent[0]} is not there"
        else:
            datasets.append(name)
    own |= _named_files(files, [*datasets, *own])
    if not datasets and not own:
        problem = f"none of the tasks is there: {', '.join(missing)}"
        raise InputError(source.folder, problem, ADVICE)
    return Found(Raw(source.manifest, source.folder), tuple(datasets), own, missing)


def _named_files(files: Sequence[str], taken: Sequence[str]) -> dict[str, OwnPairs]:
    """Return the files of pairs by the names of their tasks; InputError for one that is not there."""
    found: dict[str, OwnPairs] = {}
    for path in files:
        name = Path(path.removesuffix(".gz")).stem
        if not os.path.isfile(path):
            raise InputError(f"--pairs {path}", "no such file", "correct the path")
        if name in (*taken, *found, *ALL_TASKS):
            raise InputError(f"--pairs {path}", f"another task is called {name}", "rename the file")
        found[name] = OwnPairs("pairs", path)
    return found


def model_folder(named: str) -> Path:
    """Return the folder of a model: the one named, or of a trained model the one in it, checked."""
    folder = Path(os.path.expanduser(named))
    record = folder / layout.RECORD
    if record.is_file() and (folder / "model").is_dir():
        return SavedModel.read(record).folder
    return folder


class Scored(NamedTuple):
    """The scores of all tasks and their averages, the tasks, the model, and how texts were read."""

    rows: "list[Row]"
    tasks: list[str]
    model: "FoundModel"
    how: "TextInput"


def _score_sets(args: argparse.Namespace, found: Found) -> Scored:
    """Score the model on each set; write the CSV, if it is asked for."""
    import torch

    from semblance.evaluation import protocols
    from semblance.models.compute import set_up
    from semblance.models.found import read_found

    model = read_found(model_folder(args.folder))
    length = protocols.check_length(args.max_length or model.max_length)
    how = protocols.TextInput(model.find_prompt(args.prompt), length)
    sets = found.pairs()
    device = set_up(args.threads, int(torch.cuda.is_available()), "highest")
    pooled = protocols.EveryPooling(model, device)
    rows = []
    for name, pairs in sets.items():
        started = time.monotonic()
        rows += protocols.score_task(pooled, pairs, how)
        seconds = time.monotonic() - started
        print(f"{name}: {len(pairs):,} pairs, {seconds:.0f} s", file=sys.stderr)
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    rows = [*rows, *protocols.averages(rows)]
    if args.csv:
        write_text(Path(args.csv), protocols.scores_csv(rows))
    return Scored(rows, tasks, model, how)


def _show(args: argparse.Namespace, scored: Scored, found: Found) -> None:
    """Print all as JSON; or the table, what is missing and the protocols nearest to a number."""
    from semblance.evaluation import protocols

    rows, tasks, model, how = scored
    if args.json:
        read = {"prompt": how.prompt, "max_length": how.max_length, "data": str(found.raw.folder)}
        whole = protocols.as_object(model, read, found.missing, rows)
        print(json.dumps(whole, ensure_ascii=False))
        return
    paint = painter(sys.stdout)
    print(protocols.headline(model, how.prompt, how.max_length))
    of_metric = [row for row in rows if row["metric"] == args.metric]
    print(protocols.table_text(of_metric, tasks, lambda line: paint(line, "bold")))
    for name, why in found.missing.items():
        print(f"missing: {name}: {why}")
    if args.number is not None:
        task = protocols.AVERAGE if len(tasks) > 1 else tasks[0]
        near = protocols.nearest(rows, args.number, task)
        print(protocols.nearest_text(near, args.number))


if __name__ == "__main__":
    run(main)
