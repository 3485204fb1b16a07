"""A world small enough to train in a second: a tiny encoder, real stages, every kind of training.

Stages run as the scripts' own ``main`` in forked children of a process that has imported torch, so
that a case costs a fork and not an interpreter's start. A child may be killed, by a timer or at its
n-th disk operation (see faults.c).
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from semblance import layout
from semblance.provenance import canonical, read_sealed, record_digest
from tests.dag.tiny import CONFIG, ROOT, write_base
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.plan import Plan

STEPS = 11  # over three epochs of the corpora below, so that every epoch is killed in
COUNT, FULL, EIO, DIE, HALF = range(5)
TRACE = "disk operations:"
COMPUTE = "--threads 1 --gpus 0 --precision fp32 --matmul highest".split()
CADENCE = "--checkpoint-minutes 10 --checkpoint-steps 0".split()
# What can befall an operation, and the letters of the trace that it makes a difference to.
KINDS = {
    "disk full": (FULL, "wg"),
    "input/output error": (EIO, "wg-"),
    "killed": (DIE, "wg-"),
    "killed half-way": (HALF, "w"),
}


def build_shim(folder: Path) -> Path:
    """Compile faults.c; the library is to be loaded with LD_PRELOAD."""
    library = folder / "faults.so"
    subprocess.run(
        [
            "gcc",
            "-O1",
            "-shared",
            "-fPIC",
            "-o",
            str(library),
            str(Path(__file__).with_name("faults.c")),
            "-ldl",
        ],
        check=True,
    )
    return library


@dataclass
class Outcome:
    """How a child ended: its exit status (negative: a signal), its standard error, its disk operations by letter."""

    status: int
    error: str
    trace: str
    seconds: float


def in_child(
    script: str,
    arguments: list[str],
    *,
    root: Path | None = None,
    at: int = 0,
    kind: int = COUNT,
    kill_after: float | None = None,
    scratch: Path,
) -> Outcome:
    """Run one script's main in a fork; count, and make fail, disk operations below ``root``."""
    log = scratch / f"child-{os.getpid()}.log"
    log.unlink(missing_ok=True)
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _become(script, arguments, log, root, at, kind)
    if kill_after is not None:
        _kill_later(child, kill_after)
    _, status = os.waitpid(child, 0)
    error, _, trace = (log.read_text(errors="replace") if log.exists() else "").partition(TRACE)
    return Outcome(
        os.waitstatus_to_exitcode(status), error, trace.strip(), time.monotonic() - started
    )


def _kill_later(child: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)


