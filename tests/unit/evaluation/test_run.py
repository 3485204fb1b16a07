"""An evaluation computes in the precision that is declared, and every score says in which."""

import csv
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from semblance.data import prepare_dev, prepare_sts
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.evaluation.run import StsRun, evaluate_sts
from semblance.evaluation.scored import Target
from semblance.fetch.manifest import load_manifest
from semblance.models.base import BaseSettings, build_base
from semblance.provenance import read_sealed, write_record
from semblance.training.inputs import read_regulators
from tests.dag.tiny import ROOT, write_base
from tests.example_settings import COMPUTE


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a tiny base under ``base`` and the demo's STS-B and SICK under ``sts``."""
    folder = tmp_path_factory.mktemp("world")
    write_base(folder / "raw")
    build_base(
        BaseSettings(32, folder=str(folder / "raw"), pooling="mean"),
        folder / "base/record.json",
        "",
    )
    raw = Raw(load_manifest(ROOT / "demo/manifest.yaml"), ROOT / "demo/data")
    prepare_sts.write_test_pairs(
        raw, prepare_sts.StsSettings(("stsb", "sick"), "senteval"), folder / "sts"
    )
    write_record(
        folder / "sts/record.json",
        "prepare_sts",
        outputs=["pairs.parquet"],
        started=0.0,
        settings={"protocol": "senteval"},
    )
    prepare_dev.write_dev_pairs(raw, prepare_dev.DevSettings("stsb", "senteval"), folder / "dev")
    write_record(
        folder / "dev/record.json",
        "prepare_dev",
        outputs=["pairs.parquet"],
        started=0.0,
        settings={"protocol": "senteval"},
    )
    return folder


def scores(world, model, out, compute):
    """Evaluate; return the scores and the record.

    Scores: (task, subset, metric, aggregation) to (value, precision, environment).
    """
    record = out / "record.json"
    evaluate_sts(
        StsRun("none", "tiny", "start", "0"),
        str(model),
        str(world / "sts/record.json"),
        str(world / "dev/record.json"),
        Target(record, compute, "0123"),
    )
    with open(out / "scores.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {
        (r["task"], r["subset"], r["metric"], r["aggregation"]): (
            float(r["value"]),
            r["precision"],
            r["environment"],
        )
        for r in rows
    }, read_sealed(record)


def test_the_declared_precision_is_used_and_told(world, tmp_path):
    plain, _ = scores(world, world / "base/record.json", tmp_path / "fp32", COMPUTE)
    half, record = scores(
        world, world / "base/record.json", tmp_path / "bf16", replace(COMPUTE, precision="bf16")
    )
    assert {p for _, p, _ in plain.values()} == {"fp32"} and {p for _, p, _ in half.values()} == {
        "bf16"
    }
    assert record["settings"] == {"threads": 1, "gpus": 0, "precision": "bf16", "matmul": "highest"}
    assert plain.keys() == half.keys()
    correlations = [key for key in plain if key[2] in ("spearman", "pearson")]
    assert any(plain[key][0] != half[key][0] for key in correlations)  # it did compute in bf16
    assert all(
        abs(plain[key][0] - half[key][0]) < 0.05 for key in correlations
    )  # eight bits of mantissa, few pairs


def protocol_of_each_task(world, out, **settings) -> dict[str, str]:
    """Evaluate the base on test pairs of SentEval and on dev pairs whose record has ``settings``."""
    (out / "dev").mkdir()
    shutil.copy(world / "dev/pairs.parquet", out / "dev")
    dev = out / "dev/record.json"
    write_record(dev, "prepare_dev", outputs=["pairs.parquet"], started=0.0, settings=settings)
    evaluate_sts(
        StsRun("none", "tiny", "start", "0"),
        str(world / "base/record.json"),
        str(world / "sts/record.json"),
        str(dev),
        Target(out / "record.json", COMPUTE, "0123"),
    )
    with open(out / "scores.csv", newline="") as stream:
        return {row["task"]: row["protocol"] for row in csv.DictReader(stream)}


def test_each_score_names_the_protocol_in_the_record_of_its_pairs(world, tmp_path):
    found = protocol_of_each_task(world, tmp_path, protocol="raw")
    assert found == {"stsb": "senteval", "sickr": "senteval", "stsb-dev": "raw"}


@pytest.mark.parametrize("settings", [{}, {"protocol": "cooked"}])
def test_pairs_without_a_known_protocol_are_refused(world, tmp_path, settings):
    with pytest.raises(InputError, match="dev/record.json: settings.protocol: .* raw"):
        protocol_of_each_task(world, tmp_path, **settings)


