"""The benchmarks' arithmetic: what they print is worth no more than this."""

import csv
import itertools
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import __main__ as page
from benchmarks import start_up, training
from benchmarks.__main__ import ratios, spread, table
from benchmarks.limits import mean_step_gflop, step_gflop
from benchmarks.own_faq import OF_ANSWER, watch, write_faq
from benchmarks.serving import Outcome, Served, report
from benchmarks.training import settings
from benchmarks.workload import preparing, text_batches
from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.models.architecture import Architecture
from semblance.models.encoder import Encoder
from semblance.models.packing import pack
from semblance.training import batch_loss
from tests.shipped import merged
from workflow.planning.config import WRITTEN, check_folder

SHAPE = Architecture(4, 2, 2, 8, 10, 64, 2, 1e-12, 0.1, 0.1, 0, 0)


def test_a_steps_work_is_that_of_its_matrix_products_three_times():
    def forward(tokens: int) -> int:
        """Multiplications and additions of one sentence, by (rows, inner, columns) of each product.

        They are qkv, out, up and down; then, of two heads of width 2, scores and their use.
        """
        products = [(tokens, 4, 12), (tokens, 4, 4), (tokens, 4, 8), (tokens, 8, 4)]
        products += [(tokens, 2, tokens), (tokens, tokens, 2)] * 2
        return 2 * sum(n * k * m for n, k, m in products)

    # forward and twice as much backward
    expected = 3 * SHAPE.num_hidden_layers * (forward(5) + forward(9))
    assert step_gflop(SHAPE, np.array([5.0, 9.0])) * 1e9 == pytest.approx(expected)


def test_padding_is_the_share_that_the_longest_of_each_view_makes():
    # sentences of 3, 3, 9 and 3 tokens
    tokens = Tokens(np.zeros(18, np.int32), np.array([0, 3, 6, 15, 18]))
    batch = Rows(*np.array([[0, 1], [2, 3], [NONE, NONE]], np.int32))
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

    def note(tokens, numbers, *more):
        packed.append(numbers)
        return pack(tokens, numbers, *more)

    monkeypatch.setattr(batch_loss, "pack", note)
    encoders = [Encoder(replace(SHAPE, vocab_size=30), "mean")]
    stated = settings("nli", 4, "fp32", "highest", 1, 0)
    loss = batch_loss.BatchLoss(encoders, tokens, rows, stated)
    for step in range(12):
        loss(step)
    texts = list(itertools.islice(text_batches(rows, sentences, 4, training.SEED), 12))
    for numbers, batch in zip(packed, texts, strict=True):
        assert [sentences[i] for i in numbers] == [row[view] for view in range(3) for row in batch]


def test_a_step_is_timed_from_the_end_of_the_warm_up(monkeypatch):
    times = iter([1.0, 5.0, 5.0, 7.0, 9.0, 11.0])  # the second tick asks twice; the first once
    monkeypatch.setattr(training.time, "perf_counter", lambda: next(times))
    clock = training.Clock(5)
    for _ in range(5):
        clock.tick()
    assert clock.step() == pytest.approx((11.0 - 5.0) / 3)
    with pytest.raises(RuntimeError, match="0 steps instead of 4"):
        training.Clock(4).step()


class Still:
    """A side of a comparison whose slices take 1, 2, 3 … seconds; ``order`` notes whose turn it was."""

    order: list = []

    def __init__(self, **options):
        self.turn = 0

    def slice(self):
        self.turn += 1
        self.order.append(self)
        return float(self.turn)

    def close(self):
        pass


@pytest.fixture
def still(monkeypatch):
    """A function that compares such sides, with the seconds that others took before each round."""

    def run(rounds, names, taken):
        lost = iter(taken)
        monkeypatch.setattr(page, "taken", lambda sides: float(next(lost)))
        page.DISTURBED.clear(), Still.order.clear()
        return page.side_by_side(rounds, {name: {"work": "train"} for name in names})

    monkeypatch.setattr(page, "Side", Still)
    return run


def test_a_round_whose_time_others_took_is_measured_again_but_not_for_ever(still):
    # the first round lost 99 seconds: it is warm-up, 2, and once more
    assert still(2, ["ours"], [0, 99, 99, 99, 99, 99]) == {"ours": [3.0, 4.0]}
    assert len(still(2, ["ours"], range(0, 1000, 99))["ours"]) == 2  # each round loses as much
    assert len(page.DISTURBED) == 2 and "2 rounds disturbed" in page.disturbance()


def test_the_sides_take_turns(still):
    still(3, ["a", "b"], itertools.repeat(0))
    a, b = Still.order[:2]  # the warm-up
    assert Still.order[2:] == [a, b, b, a, a, b] and page.disturbance() == ""


@pytest.mark.skipif(not Path("/proc/stat").is_file(), reason="foreign load is NOT tested here")
def test_the_sides_own_time_does_not_count_as_taken():
    spin = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", spin], text=True, **pipes)
    process.stdout.readline()
    as_a_side = page.taken([SimpleNamespace(process=process)])
    as_a_stranger = page.taken([])
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
    for key in WRITTEN:
        check_folder(known | given, key)


def test_a_served_load_has_failed_where_a_question_was_lost_or_answered_by_an_error():
    def served(*ends, status=0):
        return Served([Outcome(end, 0.01) for end in ends], 1.0, status, 100.0)

    assert not served("200", "refused").failed
    assert served("200", "lost").failed and served("503").failed and served("200", status=1).failed
    assert "2 questions in 1 s: 2 × 200" in report(served("200", "200"))
