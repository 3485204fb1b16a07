"""A user's own FAQ, as a format of the banks that the reproduction prepares."""

from semblance.data.faq import Faq
from semblance.data.raw import Raw
from semblance_faq.read.faq import read_own


def read(
    raw: Raw,
    path: str,
    *,
    queries_path: str | None = None,
    question_column: str | None = None,
    answer_column: str | None = None,
) -> Faq:
    """Read the files at the paths, which are in no manifest; columns without a name are guessed."""
    given = {"question": question_column, "answer": answer_column}
    file = raw.user_file(path)
    queries = None
    if queries_path is not None:
        queries = raw.user_file(queries_path)
    return read_own(file, given, queries)
