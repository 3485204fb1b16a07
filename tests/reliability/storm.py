"""Storms over the tiny world: kills at random times, every disk operation made to fail, bits flipped.

    LD_PRELOAD=faults.so python -m tests.reliability.storm kills --count 200 --folder F
    LD_PRELOAD=faults.so python -m tests.reliability.storm faults --every 1 --folder F
    LD_PRELOAD=faults.so python -m tests.reliability.storm rot --count 5 --folder F

Prints one JSON object of figures; "failures" lists every case that did not end as it must.
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
from semblance.provenance import checked
from tests.reliability.world import COUNT, DIE, HALF, KINDS, Outcome, World, fresh, in_child, result

DECLARED = {"model", "dev.csv", "record.json"}  # the outputs of a training, as Snakemake knows them
ATTEMPTS = 6  # kills of a training before it may end
WARM = (
    "train",
    "train_entropy",
    "train_initial",
    "embed",
    "evaluate_sts",
    "evaluate_faq",
    "tokenise",
    "prepare_nli",
    "prepare_wiki",
    "prepare_sts",
    "prepare_dev",
    "prepare_faq",
    "download_model",
)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["kills", "faults", "rot"])
    parser.add_argument("--count", type=int, default=200, help="kills: trainings; rot: bits a file")
    parser.add_argument(
        "--every", type=int, default=1, help="faults: take every n-th operation only"
    )
    parser.add_argument("--only", default="", help="faults: of this stage only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="scratch folder; it is emptied")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    # On a slow machine the beats would be counted among the operations, now so many, now others.
    Lease.BEAT = 1e6  # seconds
    for name in WARM:
        importlib.import_module(f"workflow.scripts.{name}")
    started, world = time.monotonic(), World(fresh(args.folder.resolve()))
    storms = {
        "kills": lambda: kills(world, args.count, args.seed),
        "faults": lambda: faults(world, args.every, args.seed, args.only),
        "rot": lambda: rot(world, args.count, args.seed),
    }
    figures = storms[args.what]()
    print(json.dumps({**figures, "seconds": round(time.monotonic() - started)}, indent=1))
    sys.exit(bool(figures["failures"]))


# --- kills at random times ------------------------------------------------------------------------


def kills(world: World, count: int, seed: int) -> dict:
    """Kill ``count`` trainings, over all methods in turn, and hold each result against one never killed."""
    rng, names = random.Random(seed), list(world.trainings)
    totals, failures, wanted = Counter(), [], {}
    for number in range(count):
        name, out = names[7 * number % len(names)], fresh(world.folder / "out")
        if name not in wanted:
            whole = world.train(
                name, fresh(world.folder / "whole"), steps=10**6
            )  # without any checkpoint
            assert whole.status == 0, whole.error
            wanted[name] = result(world.folder / "whole"), whole.seconds
        reference, length = wanted[name]
        totals["trainings"] += 1
        ended = _killed(world, name, out, rng, length, totals)
        if ended.status or result(out) != reference or _left(out):
            failures.append(f"{name}, number {number}: status {ended.status}: {ended.error[-500:]}")
    return {**totals, "methods": len(wanted), "failures": failures}


def _killed(
    world: World, name: str, out: Path, rng: random.Random, length: float, totals: Counter
) -> Outcome:
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


def _left(out: Path) -> list[str]:
    """Return what a finished training must not leave: temporaries and step checkpoints."""
    return [
        str(p.relative_to(out))
        for p in out.rglob("*")
        if p.name.endswith(".part") or p.name.startswith("step-")
    ]


# --- every disk operation in turn -----------------------------------------------------------------


def scenarios(world: World) -> dict[str, tuple[str, list[str]]]:
    """Return the stages whose writes are made to fail: script and arguments without ``--output``."""
    script, arguments = world.trainings["nli/rcl-2"]
    entropy, its_arguments = world.trainings["nli/entropy-0.01"]
    short = lambda words: [a.replace('"max_steps":11', '"max_steps":4') for a in words]
    each = ["--checkpoint-steps", "1", "--checkpoint-minutes", "1000"]
    config = world.plan.config
    base = world.plan.base_settings("tiny")
    raw = world.raw()
    return {
        "train": (script, [*short(arguments), *each]),
        "train_entropy": (entropy, [*short(its_arguments), *each]),
        "put back": (entropy, [*short(its_arguments), *each]),  # after its outputs were deleted
        "embed": ("embed", world.embed("0.01")),
        "evaluate_sts": (
            "evaluate_sts",
            world.sts(world.plan.model_record("nli", "tiny", "entropy-0.01", 1)),
        ),
        "tokenise": (
            "tokenise",
            ["--corpus", world.corpus_record("nli"), "--base", world.plan.base_record("tiny")],
        ),
        "prepare_nli": (
            "prepare_nli",
            ["--settings", json.dumps(config.corpora["nli"].settings()), *raw],
        ),
        "prepare_wiki": (
            "prepare_wiki",
            ["--settings", json.dumps(config.corpora["wiki1m"].settings()), *raw],
        ),
        "prepare_sts": ("prepare_sts", ["--settings", world.plan.test_settings(), *raw]),
        "prepare_dev": ("prepare_dev", ["--settings", world.plan.dev_settings(), *raw]),
        "download_model": ("download_model", ["--settings", base, "--hub", ""]),
    }


def faults(world: World, every: int, seed: int, only: str = "") -> dict:
    """Make each operation of each stage fail in each way; after each, a plain start must end as ever."""
    figures, failures = {}, []
    rng = random.Random(seed)
    for name, (script, arguments) in scenarios(world).items():
        if only not in ("", name):
            continue
        start = _deleted(world, script, arguments) if name == "put back" else None
        reference, trace = _reference(world, script, arguments, start)
        totals = Counter(operations=len(trace), cases=0)
        for at in range(rng.randrange(min(every, len(trace))), len(trace), every):
            for what, (kind, letters) in KINDS.items():
                if trace[at] in letters:
                    problem = _one_fault(
                        world, script, arguments, at + 1, kind, reference, totals, start
                    )
                    failures += (
                        [f"{name}, operation {at + 1} of {len(trace)}, {what}: {problem}"]
                        if problem
                        else []
                    )
        figures[name] = dict(totals)
    return {
        "stages": figures,
        "cases": sum(f["cases"] for f in figures.values()),
        "failures": failures,
    }


def _last(ended: Outcome) -> str:
    return (ended.error.strip().splitlines() or [""])[-1]


def _stage(
    world: World, script: str, arguments: list[str], at: int = 0, kind: int = COUNT
) -> Outcome:
    out = world.folder / "out"
    return in_child(
        script,
        [*arguments, "--output", str(out / "record.json")],
        root=out,
        at=at,
        kind=kind,
        scratch=world.folder,
    )


def _deleted(world: World, script: str, arguments: list[str]) -> Path:
    """Return what a finished training is left with when its outputs are deleted."""
    out, start = fresh(world.folder / "out"), fresh(world.folder / "deleted")
    assert _stage(world, script, arguments).status == 0
    return Path(
        shutil.copytree(
            out, start, ignore=lambda folder, _: DECLARED if Path(folder) == out else ()
        )
    )


def _begin(world: World, start: Path | None) -> Path:
    out = fresh(world.folder / "out")
    return out if start is None else Path(shutil.copytree(start, out))


def _reference(
    world: World, script: str, arguments: list[str], start: Path | None
) -> tuple[dict, str]:
    _begin(world, start)
    whole = _stage(world, script, arguments)
    assert whole.status == 0, whole.error
    return _digests(world), whole.trace


def _digests(world: World) -> dict[str, str]:
    """Return the digests of a stage's outputs, after checking the files against them."""
    return checked(world.folder / "out" / "record.json")["outputs"]