def _become(
    script: str, arguments: list[str], log: Path, root: Path | None, at: int, kind: int
) -> None:
    """Be the script: never returns."""
    import importlib

    from workflow.scripts.endings import run

    status = 70
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(handle, 1), os.dup2(handle, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  (open until the process ends)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        sys.argv = [script, *arguments]  # ``run`` reads there which record the stage writes
        module = importlib.import_module(f"workflow.scripts.{script}")
        faults = ctypes.CDLL(None)  # this process, faults.so included
        if root is not None:  # without a root the shim need not be there
            faults.fault_arm(str(root.resolve()).encode(), ctypes.c_long(at), kind)
        try:
            run(lambda: module.main(arguments))
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        if root is not None:
            faults.fault_trace.restype = ctypes.c_char_p
            print(TRACE, faults.fault_trace().decode(), file=sys.stderr)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(status)


@dataclass
class World:
    """The inputs of every training, made once by the real stages below ``folder``."""

    folder: Path
    trainings: dict[str, tuple[str, list[str]]] = field(
        default_factory=dict
    )  # name -> script, arguments

    def __post_init__(self) -> None:
        config = merged("config.yaml")
        self.plan = Plan(load(_lay(config, _world_config())))
        self.folder.mkdir(parents=True)
        os.chdir(self.folder)  # the config's paths are relative
        write_base(self.folder / "tiny-base")
        self._prepare()
        self._collect()

    # --- inputs -------------------------------------------------------------------------------

    def _stage(self, script: str, arguments: list[str]) -> None:
        done = in_child(script, arguments, scratch=self.folder)
        assert done.status == 0, done.error

    def _prepare(self) -> None:
        config, out = self.plan.config, self.plan.out
        manifest = self.raw()
        shutil.copytree(ROOT / "demo/data", "raw")
        base = self.plan.base_settings("tiny")
        self._stage(
            "download_model",
            ["--settings", base, "--hub", "", "--output", self.plan.base_record("tiny")],
        )
        for corpus, kind in (("nli", "nli"), ("wiki1m", "wiki")):
            self._stage(
                f"prepare_{kind}",
                [
                    "--settings",
                    canonical(config.corpora[corpus].settings()),
                    *manifest,
                    "--output",
                    self.corpus_record(corpus),
                ],
            )
        for stage, settings, record in (
            ("prepare_sts", self.plan.test_settings(), f"{out}/sts/record.json"),
            ("prepare_dev", self.plan.dev_settings(), f"{out}/dev/sts/record.json"),
        ):
            self._stage(stage, ["--settings", settings, *manifest, "--output", record])
        bank = {
            **self.plan.banks["stackfaq"].written(),
            "name": "stackfaq",
            "folds": self.plan.folds,
            "seed": 0,
        }
        self._stage(
            "prepare_faq",
            [
                "--settings",
                canonical(bank),
                *manifest,
                "--corpora",
                f"{out}/corpora",
                "--dev",
                f"{out}/dev",
                "--output",
                self.plan.bank_record("stackfaq"),
            ],
        )
        for corpus in ("nli", "wiki1m", "stackfaq-0"):
            self._stage(
                "tokenise",
                [
                    "--corpus",
                    self.corpus_record(corpus),
                    "--base",
                    self.plan.base_record("tiny"),
                    "--output",
                    self.plan.tokens_record(corpus, "tiny"),
                ],
            )
        for phi in ("0.01", "0.02"):
            script, arguments = self.entropy("entropy", phi)
            self._stage(
                script,
                [
                    *arguments,
                    "--output",
                    self.plan.model_record("nli", "tiny", f"entropy-{phi}", 1),
                ],
            )
            self._stage(
                "embed",
                self.embed(phi)
                + ["--output", f"{out}/embeddings/nli/tiny/entropy-{phi}/seed-1/record.json"],
            )

    @staticmethod
    def raw() -> list[str]:
        """Return the arguments that name the raw data."""
        return ["--manifest", str(ROOT / "demo/manifest.yaml"), "--data", "raw"]

    def corpus_record(self, corpus: str) -> str:
        """Return the record of a training corpus."""
        return layout.record(self.plan.out, layout.CORPUS, corpus=corpus)

    def embed(self, phi: str) -> list[str]:
        """Return the arguments of ``embed``, without its output."""
        return [
            "--model",
            self.plan.model_record("nli", "tiny", f"entropy-{phi}", 1),
            "--tokens",
            self.plan.tokens_record("nli", "tiny"),
            "--max-length",
            "32",
            *COMPUTE,
        ]

    def sts(self, model: str) -> list[str]:
        """Return the arguments of ``evaluate_sts`` for a model's record, without its output."""
        run = {
            "corpus": "nli",
            "base": "tiny",
            "method": "continued",
            "seed": "1",
        }
        return [
            "--run",
            canonical(run),
            "--model",
            model,
            "--test",
            f"{self.plan.out}/sts/record.json",
            "--dev",
            f"{self.plan.out}/dev/sts/record.json",
            *COMPUTE,
        ]

    def faq(self, model: str) -> list[str]:
        """Return the arguments of ``evaluate_faq`` for a model's record, without its output."""
        run = {
            "corpus": "stackfaq-0",
            "base": "tiny",
            "method": "continued",
            "seed": "1",
            "bank": "stackfaq",
            "fold": 0,
            "protocols": ["pairs"],
        }
        bank = self.plan.bank_record("stackfaq")
        dev = self.plan.dev_data("stackfaq-0")
        place = ["--model", model, "--bank", bank, "--dev", dev, "--max-length", "32"]
        return ["--run", canonical(run), *place, *COMPUTE]

    # --- trainings ----------------------------------------------------------------------------

    def _inputs(self, corpus: str) -> list[str]:
        return [
            *CADENCE,
            "--base",
            self.plan.base_record("tiny"),
            "--corpus",
            self.corpus_record(corpus),
            "--tokens",
            self.plan.tokens_record(corpus, "tiny"),
        ]

    def entropy(self, kind: str, phi: str) -> tuple[str, list[str]]:
        """Return the script and the arguments of one entropy model."""
        return "train_entropy", [
            "--settings",
            self.plan.entropy_settings("nli", "tiny", kind, phi, 1),
            *self._inputs("nli"),
        ]

    def _final(self, corpus: str, method: str) -> tuple[str, list[str]]:
        regulators = self.plan.regulator_records(corpus, "tiny", method, 1)
        dev = ["--dev", self.plan.dev_data(corpus)]
        return "train", [
            "--settings",
            self.plan.train_settings(corpus, "tiny", method, 1),
            *self._inputs(corpus),
            *dev,
            *(["--regulators", *regulators] if regulators else []),
        ]

    def _collect(self) -> None:
        methods = (
            "simcse-sup",
            "continued",
            "attention-dropout-0.1",
            "attention-dropout-0.3",
            "drophead-0.1",
            "drophead-0.3",
            "rcl-2",
            "rcl-4",
        )
        for corpus, names in (
            ("wiki1m", ("simcse", "ssimcse", "ssimcse-sd")),
            ("nli", ("simcse", "ssimcse-sd", *methods)),
            ("stackfaq-0", ("continued", "drophead-0.1")),
        ):
            for name in names:
                self.trainings[f"{corpus}/{name}"] = self._final(corpus, name)
        for kind, phi in (
            ("entropy", "0.01"),
            ("entropy-sum", "0.01"),
            ("entropy-sum", "-0.01"),
            ("entropy-unscaled", "0.01"),
        ):
            self.trainings[f"nli/{kind}-{phi}"] = self.entropy(kind, phi)
        dev = ["--dev", self.plan.dev_data("stackfaq-0")]
        self.trainings["stackfaq-0/initial"] = (
            "train_initial",
            [
                "--settings",
                self.plan.initial_settings("stackfaq-0", "tiny", 1),
                *self._inputs("stackfaq-0"),
                *dev,
            ],
        )

    def train(self, name: str, output: Path, *, steps: int = 1, **faults: object) -> Outcome:
        """Run one training into a folder, with a checkpoint after every ``steps`` steps."""
        script, arguments = self.trainings[name]
        return in_child(
            script,
            [
                *arguments,
                "--checkpoint-minutes",
                "1000",
                "--checkpoint-steps",
                str(steps),
                "--output",
                str(output / "record.json"),
            ],
            scratch=self.folder,
            **faults,
        )


def result(folder: Path) -> dict:
    """Return what must be the same however often a training was killed: all but times and places."""
    record = read_sealed(folder / "record.json")
    names = ("outputs", "training", "steps", "settings", "batch_size")
    return {key: record[key] for key in names} | {"says": record_digest(record)}


def fresh(folder: Path) -> Path:
    """Return a folder that is not there."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _lay(under: dict, over: dict) -> dict:
    for key, value in over.items():
        under[key] = (
            _lay(under[key], value)
            if isinstance(value, dict) and isinstance(under.get(key), dict)
            else value
        )
    return under


def _world_config() -> dict:
    short = {"batch_size": 8, "epochs": 4, "evaluate_every": 3}
    recipes = {name: {**recipe, **short} for name, recipe in CONFIG["recipes"].items()}
    recipes["rcl"]["on_faq"] = {**short, "max_length": 32}
    return {
        **CONFIG,
        "output": "made",
        "downloads": "made/resources",
        "training": {"max_steps": STEPS},
        "recipes": recipes,
        "corpora": {"nli": {"limit": 30}, "wiki1m": {"limit": 30}},
        "train_entropy": {
            "early_stopping": {"patience": 3, "least_window": 1},
            "kinds": {
                kind: {"batch_size": 3} for kind in ("entropy", "entropy-sum", "entropy-unscaled")
            },
        },
    }


def main() -> None:
    """Build a world in a folder and leave its trainings there as commands (``trainings.json``)."""
    import torch

    torch.set_num_threads(1)
    world = World(fresh(Path(sys.argv[1]).resolve()))
    (world.folder / "trainings.json").write_text(json.dumps(world.trainings))


if __name__ == "__main__":
    main()
