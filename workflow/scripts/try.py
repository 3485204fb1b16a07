"""Try a loss of your own beside a method: the same seeds of both, one table, one line that answers.

The file has one function, loss(batch, *, options), as CONTRIBUTING.md says. It becomes a module of
semblance/training/losses, by a link, so that its code counts in what is made again. Everything else
of the training is that of the method of --against. The config of the run is OUTPUT.yaml.

Without a GPU and without a CONFIG, configs/minilm.yaml and configs/minilm-cpu.yaml are taken: short
trainings of the first three layers of a small encoder.

With --until-decided seeds are added until the interval excludes 0 or lies within the margin. It is
then one that may be looked at after each seed (docs/statistics.md), and wider than that of the t-test.

Exit status 0: the trainings are done, whatever they show. 2: the loss or a config is malformed.
"""

import argparse
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from semblance import layout
from semblance.counts import interval, rounded, signed
from semblance.errors import InputError
from semblance.files import write_text
from semblance.gpus import visible_gpus
from semblance.named_modules import LOSSES, folder_of
from semblance.provenance import ROOT, read_text
from semblance.reporting.latex import escape, latex
from semblance.reporting.table import Table, read_tables
from semblance.statistics.significance import LEVEL, interval_at_any_time, paired
from semblance.statistics.verdicts import ALONE
from semblance.strict_yaml import as_yaml
from workflow.costing.model import estimates, to_do, wall_time
from workflow.planning.layers import found, over_project
from workflow.planning.signatures import loss_options, required_signature
from workflow.scripts import cli, endings

TABLE = "try"
HEADER = "# Written by: semblance try. The next try of this name writes it anew.\n"
AVERAGE = "Average"
WITHOUT_GPU = ("configs/minilm.yaml", "configs/minilm-cpu.yaml")
BASES = ("minilm-3", "bert-base")  # the first that the config has
CORPORA = {False: ("wiki", "wiki1m"), True: ("nli",)}  # by whether rows are pairs
MOST_SEEDS = 30
NAME = re.compile("[a-z][a-z0-9_]*")


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance try", __doc__)
    flags.add_argument("loss", metavar="LOSS.py", help="your loss")
    cli.add_configs(flags)
    flags.add_argument("--against", default="simcse", metavar="METHOD", help="default: simcse")
    flags.add_argument("--seeds", type=int, default=5, metavar="N", help="of each; default: 5")
    flags.add_argument("--until-decided", action="store_true", help="add seeds, 30 at most")
    flags.add_argument("--budget", metavar="12h", type=_hours, help="stop if it would take longer")
    flags.add_argument("--base", help=f"default: {' or '.join(BASES)}")
    flags.add_argument("--corpus", help="default: wiki, wiki1m or nli, as the method needs")
    flags.add_argument("--mirror", help="a folder or URL that has the raw data")
    flags.add_argument("--output", help="default: try-NAME")
    cli.add_cores(flags)
    return flags


def _hours(text: str) -> float:
    if not re.fullmatch(r"\d{1,5}(\.\d+)?h", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hours, such as 12h")
    return float(text[:-1])


def main(argv: list[str] | None = None) -> None:
    """Link the loss, write the config, say its price, run it, and print what was found."""
    args = parser().parse_args(argv)
    if not 2 <= args.seeds <= MOST_SEEDS:
        raise InputError("--seeds", f"{args.seeds} is not from 2 to {MOST_SEEDS}")
    if not ROOT.joinpath("tests").is_dir():
        problem = "this package is installed, and a loss becomes a part of its code"
        raise InputError("semblance try", problem, "use a checkout of the project")
    layers = [found(path) for path in args.config]
    if not layers and not visible_gpus():
        layers = [str(ROOT / path) for path in WITHOUT_GPU]
    name = check_loss(Path(args.loss))
    control_of(name, args.against, over_project(layers))
    output = args.output or f"{TABLE}-{name}"
    config = Path(f"{output.rstrip('/')}.yaml")
    if config.exists() and not read_text(config).startswith(HEADER):
        raise InputError(
            config, "is there already, and no config of try", "choose another --output"
        )
    link_loss(Path(args.loss))
    seeds = args.seeds
    while True:
        write_text(config, HEADER + as_yaml(config_of(name, layers, output, seeds, args)))
        table = run([*layers, str(config)], output, args)
        answer = answer_of(table, args.until_decided)
        if not args.until_decided or answer.is_decided or seeds >= MOST_SEEDS:
            break
        print(f"{answer.line()}; one more seed", flush=True)
        seeds += 1
    print(answer.line())
    row = escape(name)
    print(next(line for line in latex(table).splitlines() if line.strip().startswith(f"{row} &")))
    print(f"the table: {output}/tables/{TABLE}.md")


def check_loss(file: Path) -> str:
    """Return the name of a user's loss; InputError for a file that is none."""
    name = file.stem
    if file.suffix != ".py" or not NAME.fullmatch(name):
        raise InputError(file, "is no NAME.py", "name it by small letters, digits and _")
    if not file.is_file():
        raise InputError(file, "no such file")
    if "regulators" in required_signature(file, "loss").parameters:
        advice = "write a config with its teachers, as configs/family.yaml does"
        raise InputError(file, "reads the vectors of other models", advice)
    place = folder_of(LOSSES) / file.name
    if place.exists() and not place.samefile(file):
        raise InputError(file, f"{place} is another loss of this name", "rename yours")
    return name


def link_loss(file: Path) -> None:
    """Link a user's file into the losses, if it is not there."""
    place = folder_of(LOSSES) / file.name
    if not place.exists():
        place.unlink(missing_ok=True)  # a link to a file that is gone
        place.symlink_to(file.resolve())


def control_of(name: str, against: str, known: dict[str, Any]) -> dict[str, Any]:
    """Return the method of ``--against``; InputError for one with which no loss can be compared."""
    control = known["methods"].get(against)
    if not isinstance(control, dict) or "recipe" not in control:
        raise InputError("--against", f"{against!r:.80} is no method with a training here")
    if control.get("regulators"):
        raise InputError("--against", f"{against!r:.80} reads the vectors of other models")
    if name in known["methods"]:
        raise InputError(f"{name}.py", "a method has this name", "rename your loss")
    return control


def config_of(
    name: str, layers: list[str], output: str, seeds: int, args: argparse.Namespace
) -> dict[str, Any]:
    """Return the config to lay over the others: the method, its control, their table."""
    known = over_project(layers)
    control = control_of(name, args.against, known)
    recipe = known["recipes"][control["recipe"]]
    pairs = control.get("views", recipe["views"]) == "rows"
    base = args.base or _first(known["bases"], BASES)
    corpus = args.corpus or _first(known["corpora"], CORPORA[pairs])
    method = {**control, "label": name, "loss": name}
    if options := control.get("options"):
        takes = loss_options(name)
        method["options"] = {key: value for key, value in options.items() if key in takes}
    rows = [{"corpora": [corpus], "bases": [base], "methods": ["start", args.against, name]}]
    table = {"title": f"{name} and {args.against}", "layout": "sts", "rows": rows}
    mirror = {"mirror": args.mirror} if args.mirror else {}
    return {
        "output": output,
        **mirror,
        "papers": [],
        "seeds": {TABLE: list(range(1, seeds + 1))},
        "methods": {name: method},
        "tables": {TABLE: {**table, "seeds": TABLE, "control": args.against}},
    }


def _first(known: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if known.get(name)), names[-1])


