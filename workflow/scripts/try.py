"""Try a loss of your own beside a method: KEEP, SMALL, DISCARD or OPEN, with one error budget for all tries.

The file has one function, loss(batch), whose further parameters are options with defaults, as
CONTRIBUTING.md says. It is called once on random vectors before anything else starts. Everything
else of the training is that of the method of --against, with the same seeds. The name of a method of
the config in place of a file tries that method as it is, with its views, dropout and teachers. Both
are judged on development data alone: STS-B dev, and what SICK and STS-B have to train on, without the
pairs of the test sets. --open opens these, once, for a loss that was kept.

Each look is a line of the user's ledger (--ledger; OUTPUT/tries.jsonl is a copy). All tries of a
control share one error budget of 5 %, whatever its name and their folder, and each may be looked at
after any number of seeds (docs/statistics.md): the same command with more --seeds goes on from those
that are there.

Without a GPU and without a CONFIG, configs/minilm.yaml and configs/minilm-cpu.yaml are taken: short
trainings of the first three layers of a small encoder.

Exit status 0: the trainings are done, whatever they show. 2: the loss, a config or the ledger cannot
be used; one line says why.
"""

import argparse
import contextlib
import dataclasses
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from semblance import layout
from semblance.code_digest import code_digest
from semblance.counts import counted
from semblance.data.corpus import Rows
from semblance.errors import InputError
from semblance.files import write_text
from semblance.gpus import visible_gpus
from semblance.locks import exclusive, name_for
from semblance.named_modules import OWN_LOSS, VIEWS, load_module
from semblance.provenance import ROOT, canonical, read_text, text_digest
from semblance.reporting.layouts import AVERAGE
from semblance.reporting.ledger import Ledger, Look, default_place, said
from semblance.strict_yaml import as_yaml
from workflow.config.layers import found, over_project
from workflow.config.signatures import check_own_loss
from workflow.planning import modules
from workflow.planning.plan import Plan
from workflow.planning.reads import Job
from workflow.planning.stages import (
    STAGES,
    inputs,
    makers,
    record,
    stages,
    training_settings,
    wanted_by,
)
from workflow.run.costs import Cost, estimates, to_do, wall_time
from workflow.scripts import cli

TABLE = "try"
HEADER = "# Written by: semblance try. The next try in this folder writes it anew.\n"
LEDGER = "tries.jsonl"
WITHOUT_GPU = ("configs/minilm.yaml", "configs/minilm-cpu.yaml")
BASE = "bert-base"  # or what the config has instead of it, as for a corpus
CORPORA = {False: "wiki1m", True: "nli"}  # by whether rows are pairs
SEEDS = range(2, 31)  # of one try; statistics.tries foresees no more


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance try", __doc__)
    flags.add_argument("loss", metavar="LOSS.py|METHOD", help="your loss, or a method")
    cli.add_configs(flags)
    flags.add_argument("--against", default="simcse", metavar="METHOD", help="default: simcse")
    flags.add_argument("--seeds", type=int, default=5, metavar="N", help="of each; default: 5")
    flags.add_argument("--open", action="store_true", help="open the test sets for a kept loss")
    add_run(flags, "default: try-METHOD, for all tries of a method")
    return flags


def add_run(flags: argparse.ArgumentParser, output: str) -> None:
    """Let a command train both sides, and write what they show into the ledger."""
    flags.add_argument("--budget", metavar="12h", type=_hours, help="stop if it would take longer")
    flags.add_argument("--mirror", help="a folder or URL that has the raw data")
    flags.add_argument("--ledger", metavar="FILE", help="default: that of all tries of yours")
    flags.add_argument("--output", help=output)
    flags.add_argument("--json", action="store_true", help="print the line of the ledger")
    cli.add_cores(flags)


