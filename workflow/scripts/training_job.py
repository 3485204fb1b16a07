"""What the programs of all trainings read, and how they train."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance.gpus import take_gpu
from semblance.training.inputs import TrainingInputs
from semblance.training.keeping.checkpoint import Cadence
from semblance.training.recipe import TrainSettings
from semblance.training.run import train


@dataclass(frozen=True)
class Training:
    """The arguments of every training: settings, records to read, the record to write."""

    settings: TrainSettings
    base: str
    corpus: str
    tokens: str
    output: Path
    checkpoint_minutes: float
    checkpoint_steps: int
    stop_at: float | None = None
    jobs_per_gpu: int = 1
    code: str = ""

    def take_gpu(self) -> None:
        """Wait for a GPU, before anything asks CUDA."""
        take_gpu(self.settings.gpus, self.jobs_per_gpu)

    def run(self, stage: str, settings: TrainSettings | None = None, **inputs: Any) -> None:
        """Train and write; ``inputs`` are more fields of ``TrainingInputs``."""
        settings = settings or self.settings
        train(
            TrainingInputs(self.base, self.corpus, self.tokens, **inputs),
            self.output.parent,
            settings,
            stage=stage,
            code=self.code,
            cadence=Cadence(self.checkpoint_minutes, self.checkpoint_steps, self.stop_at),
        )
