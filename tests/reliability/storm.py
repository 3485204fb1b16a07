"""Storms over the tiny world: kills at random times, every disk operation made to fail, bits flipped.

    LD_PRELOAD=faults.so python -m tests.reliability.storm kills=200 faults=1 rot=5 --folder F

kills=N kills N trainings, faults=N makes each N-th disk operation fail, rot=N flips N bits of each file.
Prints the figures of each as JSON; "failures" lists every case that did not end as it must.
"""

import argparse
import importlib
import json
import random
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

import torch

from semblance.errors import InputError
from semblance.locks import Lease
from semblance.provenance import BESIDE, checked
from tests.reliability.world import (
    DIE,
    FAQ,
    HALF,
    KINDS,
    Command,
    Fault,
    Outcome,
    World,
    fresh,
    in_child,
    result,
)
from tests.scripts.flags import flags

DECLARED = {"model", "dev.csv", "record.json"}  # the outputs of a training, as Snakemake knows them
ATTEMPTS = 6  # kills of a training before it may end
WARM = (  # imported once, before the forks
    *("train", "train_entropy", "train_initial", "embed", "evaluate_sts", "evaluate_faq"),
    *("tokenise", "prepare_nli", "prepare_wiki", "prepare_sts", "prepare_dev", "prepare_faq"),
    "download_model",
)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("storms", nargs="+", metavar="STORM=N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="scratch folder; it is emptied")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    # On a slow machine the beats would be counted among the operations, now so many, now others.
    Lease.BEAT = 1e6  # seconds
    for name in WARM:
        importlib.import_module(f"workflow.scripts.{name}")
    started, world = time.monotonic(), World(fresh(args.folder.resolve()))
    known, figures = {"kills": kills, "faults": faults, "rot": rot}, {}
    for name, _, number in (word.partition("=") for word in args.storms):
        figures[name] = known[name](world, int(number), random.Random(args.seed))
    print(json.dumps({**figures, "seconds": round(time.monotonic() - started)}, indent=1))
    sys.exit(any(found["failures"] for found in figures.values()))


def _left(out: Path) -> list[str]:
    """Return what a finished training must not leave: temporaries and step checkpoints."""
    names = [str(path.relative_to(out)) for path in out.rglob("*")]
    return [n for n in names if n.endswith(".part") or Path(n).name.startswith("step-")]


# --- kills at random times ------------------------------------------------------------------------


def kills(world: World, count: int, rng: random.Random) -> dict:
    """Kill trainings of all methods in turn; compare each result with one never killed."""
    names = list(world.trainings)
    totals, failures, wanted = Counter(), [], {}
    for number in range(count):
        name, out = names[7 * number % len(names)], fresh(world.folder / "out")
        if name not in wanted:
            place = fresh(world.folder / "whole")
            whole = world.train(name, place, steps=10**6)  # without any checkpoint
            assert whole.status == 0, whole.error
            wanted[name] = result(place), whole.seconds
        reference, length = wanted[name]
        totals["trainings"] += 1
        ended = _killed(world, name, out, rng, length, totals)
        if ended.status or result(out) != reference or _left(out):
            failures.append(f"{name}, number {number}: status {ended.status}: {ended.error[-500:]}")
    return {**totals, "methods": len(wanted), "failures": failures}


def _killed(
    world: World, name: str, out: Path, rng: random.Random, length: float, totals: Counter
) -> Outcome:
    """Kill a training again and again until it ends, at the latest when it is let alone."""
    for attempt in range(ATTEMPTS + 1):
        last = attempt == ATTEMPTS
        ended = world.train(name, out, kill_after=None if last else rng.uniform(0.0, length))
        totals["resumed"] += "resumed from step" in ended.error
        totals["passed over"] += ended.error.count("checkpoint passed over")
        if ended.status != -9:
            return ended
        totals["kills"] += 1
        totals["kills inside a writer"] += any(out.rglob(".*.part"))
        left = any(out.glob("checkpoints/*/step-*")) or (out / "record.json").exists()
        totals["kills before the first checkpoint"] += not left
    return ended


# --- every disk operation in turn -----------------------------------------------------------------


class Stage:
    """A stage of the world: its command, and what its output folder holds before it."""

    def __init__(self, world: World, command: Command):
        self.world = world
        self.script, self.arguments = command
        self.out = world.folder / "out"
        self.start: Path | None = None

    def run(self, at: int = 0, kind: int = 0) -> Outcome:
        """Run it on what is there; an operation may fail."""
        words = [*self.arguments, *flags(output=self.out / "record.json")]
        fault = Fault(root=self.out, at=at, kind=kind)
        return in_child(self.script, words, self.world.folder, fault)

    def begin(self) -> None:
        """Put into the output folder what is there before the stage."""
        fresh(self.out)
        if self.start is not None:
            shutil.copytree(self.start, self.out)

    def delete_outputs(self) -> None:
        """Let it begin with what a finished training is left with when its outputs are deleted."""
        self.begin()
        assert self.run().status == 0
        start = fresh(self.world.folder / "deleted")
        ignored = lambda folder, _: DECLARED if Path(folder) == self.out else ()
        shutil.copytree(self.out, start, ignore=ignored)
        self.start = start

    def digests(self) -> dict[str, str]:
        """Return the digests of its outputs, after checking the files against them."""
        return checked(self.out / "record.json")["outputs"]


def stages(world: World) -> dict[str, Stage]:
    """Return the stages whose writes are made to fail."""
    each = flags(checkpoint_steps=1, checkpoint_minutes=1000)

    def training(name: str) -> Command:
        script, arguments = world.trainings[name]
        short = [word.replace('"max_steps":11', '"max_steps":4') for word in arguments]
        return script, [*short, *each]

    plan = world.plan
    corpora = plan.config.corpora
    model = world.entropy_model("0.01")
    commands = {
        "train": training("nli/rcl-2"),
        "train_entropy": training("nli/entropy-0.01"),
        "put back": training("nli/entropy-0.01"),  # after its outputs were deleted
        "embed": ("embed", world.embed("0.01")),
        "evaluate_sts": ("evaluate_sts", world.sts(model)),
        "tokenise": ("tokenise", world.tokens("nli")),
        "prepare_nli": ("prepare_nli", world.raw(corpora["nli"].written())),
        "prepare_wiki": ("prepare_wiki", world.raw(corpora["wiki1m"].written())),
        "prepare_sts": ("prepare_sts", world.raw(plan.test_settings())),
        "prepare_dev": ("prepare_dev", world.raw(plan.dev_settings())),
        "download_model": ("download_model", world.base()),
    }
    return {name: Stage(world, command) for name, command in commands.items()}


def faults(world: World, every: int, rng: random.Random) -> dict:
    """Make each operation fail in each way; after each, a plain start must end as ever."""
    figures, failures = {}, []
    for name, stage in stages(world).items():
        if name == "put back":
            stage.delete_outputs()
        stage.begin()
        whole = stage.run()
        assert whole.status == 0, whole.error
        reference, trace = stage.digests(), whole.trace
        totals = Counter(operations=len(trace), cases=0)
        for at in range(rng.randrange(min(every, len(trace))), len(trace), every):
            for what, (kind, letters) in KINDS.items():
                if trace[at] not in letters:
                    continue
                problem = _one_fault(stage, at + 1, kind, reference, totals)
                if problem:
                    place = f"{name}, operation {at + 1} of {len(trace)}"
                    failures.append(f"{place}, {what}: {problem}")
        figures[name] = dict(totals)
    cases = sum(totals["cases"] for totals in figures.values())
    return {"stages": figures, "cases": cases, "failures": failures}


def _one_fault(stage: Stage, at: int, kind: int, reference: dict, totals: Counter) -> str:
    """Return what went wrong with one fault and the start after it, or the empty string."""
    stage.begin()
    hurt = stage.run(at, kind)
    totals["cases"] += 1
    totals["survived"] += hurt.status == 0
    if not _ended_as_hurt(hurt, kind):
        return f"status {hurt.status}, no clear line: {hurt.error[-700:]}"
    try:  # what a record vouches for must be right, whoever reads it next
        if (stage.out / "record.json").exists() and stage.digests() != reference:
            return "a record vouches for a wrong result"
    except InputError:
        totals["refused by the digest"] += 1
    again = stage.run()
    totals["resumed"] += "resumed from step" in again.error
    totals["put back"] += "already trained" in again.error
    if again.status or stage.digests() != reference:
        return f"the next start: status {again.status}: {again.error[-500:]}"
    left = _left(stage.out)
    return f"left behind: {left}" if left else ""


def _ended_as_hurt(ended: Outcome, kind: int) -> bool:
    """Tell whether a stage died where it was killed, or else ended well or with one clear line."""
    if kind in (DIE, HALF):
        return ended.status == 137
    last = (ended.error.strip().splitlines() or [""])[-1]
    clear = ended.status == 0 or ended.status == 75 and last.startswith("error: ")
    return clear and "Traceback" not in ended.error


# --- one bit in each artefact ---------------------------------------------------------------------


def rot(world: World, bits: int, rng: random.Random) -> dict:
    """Flip single bits in every file that a stage reads; the stage must stop and name the file."""
    totals, failures = Counter(), []
    for name, stage, folder in readers(world):
        for path in filter(_is_artefact, sorted([Path(folder), *Path(folder).rglob("*")])):
            whole = path.read_bytes()
            for _ in range(bits):
                bit = rng.randrange(8 * len(whole))
                flipped = bytearray(whole)
                flipped[bit // 8] ^= 1 << bit % 8
                path.write_bytes(flipped)
                fresh(stage.out)
                ended = stage.run()
                totals["flips"] += 1
                if not _is_found(ended, path):
                    place = f"{name}, {path}, bit {bit}"
                    failures.append(f"{place}: status {ended.status}: {ended.error[-300:]}")
            path.write_bytes(whole)
            totals["files"] += 1
    return {**totals, "found": totals["flips"] - len(failures), "failures": failures}


def _is_artefact(path: Path) -> bool:
    if path.suffix == BESIDE:  # when and how long a stage ran, which no stage reads
        return False
    return path.is_file() and path.parent.name != "events" and not path.name.startswith(".")


def _is_found(ended: Outcome, path: Path) -> bool:
    # A record may no longer be JSON.
    by_digest = "expected sha256" in ended.error or path.name == "record.json"
    one_line = path.name in ended.error and "Traceback" not in ended.error
    return ended.status == 2 and by_digest and one_line


def readers(world: World) -> list[tuple[str, Stage, str]]:
    """Return what is read, the stage that reads it, and the folder that it must check."""
    known, plan = stages(world), world.plan
    model = world.entropy_model("0.01")
    train, sts, embed = known["train"], known["evaluate_sts"], known["embed"]
    faq = Stage(world, ("evaluate_faq", world.faq(model)))
    train_faq = Stage(world, world.trainings[f"{FAQ}/continued"])
    parent = lambda record: str(Path(record).parent)
    return [
        ("base model", train, parent(world.made("download_model"))),
        ("corpus", train, parent(world.corpus("nli"))),
        ("tokens", train, parent(world.made("tokenise", "nli"))),
        ("test pairs", sts, f"{plan.out}/sts"),
        ("dev pairs", train, parent(plan.dev_data("nli"))),
        ("FAQ bank", faq, parent(world.made("prepare_faq", method="stackfaq"))),
        ("FAQ dev data", train_faq, parent(plan.dev_data(FAQ))),
        ("entropy model", embed, parent(model)),
        ("embeddings", train, f"{plan.out}/embeddings/nli/tiny/entropy-0.01"),
        ("raw data", known["prepare_nli"], "raw/nli/nli_for_simcse.csv"),
    ]


if __name__ == "__main__":
    main()
