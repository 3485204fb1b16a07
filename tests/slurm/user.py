"""What a user of a cluster does: type the promised command, look at the log, lose the connection."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml

from semblance.provenance import read_sealed
from tests.dag.tiny import Project

LONG = "results/models/nli/tiny/continued/seed-1/record.json"
STEPS = 3000



class User:
    """One project on one cluster."""

    def __init__(self, project: Project):
        self.project, self.folder = project, project.folder
        self.result = self.folder / Path(LONG).parent

    def write_long_config(self, checkpoint_steps: int) -> None:
        """Make the method ``continued`` a training of many small steps."""
        cadence = {"checkpoint_steps": checkpoint_steps} if checkpoint_steps else {}
        long = {"training": {"max_steps": STEPS, **cadence}, "recipes": {"rcl": {"epochs": 1000}},
                "tables": {"rcl_table1a": {"reference": None, "rows": [{"corpora": ["nli"], "bases": ["tiny"], "methods": ["continued"]}]}}}
        (self.folder / "long.yaml").write_text(yaml.safe_dump(long))

    def start(self, *arguments: str, targets: tuple[str, ...] = (LONG,), **resources: str) -> subprocess.Popen:
        """Start the controller; ``resources`` of the training take the place of the profile's."""
        sets = ["--set-resources", "train:slurm_partition=gpu", *(f"train:{k}={v}" for k, v in resources.items())]
        self.said = open(self.folder / "said", "a+", encoding="utf-8")
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", "all", "--profile", "slurm", "--configfile", "tiny.yaml", "long.yaml",
             "--slurm-init-seconds-before-status-checks", "3", *(sets if resources else []), *arguments, "--", *targets],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": "", "TQDM_DISABLE": "1"}, stdout=self.said, stderr=self.said,
            start_new_session=True)

    def output(self) -> str:
        """Return all that the controllers have printed."""
        return (self.folder / "said").read_text(encoding="utf-8")

    def finish(self, process: subprocess.Popen, seconds: float = 300) -> int:
        """Wait for the controller's end; return its exit status."""
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(self.output()[-5000:]) from None

    def steps_saved(self) -> int:
        """Return the newest step that lies on the disk, 0 for none."""
        found = [int(p.name.removeprefix("step-")) for p in self.result.glob("checkpoints/*/step-*")]
        return max(found, default=0)

    def wait_for_a_checkpoint(self, process: subprocess.Popen, above: int = 0, seconds: float = 120) -> int:
        """Return the newest saved step once there is one above so many."""
        end = time.monotonic() + seconds
        while (step := self.steps_saved()) <= above:
            if time.monotonic() > end or process.poll() is not None or (self.result / "record.json").exists():
                raise AssertionError("no checkpoint to interrupt at:\n" + self.output()[-5000:])
            time.sleep(0.1)
        return step

    def outputs(self) -> dict[str, str]:
        """Return the digests of the finished training."""
        return read_sealed(self.result / "record.json")["outputs"]

    def lives(self) -> int:
        """Return how many processes made the finished training."""
        return read_sealed(self.result / "record.json")["lives"]

    def log(self) -> str:
        """Return the training's own log."""
        return (self.folder / "results/logs/train/nli/tiny/continued/seed-1.log").read_text(encoding="utf-8")
