"""Fit the whitening of a base on the distinct sentences of a corpus; the model has it as a layer."""

from pathlib import Path

from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.training.whitening import fit_whitening
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    compute: Compute,
    model: str,
    tokens: str,
    output: Path,
    jobs_per_gpu: int = 1,
    code: str = "",
) -> None:
    take_gpu(compute.gpus, jobs_per_gpu)
    fit_whitening(model, tokens, output.parent, compute, code)


if __name__ == "__main__":
    run(main)
