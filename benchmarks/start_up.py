"""What a user waits for before anything is computed: the plan, and a job's way to its first step."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.training import stated
from benchmarks.workload import FOLDER, ROOT, Task

LIGHT = (
    "download download_model prepare_nli prepare_wiki prepare_pairs prepare_sts prepare_faq tokenise"
    " collect_scores render_table compare_published"
).split()


class Cost(NamedTuple):
    """What a command took: seconds of wall clock and of CPU, MB at its peak."""

    wall: float
    cpu: float
    megabytes: float


def cost(*command: str, env: dict[str, str] | None = None) -> Cost:
    """Run a command to its end; CalledProcessError if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=env,
    )
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command, stderr=said.decode()[-2000:])
    return Cost(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


PLAN = (
    *("-m", "snakemake", "-n", "--quiet", "all", "--nolock"),
    *("--config", f"output={FOLDER}/none/results", f"downloads={FOLDER}/none/resources"),
)


def plan() -> Cost:
    """Return what ``snakemake -n`` on the full reproduction costs where nothing has run yet."""
    return cost(*PLAN)


def job(folder: Path, base: str) -> dict[str, float]:
    """Return the seconds from an interpreter's start to each event of a training of one step.

    The training has no dev set, as those of entropy models have none.
    """
    with tempfile.TemporaryDirectory() as scratch:
        flags = training_flags(folder, base, Path(scratch))
        command = [sys.executable, "-m", "benchmarks.first_step", *flags]
        start = time.time()
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name: when - start for name, when in json.loads(said.splitlines()[-1]).items()}


def training_flags(folder: Path, base: str, output: Path) -> list[str]:
    """Return the flags of the training of one step."""
    task = Task("train", str(folder), threads=1, gpus=0, matmul="highest", objective="entropy")
    flags = {
        "settings": json.dumps({**stated(task), "max_steps": 1}),
        "base": folder / f"resources/models/{base}/record.json",
        "corpus": folder / "results/corpora/nli/record.json",
        "tokens": folder / "results/tokens/minilm/nli/record.json",
        "checkpoint-minutes": 10,
        "checkpoint-steps": 0,
        "output": output / "record.json",
    }
    return [word for name, value in flags.items() for word in (f"--{name}", str(value))]


def imports() -> dict[str, tuple[float, bool]]:
    """Return, for each light script, the seconds to print its help and whether it imports torch."""
    found = {}
    for name in LIGHT:
        seen = (
            "import sys, runpy; sys.argv = ['x', '--help']\n"
            f"try: runpy.run_module('workflow.scripts.{name}', run_name='__main__')\n"
            "except SystemExit as end: sys.exit(end.code or (3 if 'torch' in sys.modules else 0))"
        )
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", seen], cwd=ROOT, stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 3):
            raise subprocess.CalledProcessError(done.returncode, done.args)
        found[name] = (time.perf_counter() - start, done.returncode == 3)
    return found
