"""What a user waits for before anything is computed: the plan, and a job's way to its first step."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.training import stated
from benchmarks.workload import FOLDER, ROOT, Cost, Task

LIGHT = (
    "download download_model prepare_nli prepare_wiki prepare_pairs prepare_sts prepare_faq tokenise"
    " collect_scores render_table compare_published"
).split()


PLAN = (
    *("-m", "snakemake", "-n", "--quiet", "all", "--nolock"),
    *("--config", f"output={FOLDER}/none/results", f"downloads={FOLDER}/none/resources"),
)

# The peak of a command in KB. A process starts with the peak of the one that starts it, so a small one does.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def plan() -> Cost:
    """Return what ``snakemake -n`` on the full reproduction costs where nothing has run yet."""
    start = time.perf_counter()
    command = [sys.executable, "-c", PEAK, sys.executable, *PLAN]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return Cost(time.perf_counter() - start, int(done.stdout.splitlines()[-1]) / 1024)


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
