"""Random damage to a user's own FAQ is read or refused; a valid FAQ comes back."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semblance.data.text import normalise, shows_nothing
from semblance_faq.read.faq import read_own
from tests.hostile.bounds import bounded, survives
from tests.hostile.test_own_files import CSV, JSON
from tests.unit.data.files import put

SHARED = {
    "derandomize": True,
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}
quick = settings(max_examples=30, **SHARED)
EFFORT = [  # few examples, and in a long test many
    pytest.param(quick, id="quick"),
    pytest.param(settings(max_examples=2000, **SHARED), marks=pytest.mark.long, id="long"),
]
# What means something to one parser or another
TOKENS = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b'"',
    b"\t",
    b",",
    b"{",
    b"[" * 50,
    b"nan",
]
TOKENS += [b"1e999", b"-1", b"\xed\xa0\x80", b"\\u0000", b"9" * 5000, b"\xe2\x80\xa8"]


@st.composite
def mutated(draw: st.DrawFn, plain: bytes) -> bytes:
    """Cut, repeat, overwrite and insert in a valid file; now and then give random bytes instead."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=200))
    content = plain
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        twice, token = st.just(content[a:b] * 2), st.sampled_from(TOKENS)
        piece = draw(st.one_of(st.just(b""), twice, token, st.binary(max_size=8)))
        content = content[:a] + piece + content[b if draw(st.booleans()) else a :]
    return content


@pytest.mark.parametrize("effort", EFFORT)
@pytest.mark.parametrize("name, plain", [("f.csv", CSV), ("f.jsonl", JSON)])
def test_a_faq_is_read_or_refused_and_nothing_else_is_done(name, plain, effort, tmp_path):
    @effort
    @given(content=mutated(plain))
    def run(content: bytes) -> None:
        (tmp_path / name).write_bytes(content)
        survives(read_own, tmp_path / name)

    run()
    assert [path.name for path in tmp_path.iterdir()] == [name]


# None valid is refused: what is written in a format comes back


LETTERS = st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"])
WORDS = st.text(LETTERS, min_size=1, max_size=20).map(normalise)
SHOWN = WORDS.filter(lambda text: not shows_nothing(text))
ROW = st.tuples(SHOWN, SHOWN, SHOWN, st.lists(SHOWN, max_size=2))


@pytest.mark.parametrize("effort", EFFORT)
def test_every_valid_faq_of_ones_own_comes_back(effort, tmp_path):
    @effort
    @given(rows=st.lists(ROW, min_size=1, max_size=4, unique_by=lambda row: row[2]))
    def run(rows: list[tuple]) -> None:
        with bounded():
            comes_back(rows, tmp_path)

    run()


def comes_back(rows: list[tuple], tmp_path: Path) -> None:
    """Assert that a FAQ of these rows is read as it was written, as JSON lines and as CSV."""
    lines = [json.dumps({"question": q, "answer": a, "id": i, "queries": w}) for q, a, i, w in rows]
    bank = read_own(put(tmp_path / "o.jsonl", "\n".join(lines)))
    first = {(q, a): (q, a, i) for q, a, i, _ in reversed(rows)}  # of rows that repeat
    wanted = list(dict.fromkeys(first[q, a] for q, a, *_ in rows))
    assert [(p.question, p.answer, p.id) for p in bank.pairs] == wanted
    wordings = [text for row in rows for text in row[3]]
    assert [q.text for q in bank.queries] == list(dict.fromkeys(wordings))
    table = ["question,answer,id", *(quoted(*row[:3]) for row in rows)]
    assert read_own(put(tmp_path / "o.csv", "\n".join(table))).pairs == bank.pairs


def quoted(*fields: str) -> str:
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields)
