"""Choose the way to answer a FAQ on its folds, judge it, and write one folder that answers."""

from pathlib import Path

from semblance.gpus import take_gpu
from semblance_faq.judge.building import AnswererSettings, Sources, build_answerer
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    settings: AnswererSettings,
    sources: Sources,
    gpus: int,
    output: Path,
    jobs_per_gpu: int = 1,
    code: str = "",
) -> None:
    take_gpu(gpus, jobs_per_gpu)
    build_answerer(settings, sources, output, gpus, code)


if __name__ == "__main__":
    run(main)
