"""Small trainings, whole and killed, for the tests of this room."""

import pytest

from semblance.training import run
from semblance.training.inputs import TrainingInputs
from semblance.training.keeping.checkpoint import Cadence, Checkpoints
from semblance.training.loop import EVALUATION, STEP
from tests.example_settings import train_settings

SETTINGS = train_settings(max_steps=2, evaluate_every=1)


def train(inputs, out, settings=SETTINGS, *, steps=0, stop_at=None, **more):
    """Train from ``inputs`` into ``out``; ``more`` are further fields of TrainingInputs.

    A checkpoint is saved every ``steps`` steps. Returns ``out``.
    """
    read = TrainingInputs(*inputs, **more)
    cadence = Cadence(minutes=10.0, steps=steps, stop_at=stop_at)
    run.train(read, out, settings, stage="train", code="code", cadence=cadence)
    return out


def killed(step, action, works=(STEP, EVALUATION)):
    """Do what trains, which is killed when so many steps are done and one of ``works`` follows."""
    real = Checkpoints.before

    def before(self, work, state, steps):
        if state.progress.step == step and work in works:
            raise KeyboardInterrupt
        real(self, work, state, steps)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Checkpoints, "before", before)
        action()
