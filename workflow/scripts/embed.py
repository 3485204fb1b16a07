"""Embed each distinct sentence of a corpus with a frozen model, in evaluation mode, as float16."""

from pathlib import Path

from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.training.embeddings import embed
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    compute: Compute,
    model: str,
    tokens: str,
    max_length: int,
    output: Path,
    jobs_per_gpu: int = 1,
    code: str = "",
) -> None:
    take_gpu(compute.gpus, jobs_per_gpu)
    embed(model, tokens, output.parent, max_length, compute, code)


if __name__ == "__main__":
    run(main)
