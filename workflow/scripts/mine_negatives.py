"""Give each training row of a fold of a FAQ bank a hard negative: a wrong answer ranked high."""

from pathlib import Path

from semblance.data.negatives import MiningSettings
from semblance.training.mining import mine_negatives
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    settings: MiningSettings, corpus: str, embeddings: str, output: Path, code: str = ""
) -> None:
    mine_negatives(corpus, embeddings, output, settings, code)


if __name__ == "__main__":
    run(main)
