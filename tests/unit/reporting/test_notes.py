"""The note on the stand-ins of a table."""

from semblance.reporting.build import build
from semblance.reporting.notes import ORIENTATION, stand_in_note
from tests.unit.reporting.example_scores import frame, spec

BASE, ROWS, BATCH = "base tiny instead of large", "8 of 10 rows", "batch_size 2 instead of 64"


def note(**stand_ins):
    """Return the note of a table whose rows, all printed in a paper, differ in so much from it."""
    common = {"corpus": "nli", "base": "tiny", "method": "simcse", "seeds": [1]}
    rows = {}
    for label, reasons in stand_ins.items():
        rows[label] = {**common, "published": "p/1/r", "stand_in": reasons}
    return stand_in_note(build(spec(rows), frame([])).rows)


def test_a_table_without_stand_ins_has_no_note():
    assert note(a=[], b=[]) == ""


def test_what_all_rows_differ_in_is_said_once():
    expected = f"Stand-in: all rows that a paper has, too: {BASE}; {ROWS}. {ORIENTATION}"
    assert note(a=[BASE, ROWS], b=[BASE, ROWS]) == expected


def test_rows_are_named_where_others_are_comparable():
    assert note(a=[BASE], b=[]) == f"Stand-in: “a”: {BASE}. {ORIENTATION}"


def test_what_some_rows_differ_in_besides_follows_with_their_labels():
    found = note(a=[BASE], b=[BASE, BATCH], c=[BASE, BATCH])
    first, second, *_ = found.split(". ")
    assert first == f"Stand-in: all rows that a paper has, too: {BASE}"
    assert second == f"“b”, “c”: {BATCH}"
