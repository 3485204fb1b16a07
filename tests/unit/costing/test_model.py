"""What jobs are predicted to need, what their rules ask for, and what finished jobs teach."""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from semblance.download.manifest import load_manifest
from semblance.errors import InputError
from tests.unit.planning.test_config import ROOT, merged
from workflow.costing import rates, usage
from workflow.costing.model import Cost, evaluations, training_work
from workflow.costing.pages import cost_page, plan_page
from workflow.costing.rates import Learned, Rate, Text
from workflow.planning.config import laid_over, load
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, job_of, jobs, submissions

TRAIN = Job("train", "nli", "nli-roberta-base-v2", "rcl-8", 1)
LARGE = Job("train", "wiki1m", "bert-large", "simcse", 1)


MANIFEST = load_manifest(ROOT / "workflow/manifest.yaml")
SHIPPED = rates.shipped()
parsed = functools.cache(merged)


def cost(found: Learned = Learned(), names: tuple = ("config.yaml",), **changes) -> Cost:
    return Cost(load(parsed(*names) | changes), MANIFEST, SHIPPED, found)


# --- which jobs there are ---------------------------------------------------------------------


def test_the_inputs_of_all_jobs_are_all_jobs_but_the_last():
    plan = cost().plan
    found = set(jobs(plan))
    assert {i for job in found for i in inputs(plan, job)} == found - {Job("compare_published")}


def test_a_regulated_training_waits_for_the_embeddings_of_each_of_its_entropy_models():
    plan = cost().plan
    assert {i.name for i in inputs(plan, TRAIN) if i.stage == "embed"} == {
        f"entropy-0.0{n}" for n in (1, 2, 3, 4)
    }


def test_the_wildcards_of_a_rule_name_the_job_of_the_plan():
    place = {"corpus": "nli", "base": "bert-base", "seed": "3"}
    parts = {"kind": "entropy-sum", "phi": "-0.01"}
    assert job_of("embed", place | parts) == Job(
        "embed", "nli", "bert-base", "entropy-sum--0.01", 3
    )
    assert job_of("train", place | {"method": "simcse"}) == Job(
        "train", "nli", "bert-base", "simcse", 3
    )
    assert job_of("train_initial", place) == Job("train_initial", "nli", "bert-base", "initial", 3)
    assert job_of("prepare_faq", {"bank": "cough"}) == Job("prepare_faq", name="cough")
    assert job_of("tokenise", {"corpus": "nli", "base": "bert-base"}) == Job(
        "tokenise", "nli", "bert-base"
    )


def test_a_training_and_its_evaluation_are_one_submission_and_so_are_a_corpus_and_its_tokens():
    plan = cost().plan
    evaluation = Job("evaluate_sts", *TRAIN[1:])
    tokens = [Job("tokenise", "nli", base) for base in ("bert-base", "roberta-base")]
    assert submissions(plan, [TRAIN, evaluation]) == 1
    assert submissions(plan, [evaluation]) == 1  # its model is there already
    assert submissions(plan, [Job("prepare_nli", "nli"), *tokens]) == 1
    assert submissions(plan, tokens) == 2  # the corpus is there already
    assert (
        submissions(plan, [Job("collect_scores"), Job("download", name="sick")]) == 0
    )  # local rules


# --- the cost model ---------------------------------------------------------------------------


def test_a_training_is_six_operations_a_parameter_and_token_and_a_dev_evaluation_two():
    settings = {"batch_size": 4, "evaluate_every": 5}
    trained, read = (
        10 * 4 * 3 * 7,
        3 * 100 * 9,
    )  # steps, rows, views, tokens; evaluations at 0, 5 and 10
    assert training_work(2.0, settings, steps=10, views=3, tokens=7, dev=(100, 9)) == pytest.approx(
        (6 * 2e6 * trained + 2 * 2e6 * read) / 1e9
    )


@pytest.mark.parametrize(
    "settings,steps,expected",
    [
        ({}, 10, 0),
        ({"evaluate_every": 4}, 10, 4),
        ({"evaluate_every": 5}, 10, 3),
        ({"evaluate_share": 0.5}, 10, 3),
    ],
)
def test_evaluations_are_those_at_the_start_on_the_way_and_at_the_end(settings, steps, expected):
    assert evaluations(settings, steps) == expected


def test_an_epoch_of_the_triples_is_their_number_over_the_batch():
    model = cost()
    assert model.steps(model.settings(TRAIN), "nli") == 275601 // 64
    assert model.steps(model.settings(LARGE), "wiki1m") == 1000000 // 64