def run(layers: list[str], output: str, args: argparse.Namespace) -> Table:
    """Say the price, run what the table needs, and return it."""
    from workflow.controller import command  # it loads snakemake

    cost = estimates(layers, tables=[TABLE])
    left = to_do(cost)
    gpus = cost.config.resources.gpus
    shared = gpus or len(os.sched_getaffinity(0))
    if not gpus and args.cores != "all":
        shared = int(args.cores)
    hours = cost.total_hours(left, "gpu" if gpus else "cpu") / shared
    time = wall_time(3600 * hours, shared, "GPU" if gpus else "core")
    print(f"to do: {len(left)} jobs: {time}; {cost.price(left)}", flush=True)
    if args.budget is not None and hours > args.budget:
        raise InputError(
            "--budget", f"{hours:.1f} h are more than {args.budget:g} h", "fewer --seeds"
        )
    if args.budget is not None:
        args.budget -= hours  # the rest is for further seeds
    files = [f"{output}/{layout.TABLES}/{TABLE}.csv"]
    snakefile = ["--snakefile", str(ROOT / "Snakefile")]
    status = command.run(["--configfile", *layers, *snakefile, "--cores", args.cores, *files])
    if status:
        sys.exit(status)
    return read_tables([layout.place(output, layout.TABLE_JSON, table=TABLE)])[0]


@dataclass(frozen=True)
class Answer:
    """The difference of a loss from its control in points, with its interval, of ``n`` seeds."""

    name: str
    control: str
    n: int
    difference: float
    low: float
    high: float
    margin: float
    is_equal: bool
    detectable: float | None

    @property
    def word(self) -> str:
        """What the interval shows."""
        if self.low > 0:
            return "better than"
        if self.high < 0:
            return "worse than"
        return "equal to" if self.is_equal else "not shown to differ from"

    @property
    def is_decided(self) -> bool:
        """Whether it shows anything."""
        return self.word != "not shown to differ from"

    def line(self) -> str:
        """Return the answer in one line."""
        said = (
            f"{self.name} is {self.word} {self.control}: {signed(self.difference)} points"
            f" {interval(self.low, self.high)}, {LEVEL:.0%} interval over {self.n} paired seeds"
        )
        if self.word == "equal to":
            said += f"; equal means within ±{rounded(self.margin)}"
        if self.detectable is not None:
            said += f"; with 80 % power they could have shown {rounded(self.detectable)}"
        return said


def answer_of(table: Table, at_any_time: bool) -> Answer:
    """Return what a table says of its last row and the control."""
    *_, control, ours = table.rows
    of_ours, of_control = (row.cells[AVERAGE].values for row in (ours, control))
    differences = np.asarray([of_ours[seed] - of_control[seed] for seed in of_ours])
    estimate = paired(differences)
    parts = (ours.label, control.label, len(differences), float(estimate.value))
    margin = table.margin
    if at_any_time:
        low, high = interval_at_any_time(differences)
        return Answer(*parts, low, high, margin, -margin < low and high < margin, None)
    low, high = map(float, estimate.interval())
    is_equal = ALONE.is_within(estimate, margin)
    return Answer(*parts, low, high, margin, is_equal, float(estimate.detectable()))


if __name__ == "__main__":
    endings.run(main)
