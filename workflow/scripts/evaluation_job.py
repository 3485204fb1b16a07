"""What the programs of all evaluations take: what computes, and the record that they write."""

from dataclasses import dataclass
from pathlib import Path

from semblance.evaluation.scored import Target
from semblance.gpus import take_gpu
from semblance.models.compute import Compute


@dataclass(frozen=True)
class Reading:
    """The arguments of every evaluation, besides its data."""

    compute: Compute
    model: str
    output: Path
    jobs_per_gpu: int = 1
    code: str = ""

    def target(self) -> Target:
        """Take a GPU, if the job is to have one; return what the evaluation writes, and how."""
        take_gpu(self.compute.gpus, self.jobs_per_gpu)
        return Target(self.output, self.compute, self.code)
