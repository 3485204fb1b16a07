"""A world small enough to train in a second: a tiny encoder, real stages, every kind of training.

Stages run as the scripts' own ``main`` in forked children of a process that has imported torch, so
that a case costs a fork and not an interpreter's start. A child may be killed, by a timer or at its
n-th disk operation (see faults.c).
"""

import ctypes
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path

import yaml

from semblance import layout
from semblance.names import INITIAL
from semblance.provenance import read_sealed, record_digest
from tests.dag.tiny import CONFIG, ROOT, write_base
from tests.example_settings import COMPUTE
from tests.scripts.flags import flags
from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning import reads
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, record, records_read
from workflow.scripts import endings

STEPS = 11  # over three epochs of the corpora below, so that every epoch is killed in
COUNT, FULL, EIO, DIE, HALF = range(5)
TRACE = "disk operations:"
# What can befall an operation, and the letters of the trace that it makes a difference to.
KINDS = {
    "disk full": (FULL, "wg"),
    "input/output error": (EIO, "wg-"),
    "killed": (DIE, "wg-"),
    "killed half-way": (HALF, "w"),
}
SHORT = {"batch_size": 8, "epochs": 4, "evaluate_every": 3}
ENTROPIES = ("entropy", "entropy-sum", "entropy-unscaled")
WORLD = CONFIG | {  # the tiny project's config, with trainings that are shorter still
    "output": "made",
    "downloads": "made/resources",
    "training": {"max_steps": STEPS},
    "recipes": {name: recipe | SHORT for name, recipe in CONFIG["recipes"].items()},
    "corpora": {"nli": {"limit": 30}, "wiki1m": {"limit": 30}},
    "train_entropy": {
        "early_stopping": {"patience": 3, "least_window": 1},
        "kinds": {kind: {"batch_size": 3} for kind in ENTROPIES},
    },
    "methods": {  # entropy models that no table of the tiny project names
        "entropy-unscaled-0.01": {"kind": "entropy-unscaled", "phi": 0.01},
        "entropy-sum--0.01": {"kind": "entropy-sum", "phi": -0.01},
    },
}
WORLD["recipes"]["rcl"]["on_faq"] = SHORT | {"max_length": 32}
FAQ = "stackfaq-0"  # a corpus and its dev data
METHODS = {  # the final trainings of each corpus
    "wiki1m": ["simcse", "ssimcse", "ssimcse-sd"],
    "nli": [
        *("simcse", "ssimcse-sd", "simcse-sup", "continued", "rcl-2", "rcl-4"),
        *("attention-dropout-0.1", "attention-dropout-0.3", "drophead-0.1", "drophead-0.3"),
    ],
    FAQ: ["continued", "drophead-0.1"],
}
Command = tuple[str, list[str]]  # a script and its arguments, without its output


def ending(output: Path, steps: int = 1) -> list[str]:
    """Return where a training writes its record, with a checkpoint after every ``steps`` steps."""
    cadence = {"checkpoint_minutes": 1000, "checkpoint_steps": steps}
    return flags(**cadence, output=output / "record.json")


def build_shim(folder: Path) -> Path:
    """Compile faults.c; the library is to be loaded with LD_PRELOAD."""
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library


@dataclass
class Outcome:
    """How a child ended: its status (negative: a signal), its errors, its disk operations by letter."""

    status: int
    error: str
    trace: str
    seconds: float


@dataclass
class Fault:
    """A kill after some seconds, or a fault at the n-th disk operation below ``root``."""

    kill_after: float | None = None
    root: Path | None = None  # without it the operations are not even counted
    at: int = 0
    kind: int = COUNT


def in_child(
    script: str, arguments: list[str], scratch: Path, fault: Fault | None = None
) -> Outcome:
    """Run one script's main in a fork; count, and make fail, disk operations."""
    fault = fault or Fault()
    log = scratch / f"child-{os.getpid()}.log"
    log.unlink(missing_ok=True)
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _become(script, arguments, log, fault)
    if fault.kill_after is not None:
        _kill_later(child, fault.kill_after)
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - started
    error, _, trace = (log.read_text(errors="replace") if log.exists() else "").partition(TRACE)
    return Outcome(os.waitstatus_to_exitcode(status), error, trace.strip(), seconds)