def test_the_matmul_precision_is_used_and_part_of_the_environment(world, tmp_path):
    seen = {}
    for matmul in ("medium", "highest"):
        found, _ = scores(
            world, world / "base/record.json", tmp_path / matmul, replace(COMPUTE, matmul=matmul)
        )
        seen[matmul] = {environment for *_, environment in found.values()}
        assert torch.get_float32_matmul_precision() == matmul
    assert len(seen["highest"]) == len(seen["medium"]) == 1 and seen["highest"] != seen["medium"]


def trained_model(world, folder, precision, regulator_precision):
    """Write a training's record beside the tiny base's weights."""
    folder.mkdir(exist_ok=True)
    (folder / "model").symlink_to(world / "base/model")
    outputs = list(json.loads((world / "base/record.json").read_text())["outputs"])
    write_record(
        folder / "record.json",
        "train",
        outputs=outputs,
        started=0.0,
        regulator_precision=regulator_precision,
        settings={"precision": precision, "matmul": "highest"},
        device="cpu, 1 threads",
        training={"step": 37},
    )
    return folder / "record.json"


def test_the_steps_of_a_training_stand_among_its_scores(world, tmp_path):
    name = ("training", "", "steps", "all")
    untrained, _ = scores(world, world / "base/record.json", tmp_path / "untrained", COMPUTE)
    assert name not in untrained
    model = trained_model(world, tmp_path / "model", "fp32", {})
    trained, _ = scores(world, model, tmp_path / "trained", COMPUTE)
    assert trained[name][0] == 37.0  # as its record says


def test_a_training_says_what_its_regulators_were_made_in(tmp_path):
    records = [
        embeddings(tmp_path / name, settings={"precision": name, "matmul": "highest"})
        for name in ("bf16", "fp32")
    ]
    assert read_regulators(records).precision == {"precision": "bf16 and fp32", "matmul": "highest"}
    assert read_regulators(records[1:]).precision == {"precision": "fp32", "matmul": "highest"}
    assert read_regulators([]).precision == {}


def test_embeddings_whose_record_names_no_precision_are_refused(tmp_path):
    with pytest.raises(InputError, match="record.json: does not name the precision"):
        read_regulators([embeddings(tmp_path / "unnamed")])


def embeddings(folder, **facts):
    """Write embeddings and their record; return the record's path."""
    folder.mkdir()
    np.save(folder / "embeddings.npy", np.ones((2, 4), np.float16))
    record = folder / "record.json"
    write_record(record, "embed", outputs=["embeddings.npy"], started=0.0, **facts)
    return str(record)


def test_regulators_change_the_environment_only_if_they_were_made_in_another_one(world, tmp_path):
    """A table holds models with and without them, and must not call that mixed."""
    seen = {}
    for name, regulator_precision in {
        "none": {},
        "same": {"precision": "fp32", "matmul": "highest"},
        "other": {"precision": "fp32", "matmul": "medium"},
    }.items():
        model = trained_model(world, tmp_path / name, "fp32", regulator_precision)
        [seen[name]] = {
            e for *_, e in scores(world, model, tmp_path / name / "scores", COMPUTE)[0].values()
        }
    [untrained] = {
        e
        for *_, e in scores(world, world / "base/record.json", tmp_path / "start", COMPUTE)[
            0
        ].values()
    }
    assert seen["none"] == seen["same"] == untrained != seen["other"]


@pytest.mark.parametrize(
    "trained, regulators, evaluated, told",
    [
        ("fp32", None, "fp32", "fp32"),
        ("bf16", None, "bf16", "bf16"),
        ("bf16", None, "fp32", "fp32 (trained in bf16)"),
        ("fp32", "bf16", "fp32", "fp32 (regulators in bf16)"),
        ("bf16", "bf16", "fp32", "fp32 (trained in bf16, regulators in bf16)"),
    ],
)
def test_the_precisions_of_training_and_regulators_are_told_where_they_differ(
    world, tmp_path, trained, regulators, evaluated, told
):
    model = trained_model(
        world,
        tmp_path,
        trained,
        {"precision": regulators, "matmul": "highest"} if regulators else {},
    )
    found, _ = scores(world, model, tmp_path / "scores", replace(COMPUTE, precision=evaluated))
    assert {p for _, p, _ in found.values()} == {told}
