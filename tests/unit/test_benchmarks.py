"""The benchmarks' arithmetic: what they print is worth no more than this."""

import csv
import io
import itertools
import lzma
import math
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks import clients, error_rates, gpu, many_tries, render_kept, side, training
from benchmarks import path as reading_path
from benchmarks.error_rates import MARGIN, SIZE, Truth, of_rivals
from benchmarks.own_faq import OF_ANSWER, watch, write_faq
from benchmarks.training import settings
from benchmarks.workload import Task, preparing, text_batches
from semblance.audit.kept import verify_kept
from semblance.data.corpus import Rows
from semblance.data.tokens import Tokens
from semblance.models.architecture import Architecture
from semblance.models.encoder import Encoder
from semblance.models.packing import pack
from semblance.provenance import ROOT
from semblance.reporting import predictions
from semblance.statistics import verdicts
from semblance.strict_yaml import as_yaml
from semblance.training import batch_loss
from tests.shipped import merged
from workflow.checks.load import load, load_files

SHAPE = Architecture(4, 2, 2, 8, 10, 64, 2, 1e-12, 0.1, 0.1, 0, 0)


def test_ratios_are_taken_turn_by_turn():
    seconds = {"ours": [1.0, 2.0], "plain": [3.0, 4.0], "tuned": [1.0, 1.0]}
    assert side.beside(seconds)[2:] == ["2.50 (2.00 to 3.00)", "0.750 (0.500 to 1.00)", "not here"]
    assert side.line(["a", "b"]) == "| a | b |\n"


def test_the_reading_path_is_of_one_row_of_a_table_that_the_demo_can_run(tmp_path):
    (tmp_path / "layer.yaml").write_text(as_yaml(reading_path.layer()))
    tables = load_files([reading_path.DEMO, str(tmp_path / "layer.yaml")]).tables
    assert tables.keys() == {"rcl_table3", "rcl_table3_mean"}
    assert [row.methods for row in tables["rcl_table3"].rows] == [reading_path.ROW["methods"]]


def test_vectors_of_other_clients_are_compared_at_length_one():
    ours, theirs = np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[30.0, 40.0], [0.0, 2.0]])
    assert clients.deviations(ours, theirs).tolist() == [0.0, 1.0]


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
        self.task, self.turn = task, 0

    def slice(self) -> float:
        self.turn += 1
        self.order.append(self)
        return float(self.turn)

    def close(self) -> None:
        pass


TASK = Task("training", "folder", 1, 0, "highest", objective="nli", batch=4)


def test_the_sides_take_turns_in_being_first_and_what_others_took_is_named(monkeypatch):
    monkeypatch.setattr(side, "Side", Still)
    monkeypatch.setattr(side, "DISTURBED", [])
    others = iter([0, 99, 99, 99, 99, 99])  # in the first of three rounds
    monkeypatch.setattr(side, "taken", lambda sides: float(next(others)))
    monkeypatch.setattr(Still, "order", [])
    seconds = side.side_by_side(3, TASK)
    ours, plain, tuned = Still.order[:3]  # the warm-up
    turns = [ours, plain, tuned, plain, tuned, ours, tuned, ours, plain]
    assert Still.order[3:] == turns and tuned.task.side == "tuned"
    assert seconds == dict.fromkeys(("ours", "plain", "tuned"), [2.0, 3.0, 4.0])
    assert "1 rounds disturbed" in side.disturbance()


def test_flash_attention_is_a_peer_in_bf16_on_a_gpu_that_has_it(monkeypatch):
    monkeypatch.setattr(side, "find_spec", lambda name: name == "flash_attn")
    on_gpu = replace(TASK, gpus=1, precision="bf16")
    assert side.peers_here(on_gpu) == side.PEERS
    for task in (TASK, replace(on_gpu, precision="fp32"), replace(on_gpu, gpus=0)):
        assert side.peers_here(task) == ("plain", "tuned")


def test_trainings_at_the_same_time_begin_together(monkeypatch):
    """All have begun a slice before the first is waited for; the slice before it warms up."""
    steps = []

    class Noted(Still):
        def begin(self):
            steps.append("begin")

        def end(self):
            steps.append("end")
            return float(len(steps))

    monkeypatch.setattr(side, "Side", Noted)
    assert side.at_a_time(TASK, 2) == [7.0, 8.0]
    assert steps == ["begin", "begin", "end", "end"] * 2


