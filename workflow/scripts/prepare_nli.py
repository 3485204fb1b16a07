"""Build a corpus of (premise, entailed, contradicted) triples from the raw NLI files."""

from semblance.data.prepare_nli import NliSettings, write_triples
from workflow.scripts.endings import run
from workflow.scripts.preparing import Preparation, prepare

STAGE = Preparation("prepare_nli", NliSettings, write_triples, ("sentences.arrow", "rows.arrow"))


def main(argv: list[str] | None = None) -> None:
    """Read, count, write."""
    prepare(STAGE, __doc__, argv)


if __name__ == "__main__":
    run(main)