def _one_fault(
    world: World,
    script: str,
    arguments: list[str],
    at: int,
    kind: int,
    reference: dict,
    totals: Counter,
    start: Path | None = None,
) -> str:
    """Return what went wrong with one fault and the start after it, or the empty string."""
    out = _begin(world, start)
    hurt = _stage(world, script, arguments, at, kind)
    totals["cases"] += 1
    totals["survived"] += hurt.status == 0
    if kind in (DIE, HALF):
        if hurt.status != 137:
            return f"status {hurt.status}: {hurt.error[-500:]}"
    elif (
        hurt.status not in (0, 75)
        or "Traceback" in hurt.error
        or (hurt.status and not _last(hurt).startswith("error: "))
    ):
        return f"status {hurt.status}, no clear line: {hurt.error[-700:]}"
    try:  # what a record vouches for must be right, whoever reads it next
        if (out / "record.json").exists() and _digests(world) != reference:
            return "a record vouches for a wrong result"
    except InputError:
        totals["refused by the digest"] += 1
    again = _stage(world, script, arguments)
    totals["resumed"] += "resumed from step" in again.error
    totals["put back"] += "already trained" in again.error
    if again.status or _digests(world) != reference:
        return f"the next start: status {again.status}: {again.error[-500:]}"
    left = _left(out)
    return f"left behind: {left}" if left else ""


