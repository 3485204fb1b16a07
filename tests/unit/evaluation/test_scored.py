"""An evaluation computes in the precision that is declared, and every score says in which."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from semblance.errors import InputError
from semblance.evaluation.scored import Evaluation, Target
from semblance.evaluation.sts import StsRun, evaluate_sts
from semblance.models.compute import device_name
from semblance.provenance import read_sealed, write_record
from semblance.training.inputs import read_regulators
from tests.example_settings import COMPUTE
from tests.unit.evaluation.prepared import lines, records


def evaluate(demo, out, model=None, dev=None, **compute):
    """Evaluate a model, or the base, into a folder; return the lines of the scores by what they score."""
    base, test, of_dev = records(demo, "base", "sts", "dev")
    target = Target(out / "record.json", replace(COMPUTE, **compute), "0123")
    run = StsRun("none", "tiny", "start", "0")
    evaluate_sts(run, str(model or base), test, str(dev or of_dev), target)
    names = ("task", "subset", "metric", "aggregation")
    return {tuple(line[name] for name in names): line for line in lines(out)}


def only(found, column):
    """Return what all scores have in a column."""
    [value] = {line[column] for line in found.values()}
    return value


def test_the_declared_precision_is_computed_in_and_stands_beside_each_score(demo, tmp_path):
    plain = evaluate(demo, tmp_path / "fp32")
    half = evaluate(demo, tmp_path / "bf16", precision="bf16")
    assert only(plain, "precision") == "fp32" and only(half, "precision") == "bf16"
    settings = read_sealed(tmp_path / "bf16/record.json")["settings"]
    assert settings == {"threads": 1, "gpus": 0, "precision": "bf16", "matmul": "highest"}
    assert plain.keys() == half.keys()
    correlations = [key for key in plain if key[2] in ("spearman", "pearson")]
    values = [[float(found[key]["value"]) for key in correlations] for found in (plain, half)]
    difference = np.abs(np.subtract(*values))
    assert 0 < difference.max() < 0.05  # eight bits of mantissa, few pairs


def protocol_of_each_task(demo, out, **settings) -> dict[str, str]:
    """Evaluate the base on test pairs of SentEval and on dev pairs whose record has ``settings``."""
    (out / "dev").mkdir()
    shutil.copy(demo / "dev/pairs.parquet", out / "dev")
    dev = out / "dev/record.json"
    write_record(dev, "prepare_dev", outputs=["pairs.parquet"], started=0.0, settings=settings)
    return {key[0]: line["protocol"] for key, line in evaluate(demo, out, dev=dev).items()}


def test_each_score_names_the_protocol_in_the_record_of_its_pairs(demo, tmp_path):
    found = protocol_of_each_task(demo, tmp_path, protocol="raw")
    assert found == {"stsb": "senteval", "sickr": "senteval", "stsb-dev": "raw"}


@pytest.mark.parametrize("settings", [{}, {"protocol": "cooked"}])
def test_pairs_without_a_known_protocol_are_refused(demo, tmp_path, settings):
    with pytest.raises(
        InputError, match="dev/record.json: settings.protocol: .* 'senteval' or 'raw'"
    ):
        protocol_of_each_task(demo, tmp_path, **settings)


def test_the_matmul_precision_is_used_and_part_of_the_environment(demo, tmp_path):
    seen = []
    for matmul in ("medium", "highest"):
        seen.append(only(evaluate(demo, tmp_path / matmul, matmul=matmul), "environment"))
        assert torch.get_float32_matmul_precision() == matmul
    assert seen[0] != seen[1]


def trained_model(demo, folder, precision="fp32", regulators=None, unmoved=()):
    """Write a training's record beside the tiny base's weights."""
    folder.mkdir(exist_ok=True)
    (folder / "model").symlink_to(demo / "base/model")
    write_record(
        folder / "record.json",
        "train",
        outputs=list(json.loads((demo / "base/record.json").read_text())["outputs"]),
        started=0.0,
        regulator_precision=regulators or {},
        unmoved_regulators=list(unmoved),
        settings={"precision": precision, "matmul": "highest"},
        device=device_name("cpu"),
        training={"step": 37},
    )
    return folder / "record.json"


def test_the_steps_of_a_training_and_its_unmoved_teachers_stand_among_its_scores(demo, tmp_path):
    steps, teachers = (("training", "", name, "all") for name in ("steps", "unmoved teachers"))
    assert not {steps, teachers} & evaluate(demo, tmp_path / "untrained").keys()
    model = trained_model(demo, tmp_path / "model", unmoved=["regulator 1", "regulator 3"])
    found = evaluate(demo, tmp_path / "trained", model)
    assert float(found[steps]["value"]) == 37.0  # as its record says
    assert float(found[teachers]["value"]) == 2.0


def embedded(folder, precision="fp32", **facts):
    """Write the embeddings of a regulator and their record; return its path."""
    folder.mkdir(exist_ok=True)
    np.save(folder / "embeddings.npy", np.ones((2, 4), np.float16))
    settings = {"precision": precision, "matmul": "highest"}
    facts |= {"outputs": ["embeddings.npy"], "started": 0.0, "settings": settings}
    write_record(folder / "record.json", "embed", **facts)
    return str(folder / "record.json")


@pytest.mark.parametrize(
    "windows, unmoved",
    [([3.0, 2.0, 4.0], []), ([2.0, 3.0, 4.0], ["regulator 1"]), ([2.0], ["regulator 1"]), ([], [])],
)
def test_a_teacher_whose_loss_never_fell_has_not_moved(tmp_path, windows, unmoved):
    model = tmp_path / "model.json"
    facts = {"outputs": [], "started": 0.0, "training": {"windows": windows}}
    write_record(model, "train_entropy", **facts)
    made = embedded(tmp_path, inputs={"model": "0"}, records={"model": model})
    assert read_regulators([made]).unmoved == unmoved


def test_a_training_says_what_its_regulators_were_made_in(tmp_path):
    made = [embedded(tmp_path / name, name) for name in ("bf16", "fp32")]
    assert read_regulators(made).precision == {"precision": "bf16 and fp32", "matmul": "highest"}
    assert read_regulators(made[1:]).precision == {"precision": "fp32", "matmul": "highest"}
    assert read_regulators([]).precision == {}


def test_regulators_change_the_environment_only_if_they_were_made_in_another_one(demo, tmp_path):
    """A table holds models with and without them, and must not call that mixed."""
    seen = {"start": only(evaluate(demo, tmp_path / "start"), "environment")}
    for name, matmul in {"none": None, "same": "highest", "other": "medium"}.items():
        made = matmul and {"precision": "fp32", "matmul": matmul}
        model = trained_model(demo, tmp_path / name, regulators=made)
        seen[name] = only(evaluate(demo, tmp_path / name / "scores", model), "environment")
    assert seen["none"] == seen["same"] == seen["start"] != seen["other"]


@pytest.mark.parametrize(
    "trained, regulators, evaluated, stated",
    [
        ("fp32", None, "fp32", "fp32"),
        ("bf16", None, "bf16", "bf16"),
        ("bf16", None, "fp32", "fp32 (trained in bf16)"),
        ("fp32", "bf16", "fp32", "fp32 (regulators in bf16)"),
        ("bf16", "bf16", "fp32", "fp32 (trained in bf16, regulators in bf16)"),
    ],
)
def test_the_precisions_of_training_and_regulators_are_stated_where_they_differ(
    demo, tmp_path, trained, regulators, evaluated, stated
):
    made = regulators and {"precision": regulators, "matmul": "highest"}
    model = trained_model(demo, tmp_path, trained, made)
    found = evaluate(demo, tmp_path / "scores", model, precision=evaluated)
    assert only(found, "precision") == stated


def test_a_score_that_is_no_number_leaves_no_file(tmp_path):
    evaluation = Evaluation(Target(tmp_path / "record.json", COMPUTE, "0123"), {}, {}, "cpu")
    row = {"task": "mine", "metric": "spearman", "n": 2, "value": float("nan")}
    with pytest.raises(InputError, match=r"seed-0: spearman of mine \(2 items\) is nan"):
        evaluation.write("evaluate_sts", StsRun("none", "tiny", "start", "0"), [row], {})
    assert not list(tmp_path.iterdir())
