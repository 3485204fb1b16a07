"""What the folds of a user's FAQ test, and what they cannot test, told before anything runs."""

from collections.abc import Iterator

from semblance.counts import counted
from semblance.data.faq import Faq, Split, answers_known_by_groups, keys_of, new_wordings
from semblance.errors import InputError
from workflow.own_faq.quick import FEWEST_WORDINGS, FOLDS

SEED = 0  # of the split, as in config.yaml


def require_folds(bank: Faq, path: str) -> None:
    """Raise InputError for a FAQ with fewer different answers than folds."""
    parts = len(set(keys_of(bank.pairs, "answer")))
    if parts < FOLDS:
        problem = (
            f"{counted(parts, 'different entry', 'different entries')}, where those that share a question"
            f" or an answer count as one; the test needs {FOLDS}"
        )
        raise InputError(path, problem, "add entries with other questions and other answers")


def tested_lines(bank: Faq) -> Iterator[str]:
    """Yield what is tested and what is not, in plain lines."""
    new = len(new_wordings(bank))
    if new >= FEWEST_WORDINGS:
        yield f"test: {new:,} wordings of users, each held out once"
    else:
        yield f"test: the {counted(len(bank.pairs), 'question')} of the FAQ, each held out once"
        yield from _answers_line(bank)
    if 0 < new < FEWEST_WORDINGS:
        yield (
            f"not tested: {counted(new, 'wording')} of users; the models train on them, and"
            f" {FEWEST_WORDINGS} are needed to hold some out"
        )


def _answers_line(bank: Faq) -> Iterator[str]:
    known = answers_known_by_groups(bank.pairs, Split(FOLDS, SEED))
    if known:
        yield (
            "test: all questions of one answer are held out together; otherwise"
            f" {known:,} of them would have their answer in training"
        )
