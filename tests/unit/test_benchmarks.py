"""The benchmarks' arithmetic: what they print is worth no more than this."""

import csv
import itertools
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from benchmarks import error_rates, first_step, side, start_up, training
from benchmarks.__main__ import ratios, spread, table
from benchmarks.error_rates import MARGIN, SIZE, Truth, of_rivals
from benchmarks.limits import mean_step_gflop, step_gflop
from benchmarks.own_faq import OF_ANSWER, watch, write_faq
from benchmarks.serving import Outcome, Served, report
from benchmarks.training import settings
from benchmarks.workload import Task, preparing, text_batches
from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.errors import InputError
from semblance.models.architecture import Architecture
from semblance.models.encoder import Encoder
from semblance.models.packing import pack
from semblance.reporting import verdicts
from semblance.training import batch_loss, loop
from tests.shipped import merged
from workflow.planning.config import load
from workflow.scripts import train_entropy

SHAPE = Architecture(4, 2, 2, 8, 10, 64, 2, 1e-12, 0.1, 0.1, 0, 0)


def test_a_steps_work_is_that_of_its_matrix_products_three_times():
    def forward(tokens: int) -> int:
        """Multiplications and additions of one sentence, product by product: (rows, inner, columns)."""
        # qkv, out, up, down
        products = [(tokens, 4, 12), (tokens, 4, 4), (tokens, 4, 8), (tokens, 8, 4)]
        products += [(tokens, 2, tokens), (tokens, tokens, 2)] * 2  # two heads of width 2
        return 2 * sum(n * k * m for n, k, m in products)

    # forward, and twice as much backward
    expected = 3 * SHAPE.num_hidden_layers * (forward(5) + forward(9))
    assert step_gflop(SHAPE, np.array([5.0, 9.0])) * 1e9 == pytest.approx(expected)


def test_padding_is_the_share_that_the_longest_of_each_view_makes():
    # sentences of 3, 3, 9 and 3 tokens
    tokens = Tokens(np.zeros(18, np.int32), np.array([0, 3, 6, 15, 18]))
    batch = Rows(np.array([0, 1], np.int32), np.array([2, 3], np.int32), np.full(2, NONE, np.int32))
    gflop, padding = mean_step_gflop(SHAPE, tokens, batch, 2, steps=1)
    assert padding == pytest.approx(1 - (3 + 3 + 9 + 3) / (2 * 3 + 2 * 9))
    assert gflop == pytest.approx(step_gflop(SHAPE, np.array([3.0, 3.0, 9.0, 3.0])))


