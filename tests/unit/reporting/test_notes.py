"""The note on the stand-ins of a table."""

import pytest

from semblance.reporting.notes import ORIENTATION, stand_in_note
from tests.unit.reporting.example_scores import row, table


@pytest.mark.parametrize("marked, note", [(0, ""), (2, "Stand-ins: 2 of 3 rows. ")])
def test_the_note_counts_the_rows_that_are_stand_ins(marked, note):
    given = [["base tiny instead of large"]] * marked + [[]] * (3 - marked)
    rows = {
        label: row("simcse", [1], published="p/1/r", stand_in=parts)
        for label, parts in zip("abc", given, strict=True)
    }
    found = stand_in_note(table(rows, []).rows)
    assert found == (f"{note}{ORIENTATION}" if marked else "")
