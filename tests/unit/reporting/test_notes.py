"""The note on the stand-ins of a table."""

import pytest

from semblance.reporting.notes import ORIENTATION, stand_in_note
from tests.unit.reporting.example_scores import row, table

BASE, ROWS, BATCH = "base tiny instead of large", "8 of 10 rows", "batch_size 2 instead of 64"


ALL = "all rows that a paper has, too"


@pytest.mark.parametrize(
    "differences, sentences",
    [
        ([[], []], []),
        ([[BASE, ROWS], [BASE, ROWS]], [f"{ALL}: {BASE}; {ROWS}"]),  # said once
        ([[BASE], []], [f"“a”: {BASE}"]),  # the other row is comparable
        ([[BASE], [BASE, BATCH], [BASE, BATCH]], [f"{ALL}: {BASE}", f"“b”, “c”: {BATCH}"]),
    ],
)
def test_the_note_says_in_what_all_rows_differ_and_in_what_some_do_besides(differences, sentences):
    """The rows a, b and c, all printed in a paper, differ in so much from it."""
    rows = {
        label: row("simcse", [1], published="p/1/r", stand_in=given)
        for label, given in zip("abc", differences, strict=False)
    }
    note = stand_in_note(table(rows, []).rows)
    assert note == (f"Stand-in: {'. '.join(sentences)}. {ORIENTATION}" if sentences else "")
