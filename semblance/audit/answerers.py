"""The answerers of a run, judged once more from its scores."""

from pathlib import Path

from semblance.answering.again import judge_again
from semblance.answering.folder import STAGE
from semblance.audit.chain import Chain
from semblance.audit.findings import ANSWERERS, UNREADABLE, Cure, Findings


def check_answerers(chain: Chain, readable: list[Path], found: Findings) -> None:
    """Check what each answerer says of its choice, its threshold and its scores."""
    for path in readable:
        record = chain.read(path)
        if record.get("stage") != STAGE:
            continue
        try:
            again = judge_again(path.parent, record)
        except UNREADABLE as error:
            found.unreadable(ANSWERERS, path, error)
            continue
        if not again.judged:
            found.note(path.parent, again.fact)
        elif not again.problems:
            found.check(ANSWERERS, True, path, "")
        for file, problem in again.problems:
            found.check(ANSWERERS, False, file, problem, Cure(remake=(path,)))
