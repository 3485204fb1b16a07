"""What only a GPU can show: where its step waits for the host, how trainings share it, RCL's readings.

A machine with a GPU may be there for minutes only, so all that needs no GPU is made elsewhere:

    python -m benchmarks.gpu FOLDER           (a mirror of the raw data)

writes into results-benchmarks/parts what the GPU's machine needs, as files of at most 60 MB. On it, in
a checkout, with torch, safetensors, tokenizers, the base packages of pyproject.toml, and
sentence-transformers as the peer:

    cat results-benchmarks/parts/* | tar -x
    make gpu PART=r                           (or a, c, b, d: docs/performance.md says what each is)
"""

import argparse
import contextlib
import itertools
import json
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from benchmarks import training, workload
from benchmarks.side import Side, at_a_time
from benchmarks.workload import FOLDER, ROOT, Task, task_of
from semblance.strict_yaml import as_yaml, read_yaml

PART_BYTES = 60 * 10**6
PARTS = FOLDER / "parts"
TABLE = "rcl_specifications"
CONFIGS = ["configs/minilm.yaml", "configs/readings.yaml", "configs/minilm-gpu.yaml"]
FIRST = 3  # seeds whose jobs stand before all others
LONGEST = 420  # seconds: after them no job begins, as a command may have eight minutes
# The stages that a GPU works at, in the order in which their jobs begin.
STAGES = ("train_entropy", "embed", "train", "evaluate_sts")
AT_A_TIME = 15
PYTHON = "{python}"  # in a command, that of the other machine
OF_HOST = ("a step, ms", "not recorded, ms", "kernels run, ms", "it waits for its host, %")
SHARED = ("trainings at a time", "steps a second, all together")
JOBS = ("stage", "jobs", "seconds each", "seconds of all")
COUNTS = (1, 2, 5, 10)
TINY = {  # two steps on few rows, for three rows of the table, in what any processor is fast in
    "corpora": {"nli": {"limit": 256}},
    "training": {"max_steps": 2, "precision": "fp32"},
    "embed": {"precision": "fp32"},
    "evaluate_sts": {"precision": "fp32"},
    "recipes": {"rcl": {"max_steps": 2}},
    "methods": {"tuning": {"recipe": "rcl", "max_steps": 2}},
}
ROW = {
    "corpora": ["nli"],
    "bases": ["minilm-tuned"],
    "methods": ["start", "attention-dropout-0.1", "rcl-8"],
}


