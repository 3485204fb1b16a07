"""Choose the way to answer a FAQ on its folds, judge it, and write one folder that answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from semblance.gpus import take_gpu
from semblance_faq.judge.building import AnswererSettings, Sources, build_answerer
from workflow.scripts.endings import run
from workflow.scripts.program import program


@dataclass(frozen=True)
class Records:
    """What the answerer is made from."""

    bank: str
    models: Sequence[str]
    evaluations: Sequence[str]


@program(__doc__)
def main(
    settings: AnswererSettings,
    records: Records,
    gpus: int,
    output: Path,
    jobs_per_gpu: int = 1,
    code: str = "",
) -> None:
    take_gpu(gpus, jobs_per_gpu)
    sources = Sources(records.bank, tuple(records.models), tuple(records.evaluations))
    build_answerer(settings, sources, output, gpus, code)


if __name__ == "__main__":
    run(main)
