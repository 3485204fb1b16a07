"""Settings of small trainings and readings: what config.yaml states, for tests without a config."""

from semblance.models.compute import Compute
from semblance.training.recipe import TrainSettings

COMPUTE = Compute(threads=1, gpus=0, precision="fp32", matmul="highest")
STATED = {  # the settings without a default
    "loss": "contrastive",
    "views": "rows",
    "batch_size": 4,
    "epochs": 1,
    "learning_rate": 1e-3,
    "max_length": 16,
    "warmup": 0.1,
    "weight_decay": 0.01,
    "clip": 1.0,
    "no_duplicates": True,
    "precision": "fp32",
    "matmul": "highest",
    "threads": 1,
    "gpus": 0,
    "seed": 0,
}


def train_settings(**changed: object) -> TrainSettings:
    """Return the settings of a training that differ from ``STATED`` in what is given."""
    return TrainSettings(**{**STATED, **changed})