def test_a_limit_and_the_largest_number_of_steps_cut_a_training():
    model = cost(names=("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml"))
    job = Job("train", "nli", "minilm-3", "rcl-2")
    assert model.rows("nli") == 8000 and model.steps(model.settings(job), "nli") == 100


def test_the_pairs_of_sts_are_those_of_the_seven_tests_and_of_the_dev_set():
    tests = {
        "sts12": 3108,
        "sts13": 1500,
        "sts14": 3750,
        "sts15": 3000,
        "sts16": 1186,
        "stsb": 1379,
        "sickr": 4927,
    }
    assert cost().sts() == (sum(tests.values()) + 1500, 1500)


def test_a_fold_trains_on_what_is_neither_dev_nor_test():
    assert cost().rows("faqir-0") == 4313 * 3 // 5


def test_a_prepared_corpus_of_longer_sentences_costs_in_proportion():
    short, long = (cost(Learned(texts={"nli": Text(tokens, 2.0)})) for tokens in (5.0, 10.0))
    job = Job("embed", "nli", "nli-roberta-base-v2", "entropy-0.01")
    assert long.work(job) == pytest.approx(2 * short.work(job))


def test_steps_in_bf16_are_quicker_by_its_declared_factor_and_the_dev_set_is_read_in_fp32():
    plain, half = cost(), cost(training=merged("config.yaml")["training"] | {"precision": "bf16"})
    settings = plain.settings(LARGE)
    sentences, tokens = plain.dev("wiki1m", settings["max_length"])
    read = (
        2
        * plain.million["bert-large"]
        * evaluations(settings, plain.steps(settings, "wiki1m"))
        * sentences
        * tokens
        / 1000
    )
    assert 0 < read < plain.work(LARGE)
    assert half.work(LARGE) == pytest.approx(
        read + (plain.work(LARGE) - read) / SHIPPED.bf16["gpu"]
    )


@pytest.mark.parametrize(
    "job",
    [
        Job("embed", "nli", "nli-roberta-base-v2", "entropy-0.01"),
        Job("evaluate_sts", *TRAIN[1:]),
        Job("evaluate_faq", "faqir-0", "nli-roberta-base-v2", "rcl-2", 1),
    ],
)
def test_so_is_reading_in_bf16(job):
    section = merged("config.yaml")[job.stage] | {"precision": "bf16"}
    assert cost().work(job) == pytest.approx(
        SHIPPED.bf16["gpu"] * cost(**{job.stage: section}).work(job)
    )


def test_a_measured_rate_stands_before_the_estimate_and_that_of_the_base_before_any():
    found = Learned(
        rates={"gpu/train/*": Rate(7.0, 3), "gpu/train/bert-large": Rate(9.0, 2, "bert-large")}
    )
    assert cost(found).need(LARGE).rate == Rate(9.0, 2, "bert-large")
    assert cost(found).need(TRAIN).rate == Rate(7.0, 3)
    assert cost(found).need(Job("embed", "nli", "nli-roberta-base-v2", "entropy-0.01")).rate.n == 0


def test_a_base_without_a_size_has_that_of_its_stored_weights(tmp_path, monkeypatch):
    config = merged("config.yaml")
    del config["bases"]["bert-base"]["million_parameters"]
    monkeypatch.chdir(tmp_path)
    assert Cost(load(config), MANIFEST, SHIPPED).million["bert-base"] == 110
    weights = tmp_path / "resources/models/bert-base/model/model.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(bytes(8_000_000))  # two million float32
    assert Cost(load(config), MANIFEST, SHIPPED).million["bert-base"] == 2


# --- what is asked of a scheduler -------------------------------------------------------------


def test_a_larger_base_asks_for_more_memory_and_time_and_so_does_each_attempt():
    model, small = cost(), LARGE._replace(base="bert-base")
    for key in ("mem_mb", "runtime"):
        assert model.asks(LARGE)[key] > model.asks(small)[key]
        assert model.asks(LARGE, 2)[key] == 2 * model.asks(LARGE)[key]


def test_the_runtime_is_twice_the_prediction_and_ten_minutes_in_tens():
    model = cost()
    minutes = 2 * model.need(LARGE).seconds / 60 + 10
    assert (
        minutes <= model.asks(LARGE)["runtime"] < minutes + 10
        and model.asks(LARGE)["runtime"] % 10 == 0
    )


