"""Build a corpus of positive pairs from the raw files of a source, such as Quora question pairs."""

from semblance.data.prepare_pairs import PairSettings, write_positive_pairs
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation(
    "prepare_pairs", PairSettings, write_positive_pairs, ("sentences.arrow", "rows.arrow")
)


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
