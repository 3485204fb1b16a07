"""What the programs share whose models only read: what computes, and the record that is written."""

from dataclasses import dataclass
from pathlib import Path

from semblance.gpus import take_gpu
from semblance.models.compute import Compute


@dataclass(frozen=True)
class ReadingJob:
    """The arguments of such a program, besides the models and the data."""

    compute: Compute
    output: Path
    jobs_per_gpu: int = 1
    code: str = ""

    def take_gpu(self) -> None:
        """Take a GPU, if the job is to have one."""
        take_gpu(self.compute.gpus, self.jobs_per_gpu)
