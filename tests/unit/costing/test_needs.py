"""What jobs are predicted to need, by formulas that the tests work out on their own."""

import math

import pytest

from semblance.config.inputs import DatasetBank, OwnBank
from tests.unit.costing.examples import EMBED, LARGE, OWN_FAQ, SHIPPED, TRAIN, cost, small
from workflow.costing.model import Cost
from workflow.costing.needs import UNKNOWN_MILLION, evaluations, schedule
from workflow.costing.sizes import UNKNOWN_PAIRS, BankSize, bank_size, fold_size
from workflow.planning.stages import Job

MASKED = "recipes.unsupervised.masked_words.weight = 0.1"


def test_a_training_is_six_operations_a_parameter_and_token_and_a_dev_evaluation_two():
    steps = 1_000_000 // 64
    trained = steps * 64 * 2 * 32  # rows of a batch, views of a row, tokens: 32.8 cut at 32
    evaluated = 1 + math.ceil(steps / 125)
    read = evaluated * 2 * 1500 * 14.0  # both sentences of STS-B's dev pairs
    assert cost().need(LARGE).work == pytest.approx((6 * trained + 2 * read) * 335e6 / 1e9)


def test_a_training_with_masked_words_reads_each_of_its_texts_once_more():
    model = cost(MASKED)
    trained = 6 * (1_000_000 // 64) * 64 * 2 * 32 * 335e6 / 1e9
    assert model.need(LARGE).work - cost().need(LARGE).work == pytest.approx(trained)


def plan_training(model: Cost, job: Job) -> tuple[int, float]:
    """Return the steps of a training, and the tokens of each."""
    needs = model.needs
    return schedule(needs.settings(job), needs.sizes.corpora[job.corpus])


def test_embedding_reads_each_distinct_sentence_once():
    sentences = 275601 * 2.7
    assert cost().need(EMBED).work == pytest.approx(2 * 125e6 * sentences * 13.7 / 1e9)


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


def test_an_epoch_is_the_rows_over_the_batch_and_a_triple_has_three_sequences():
    assert plan_training(cost(), TRAIN) == (275601 // 64, pytest.approx(64 * 3 * 13.7))
    assert plan_training(cost(), LARGE)[0] == 1000000 // 64
    assert cost().needs.sizes.corpora["faqir-0"].rows == 4313 * 3 // 5  # neither dev nor test


def test_a_limit_and_the_largest_number_of_steps_cut_a_training():
    model = small()
    assert model.needs.sizes.corpora["nli"].rows == 12800
    assert plan_training(model, Job("train", "nli", "minilm", "rcl-2"))[0] == 12800 // 64
    assert plan_training(model, Job("train", "nli", "minilm-3", "simcse"))[0] == 100


def test_the_pairs_of_sts_are_those_of_the_seven_tests_and_of_the_dev_set():
    tests = {"sts12": 3108, "sts13": 1500, "sts14": 3750, "sts15": 3000, "sts16": 1186}
    tests |= {"stsb": 1379, "sickr": 4927}
    sizes = cost().needs.sizes
    assert (sizes.sts_tests, sizes.sts_dev) == (sum(tests.values()), 1500)


@pytest.mark.parametrize(
    "name, text, pairs",
    [
        ("bank.csv", "question,answer\n" + 3 * "q,a\n" + 'r,"a\nb"\n', 2),  # equal rows are one
        ("bank.jsonl", '{"question": "q", "answer": "a"}\n' * 18, 1),
        ("bank.csv", "malformed\n" * 19, 18),  # as it has lines behind the header
        ("bank.csv", "", 1),
        ("bank.csv.gz", "packed\n", UNKNOWN_PAIRS),  # its lines say nothing
        ("no-such-file.csv", None, UNKNOWN_PAIRS),
        ("bank.xlsx", "a\nb\n", UNKNOWN_PAIRS),  # its rows are no lines
    ],
)
def test_a_bank_of_your_own_counts_with_the_rows_of_its_file(tmp_path, name, text, pairs):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    size = cost(f"faq.banks.mine = {{kind: own, path: {path}}}").needs.sizes.banks["mine"]
    assert (size.pairs, size.queries) == (pairs, 0)


def test_a_large_file_of_your_own_is_not_read_before_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr("workflow.costing.sizes.LARGEST_READ", 30)
    path = tmp_path / "bank.csv"
    path.write_text("question,answer\n" + 9 * "q,a\n")
    assert bank_size(OwnBank(kind="own", path=str(path)), {}) == BankSize(9)


def test_a_file_of_your_own_says_its_queries_and_how_long_its_texts_are(tmp_path):
    path = tmp_path / "bank.csv"
    path.write_text("question,answer,queries\nq,a b c,x|y\nr,a,x\n")
    # Six words in four texts; x has two right answers, y has one.
    tokens = 2 + 1.3 * 6 / 4
    assert bank_size(OwnBank(kind="own", path=str(path)), {}) == BankSize(
        2, 2, 3, pytest.approx(tokens)
    )


def test_a_fold_of_held_out_wordings_trains_on_all_pairs():
    size = BankSize(pairs=100, queries=50, rights=60)
    bank = DatasetBank(kind="faqir", dataset="faqir")
    on_wordings = bank.model_copy(update={"train_on": "wordings"})
    found = fold_size(on_wordings.model_copy(update={"hold_out": "wordings"}), size, 5)
    assert found == (100 + 2 * 60 * 3 // 5, 100, 30, 110, 110)
    found = fold_size(on_wordings, size, 5)
    assert found == ((100 + 2 * 60) * 3 // 5, 60, 30, 120, 130)
    assert fold_size(bank, size, 5)[:3] == (60, 60, 0)


@pytest.mark.parametrize(
    "job",
    [
        LARGE,
        EMBED,
        Job("evaluate_sts", *TRAIN[1:]),
        Job("evaluate_faq", "faqir-0", "nli-roberta-base-v2", "rcl-2", 1),
    ],
)
def test_a_job_in_bf16_is_faster_by_the_declared_factor(job):
    section = {"train": "training"}.get(job.stage, job.stage)
    half = cost(f"{section}.precision = bf16")
    assert cost().need(job).work == pytest.approx(SHIPPED["bf16"]["gpu"] * half.need(job).work)


def test_each_regulator_that_a_training_reads_asks_for_memory():
    memory = [cost().need(TRAIN._replace(name=f"rcl-{n}")).memory for n in (2, 4, 6)]
    assert memory[0] < memory[1] < memory[2]
    assert memory[2] - memory[1] == pytest.approx(memory[1] - memory[0])


def test_a_training_on_a_gpu_holds_five_copies_of_its_weights_and_the_activations_of_a_batch():
    weights = 5 * 4 * 335  # weights, gradients, 2 moments, the best on dev: 4 bytes a parameter
    tokens = 64 * 2 * 32
    floats = 24 * 24 * 1024  # 24 of each layer's width
    activations = tokens * floats * 4 / 1e6
    assert cost().need(LARGE).gpu_memory == pytest.approx(600 + weights + activations, rel=0.2)
    assert small().need(Job("train", "wiki", "minilm-3", "simcse", 1)).gpu_memory == 0


def test_pieces_of_a_batch_hold_their_share_of_the_activations_and_are_embedded_twice():
    in_pieces = "recipes.unsupervised.micro_batch = 16"
    pieces, whole = cost(in_pieces).need(LARGE), cost().need(LARGE)
    weights = 600 + 5 * 4 * 335
    share = (pieces.gpu_memory - weights) / (whole.gpu_memory - weights)
    assert share == pytest.approx(16 / 64)
    steps, tokens = plan_training(cost(), LARGE)
    assert pieces.work - whole.work == pytest.approx(2 * steps * tokens * 335e6 / 1e9)
    masked = cost(f"{in_pieces}; {MASKED}").need(LARGE)  # masked words are read all at once
    assert masked.gpu_memory - pieces.gpu_memory == pytest.approx(whole.gpu_memory - weights)


def test_a_base_without_a_size_has_that_of_its_stored_weights_or_a_guess(tmp_path, monkeypatch):
    without_size = "bases.bert-base.million_parameters ="
    monkeypatch.chdir(tmp_path)
    needs = cost(without_size).needs
    assert needs.million["bert-base"] == UNKNOWN_MILLION and needs.guessed == {"bert-base"}
    weights = tmp_path / "resources/models/bert-base/model/model.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(bytes(8_000_000))  # two million float32
    assert cost(without_size).needs.million["bert-base"] == 2


def test_each_stage_has_a_rate_and_each_rate_a_stage():
    models = [cost(f"resources.gpus = {gpus}") for gpus in (0, 1)]
    used = {place.rate for model in models for place in model.places.values()}
    assert used == set(SHIPPED["rates"])


TRANSFER = Job("evaluate_transfer", "wiki1m", "bert-base", "simcse", 1)


def test_the_transfer_tasks_are_read_once_and_their_classifiers_are_counted_apart():
    need = cost().need(TRANSFER)
    items = 10662 + 3775 + 10000 + 10606 + 67349 + 872 + 1821 + 5452 + 500 + 4076 + 1725
    assert need.work == pytest.approx(2 * 110e6 * 0.9 * items * 16.5 / 1e9)
    width = 150 * 110 ** (1 / 3)
    nested = (10662 + 3775 + 10000 + 10606) * 9  # each outer fold is fitted to nine tenths
    # On nine tenths of these each C of each inner fold, then one fit.
    fitted = nested * (10 * 6 * 0.9 + 1)
    fitted += (5452 + 4076) * (10 * 7 * 0.9 + 1) + 67349 * 7
    assert need.fits == pytest.approx(fitted * width / 1e6)


def test_a_training_on_a_whole_bank_is_longer_than_one_on_a_fold_and_reads_no_dev_question():
    model = cost(names=OWN_FAQ)
    place = ("nli-roberta-base-v2", "continued", 1)
    whole = Job("train_final", "mine-all", *place)
    pairs = model.needs.sizes.banks["mine"][0]
    assert model.needs.sizes.corpora["mine-all"].rows == pairs
    steps, tokens = schedule(model.needs.settings(whole), model.needs.sizes.corpora["mine-all"])
    million = model.needs.million["nli-roberta-base-v2"]
    speed = model.needs.speed[model.needs.settings(whole)["precision"]]
    assert model.need(whole).work == pytest.approx(million * 6 * steps * tokens / speed / 1000)
    assert model.asks(whole)["runtime"] > 0


def test_an_answerer_embeds_each_text_of_its_bank_once_and_holds_a_model():
    model = cost(names=OWN_FAQ)
    need = model.need(Job("build_answerer", name="mine"))
    million = model.needs.million["nli-roberta-base-v2"]
    texts = model.needs.sizes.corpora["mine-all"].texts
    assert need.work == pytest.approx(2 * million * texts.sentences * texts.tokens / 1000)
    assert need.disk > 4 * million
    asked = model.asks(Job("build_answerer", name="mine"))
    assert asked["cpus_per_task"] == model.config.build_answerer.threads + 1  # to feed a GPU


def test_fewer_folds_make_fewer_fits_and_more_threads_do_them_in_less_time():
    threads = cost().config.evaluate_transfer.threads
    fewer = cost("evaluate_transfer.folds = 5")
    assert fewer.need(TRANSFER).fits < cost().need(TRANSFER).fits / 2
    faster = cost("evaluate_transfer.threads = 8")
    fitting = cost().need(TRANSFER).fits / SHIPPED["fit"]
    spared = cost().seconds(TRANSFER) - faster.seconds(TRANSFER)
    assert spared == pytest.approx(fitting * (1 / threads - 1 / 8))
