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
import importlib
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from semblance import layout
from semblance.data.raw import Raw
from semblance.data.sts import ScoredPair
from semblance.errors import InputError, one_of
from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.models.saved import SavedModel
from semblance.named_modules import OWN_PAIRS
from semblance.provenance import ROOT, canonical
from workflow.config.methods import ALL_TASKS
from workflow.run.started import read_start
from workflow.scripts import cli
from workflow.terminal import painter

DOWNLOADS = "resources"
MANIFEST = ROOT / "workflow" / "manifest.yaml"
DATASETS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")
ADVICE = "name by --data a folder of downloads, a mirror, or the output folder of a run"
TASKS = {"sickr": "sick"}  # tasks that have another name than their data set


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
    flags.add_argument(
        "--number", type=float, help="a printed average: show the protocols nearest to it"
    )
    flags.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all cores")
    flags.add_argument("--csv", metavar="FILE", help="write every score to FILE, unrounded")
    cli.add_json(flags)
    return flags


def main(argv: list[str]) -> None:
    """Find the data, score the model task by task, and print the table."""
    args = parser().parse_args(argv)
    if not 1 <= args.threads <= 1024:
        raise InputError("--threads", f"{args.threads} threads", "give a number from 1 to 1024")
    if args.fetch:
        args.folder = fetch_all(args)
    score(args, *read_sets(args, *find_data(args.data)))


def fetch_all(args: argparse.Namespace) -> str:
    """Fetch the data of the tasks, and a model of the hub; return the folder of the model."""
    from semblance.fetch.hub import Repository, current_commit, fetch_repository
    from semblance.fetch.raw import fetch_dataset

    downloads = Path(os.path.expanduser(args.data))
    folder = args.folder
    if not Path(os.path.expanduser(folder)).is_dir():
        if not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*(@[0-9a-f]{7,40})?", folder):
            raise InputError(folder, "no folder, and no name of the hub, such as OWNER/NAME")
        name, _, commit = folder.partition("@")
        repository = Repository(name, commit or current_commit(name))
        print(f"model: {repository}", file=sys.stderr)
        folder = str(downloads / "models" / str(repository).replace("/", "--"))
        fetch_repository(repository, folder, args.mirror)
    manifest = load_manifest(MANIFEST)
    for task in args.tasks or DATASETS:
        if name := manifest.get(TASKS.get(task, task)):
            fetch_dataset(name, downloads / layout.RAW_DATA, args.mirror)
    return folder


def find_data(named: str) -> tuple[Raw, Sequence[str]]:
    """Return the raw files that may lie where ``--data`` says, and the names of their test sets."""
    folder = Path(os.path.expanduser(named))
    if (folder / layout.CONFIG).is_file():  # of a run, which has its own manifest
        started = read_start(str(folder))
        with contextlib.chdir(started.folder):  # from which the paths of its config count
            downloads = Path(started.config.downloads, layout.RAW_DATA).absolute()
            manifest = load_manifest(started.config.manifest)
        return Raw(manifest, downloads), started.config.sts.datasets
    if (folder / layout.RAW_DATA).is_dir():
        folder = folder / layout.RAW_DATA
    return Raw(load_manifest(MANIFEST), folder), DATASETS


def read_sets(
    args: argparse.Namespace, raw: Raw, datasets: Sequence[str]
) -> tuple[dict[str, list[ScoredPair]], dict[str, str]]:
    """Return the pairs of the wanted sets, texts as released, and why other sets are missing.

    Without ``--tasks`` all sets of the data are wanted. Raises InputError if none is there.
    """
    from semblance.data.prepare_sts import released_pairs  # slow to import

    sets: dict[str, list[ScoredPair]] = {}
    missing = {}
    for task in args.tasks or datasets:
        name = one_of(TASKS.get(task, task), "data set", raw.datasets)
        paths = [raw.folder / path for path in raw.datasets[name].paths()]
        absent = [path for path in paths if not path.is_file()]
        if absent:
            missing[name] = f"{absent[0]} is not there"
        else:
            sets[name] = released_pairs(raw, name)
    for path in args.pairs:
        names = Path(path.removesuffix(".gz")).stem, os.path.basename(path)
        if not os.path.isfile(path):
            raise InputError(f"--pairs {path}", "no such file", "correct the path")
        free = [name for name in names if name not in (*sets, *ALL_TASKS)]
        if not free:
            problem = f"another task is called {names[0]}, and one {names[1]}"
            raise InputError(f"--pairs {path}", problem, "rename the file")
        name = free[0]
        # A part of the application, which the reproduction does not import.
        sets[name], reading = importlib.import_module(OWN_PAIRS).read_own_pairs(path, name)
        print(*reading.lines, sep="\n", file=sys.stderr)
    if not sets:
        problem = f"none of the tasks is there: {', '.join(missing)}"
        raise InputError(raw.folder, problem, ADVICE)
    return sets, missing


def find_model(named: str) -> Path | SavedModel:
    """Return the folder that is named, or the model of a run in it, checked against its record."""
    folder = Path(os.path.expanduser(named))
    record = folder / layout.RECORD
    if record.is_file() and (folder / "model").is_dir():
        return SavedModel.read(record)
    return folder


def score(
    args: argparse.Namespace, sets: Mapping[str, list[ScoredPair]], missing: Mapping[str, str]
) -> None:
    """Score the model; print the table, and the protocols nearest to a number."""
    import torch  # slow to import, as what follows

    from semblance.evaluation import protocols
    from semblance.models.compute import set_up
    from semblance.models.found import read_found

    model = read_found(find_model(args.folder))
    how = protocols.TextInput(model.find_prompt(args.prompt), args.max_length or model.max_length)
    if how.max_length < 3:
        advice = "give at least 3: [CLS], a word, [SEP]"
        raise InputError("--max-length", f"{how.max_length} tokens", advice)
    device = set_up(args.threads, int(torch.cuda.is_available()), "auto")
    pooled = protocols.EveryPooling(model, device)
    rows = []
    for name, pairs in sets.items():
        started = time.monotonic()
        rows += protocols.score_task(pooled, pairs, how)
        seconds = time.monotonic() - started
        print(f"{name}: {len(pairs):,} pairs, {seconds:.0f} s", file=sys.stderr)
    scores = protocols.with_averages(rows)
    if args.csv:
        write_text(Path(args.csv), protocols.scores_csv(scores))
    if args.json:
        records = scores.astype(object).where(scores.notna(), None).to_dict("records")
        said = {"model": protocols.headline(model, how), "missing": missing}
        print(canonical(said | {"scores": records}))
        return
    paint = painter(sys.stdout)
    print(protocols.headline(model, how))
    if pooled.unread:
        print(pooled.unread)
    print(protocols.table_text(scores, lambda line: paint(line, "bold")))
    for name, why in missing.items():
        print(f"missing: {name}: {why}")
    if args.number is not None:
        print(protocols.nearest_text(scores, args.number))
