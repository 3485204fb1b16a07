"""Build a corpus of single sentences from a file of one sentence a line."""

from semblance.data.wiki import WikiSettings, write_sentences
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation(
    "prepare_wiki", WikiSettings, write_sentences, ("sentences.arrow", "rows.arrow")
)


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