def _kill_later(child: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)


def _become(script: str, arguments: list[str], log: Path, fault: Fault) -> None:
    """Be the script: never returns."""
    status = 70
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(handle, 1), os.dup2(handle, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  (open until the process ends)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        status = _run(script, arguments, fault)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(status)


def _run(script: str, arguments: list[str], fault: Fault) -> int:
    """Run a script's main as a program; print the disk operations; return the status."""
    sys.argv = [script, *arguments]  # ``run`` reads there which record the stage writes
    module = importlib.import_module(f"workflow.scripts.{script}")
    faults = ctypes.CDLL(None)  # this process, faults.so included, which need not be there
    if fault.root is not None:
        root = str(fault.root.resolve()).encode()
        faults.fault_arm(root, ctypes.c_long(fault.at), fault.kind)
    status = 0
    try:
        endings.run(lambda: module.main(arguments))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    if fault.root is not None:
        faults.fault_trace.restype = ctypes.c_char_p
        print(TRACE, faults.fault_trace().decode(), file=sys.stderr)
    return status


@dataclass
class World:
    """The inputs of every training, made once by the real stages below ``folder``."""

    folder: Path
    trainings: dict[str, Command] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        os.chdir(self.folder)  # the config's paths are relative
        Path("world.yaml").write_text(yaml.safe_dump(WORLD))
        self.plan = Plan(load(merged("config.yaml", str(self.folder / "world.yaml"))))
        write_base(self.folder / "tiny-base")
        shutil.copytree(ROOT / "demo/data", "raw")
        self._prepare()
        self._collect()

    def run(self, script: str, arguments: list[str], output: str) -> None:
        """Run a stage, which must end well."""
        done = in_child(script, [*arguments, *flags(output=output)], self.folder)
        assert done.status == 0, done.error

    def _prepare(self) -> None:
        plan, out = self.plan, self.plan.out
        corpora = plan.config.corpora
        self.run("download_model", self.base(), self.made("download_model"))
        self.run("prepare_nli", self.raw(corpora["nli"].written()), self.corpus("nli"))
        self.run("prepare_wiki", self.raw(corpora["wiki1m"].written()), self.corpus("wiki1m"))
        self.run("prepare_sts", self.raw(plan.test_settings()), f"{out}/sts/record.json")
        self.run("prepare_dev", self.raw(plan.dev_settings()), f"{out}/dev/sts/record.json")
        bank = plan.banks["stackfaq"].written()
        bank |= {"name": "stackfaq", "folds": plan.folds, "seed": 0}
        folders = flags(corpora=f"{out}/corpora", dev=f"{out}/dev")
        made = self.made("prepare_faq", method="stackfaq")
        self.run("prepare_faq", [*self.raw(bank), *folders], made)
        for corpus in METHODS:
            self.run("tokenise", self.tokens(corpus), self.made("tokenise", corpus))
        for phi in ("0.01", "0.02"):
            script, arguments = self.entropy("entropy", phi)
            self.run(script, arguments, self.entropy_model(phi))
            embeddings = f"{out}/embeddings/nli/tiny/entropy-{phi}/seed-1/record.json"
            self.run("embed", self.embed(phi), embeddings)

    # The records that are made, and the arguments of each stage without its output

    def made(self, stage: str, corpus: str = "", method: str = "", seed: int = 0) -> str:
        """Return the record of a job on the tiny base."""
        return record(self.plan, Job(stage, corpus, "tiny", method, seed))

    def entropy_model(self, phi: str) -> str:
        return self.made("train_entropy", "nli", f"entropy-{phi}", 1)

    def corpus(self, name: str) -> str:
        return layout.record(self.plan.out, layout.CORPUS, corpus=name)

    def base(self) -> list[str]:
        return flags(settings=self.plan.base_settings("tiny"), hub="")

    def tokens(self, corpus: str) -> list[str]:
        return flags(corpus=self.corpus(corpus), base=self.made("download_model"))

    @staticmethod
    def raw(settings: dict | str) -> list[str]:
        return flags(settings=settings, manifest=ROOT / "demo/manifest.yaml", data="raw")

    def embed(self, phi: str) -> list[str]:
        model = self.entropy_model(phi)
        tokens = self.made("tokenise", "nli")
        return flags(model=model, tokens=tokens, max_length=32, **asdict(COMPUTE))

    def sts(self, model: str) -> list[str]:
        run = self.plan.sts_run(corpus="nli", base="tiny", method="continued", seed="1")
        test, dev = (f"{self.plan.out}/{part}/record.json" for part in ("sts", "dev/sts"))
        return flags(run=run, model=model, test=test, dev=dev, **asdict(COMPUTE))

    def faq(self, model: str) -> list[str]:
        run = self.plan.faq_run(corpus=FAQ, base="tiny", method="continued", seed="1")
        bank = self.made("prepare_faq", method="stackfaq")
        inputs = {"bank": bank, "dev": self.plan.dev_data(FAQ)}
        return flags(run=run, model=model, **inputs, max_length=32, **asdict(COMPUTE))

    def entropy(self, kind: str, phi: str) -> Command:
        settings = self.plan.train_settings("nli", "tiny", f"{kind}-{phi}", 1)
        return "train_entropy", self._training(settings, "nli")

    def _training(self, settings: str, corpus: str, **more: object) -> list[str]:
        inputs = {
            "checkpoint_minutes": 10,
            "checkpoint_steps": 0,
            "base": self.made("download_model"),
            "corpus": self.corpus(corpus),
            "tokens": self.made("tokenise", corpus),
        }
        return flags(settings=settings, **inputs, **more)

    def _final(self, corpus: str, method: str) -> Command:
        more = {"dev": self.plan.dev_data(corpus)}
        job = Job("train", corpus, "tiny", method, 1)
        if regulators := records_read(self.plan, job, reads.regulators):
            more["regulators"] = regulators
        settings = self.plan.train_settings(corpus, "tiny", method, 1)
        return "train", self._training(settings, corpus, **more)

    def _collect(self) -> None:
        """Note every training: all losses, dropouts and recipes, on each kind of corpus."""
        for corpus, methods in METHODS.items():
            for method in methods:
                self.trainings[f"{corpus}/{method}"] = self._final(corpus, method)
        for kind in ENTROPIES:
            self.trainings[f"nli/{kind}-0.01"] = self.entropy(kind, "0.01")
        self.trainings["nli/entropy-sum--0.01"] = self.entropy("entropy-sum", "-0.01")
        initial = self.plan.train_settings(FAQ, "tiny", INITIAL, 1)
        arguments = self._training(initial, FAQ, dev=self.plan.dev_data(FAQ))
        self.trainings[f"{FAQ}/initial"] = "train_initial", arguments

    def train(
        self, name: str, output: Path, *, steps: int = 1, kill_after: float | None = None
    ) -> Outcome:
        """Run one training into a folder, with a checkpoint after every ``steps`` steps."""
        script, arguments = self.trainings[name]
        words = [*arguments, *ending(output, steps)]
        return in_child(script, words, self.folder, Fault(kill_after))


def result(folder: Path) -> dict:
    """Return what no kill may change in a training: all but times and places."""
    record = read_sealed(folder / "record.json")
    names = ("outputs", "training", "steps", "settings", "batch_size")
    return {key: record[key] for key in names} | {"says": record_digest(record)}


def fresh(folder: Path) -> Path:
    """Return a folder that is not there."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def main() -> None:
    """Build a world in a folder and leave its trainings there as commands (``trainings.json``)."""
    import torch

    torch.set_num_threads(1)
    world = World(fresh(Path(sys.argv[1]).resolve()))
    (world.folder / "trainings.json").write_text(json.dumps(world.trainings))


if __name__ == "__main__":
    main()