def test_the_packed_parts_together_are_one_archive(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu, "ROOT", tmp_path)
    monkeypatch.setattr(gpu, "FOLDER", tmp_path / "made")
    monkeypatch.setattr(gpu, "PARTS", tmp_path / "made/parts")
    monkeypatch.setattr(gpu, "PART_BYTES", 4_000)
    (tmp_path / "made/inner").mkdir(parents=True)
    content = np.random.default_rng(0).bytes(10_000)
    (tmp_path / "made/inner/file").write_bytes(content)
    gpu.pack()
    parts = sorted((tmp_path / "made/parts").iterdir(), key=lambda path: path.name)
    assert len(parts) > 2 and max(path.stat().st_size for path in parts) <= 4_000
    with tarfile.open(fileobj=io.BytesIO(b"".join(path.read_bytes() for path in parts))) as whole:
        assert whole.extractfile("made/inner/file").read() == content


@pytest.mark.long
def test_each_part_of_the_gpu_page_runs_on_a_cpu(real_data, tmp_path):
    page = tmp_path / "page.md"
    parts = ["train", "embed", "host", "shared", "readings"]
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "--data",
        str(real_data),
        "--tiny",
        "--threads",
        "1",
    ]
    subprocess.run([*command, "--output", str(page), "--only", *parts], cwd=ROOT, check=True)
    text = page.read_text()
    assert text.count("\n## ") == len(parts)
    rows = [line for line in text.splitlines() if line.startswith(("| nli", "| all", "| train"))]
    assert len(rows) > len(parts)
    jobs = [row.split(" | ")[1] for row in rows if row.startswith("| train")]
    assert jobs and "0" not in jobs


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
    seconds, megabytes = watch([sys.executable, "-c", parent], (0,), tmp_path)
    assert megabytes > 200 and seconds > 2
    with pytest.raises(subprocess.CalledProcessError):
        watch([sys.executable, "-c", "raise SystemExit(2)"], (0, 1), tmp_path)


def test_a_run_of_a_benchmark_names_keys_of_the_config_and_folders_that_it_may_write():
    arguments = preparing(Path("mirror"))
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    keys = merged("config.yaml")
    assert {"output", "downloads"} <= given.keys() <= {*keys, "mirror"}
    load(keys | given)


TRUTHS = {truth.says: truth for truth in error_rates.TRUTHS}
DENIED = {"contradicted", "the other way", "a little the other way"}
SHOWN = set(error_rates.VERDICTS) - DENIED - {"no difference", "undecided"}
WITHIN = {"no difference", "far smaller than claimed"}


def share(truth: Truth, sd: float, n: int, of: set[str]) -> float:
    """Return how often the verdict on a claim of SIZE points is one of these."""
    estimates = error_rates.experiments(truth, sd, n)
    counts = Counter(verdicts.of_difference(each, SIZE, MARGIN) for each in estimates)
    return sum(counts[verdict] for verdict in of) / error_rates.RUNS


def allowed(level: float, runs: int = error_rates.RUNS) -> float:
    """Return a rate and three standard errors of the simulated experiments."""
    return level + 3 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.parametrize("n", error_rates.SEEDS)