def test_ratios_are_taken_turn_by_turn():
    assert ratios([1.0, 2.0], [3.0, 4.0]) == [3.0, 2.0]
    assert spread([3.0, 1.0, 2.0]) == "2.00 (1.00 to 3.00)"
    assert table(["a", "b"], [[1, 2]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_the_peer_is_given_the_texts_of_our_batches_in_their_order(monkeypatch):
    """Rows share sentences, so that some wait for a later batch."""
    rng = np.random.default_rng(0)
    rows = Rows(*(rng.integers(0, 30, 40).astype(np.int32) for _ in range(3)))
    sentences = [f"s{i}" for i in range(30)]
    tokens = Tokens(np.repeat(np.arange(30, dtype=np.int32), 3), np.arange(0, 91, 3))
    packed = []

    def noting(tokens, numbers, *more):
        packed.append(numbers)
        return pack(tokens, numbers, *more)

    monkeypatch.setattr(batch_loss, "pack", noting)
    encoder = Encoder(replace(SHAPE, vocab_size=30), "mean")
    loss = batch_loss.BatchLoss([encoder], tokens, rows, settings(TASK))
    for step in range(12):
        loss(step)
    texts = list(itertools.islice(text_batches(rows, sentences, 4, training.SEED), 12))
    for numbers, batch in zip(packed, texts, strict=True):
        assert [sentences[i] for i in numbers] == [row[view] for view in range(3) for row in batch]


def test_a_step_is_timed_from_the_end_of_the_warm_up(monkeypatch):
    now = iter([5.0, 5.0, 7.0, 9.0, 11.0])  # the second tick asks twice; the first once
    times = iter([1.0, *now])
    monkeypatch.setattr(training.time, "perf_counter", lambda: next(times))
    clock = training.Clock(5)
    for _ in range(5):
        clock.tick()
    assert clock.step() == pytest.approx((11.0 - 5.0) / 3)
    with pytest.raises(RuntimeError, match="0 steps instead of 4"):
        training.Clock(4).step()


class Still:
    """A side whose slices cost nothing: its nth one takes n seconds."""

    order: list["Still"] = []

    def __init__(self, task: Task):
        self.turn = 0

    def slice(self) -> float:
        self.turn += 1
        self.order.append(self)
        return float(self.turn)

    def close(self) -> None:
        pass


@pytest.fixture
def taken_by_others(monkeypatch):
    """Return what states the seconds that others took, before and after each round."""
    monkeypatch.setattr(side, "Side", Still)
    side.DISTURBED.clear(), Still.order.clear()

    def state(seconds: Iterable[float]) -> None:
        found = iter(seconds)
        monkeypatch.setattr(side, "taken", lambda sides: float(next(found)))

    return state


TASK = Task("train", "folder", 1, 0, "highest", objective="nli", batch=4)


def test_a_round_whose_time_others_took_is_measured_again(taken_by_others):
    taken_by_others([0, 99, 99, 99, 99, 99])  # the first round loses 99 seconds
    assert side.side_by_side(2, {"ours": TASK}) == {"ours": [3.0, 4.0]}  # 1: warm-up, 2: once more
    assert side.disturbance() == ""


def test_where_others_take_time_in_each_round_it_counts_at_last_and_is_named(taken_by_others):
    taken_by_others(range(0, 1000, 99))
    assert len(side.side_by_side(2, {"ours": TASK})["ours"]) == 2
    assert len(side.DISTURBED) == 2 and "2 rounds disturbed" in side.disturbance()


def test_the_sides_take_turns_in_being_first(taken_by_others):
    taken_by_others([0] * 6)
    side.side_by_side(3, {"a": TASK, "b": TASK})
    a, b = Still.order[:2]  # the warm-up
    assert Still.order[2:] == [a, b, b, a, a, b]


@pytest.mark.skipif(not psutil.LINUX, reason="the system does not tell: foreign load NOT tested")
def test_the_sides_own_time_does_not_count_as_taken():
    spin = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", spin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    as_a_side = side.taken([SimpleNamespace(process=process)])
    as_a_stranger = side.taken([])
    process.communicate("\n")
    # ticks of a hundredth of a second; what else runs only adds
    assert as_a_stranger - as_a_side > 0.45


def test_a_benchmarks_faq_has_as_many_entries_as_asked_and_no_sentence_twice(tmp_path):
    path = tmp_path / "faq.csv"
    write_faq(path, [f"Sentence {n}." for n in range(40)], 3)
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["question", "answer"] and len(rows) == 3
    words = " ".join(" ".join(row) for row in rows).split()
    numbers = [word for word in words if word != "Sentence"]
    assert len(numbers) == len(set(numbers)) == 3 * (1 + OF_ANSWER)
    with pytest.raises(ValueError, match="entries need"):
        write_faq(path, ["One."], 3)


def test_the_memory_of_a_watched_command_counts_its_children(tmp_path):
    child = "b = bytearray(200 * 2**20); import time; time.sleep(2)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    found = watch([sys.executable, "-c", parent], (0,), tmp_path)
    assert found.megabytes > 200 and found.seconds > 2
    with pytest.raises(subprocess.CalledProcessError):
        watch([sys.executable, "-c", "raise SystemExit(2)"], (0, 1), tmp_path)


@pytest.mark.parametrize("arguments", [start_up.PLAN, preparing(Path("mirror"))])
def test_a_run_of_a_benchmark_names_keys_of_the_config_and_folders_that_it_may_write(arguments):
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    known = merged("config.yaml")
    assert {"output", "downloads"} <= given.keys() <= {*known, "mirror"}
    load(known | given)


def test_the_training_of_the_benchmark_is_one_that_the_program_takes(tmp_path):
    """Its flags and settings are good: only the base is not there."""
    flags = start_up.training_flags(tmp_path, "minilm", tmp_path / "out")
    with pytest.raises(InputError, match="models/minilm/.*no such file"):
        train_entropy.main(flags)
    assert signature(first_step.fit).parameters.keys() == signature(loop.fit).parameters.keys()


@pytest.mark.parametrize("objective", training.OBJECTIVES)
def test_each_objective_of_a_benchmark_has_settings_that_a_training_takes(objective):
    assert settings(replace(TASK, objective=objective)).batch_size == TASK.batch


def test_a_served_load_has_failed_where_a_question_was_lost_or_answered_by_an_error():
    def served(*ends, status=0):
        return Served([Outcome(end, 0.01) for end in ends], 1.0, status, 100.0)

    assert not served("200", "refused").failed
    assert served("200", "lost").failed and served("503").failed and served("200", status=1).failed
    assert "2 questions in 1 s: 2 × 200" in report(served("200", "200"))


TRUTHS = {truth.says: truth for truth in error_rates.TRUTHS}
DENIED = {"contradicted", "the other way", "a little the other way"}
SHOWN = set(error_rates.VERDICTS) - DENIED - {"no difference", "undecided"}
WITHIN = {"no difference", "far smaller than claimed"}
OFF = DENIED | {"smaller than claimed", "larger than claimed"}
FIXED = TRUTHS["the same, with the items held fixed"]


def share(truth: Truth, sd: float, n: int, of: set[str]) -> float:
    """Return how often the verdict on a claim of SIZE points is one of these."""
    estimates = error_rates.experiments(truth, sd, n)
    counts = Counter(verdicts.of_difference(each, SIZE, MARGIN) for each in estimates)
    return sum(counts[verdict] for verdict in of) / error_rates.RUNS


def allowed(level: float) -> float:
    """Return a rate and three standard errors of the simulated experiments."""
    return level + 3 * math.sqrt(level * (1 - level) / error_rates.RUNS)


@pytest.mark.parametrize("n", error_rates.SEEDS)
@pytest.mark.parametrize(
    "truth, sd, rare",
    [
        *(("no difference", sd, (SHOWN, DENIED)) for sd in error_rates.SPREADS),
        ("the size", 0.3, ({"smaller than claimed"}, {"larger than claimed"}, DENIED, WITHIN)),
        ("half of the size, which is the margin", 0.3, ({"no difference"},)),
        ("the size, against the claim", 0.3, (SHOWN,)),
        ("no difference, one seed in ten loses 2 points", 0.05, (SHOWN, DENIED)),
        ("no difference, items of error .3, in the interval", 0.05, (SHOWN, DENIED)),
    ],
)
def test_a_false_verdict_is_as_rare_as_its_test_says(truth, sd, rare, n):
    for wrong in rare:
        assert share(TRUTHS[truth], sd, n, wrong) <= allowed(0.025), wrong


@pytest.mark.parametrize("n", (3, 5))
@pytest.mark.parametrize(
    "true, holds, wrong",
    [
        ([0.0] * 7, 7, "contradicted"),
        ([0.0] * 7, 6, "contradicted"),
        ([1.6] * 6 + [0.0], 7, "reproduced"),
        ([1.6] * 5 + [0.0] * 2, 6, "reproduced"),
        ([1.6] * 6 + [MARGIN], 7, "no difference"),
    ],
)
def test_several_comparisons_err_no_more_often_than_one(true, holds, wrong, n):
    counts = Counter(of_rivals(holds, true, n))
    assert counts[wrong] / error_rates.RUNS <= allowed(0.025)


def test_a_ledger_that_held_the_items_fixed_would_err_for_others():
    """The rule alone cannot help: what it does not know, it cannot allow for."""
    assert share(FIXED, 0.05, 5, SHOWN) > 0.05 and share(FIXED, 0.05, 5, DENIED) > 0.05


def test_equal_sets_are_called_different_about_as_often_as_stated(monkeypatch):
    monkeypatch.setattr(error_rates, "RUNS", 100)
    rng = np.random.default_rng(0)
    ps = [error_rates.compare(rng, 3, 0.2, 0.0).p for _ in range(100)]
    assert np.mean(np.less(ps, 0.05)) <= allowed(0.05) and np.mean(np.less(ps, 0.5)) > 0.3


@pytest.mark.parametrize(
    "lines",
    [error_rates.of_claims, error_rates.of_other_rules, error_rates.of_failing_seeds],
)
def test_the_page_states_the_simulated_rates(lines):
    page = error_rates.PAGE.read_text(encoding="utf-8")
    for cells in itertools.islice(lines(), 5):
        assert f"| {' | '.join(cells)} |\n" in page


def test_the_tables_of_the_page_are_written_between_their_marks(monkeypatch):
    monkeypatch.setitem(error_rates.BLOCKS, "claims", (lambda: [["what", "n"], ["a", "1"]],) * 2)
    first, last = "<!-- error rates: claims -->", "<!-- end of claims -->"
    lines = "| what | n |\n| --- | ---: |\n| a | 1 |\n"
    filled = f"a\n{first}\n{lines}\n{lines}{last}\nz\n"
    assert error_rates.fill(f"a\n{first}old{last}\nz\n", "claims") == filled
    assert error_rates.fill(filled, "claims") == filled
