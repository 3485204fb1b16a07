"""What jobs are predicted to need, by formulas that the tests work out on their own."""

import math

import pytest

from tests.unit.run.examples import EMBED, LARGE, MANIFEST, TRAIN, cost, small
from workflow.config.inputs import DatasetBank
from workflow.planning.stages import Job
from workflow.run import needs
from workflow.run.costs import Cost
from workflow.run.needs import ACTIVATION, BF16, UNKNOWN_MILLION, evaluations, schedule
from workflow.run.sizes import UNKNOWN_PAIRS, BankSize, corpus_of

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
    assert plan_training(small(), Job("train", "nli", "minilm", "rcl-2"))[0] == 12800 // 64
    assert plan_training(small(), Job("train", "nli", "minilm-3", "simcse"))[0] == 100
    assert cost().needs.sizes.corpora["faqir-0"].rows == 4313 * 3 // 5  # neither dev nor test


@pytest.mark.parametrize(
    "name, text, pairs",
    [
        ("bank.csv", "question,answer\n" + 3 * "q,a\n" + "q,a", 4),
        ("bank.jsonl", '{"question": "q", "answer": "a"}\n' * 18, 18),
        ("bank.csv", "", 1),
        ("bank.csv.gz", "packed\n", UNKNOWN_PAIRS),  # its lines say nothing
        ("no-such-file.csv", None, UNKNOWN_PAIRS),
        ("bank.xlsx", "a\nb\n", UNKNOWN_PAIRS),  # its rows are no lines
    ],
)
def test_a_bank_of_your_own_counts_with_the_lines_of_its_file(tmp_path, name, text, pairs):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    size = cost(f"faq.banks.mine = {{kind: own, path: {path}}}").needs.sizes.banks["mine"]
    assert (size.pairs, size.queries) == (pairs, 0)


def test_a_file_of_your_own_says_its_queries_and_how_long_its_texts_are(tmp_path):
    path, queries = tmp_path / "bank.csv", tmp_path / "queries.csv"
    path.write_text("question,answer\n" + 900 * "q,a nine-letter\n")
    queries.write_text("query,id\n" + 3 * "x,q\n")
    bank = f"{{kind: own, path: {path}, queries_path: {queries}}}"
    size = cost(f"faq.banks.mine = {bank}").needs.sizes.banks["mine"]
    of_text = (len("question,answer\n") + 900 * len("q,a nine-letter\n")) / 1800
    assert size == (900, 3, pytest.approx(of_text / 4.5))  # bytes of a WordPiece token, and a space