@pytest.mark.parametrize(
    "truth, sd, rare",
    [
        *(("no difference", sd, (SHOWN, DENIED)) for sd in error_rates.SPREADS),
        ("the size", 0.3, ({"smaller than claimed"}, {"larger than claimed"}, DENIED, WITHIN)),
        ("half of the size, which is the margin", 0.3, tuple({verdict} for verdict in WITHIN)),
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


def test_equal_sets_are_called_different_about_as_often_as_stated(monkeypatch):
    monkeypatch.setattr(error_rates, "RUNS", 100)
    rng = np.random.default_rng(0)
    alike = [error_rates.compare(rng, 3, 0.2, 0.0) for _ in range(100)]
    assert np.mean([one.low > 0 or one.high < 0 for one in alike]) <= allowed(0.05)
    # As many lie further from 0 than a fifth of their interval as a t law of two degrees says: 48 %.
    assert np.mean([abs(one.value) > 0.2 * (one.high - one.low) / 2 for one in alike]) > 0.3


def test_of_200_equal_losses_one_is_rarely_kept_by_the_judge_and_surely_by_one_number(monkeypatch):
    """Where it is kept more often, the page says so: spreads that differ, pairs, ledgers, variants."""
    monkeypatch.setattr(many_tries, "RUNS", 50)
    for law, sd in [*many_tries.LAWS.values()][:3]:
        first, last, _, by_t, by_one = many_tries.rates(law, sd)
        judged, of_t, of_one = (float(cell.split()[0]) / 100 for cell in (last, by_t, by_one))
        assert float(first.split()[0]) / 100 <= judged <= allowed(0.05, 50)
        assert of_t > 0.3 and of_one > 0.9


def test_a_better_loss_is_kept_as_often_as_the_page_says_beside_an_oracle():
    """The oracle's power: the likelihood ratio's walk, whose last value alone is of normal law."""
    head, *lines = many_tries.of_better_loss()
    for line, (sd, gain, n) in zip(lines, many_tries.AIMS, strict=True):
        shown = dict(zip(head, line, strict=True))
        effect = gain / sd / 2**0.5
        at_the_end = stats.norm.sf(np.log(400), n * effect**2 / 2, n**0.5 * effect)
        assert 100 * at_the_end <= float(shown["oracle"]) + 1 <= 100 * at_the_end + 8
        parts = [float(shown[name]) for name in ("own spread alone", "first in a ledger", "tenth")]
        assert parts == sorted(parts) and parts[-1] >= 0.7 * float(shown["oracle"])


@pytest.mark.parametrize("true", [5.0, 20.0, np.inf])
def test_the_freedom_of_spreads_is_found_again(true):
    rng = np.random.default_rng(2)
    n = np.full(4000, 5)
    variances = np.full(4000, 1.0) if np.isinf(true) else true / rng.chisquare(true, 4000)
    sds = np.sqrt(variances * rng.chisquare(4, 4000) / 4)
    found = many_tries.freedom_of(sds, n, np.zeros(4000))
    assert found > 60 if np.isinf(true) else found == pytest.approx(true, rel=0.3)


def test_a_spread_is_that_of_the_scores_of_a_kept_run():
    """RCL's Table 3 on a GPU: its row without dropout, and its control."""
    scores = {}
    with lzma.open(ROOT / "docs/runs/2026-11-27-rcl-gpu/scores.csv.xz", "rt") as file:
        for row in csv.DictReader(file):
            if (row["metric"], row["aggregation"], row["subset"]) == ("spearman", "all", ""):
                scores.setdefault((row["method"], row["seed"]), {})[row["task"]] = row["value"]
    tasks = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr")
    ours, control = (
        np.array(
            [np.mean([float(scores[method, seed][task]) for task in tasks]) for seed in "12345"]
        )
        for method in ("continued", "attention-dropout-0.1")
    )
    _, n, *sds = many_tries.spreads()[0]
    assert (n, *sds) == pytest.approx(
        (5, 100 * ours.std(ddof=1), 100 * (ours - control).std(ddof=1))
    )


@pytest.mark.parametrize(
    "place, lines",
    [
        *((error_rates.PAGE, lines) for lines in error_rates.BLOCKS["claims"]),
        (error_rates.PAGE, many_tries.of_spreads),
        (error_rates.PAGE, many_tries.of_better_loss),
        (error_rates.GAIN_PAGE, many_tries.of_queries),
    ],
)
def test_the_page_states_the_simulated_rates(place, lines):
    page = place.read_text(encoding="utf-8")
    for cells in itertools.islice(lines(), 4):
        assert f"| {' | '.join(cells)} |\n" in page


@pytest.mark.long
def test_a_kept_run_that_is_rendered_anew_has_the_same_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(predictions, "checked_digest", predictions.checked_digest)  # put back later
    monkeypatch.chdir(tmp_path)
    name = "docs/runs/2026-11-27-rcl-faq-cpu"
    kept = shutil.copytree(ROOT / name, tmp_path / name)
    before = {path.name: path.read_text() for path in kept.glob("*.csv")}
    render_kept.render(Path(name), ["--configfile", "configs/minilm.yaml"])
    assert {path.name: path.read_text() for path in kept.glob("*.csv")} == before
    assert verify_kept(kept).problems == []
