"""Parts of a FAQ's training corpus: whole entries, or users' wordings, each part within a larger one."""

import pyarrow as pa
import pytest

from semblance.data.arrow import write_parquet
from semblance.data.corpus import read_rows, read_sentences, write_rows
from semblance.data.thinning import PartSettings, part_of, text_rows, write_part
from semblance.errors import InputError

ENTRIES = 20
ROWS = [row for n in range(ENTRIES) for row in ((f"q{n}", f"a{n}", None), (f"w{n}", f"a{n}", None))]
WORDINGS = {f"w{n}" for n in range(ENTRIES)}


def part(percent, of="entries", rows=ROWS, seed=0):
    return part_of(rows, WORDINGS, PartSettings(percent, of, seed))


@pytest.mark.parametrize("percent", [25, 50])
def test_a_part_has_its_share_of_the_entries_each_with_all_its_rows(percent):
    kept = part(percent)
    answers = {row[1] for row in kept}
    assert len(answers) == ENTRIES * percent / 100
    assert kept == [row for row in ROWS if row[1] in answers]


@pytest.mark.parametrize("of", ["entries", "wordings"])
def test_a_smaller_part_lies_within_a_larger_one(of):
    assert set(part(25, of)) < set(part(50, of)) < set(ROWS)


def test_of_the_wordings_alone_the_rows_of_questions_stay():
    kept = part(50, "wordings")
    asked = [row[0] for row in kept]
    assert {f"q{n}" for n in range(ENTRIES)} <= set(asked)
    assert len(WORDINGS & set(asked)) == ENTRIES / 2


def test_the_part_depends_on_the_seed_and_not_on_the_order_of_the_rows():
    assert set(part(50, rows=ROWS[::-1])) == set(part(50))
    assert part(50, seed=1) != part(50)


def test_entries_with_the_same_answer_stay_together():
    shared = [(f"q{n}", "the same", None) for n in range(3)]
    kept = part(50, rows=[*shared, ("other", "else", None)])
    assert len([row for row in kept if row[1] == "the same"]) in (0, 3)


def test_a_negative_that_is_in_no_row_of_the_part_is_left_out():
    rows = [(f"q{n}", f"a{n}", f"a{(n + 1) % ENTRIES}") for n in range(ENTRIES)]
    kept = part(50, rows=rows)
    known = {row[1] for row in kept}
    assert {row[2] for row in kept} <= known | {None}
    assert any(row[2] for row in kept) and any(row[2] is None for row in kept)


@pytest.fixture
def folders(tmp_path):
    """The folders of a corpus, of its bank, whose entries have wordings, and of a part."""
    corpus, bank, part = (tmp_path / name for name in ("corpus", "bank", "part"))
    write_rows(corpus, ROWS)
    entries = [{"question": f"q{n}", "wordings": [f"w{n}", "q0"]} for n in range(ENTRIES)]
    write_parquet(pa.Table.from_pylist(entries), bank / "entries.parquet")
    return corpus, bank, part


# Of wordings the rows of all questions stay, where the bank's own wordings are among them.
@pytest.mark.parametrize("of, sentences", [("entries", 3 * ENTRIES // 2), ("wordings", 50)])
def test_a_part_on_the_disk_is_a_corpus_without_the_sentences_that_are_left_out(
    folders, of, sentences
):
    corpus, bank, folder = folders
    counts = write_part(corpus, bank, PartSettings(50, of, 0), folder)
    rows = text_rows(read_sentences(folder), read_rows(folder))
    assert rows == part(50, of)
    assert counts == {"rows": len(rows), "sentences": sentences, "rows of all": len(ROWS)}


def test_a_part_of_one_row_is_refused(folders):
    corpus, bank, folder = folders
    write_rows(corpus, ROWS[:1])
    with pytest.raises(InputError, match="1 rows"):
        write_part(corpus, bank, PartSettings(25, "entries", 0), folder)
