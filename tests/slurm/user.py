"""What a user of a cluster does: type the promised command, look at the log, lose the connection."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import yaml

from semblance.provenance import circumstances, read_sealed
from tests.dag.tiny import Project, rows
from tests.reliability.runs import logged, slow_training, start
from tests.slurm.cluster import Cluster

LONG = "results/models/nli/tiny/continued/seed-1/record.json"
STEPS = 400


class User:
    """One prepared project on a cluster, of which only one long training is still to do."""

    def __init__(self, project: Project, checkpoint_steps: int = 20):
        self.project, self.folder = project, project.folder
        self.result = self.folder / Path(LONG).parent
        cadence = {"checkpoint_steps": checkpoint_steps} if checkpoint_steps else {}
        long = {
            "training": {"max_steps": STEPS},
            "resources": cadence,
            "recipes": {"rcl": {"epochs": 1000}},
            "tables": {"rcl_table1a": {"control": None, "rows": rows("nli", "continued")}},
        }
        (self.folder / "long.yaml").write_text(yaml.safe_dump(long))

    def start(
        self, *arguments: str, pause: float = 0.05, held: int = 0, **resources: str
    ) -> subprocess.Popen:
        """Start the controller; each step takes ``pause`` s more, and the training ``held`` MB more.

        ``resources`` of the training take the place of the profile's.
        """
        sets = [f"train:{k}={v}" for k, v in ({"slurm_partition": "gpu"} | resources).items()]
        words = ["--cores", "all", "--profile", "slurm", "--configfile", "tiny.yaml", "long.yaml"]
        words += ["--slurm-init-seconds-before-status-checks", "3", "--set-resources", *sets]
        log = self.folder / "said"
        variables = slow_training(pause) | {"HELD_MB": str(held)}
        return start(self.project, *words, *arguments, "--", LONG, log=log, **variables)

    def output(self) -> str:
        """Return the log of the runs, and then all that the controllers have printed."""
        return logged(self.project) + (self.folder / "said").read_text(encoding="utf-8")

    def finish(self, process: subprocess.Popen, status: int = 0) -> None:
        """Wait for the controller's end and look at its exit status."""
        try:
            assert process.wait(600) == status, self.output()[-6000:]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(self.output()[-6000:]) from None

    def wait_for_a_checkpoint(self, process: subprocess.Popen) -> None:
        """Return when there is a step to go on from and the training has not ended."""
        end = time.monotonic() + 300
        while not any(self.result.glob("checkpoints/*/step-*")):
            if time.monotonic() > end or process.poll() is not None:
                raise AssertionError("no checkpoint to interrupt at:\n" + self.output()[-6000:])
            time.sleep(0.1)

    def jobs(self, cluster: Cluster, *states: str) -> dict[str, dict[str, str]]:
        """Return the jobs of this project, in the order of their submission."""
        here = {
            n: job for n, job in cluster.jobs(*states).items() if job["workdir"] == str(self.folder)
        }
        return dict(sorted(here.items(), key=lambda item: int(item[0])))

    def job(self, cluster: Cluster) -> str:
        """Return the one job of this project that runs."""
        [job] = self.jobs(cluster, "RUNNING")
        return job

    def memory(self, cluster: Cluster) -> list[int]:
        """Return the MB for which each of this project's jobs has asked."""
        jobs = [cluster.ask("scontrol", "show", "job", number) for number in self.jobs(cluster)]
        return [int(re.search(r"MinMemoryNode=(\d+)M", job)[1]) for job in jobs]

    def log(self) -> str:
        """Return what the last attempt of the training has printed."""
        log = self.folder / "results/logs/train/nli/tiny/continued/seed-1.log"
        return log.read_text(encoding="utf-8")

    def outputs(self) -> dict[str, str]:
        """Return the digests of the finished training."""
        return read_sealed(self.result / "record.json")["outputs"]

    def attempts(self) -> int:
        """Return how many processes made the finished training."""
        return circumstances(self.result / "record.json")["attempts"]