def host_rows(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield how long a step takes and how long its kernels run: the rest is the host's."""
    for kind, base, precision in steps_of(args):
        task = task_of(args, "training", base=base, precision=precision, **kind)
        wall = seconds_of(task, args.rounds)
        unrecorded = seconds_of(replace(task, records=False), args.rounds)
        kernels = seconds_of(task_of(args, "gpu", base=base, precision=precision, **kind), 1)
        shares = [
            f"{1000 * wall:.2f}",
            f"{1000 * unrecorded:.2f}",
            f"{1000 * kernels:.2f}",
            f"{100 * (1 - kernels / wall):.0f}",
        ]
        yield [f"{kind['objective']}, {kind['corpus']}'s sentences", base, precision, *shares]


def shared_rows(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the steps a second of several trainings on one device at the same time."""
    counts = COUNTS[:2] if args.tiny else COUNTS
    for (kind, base, precision), count in itertools.product(steps_of(args), counts):
        task = task_of(args, "training", base=base, precision=precision, **kind)
        rates = [1 / seconds for seconds in at_a_time(task, count)]
        yield [
            f"{kind['objective']}, {kind['corpus']}'s sentences",
            *(base, precision, str(count), f"{sum(rates):.1f}"),
        ]


def steps_of(args: argparse.Namespace) -> Iterator[tuple[dict[str, str], str, str]]:
    """Yield each kind of step that the command line names, and those that no peer has."""
    named = [*args.objectives, *training.OWN]
    kinds = [{"objective": kind, "corpus": corpus} for kind, corpus in named]
    return itertools.product(kinds, args.bases, args.precisions)


def seconds_of(task: Task, rounds: int) -> float:
    """Return the least of what a task measures in some turns, after one to warm up."""
    side = Side(task)
    try:
        side.slice()
        return min(side.slice() for _ in range(rounds))
    finally:
        side.close()


def make(task: Task) -> Callable[[], float]:
    """Return a function that trains some steps and returns the seconds of one in kernels."""
    run = training.make(task)
    activity = torch.profiler.ProfilerActivity

    def kernels() -> float:
        wanted = [activity.CUDA] if task.gpus else [activity.CPU]
        with torch.profiler.profile(activities=wanted) as profile:
            run()
        events = profile.key_averages()
        times = (
            each.self_device_time_total if task.gpus else each.self_cpu_time_total
            for each in events
        )
        return sum(times) / 1e6 / task.steps

    return kernels


# --- RCL's readings -------------------------------------------------------------------------------


def job_rows(args: argparse.Namespace) -> Iterator[list[str]]:
    """Run the jobs that are not done, each once its inputs are there; yield what each stage took.

    After LONGEST seconds no job begins: the same command goes on. Ends the program after a failed
    job: others would read what is not there.
    """
    jobs = json.loads(commands_of(args.tiny).read_text())
    until = time.monotonic() + LONGEST
    made = {path for job in jobs for path in job["outputs"]}
    waiting = [job for job in jobs if not (ROOT / job["record"]).exists()]
    seconds: dict[str, list[float]] = {stage: [] for stage in STAGES}
    running: dict[Future, dict[str, Any]] = {}
    failed: list[str] = []
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        while True:
            is_over = failed or time.monotonic() > until
            ready = [] if is_over else [job for job in waiting if not missing(job, made)]
            for job in ready[: AT_A_TIME - len(running)]:  # in the order of the file
                waiting.remove(job)
                running[pool.submit(took, job["command"])] = job
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job = running.pop(future)
                ended = future.result()
                failed += [job["record"]] if ended is None else []
                seconds[job["stage"]] += [] if ended is None else [ended]
    for stage, times in seconds.items():
        mean = f"{sum(times) / len(times):.0f}" if times else ""
        yield [stage, str(len(times)), mean, f"{sum(times):.0f}"]
    yield ["left", str(len(waiting)), "", ""]
    if failed:
        logs = commands_of(args.tiny).with_name("results") / "logs"
        sys.exit(f"error: {len(failed)} jobs failed, first {failed[0]}; {logs} says why")


def missing(job: dict[str, Any], made: set[str]) -> bool:
    """Tell whether a job waits for what another job makes."""
    return any(path in made and not (ROOT / path).exists() for path in job["inputs"])


def took(command: str) -> float | None:
    """Run the command of a job, as the workflow would; return its seconds, None if it failed."""
    start = time.monotonic()
    line = command.replace(PYTHON, shlex.quote(sys.executable))
    ended = subprocess.run(["bash", "-c", line], cwd=ROOT, stderr=subprocess.DEVNULL)
    return None if ended.returncode else time.monotonic() - start


def commands_of(tiny: bool) -> Path:
    """Return the file of the jobs' commands; the run lies beside it."""
    return FOLDER / f"{TABLE}{'-tiny' * tiny}" / "commands.json"


def layer_of(tiny: bool) -> dict[str, Any]:
    """Return what the table has here in place of the configs': all rows of the paper's file, 6 seeds."""
    if tiny:
        return {**TINY, "seeds": {"rcl": [1]}, "tables": {TABLE: {"rows": [ROW]}}}
    whole = read_yaml(ROOT / "papers/rcl.yaml")["tables"][TABLE]["rows"]
    [*rows, before_nli] = [row | {"bases": ["minilm-tuned"]} for row in whole]
    rows.append(before_nli | {"bases": ["minilm-3"]})
    return {
        "corpora": {"nli": {"limit": None}},
        "methods": {"tuning": {"max_steps": None}},
        "seeds": {"rcl": [1, 2, 3, 4, 5, 6]},
        "tables": {TABLE: {"rows": rows}},
    }


def prepare_table(data: Path, tiny: bool) -> None:
    """Make what the trainings of the table read, and note the commands of the jobs."""
    commands = commands_of(tiny)
    folder = commands.parent.relative_to(ROOT)
    layer = {
        "output": str(folder / "results"),
        "downloads": f"{FOLDER.name}/resources",
        "mirror": str(data),
        "resources": {"gpus": int(not tiny), "jobs_per_gpu": AT_A_TIME},
        **layer_of(tiny),
    }
    commands.parent.mkdir(parents=True, exist_ok=True)
    configs = [*CONFIGS]
    for name, keys in {"layer.yaml": layer, "here.yaml": {"resources": {"gpus": 0}}}.items():
        commands.with_name(name).write_text(as_yaml(keys))
        configs.append(str(folder / name))
    jobs = planned(configs[:-1], f"{layer['output']}/tables/{TABLE}.csv")
    jobs = [job for stage in STAGES for job in jobs if job.rule.name == stage]
    kept = [stated(job) for job in sorted(jobs, key=is_late)]
    commands.write_text(json.dumps(kept))
    read = {path for job in kept for path in job["inputs"]}
    made = {path for job in kept for path in job["outputs"]}
    wanted = ("--", *sorted(read - made))
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "all", "--configfile", *configs, *wanted],
        cwd=ROOT,
        check=True,
    )


def is_late(job: Any) -> bool:
    """Tell whether a job is of a seed behind the first ones; a base's own seed is 100."""
    return int(getattr(job.wildcards, "seed", 0)) in range(FIRST + 1, 100)


def planned(configs: Sequence[str], target: str) -> list[Any]:
    """Return the jobs that Snakemake plans for a file: its own command line, up to the graph."""
    from snakemake import cli  # the machine with the GPU has no Snakemake
    from snakemake.workflow import Workflow

    jobs: list[Any] = []

    def keep(workflow) -> None:
        workflow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True)
        workflow._build_dag()
        jobs.extend(workflow.dag.jobs)

    with (
        mock.patch.object(Workflow, "printdag", keep),
        mock.patch.object(
            sys, "argv", ["snakemake", "--configfile", *configs, "--dag", "--", target]
        ),
        contextlib.suppress(SystemExit),
    ):
        cli.main()
    return jobs


def stated(job: Any) -> dict[str, Any]:
    """Return what a job is on another machine: its command, what it reads and what it makes."""
    return {
        "stage": job.rule.name,
        "record": str(job.output.record),
        "inputs": list(map(str, job.input)),
        "outputs": list(map(str, job.output)),
        "command": job.shellcmd.replace(shlex.quote(sys.executable), PYTHON, 1),
    }


# --- packing --------------------------------------------------------------------------------------


def pack() -> None:
    """Write all that was made into files of at most PART_BYTES; together they are one tar file."""
    shutil.rmtree(PARTS, ignore_errors=True)
    PARTS.mkdir()
    whole = PARTS / "whole.tar"
    with tarfile.open(whole, "w") as archive:
        for place in sorted(set(FOLDER.iterdir()) - {PARTS}):
            archive.add(place, place.relative_to(ROOT))
    with whole.open("rb") as file:
        for number, part in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
            (PARTS / f"part-{number:02}").write_bytes(part)
    whole.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="a mirror of the raw data")
    data = parser.parse_args().data.resolve()
    workload.prepare(data)
    prepare_table(data, tiny=False)
    pack()


if __name__ == "__main__":
    main()