def test_no_attempt_asks_for_more_than_the_longest_runtime():
    assert cost(cluster={"max_runtime": 120}).asks(LARGE, 5)["runtime"] == 120


def test_the_smallest_job_asks_for_what_two_nested_snakemakes_need():
    assert cost().asks(Job("prepare_sts")) == {"runtime": 30, "mem_mb": 2000, "cpus_per_task": 1}


def test_every_job_of_the_full_config_asks_for_whole_positive_numbers():
    model = cost()
    for job in jobs(model.plan):
        assert all(isinstance(v, int) and v > 0 for v in model.asks(job).values()), job


def test_a_job_asks_for_the_threads_of_the_config_whatever_this_machine_has():
    config = merged("config.yaml")
    training = config["training"] | {"gpus": 0, "threads": 12}
    assert cost(training=training).asks(TRAIN)["cpus_per_task"] == 12
    assert (
        cost(training=config["training"] | {"threads": 12}).asks(TRAIN)["cpus_per_task"] == 13
    )  # and one for the GPU


def test_the_size_of_a_base_and_the_longest_runtime_are_no_settings_of_any_stage():
    plan, other = (Plan(load(config)) for config in (merged("config.yaml"), merged("config.yaml")))
    other.config["bases"]["bert-large"]["million_parameters"] = 7.5
    other.config["cluster"]["max_runtime"] = 60
    assert plan.base_settings("bert-large") == other.base_settings("bert-large")
    assert "million_parameters" not in json.loads(plan.base_settings("bert-large"))
    assert plan.train_settings(*LARGE[1:]) == other.train_settings(*LARGE[1:])