def test_a_fold_of_held_out_wordings_trains_on_all_pairs():
    size = BankSize(pairs=100, queries=50, tokens=90.0)
    bank = DatasetBank(kind="faqir", dataset="faqir")
    on_wordings = bank.model_copy(update={"train_on": "wordings"})
    held_out = on_wordings.model_copy(update={"hold_out": "wordings"})
    # Rows: the pairs, and two of each wording; sentences: 1.8 of a pair, and each wording.
    rows = 100 + 2 * 50 * 3 // 5
    assert corpus_of(held_out, size, 5) == (rows, 1.8 * 100 + 30, 90, 100 + 50 / 5, 90, 0)
    assert corpus_of(on_wordings, size, 5)[:2] == ((100 + 2 * 50) * 3 // 5, 1.8 * 60 + 30)
    assert corpus_of(bank, size, 5) == (60, 1.8 * 60, 90, 100 + 100 / 5, 90, 0)
    assert corpus_of(bank, size) == (100, 1.8 * 100, 90, 0, 90, 0)


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
    assert cost().need(job).work == pytest.approx(BF16["gpu"] * half.need(job).work)


@pytest.mark.parametrize(
    "facts, speed",
    [
        ("vendor_id : GenuineIntel\nflags : avx512f avx512_bf16 amx_bf16", BF16["cpu"]),
        ("vendor_id : GenuineIntel\nflags : avx512f avx512_bf16", 0.5),
        ("vendor_id : AuthenticAMD\nflags : avx512f avx512_bf16", BF16["cpu"]),
        ("vendor_id : AuthenticAMD\nflags : avx2", 0.1),
        ("CPU implementer : 0x41\nFeatures : bf16", 1),
    ],
)
def test_a_processor_says_how_fast_it_is_in_bf16(tmp_path, monkeypatch, facts, speed):
    monkeypatch.setattr(needs, "CPU_FACTS", tmp_path / "cpuinfo")
    assert needs.bf16_here() == 1  # a system without the file
    (tmp_path / "cpuinfo").write_text(facts)
    assert needs.bf16_here() == speed


def test_a_training_holds_six_copies_of_its_weights_and_on_a_cpu_the_activations_of_a_batch():
    weights = 6 * 4 * 335  # weights, gradients, 2 moments, best, checkpoint: 4 bytes a parameter
    tokens = 64 * 2 * 32
    floats = 24 * 24 * 1024  # 24 of each layer's width
    data = 4 * 32.8 * 1_000_000 / 1e6  # four bytes a token
    activations = tokens * floats * 4 / 1e6
    on_cpu = cost("resources.gpus = 0").need(LARGE).memory
    assert on_cpu == pytest.approx(700 + weights + data + activations, rel=0.2)
    assert cost().need(LARGE).memory == pytest.approx(4000 + weights * 4 / 6 + data)


def test_pieces_of_a_batch_hold_their_share_of_the_activations_and_are_embedded_twice():
    in_pieces = "resources.gpus = 0; recipes.unsupervised.micro_batch = 16"
    pieces, whole = cost(in_pieces).need(LARGE), cost("resources.gpus = 0").need(LARGE)
    steps, tokens = plan_training(cost(), LARGE)
    activations = ACTIVATION * 335 * tokens
    assert whole.memory - pieces.memory == pytest.approx(activations * (1 - 16 / 64))
    again = 2 * steps * tokens * 335e6 / 1e9
    assert pieces.work - whole.work == pytest.approx(again)
    masked = cost(f"{in_pieces}; {MASKED}").need(LARGE)  # masked words are read all at once
    assert masked.memory - pieces.memory == pytest.approx(activations)


def test_frozen_layers_have_no_backward_pass_and_keep_no_activations():
    frozen = cost("resources.gpus = 0; recipes.unsupervised.frozen_share = 0.25").need(LARGE)
    whole = cost("resources.gpus = 0").need(LARGE)
    steps, tokens = plan_training(cost(), LARGE)
    assert whole.work - frozen.work == pytest.approx(0.25 * 4 * steps * tokens * 335e6 / 1e9)
    assert whole.memory - frozen.memory == pytest.approx(0.25 * ACTIVATION * 335 * tokens)


def test_a_base_without_a_size_has_that_of_its_stored_weights_or_a_guess(tmp_path, monkeypatch):
    without_size = "bases.bert-base.million_parameters ="
    monkeypatch.chdir(tmp_path)
    needs = cost(without_size).needs
    assert needs.million["bert-base"] == UNKNOWN_MILLION and needs.guessed == {"bert-base"}
    weights = tmp_path / "resources/models/bert-base/model/model.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(bytes(8_000_000))  # two million float32
    assert cost(without_size).needs.million["bert-base"] == 2


def test_the_disk_is_that_of_weights_embeddings_and_downloads():
    model = cost()
    million, sentences = 125, 275601 * 2.7
    assert model.need(TRAIN).disk == pytest.approx(4 * million, rel=0.01)
    width = 768  # of float16
    assert model.need(EMBED).disk == pytest.approx(2 * sentences * width / 1e6, rel=0.05)
    files = (*MANIFEST["sts12"].files, *MANIFEST["sts12"].archives)
    expected = sum(file.size for file in files if file.size) / 1e6
    assert model.need(Job("download", name="sts12")).disk == expected
    assert model.need(Job("download", name="in no manifest")).disk == 0
    assert model.disk([TRAIN, TRAIN]) == 2 * model.need(TRAIN).disk


def test_an_evaluation_reads_the_pairs_of_the_sts_tests():
    read = 2 * (3108 + 1500 + 3750 + 3000 + 1186 + 1379 + 4927 + 1500) * 14.0
    need = cost().need(Job("evaluate_sts", *LARGE[1:]))
    assert need.work == pytest.approx(2 * 335e6 * read / 1e9)