# --- one bit in each artefact ---------------------------------------------------------------------


def rot(world: World, bits: int, seed: int) -> dict:
    """Flip single bits in every file that a stage reads; the stage must stop and name the file."""
    rng, totals, failures = random.Random(seed), Counter(), []
    for name, (script, arguments), folder in readers(world):
        for path in filter(_is_artefact, sorted([Path(folder), *Path(folder).rglob("*")])):
            whole = path.read_bytes()
            for _ in range(bits):
                bit = rng.randrange(8 * len(whole))
                path.write_bytes(
                    whole[: bit // 8]
                    + bytes([whole[bit // 8] ^ 1 << bit % 8])
                    + whole[bit // 8 + 1 :]
                )
                fresh(world.folder / "out")
                ended = _stage(world, script, arguments)
                totals["flips"] += 1
                told = (
                    "expected sha256" in ended.error or path.name == "record.json"
                )  # which may no longer be JSON
                found = (
                    ended.status == 2
                    and path.name in ended.error
                    and told
                    and "Traceback" not in ended.error
                )
                failures += (
                    []
                    if found
                    else [f"{name}, {path}, bit {bit}: status {ended.status}: {ended.error[-300:]}"]
                )
            path.write_bytes(whole)
            totals["files"] += 1
    return {**totals, "found": totals["flips"] - len(failures), "failures": failures}


def _is_artefact(path: Path) -> bool:
    return path.is_file() and path.parent.name != "events" and not path.name.startswith(".")


def readers(world: World) -> list[tuple[str, tuple[str, list[str]], str]]:
    """Return what is read, the stage that reads it, and the folder whose files it must vouch for."""
    stages, plan = scenarios(world), world.plan
    parent = lambda record: str(Path(record).parent)
    model = plan.model_record("nli", "tiny", "entropy-0.01", 1)
    evaluate_faq = ("evaluate_faq", world.faq(model))
    train_faq = world.trainings["stackfaq-0/continued"]
    return [
        ("base model", stages["train"], parent(plan.base_record("tiny"))),
        ("corpus", stages["train"], parent(world.corpus_record("nli"))),
        ("tokens", stages["train"], parent(plan.tokens_record("nli", "tiny"))),
        ("test pairs", stages["evaluate_sts"], f"{plan.out}/sts"),
        ("dev pairs", stages["train"], parent(plan.dev_data("nli"))),
        ("FAQ bank", evaluate_faq, parent(plan.bank_record("stackfaq"))),
        ("FAQ dev data", train_faq, parent(plan.dev_data("stackfaq-0"))),
        ("entropy model", stages["embed"], parent(model)),
        ("embeddings", stages["train"], f"{plan.out}/embeddings/nli/tiny/entropy-0.01"),
        ("raw data", stages["prepare_nli"], "raw/nli/nli_for_simcse.csv"),
    ]


if __name__ == "__main__":
    main()
