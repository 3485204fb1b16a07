"""A user's own FAQ: one file of CSV, Excel or JSON lines, and if wanted one of users' queries."""

from collections.abc import Mapping
from pathlib import Path

from semblance.data.faq import Faq, require_pairs
from semblance.errors import at
from semblance_faq.read.columns import Columns
from semblance_faq.read.entries import read_entries
from semblance_faq.read.findings import Findings
from semblance_faq.read.tables import read_table

QUERY_COLUMNS = Columns(("query", "id"))


def read_own(
    path: Path | str, given: Mapping[str, str] | None = None, queries_path: Path | str | None = None
) -> Faq:
    """Read a user's FAQ, and the queries to it if they are in a file of their own.

    The name of a file says its format: ``.csv``, ``.tsv`` or JSON lines (``.jsonl``), plain or
    ``.gz``, or ``.xlsx``. Columns or keys: question, answer, and if wanted id (else the line
    number), group (else the question) and queries, other wordings, which become annotated queries:
    several in one cell with ``|`` between them, in JSON a list. The second file has the columns
    query and id. ``given`` names the columns of question and answer; else they are found by
    ``columns.NAMES``. What was recognised and found is the ``reading`` of the result.
    Raises InputError with file and line for what cannot be read.
    """
    findings = Findings()
    columns = Columns(("question", "answer"), ("id", "group", "queries"), given or {})
    entries = read_entries(path, read_table(path, columns, findings), findings)
    pairs = require_pairs(entries.pairs.values(), at(path, 1))
    if queries_path is not None:
        for line, row in read_table(queries_path, QUERY_COLUMNS, findings):
            entries.add_query(queries_path, line, row)
    queries = entries.queries(findings)
    name = Path(str(path).removesuffix(".gz")).stem
    return Faq(name, pairs, queries, reading=findings.reading())