def _hours(text: str) -> float:
    if not re.fullmatch(r"\d{1,5}(\.\d+)?h", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hours, such as 12h")
    return float(text[:-1])


@dataclass(frozen=True)
class Try:
    """A loss beside its control in one setting."""

    loss: str
    method: str  # its name in the config; that of a file differs after each edit
    control: str
    corpus: str
    base: str
    output: str
    layers: list[str]  # the config files, its own among them
    own: dict[str, Any]  # what the config says of a loss of one's own

    def trainings(self, seed: int) -> list[Job]:
        """Return the trainings of a seed: of the loss, and of its control."""
        names = (self.method, self.control)
        return [Job("train", self.corpus, self.base, name, seed) for name in names]

    def digest(self, plan: Plan) -> str:
        """Return the digest of what decides the scores of a seed, on both sides."""
        sides = [side for job in self.trainings(1) for side in self._sides(plan, job)]
        how = plan.config.evaluate_sts
        scoring = [how.precision, how.matmul, code_digest("semblance.evaluation.development")]
        return text_digest(canonical([self.corpus, self.base, *scoring, *sides]))

    def budget(self, plan: Plan) -> str:
        """Return the digest of the control's settings, which have one error budget under any code."""
        control = self.trainings(1)[1]
        sides = self._sides(plan, control, with_code=False)
        return text_digest(canonical([self.corpus, self.base, *sides]))

    def _sides(self, plan: Plan, job: Job, with_code: bool = True) -> Iterator[str]:
        """Yield what decides the output of a job, and of each job that it reads from."""
        config = plan.config
        yield job.stage
        if job.stage in stages("train"):
            settings = training_settings(plan, job)
            if with_code:
                code = modules.of_training(config, job.base, settings)
                yield code_digest(f"workflow.scripts.{job.stage}", *code)
            yield settings.replace(self.output, "")  # where the copy of a loss lies
        elif job.stage == "embed":
            yield f"{plan.embedded_length(*job[1:4])} {config.embed!r}"
        elif job.stage == "download_model":
            yield plan.base_settings(job.base)
        elif job.corpus in config.corpora:
            yield repr(config.corpora[job.corpus])
        for read in inputs(plan, job):
            yield from self._sides(plan, read, with_code)


def main(argv: list[str] | None = None) -> None:
    """Check the loss, say the price, train what is missing, look, and print what is shown."""
    args = parser().parse_args(argv)
    if args.seeds not in SEEDS:
        raise InputError("--seeds", f"{args.seeds} is not from {SEEDS[0]} to {SEEDS[-1]}")
    with contextlib.ExitStack() as held:
        _try(prepare(args, held), args)


def _try(one: Try, args: argparse.Namespace) -> None:
    cost = estimates(one.layers)
    place = ledger_of(args)
    budget, digest = one.budget(cost.plan), one.digest(cost.plan)
    first = Look(now(), one.loss, digest, one.control, {}, {}, budget=budget)
    earlier = Ledger(place).tries(budget).get(digest, first)
    look = (opened if args.open else looked)(one, cost, earlier, args)
    show(look if look == earlier else written(look, one, place), args)


def ledger_of(args: argparse.Namespace) -> Path:
    """Return the place of the ledger."""
    return Path(args.ledger) if args.ledger else default_place()


def written(look: Look, one: Try, place: Path) -> Look:
    """Judge a look and write it into the ledger, of which the folder of the try gets a copy."""
    with exclusive(place.parent, name_for(place), wait=True):
        look = Ledger(place).add(look)  # read anew: another try may have been written meanwhile
        write_text(Path(one.output, LEDGER), read_text(place))
    return look


def show(look: Look, args: argparse.Namespace) -> None:
    """Print what a look shows."""
    if args.json:
        print(canonical(dataclasses.asdict(look)))
        return
    place = ledger_of(args)
    tried = counted(
        len({each.budget for each in Ledger(place).looks}), "control was", "controls were"
    )
    print(*said(look), f"look {look.number} of {place}, where {tried} tried", sep="\n")


# --- before anything is trained ----------------------------------------------------------------


def prepare(args: argparse.Namespace, held: contextlib.ExitStack) -> Try:
    """Check the loss and what it is compared with; write its copy and the config of the run.

    The config is that of one try at a time: Snakemake reads it. Raises Busy during another one.
    """
    layers = [found(path) for path in args.config]
    if not layers and not visible_gpus():
        layers = [str(ROOT / path) for path in WITHOUT_GPU]
    config = over_project(layers)
    methods = {
        name: method
        for name, method in config["methods"].items()
        if isinstance(method, dict) and str(method.get("recipe")) in config["recipes"]
    }
    if args.against not in methods or methods[args.against].get("regulators"):
        problem = f"{args.against!r:.80} is no method that is trained here without teachers"
        raise InputError("--against", problem)
    if args.loss == args.against:
        raise InputError(args.loss, "is what it would be compared with", "name it by --against")
    control = methods[args.against]
    recipe = config["recipes"][control["recipe"]]
    pairs = control.get("views", recipe["views"]) == "rows"
    output = (args.output or f"{TABLE}-{args.against}").rstrip("/")
    path = Path(f"{output}.yaml")
    if path.exists() and not read_text(path).startswith(HEADER):
        raise InputError(path, "is there already, and no config of try", "choose another --output")
    base, corpus = (config.get("instead", {}).get(name, name) for name in (BASE, CORPORA[pairs]))
    label, ours = args.loss, {}
    if args.loss not in methods:
        label = Path(args.loss).stem
        ours = own_method(Path(args.loss), output, recipe, control)
    method = next(iter(ours), args.loss)
    held.enter_context(exclusive(output, name_for(LEDGER)))
    row = {"corpora": [corpus], "bases": [base], "methods": ["start", args.against, method]}
    title = f"{label} and {args.against}"
    table = {"title": title, "layout": "sts", "seeds": TABLE, "control": args.against}
    layer = {
        "output": output,
        **({"mirror": args.mirror} if args.mirror else {}),
        "papers": [],
        "keep": {"models": "all"},  # the next try scores the control again
        "seeds": {TABLE: list(range(1, args.seeds + 1))},
        "methods": ours,
        "tables": {TABLE: table | {"rows": [row]}},
    }
    write_text(path, HEADER + as_yaml(layer))
    own = ours.get(method, {})
    return Try(label, method, args.against, corpus, base, output, [*layers, str(path)], own)


def own_method(
    file: Path, output: str, recipe: dict[str, Any], control: dict[str, Any]
) -> dict[str, Any]:
    """Return the method of a loss of one's own, by its name: the control but for a copy of the loss."""
    given = {**recipe.get("options", {}), **control.get("options", {})}
    options = check_own_loss(file, given, vectors_of_a_row(recipe | control))
    method = f"{file.stem}-{code_digest(str(file))[:8]}"
    copy = f"{output}/losses/{method}.py"
    write_text(copy, read_text(file))
    own = {"label": file.stem, "loss": OWN_LOSS, "options": {"file": copy, "options": options}}
    return {method: control | own}


def vectors_of_a_row(training: dict[str, Any]) -> int:
    """Return how many vectors of a row a training gives its loss: two, or three."""
    view = load_module(VIEWS, training["views"], "views").view
    row = view(Rows(*np.zeros((3, 1), int)), 1)
    return len(row.views()) if training.get("hard_negatives", True) else 2


# --- the run -----------------------------------------------------------------------------------


def looked(one: Try, cost: Cost, earlier: Look, args: argparse.Namespace) -> Look:
    """Train the seeds that a look lacks, and score both sides on development data."""
    wanted = range(1, args.seeds + 1)
    missing = [seed for seed in wanted if str(seed) not in earlier.scores]
    if not missing:
        return earlier
    trainings = [job for seed in missing for job in one.trainings(seed)]
    data = [Job("download", name=name) for name in ("stsb", "sick")]
    cost.targets = [*trainings, *data, Job("prepare_sts")]
    make(one, cost, args)
    records = [record(cost.plan, job) for job in trainings]
    scores, drawn, pairs = scored(cost, records, cores_of(args))
    names = [str(seed) for seed in missing]
    setting = {"corpus": one.corpus, "base": one.base}
    return dataclasses.replace(
        earlier,
        time=now(),
        settings=setting | {"method": one.method, "own": one.own, "pairs": pairs},
        scores=earlier.scores | dict(zip(names, scores, strict=True)),
        drawn=earlier.drawn | dict(zip(names, drawn, strict=True)),
    )


def scored(
    cost: Cost, records: list[str], cores: int
) -> tuple[list[tuple[float, float]], list[list[float]], dict[str, list[int]]]:
    """Return the scores of each two models on development pairs, and their difference on resampled ones.

    The last is how many pairs each part has, of all. As many models are read at a time as the cores
    allow: each has as many threads as in an evaluation, so that its bits are the same.
    """
    from semblance.data.raw import Raw  # slow to import, as what follows
    from semblance.evaluation import development
    from semblance.fetch.manifest import load_manifest
    from semblance.models.compute import set_up

    raw = Raw(load_manifest(cost.config.manifest), Path(cost.plan.downloads, layout.RAW_DATA))
    parts, sizes = development.read_development(raw, Path(cost.plan.out, layout.STS_TEST))
    how = cost.config.evaluate_sts
    device = set_up(how.threads, cost.config.resources.gpus, how.matmul)
    with ThreadPoolExecutor(max(1, cores // how.threads) if device == "cpu" else 1) as pool:
        read = partial(development.score, parts=parts, device=device, precision=how.precision)
        values, cosines = zip(*pool.map(read, records), strict=True)
        gain = partial(development.resampled_gain, parts)
        gains = list(pool.map(gain, cosines[::2], cosines[1::2]))
    scores = list(zip(values[::2], values[1::2], strict=True))
    drawn = [[round(each, 4) for each in gains_of.tolist()] for gains_of in gains]
    return scores, drawn, {name: [len(part), sizes[name]] for name, part in parts.items()}


def opened(one: Try, cost: Cost, earlier: Look, args: argparse.Namespace) -> Look:
    """Score both sides of a kept loss on the test sets, unless that was done before."""
    from semblance.reporting.table import read_tables  # slow to import

    if earlier.verdict.get("word") != "KEEP":
        raise InputError("--open", "this loss is not kept", "the test sets open for one that is")
    if earlier.opened:
        return earlier
    if args.seeds != (kept := len(earlier.scores)):
        raise InputError("--seeds", f"the loss was kept with {kept} seeds", f"give --seeds {kept}")
    cost.targets = makers(cost.plan, [TABLE])
    make(one, cost, args)
    table = read_tables([layout.place(one.output, layout.TABLE_JSON, table=TABLE)])[0]
    cell = table.rows[-1].cells[AVERAGE]
    shown = {name: getattr(cell.contrast, name) for name in ("difference", "low", "high")}
    shown["seeds"] = len(cell.values)
    return dataclasses.replace(earlier, time=now(), opened=shown)


def make(one: Try, cost: Cost, args: argparse.Namespace) -> None:
    """Say the price of the targets and make them, the first one first."""
    from workflow.run import command  # it loads snakemake

    left = to_do(cost)
    ask_for_data(cost, left)
    gpus = cost.config.resources.gpus
    cores = cores_of(args)
    hours = cost.total_hours(left, cost.device) / (gpus or cores)
    time = wall_time(3600 * hours, gpus or cores, "GPU" if gpus else "core")
    price = f"to do: {len(left)} jobs: {time}; {cost.price(left)}"
    print(price, file=sys.stderr, flush=True)
    if args.budget is not None and hours > args.budget:
        problem = f"{hours:.1f} h are more than {args.budget:g} h"
        raise InputError("--budget", problem, "fewer --seeds")
    targets = [record(cost.plan, job) for job in cost.targets]
    start = ["--configfile", *one.layers, "--snakefile", str(ROOT / "Snakefile")]
    # Snakemake's other scheduler finds no solution with its highest priority, and warns.
    flags = ["--scheduler", "greedy", "--prioritize", targets[0], "--cores", args.cores]
    if status := command.run([*start, *flags, *targets]):
        sys.exit(status)


def cores_of(args: argparse.Namespace) -> int:
    """Return how many cores the command line allows."""
    return len(os.sched_getaffinity(0)) if args.cores == "all" else int(args.cores)


def ask_for_data(cost: Cost, left: list[Job]) -> None:
    """Raise InputError where a file is nowhere to be had: no price is worth a look without it."""
    needed = [job for job in left if STAGES[job.stage].work == "download"]
    if not needed:
        return
    from semblance.fetch import sources  # slow to import, and needed by a first try alone
    from semblance.fetch.manifest import load_manifest

    asked = sources.questions(wanted_by(cost.plan, needed), load_manifest(cost.config.manifest))
    if gone := sources.missing(sources.ask_all(asked)):
        names = ", ".join(dict.fromkeys(each.source for each in gone))
        problem = f"{len(gone)} of {counted(len(asked), 'file')} cannot be had here: {names}"
        raise InputError("--mirror", problem, "name a folder or URL that has them")


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