def test_the_model_of_costs_loads_neither_torch_nor_snakemake():
    program = (
        "import sys, workflow.costing.pages, workflow.costing.usage\n"
        "print([n for n in ('torch', 'snakemake', 'pandas') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# --- what finished jobs teach -----------------------------------------------------------------


def write(path: Path, **facts) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts))


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """An output folder of the small CPU run in which three trainings of a known speed have finished."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "results/minilm-cpu"
    model = small()
    job = Job("train", "wiki", "minilm-3", "simcse")
    settings = model.settings(job)
    work = model.training(job, settings, 100)
    for seed, gflop_a_second in ((1, 50.0), (2, 100.0), (3, 1000.0)):
        place = f"wiki/minilm-3/simcse/seed-{seed}"
        seconds = model.given.start["cpu"] + work / gflop_a_second
        write(
            out / f"models/{place}/record.json",
            stage="train",
            seconds=seconds - 2,
            settings=settings,
            outputs={},
            batch_size=settings["batch_size"],
            training={"step": 100},
            device="cpu, 1 threads",
        )
        benchmark = out / f"logs/train/{place}.tsv"
        benchmark.parent.mkdir(parents=True, exist_ok=True)
        benchmark.write_text(f"s\tmax_rss\n{seconds!r}\t{1000 + seed}\n")
    write(
        out / "tokens/minilm/wiki/record.json",
        stage="tokenise",
        seconds=1.0,
        sentences=10,
        tokens=328,
    )
    return out


def small(found: Learned = Learned()) -> Cost:
    return cost(found, ("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml"))


def learn(out: Path) -> Learned:
    model = small()
    return usage.learn(model.config, model.manifest, model.given, [out])


def test_the_learned_rate_is_the_median_speed_of_the_finished_jobs(run):
    found = learn(run).rates["cpu/train/minilm-3"]
    assert found.n == 3 and found.rate == pytest.approx(
        100.0, rel=0.01
    )  # the benchmark's seconds, imports included


def test_learned_rates_predict_the_median_job_that_they_were_learned_from(run):
    used = [u for u in usage.read(run) if u.job.seed == 2]
    assert small(learn(run)).need(used[0].job).seconds == pytest.approx(used[0].seconds, rel=0.01)


def test_a_job_whose_start_outweighs_its_work_teaches_no_rate(run):
    for record in run.glob("models/*/*/*/*/record.json"):  # one step, and no look at the dev set
        facts = json.loads(record.read_text())
        quiet = facts["settings"] | {"evaluate_every": None}
        write(record, **(facts | {"settings": quiet, "training": {"step": 1}}))
    assert learn(run).rates == {}


def test_the_lengths_of_prepared_texts_are_learned(run):
    assert learn(run).texts["wiki"].tokens == pytest.approx(32.8)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"stage": "train", "seconds": "soon"}',
        '{"stage": 3, "seconds": 1}',
        '{"stage": "train", "seconds": 50, "settings": 3}',
        '{"stage": "train", "seconds": 50}',
    ],
)
def test_a_damaged_record_teaches_nothing_and_stops_nothing(run, text):
    (run / "models/wiki/minilm-3/simcse/seed-3/record.json").write_text(text)
    assert learn(run).rates["cpu/train/minilm-3"].n == 2


def test_what_was_learned_comes_back_as_it_was_written(run):
    found = learn(run)
    rates.write(run, found)
    assert rates.learned(run) == found != Learned()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"rates": 3}', '{"rates": {"cpu/train/*": {"rate": 0.0, "n": 1}}}']
)
def test_a_damaged_file_of_rates_gives_way_to_the_estimates(tmp_path, capsys, text):
    (tmp_path / "logs").mkdir()
    (tmp_path / rates.LEARNED).write_text(text)
    assert rates.learned(tmp_path) == Learned()
    assert str(tmp_path / rates.LEARNED) in capsys.readouterr().err


def test_other_output_folders_teach_their_trainings_too(run):
    model = small()
    found = usage.learn(model.config, model.manifest, model.given, [Path("results/minilm"), run])
    assert found.rates["cpu/train/minilm-3"].n == 3 and "wiki" not in found.texts


def test_what_the_own_folder_has_measured_stands_before_the_others(run):
    model, other = small(), run.parent / "other"
    shutil.copytree(run, other)
    for record in other.glob("models/*/*/*/*/record.json"):
        write(record, **(json.loads(record.read_text()) | {"seconds": 10_000.0}))
    found = usage.learn(model.config, model.manifest, model.given, [run, other])
    assert found.rates == learn(run).rates


# --- the pages --------------------------------------------------------------------------------


def cells(page: str, stage: str) -> list[str]:
    return next(line.split() for line in page.splitlines() if line.split()[:1] == [stage])


def test_the_plan_counts_the_jobs_of_each_stage_and_those_still_to_do(run):
    page = plan_page(small())
    assert cells(page, "train")[1:3] == ["130", "127"]  # three seeds of simcse have finished
    assert cells(plan_page(small(learn(run))), "train")[-2:] == ["measured,", "n=3"]
    assert cells(page, "train")[-1] == "estimate"


def test_the_hours_of_a_stage_are_those_of_its_jobs():
    model = small()
    expected = (
        sum(model.need(job).seconds for job in jobs(model.plan) if job.stage == "train") / 3600
    )
    assert float(cells(plan_page(model), "train")[4]) == pytest.approx(expected, abs=0.05)


def test_the_pages_fit_a_terminal_of_a_hundred_columns(run):
    for page in (
        plan_page(cost()),
        plan_page(small()),
        cost_page(small(), small(learn(run)), usage.read(run)),
    ):
        assert max(map(len, page.splitlines())) <= 100


def test_the_costs_set_used_beside_predicted(run):
    finished = usage.read(run)
    middle = next(u for u in finished if u.job.seed == 2)  # 100 GFLOP a second
    estimate = small()
    row = re.split(
        "  +",
        next(
            line
            for line in cost_page(estimate, small(learn(run)), finished).splitlines()
            if line.startswith("train")
        ),
    )
    ratio = middle.seconds / estimate.need(middle.job).seconds
    assert row[1] == "3" and row[5] == f"{ratio:.2f}" and row[7] == "1.00"
    assert row[9] == "1.0 GB"  # the largest of 1001, 1002 and 1003 MB


def test_costs_before_anything_has_run_say_so():
    assert "no finished job" in cost_page(small(), small(), [])


def test_configs_are_laid_over_each_other_as_snakemake_lays_them():
    names = ("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml")
    assert laid_over([ROOT / name for name in names]) == merged(*names)


def test_a_config_that_is_no_mapping_is_refused_with_its_name(tmp_path):
    (tmp_path / "list.yaml").write_text("- 1\n")
    with pytest.raises(InputError, match="list.yaml"):
        laid_over([tmp_path / "list.yaml"])


def test_the_shipped_estimates_cover_every_stage_of_the_plan():
    assert {job.stage for job in jobs(cost().plan)} <= set(SHIPPED.rates["cpu"])
    assert set(SHIPPED.rates["gpu"]) == {
        s for s in SHIPPED.rates["cpu"] if s.startswith(("train", "embed", "evaluate"))
    }
