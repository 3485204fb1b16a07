"""The ledger of tries: what is written is read again, and what was changed since is refused."""

import dataclasses

import numpy as np
import pytest

from semblance.counts import counted, signed
from semblance.errors import InputError
from semblance.provenance import ROOT
from semblance.reporting.ledger import Ledger, Look


def look(digest, control="simcse", loss="mine", **scores):
    by_seed = {seed.removeprefix("s"): pair for seed, pair in scores.items()}
    said = ("2026-11-27T00:00:00+00:00", loss, digest, control, {"base": "b"}, by_seed)
    return Look(*said, budget=control)


def kept(digest, loss, gains):
    """A look at a loss that is better by these points, its control's seeds differing little."""
    return look(
        digest, loss=loss, **{f"s{n}": (70 + g, 70 + n / 100) for n, g in enumerate(gains, 1)}
    )


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
    assert tries["a"].sides().tolist() == [[70.5, 71.0], [70.0, 70.0]]
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


def test_a_cut_end_is_noticed_and_a_look_says_its_number(ledger):
    assert [look.number for look in Ledger(ledger).looks] == [1, 2, 3, 4]
    lines = ledger.read_text().splitlines(keepends=True)
    for left in (lines[:3], []):
        ledger.write_text("".join(left))
        with pytest.raises(InputError, match=rf"it has {len(left)} looks of 4; bring it back"):
            Ledger(ledger)
    ledger.unlink()
    with pytest.raises(InputError, match="it has 0 looks of 4"):
        Ledger(ledger)


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


GAINS = np.array([0.8, 0.9, 0.7, 0.85, 0.75, 0.8])
VARIANTS = {
    "of another name and other scores": ("other", GAINS + 0.05, 2),
    "of the same name": ("first", GAINS + 0.05, 1),
    "of nearly the same scores": ("other", GAINS + 0.009, 1),
    "none, but too far from the control to be alike": ("other", GAINS + 1, 2),
}


@pytest.mark.parametrize("loss, gains, count", VARIANTS.values(), ids=VARIANTS)
def test_a_variant_of_a_kept_loss_leaves_the_share_and_the_pool_as_they_are(
    tmp_path, loss, gains, count
):
    path = tmp_path / "tries.jsonl"
    for each in (kept("a", "first", GAINS), kept("b", loss, gains)):
        assert Ledger(path).add(each).verdict["word"] == "KEEP"
    found = Ledger(path).standing(look("c"))
    assert (found.place, found.kept) == (3, count)
    freedom = 5 if max(gains) > 1 else 5 * count  # of six seeds each
    assert found.pool.freedom == pytest.approx(1 / (1 / freedom + 1 / 20))


def test_what_a_try_is_judged_by_is_fixed_at_its_first_look(ledger):
    before = Ledger(ledger).standing(look("b"))
    Ledger(ledger).add(kept("e", "other", GAINS))
    Ledger(ledger).add(look("a", s1=(70.5, 70.0), s2=(71.0, 70.0), s3=(71.5, 70.0)))
    assert Ledger(ledger).standing(look("b")) == before
    assert (before.place, before.kept, before.pool.freedom) == (2, 0, 0)


def test_seeds_are_judged_in_their_order_and_the_far_one_is_named(ledger):
    scores = {f"s{n}": (71.0 if n != 10 else 60.0, 70 + n / 100) for n in range(1, 11)}
    written = Ledger(ledger).add(look("d", **scores))
    assert written.sides()[0].tolist() == [71.0] * 9 + [60.0]
    assert (written.verdict["word"], written.verdict["far"]) == ("KEEP", ["10"])


@pytest.mark.parametrize(
    "name, tells_more",
    [
        ("2026-11-27-family-cpu/tries-simcse", True),
        ("2026-11-27-family-cpu/tries-simcse-sup-no-negatives", True),
        ("2026-11-29-tries-cpu/tries", False),
    ],
)
def test_the_page_says_what_the_rule_says_of_a_kept_ledger(tmp_path, name, tells_more):
    page = (ROOT / "docs/family.md").read_text(encoding="utf-8")
    looks = [each for each in Ledger(ROOT / f"docs/runs/{name}.jsonl").looks if not each.opened]
    for look in looks:
        found = Ledger(tmp_path / "tries").add(look).verdict
        more = f", {counted(found['ends'] - len(look.scores), 'more seed')}" if tells_more else ""
        ends = f"[{signed(found['low']) or '−∞'}, {signed(found['high'])}]".replace("0.", ".")
        shown = f"{signed(found['difference'])} {ends}".replace("0.", ".")
        evidence = f"{float(format(found['evidence'], '.3g')):,g}"
        line = f"| {shown} | {evidence} | {found['word']}{more} |"
        assert line.replace(" 0.0", " .0") in page
    assert looks
