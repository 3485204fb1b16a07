"""The ledger of tries: what is written is read again, and what was changed since is refused."""

import dataclasses

import pytest

from semblance.errors import InputError
from semblance.reporting.ledger import Ledger, Look


def look(digest, control="simcse", **scores):
    by_seed = {seed.removeprefix("s"): pair for seed, pair in scores.items()}
    return Look("2026-11-27T00:00:00+00:00", "mine", digest, control, {"base": "b"}, by_seed)


@pytest.fixture
def ledger(tmp_path):
    """Four looks: two at the first try, one at another, one beside another control."""
    path = tmp_path / "tries.jsonl"
    for each in (
        look("a", s1=(70.5, 70.0)),
        look("b", s1=(70.0, 70.25)),
        look("a", s1=(70.5, 70.0), s2=(71.0, 70.0)),
        look("c", "rcl", s1=(1.0, 0.5)),
    ):
        assert Ledger(path).add(each) == Ledger(path).looks[-1]
    return path


def test_the_last_look_at_each_try_of_a_control_stands_in_the_order_of_their_start(ledger):
    tries = Ledger(ledger).tries("simcse")
    assert list(tries) == ["a", "b"]
    assert tries["a"].differences.tolist() == [0.5, 1.0] and tries["b"].differences == [-0.25]
    assert list(Ledger(ledger).tries("rcl")) == ["c"]


def test_a_missing_ledger_has_no_tries(tmp_path):
    assert Ledger(tmp_path / "tries.jsonl").tries("simcse") == {}


CHANGES = {  # of the lines of the ledger, and the first line that is not as it was written
    "edited": (lambda lines: [lines[0].replace("70.5", "70.6"), *lines[1:]], 1),
    "taken out": (lambda lines: [lines[0], *lines[2:]], 2),
    "exchanged": (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
    "cut short": (lambda lines: [*lines[:-1], lines[-1][:40]], 4),
    "without a seal": (lambda lines: [*lines, lines[-1].replace("seal", "sale")], 5),
}


@pytest.mark.parametrize("change, line", CHANGES.values(), ids=CHANGES)
def test_a_changed_ledger_is_refused_in_one_line_and_kept_as_it_is(ledger, change, line):
    ledger.write_text("\n".join(change(ledger.read_text().splitlines())) + "\n")
    before = ledger.read_bytes()
    with pytest.raises(InputError, match=rf"tries\.jsonl:{line}: ") as caught:
        Ledger(ledger).add(look("d"))
    assert "\n" not in str(caught.value) and ledger.read_bytes() == before


def test_a_look_is_judged_after_the_tries_before_it(ledger):
    """An end of its interval that is not finite is none in JSON; what was opened is kept."""
    looked = look("d", s1=(1 / 3, 0.1), s2=(1.0, 0.2))
    written = Ledger(ledger).add(dataclasses.replace(looked, opened={"difference": 1.0}))
    assert written.verdict["word"] == "OPEN" and written.verdict["low"] is None
    assert written.verdict["spent"] == pytest.approx(3 / 20)  # the third of ten with one half
    assert written.opened == {"difference": 1.0} and written.scores == looked.scores
