"""Malformed YAML, manifests, published numbers and settings are refused by key or line."""

import json
import math
import re
import subprocess
from dataclasses import asdict

import pytest
import yaml

from semblance.data.prepare_dev import DevSettings
from semblance.data.prepare_nli import NliSettings
from semblance.data.prepare_sts import StsSettings
from semblance.fetch.manifest import load_manifest
from semblance.models.base import BaseSettings
from semblance.models.compute import Compute
from semblance.reporting.published import read_published
from semblance.settings import decode_json
from semblance.strict_yaml import read_yaml
from semblance.training.batch_loss import find_loss
from semblance.training.recipe import TrainSettings
from tests.dag.tiny import ROOT, run_module
from tests.example_settings import COMPUTE, STATED
from tests.hostile.bounds import bounded, put, refusal
from tests.shipped import merged
from tests.unit.data.files import put as write
from workflow.controller.progress import BAD_INPUT, config_files, main
from workflow.planning.config import load
from workflow.planning.layers import read_layer

# YAML

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)  # line 5 passes a hundred thousand
YAML = {  # name: (content, line)
    "a doubled key": ("a: 1\nb: {c: 1, d: 2, c: 3}\n", 2),
    "a doubled merge": ("a: &a {x: 1}\nb: {<<: *a, <<: *a}\n", 2),
    "a Python object": ("a: 1\nb: !!python/object:os.system {}\n", 2),
    "a Python call": ("a: !!python/object/apply:os.system ['touch PWNED']\n", 1),
    "a Python name": ("a: !!python/name:os.system\n", 1),
    "a Python tuple": ("a: !!python/tuple [1]\n", 1),
    "an unknown tag": ("a: !x 1\n", 1),
    "an alias bomb": (BOMB, 5),
    "a list within itself": ("a: &a [*a]\n", 1),
    "a mapping that holds itself": ("a: &a {x: *a}\n", 1),
    "an unknown alias": ("a: *b\n", 1),
    "an unclosed list": ("a: [1\nb: 2\n", 2),
    "an unclosed quote": ('a: "x\n', 2),
    "a tab": ("a:\n\t- b\n", 2),
    "a NUL": ("a: 1\nb: \0\n", 2),
    "a control character": ("a: \x1b[2J\n", 1),
    "nested deeply": ("[" * 1000, 1),
    "lists in lists": ("a: " + "[" * 1000 + "]" * 1000, 1),
    "mapped deeply": ("{a: " * 5000, 1),
    "a list as a key": ("? [a]\n: 1\n", 1),
    "an impossible date": ("a: 1\nb: 2020-99-99\n", 2),
    "an empty integer": ("a: !!int ''\n", 1),
    "a false float": ("a: !!float x\n", 1),
    "a false truth": ("a: !!bool x\n", 1),
    "a false time": ("a: !!timestamp x\n", 1),
    "a huge integer": ("a: " + "9" * 5000 + "\n", 1),
    "two documents": ("a: 1\n---\nb: 2\n", 2),
    "a bad escape": ('a: "\\q"\n', 1),
    "not UTF-8": (b"a: 1\nb: \xff\n", 2),
    "UTF-16": ("a: x\n".encode("utf-16"), 1),
    "half a character": (b"a: \xe2\x82\n", 1),
    "a surrogate": (b"a: \xed\xa0\x80\n", 1),
}


@pytest.mark.parametrize(
    "read",
    [read_yaml, load_manifest, read_published, read_layer],
    ids=["yaml", "manifest", "published", "config"],
)
@pytest.mark.parametrize("name", YAML)
def test_yaml_that_is_malformed_is_refused_at_its_line(read, name, tmp_path):
    content, line = YAML[name]
    path = write(tmp_path / "x.yaml", content)
    message = refusal(read, path)
    assert message.startswith(f"{path}:{line}: ") and len(message) < 1500, message
    assert [p.name for p in tmp_path.iterdir()] == ["x.yaml"]


def test_a_key_of_yaml_that_stands_twice_is_named(tmp_path):
    content, _ = YAML["a doubled key"]
    assert "key 'c' stands twice" in refusal(read_yaml, write(tmp_path / "x.yaml", content))


@pytest.mark.parametrize(
    "content",
    [
        "a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b}\n",
        "\ufeffa: 1\r\n",
        '{"a": [1, null]}',
        "a: 'x: y'",
        "",
    ],
)
def test_yaml_that_is_well_formed_reads_as_by_the_safe_loader(content, tmp_path):
    assert read_yaml(write(tmp_path / "x.yaml", content)) == yaml.safe_load(content)


# Configs, which Snakemake by itself answers with a traceback, or never


@pytest.mark.parametrize("name", ["not UTF-8", "a mapping that holds itself", "a folder", "a pipe"])
def test_a_malformed_config_is_refused_in_one_line_before_snakemake_starts(
    name, tmp_path, capsys, monkeypatch
):
    path = tmp_path / "c.yaml"
    if name in YAML:
        write(path, YAML[name][0])
    else:
        put(path, name)
    monkeypatch.setattr(subprocess, "Popen", None)  # so that a start of snakemake would fail
    with bounded():
        assert main(["--cores", "1", "--configfile", str(path), "-n"]) == BAD_INPUT
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: {path}") and printed.count("\n") == 1


def test_the_projects_own_config_is_checked_before_snakemake_reads_it(tmp_path):
    for name in ("semblance", "workflow", "Snakefile", "profiles"):
        (tmp_path / name).symlink_to(ROOT / name)
    write(tmp_path / "config.yaml", YAML["a mapping that holds itself"][0])
    done = run_module(tmp_path, "snakemake", "-n")
    printed = done.stdout + done.stderr
    assert done.returncode and "config.yaml:1: its aliases stand for more" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    "arguments, files",
    [
        (["-n"], []),
        (["--configfile", "a", "b", "-n"], ["a", "b"]),
        (["--configfiles=a", "--cores", "2", "--configfile", "b"], ["b"]),
        (["--config", "output=x", "--cores", "2"], []),
    ],
)
def test_the_config_files_are_those_that_snakemake_reads(arguments, files):
    assert config_files(arguments) == files


@pytest.mark.parametrize(
    "section, key, value", [("seeds", "all", [*range(101)]), ("faq", "folds", 101)]
)
def test_more_seeds_or_folds_than_anybody_can_train_are_refused(section, key, value):
    config = merged("config.yaml")
    config[section][key] = value
    assert refusal(load, config).startswith(f"config.{section}.{key}: ")


# Manifests and published numbers


def changed(tree: dict, where: str, value: object) -> dict:
    """Return a copy of a tree with one place set; a whole number in the place is one of a list."""
    tree = json.loads(json.dumps(tree))
    *before, last = [int(key) if key.isdigit() else key for key in where.split("|")]
    place = tree
    for key in before:
        place = place[key]
    place[last] = value
    return tree


NOTHING = {"sha256": None, "size": None}
MANIFEST = {
    "datasets": {
        "one": {
            "title": "t",
            "licence": "l",
            "homepage": None,
            "expected": {"rows": 1},
            "files": [NOTHING | {"path": "a/b.txt", "urls": ["http://x/y"]}],
            "archives": [NOTHING | {"path": "c.zip", "urls": [], "members": {"in/d": "d.txt"}}],
        }
    }
}
PATHS = ["../x", "/etc/passwd", "a/../../b", "a//b", "", ".", "a\\b", "a\nb", "a\0b", "{wildcard}"]
MEMBERS = [{"../x": "d"}, {"x": "../d"}, ["x"]]
NAMES = ["../one", "a b", "$(touch PWNED)", "--option", "a\nb"]  # of datasets
ONE = MANIFEST["datasets"]["one"]
FILE = "datasets|one|files|0"
WRONG = {  # (what the message says, where): values
    ("files[0].path: not a plain relative path", f"{FILE}|path"): PATHS,
    ("files[0].path: expected str", f"{FILE}|path"): [3, None],
    ("stands twice", f"{FILE}|path"): ["c.zip"],
    ("files[0].sha256: not 64 hex digits", f"{FILE}|sha256"): ["ABC", "g" * 64, "a" * 63 + "\n"],
    ("files[0].sha256: expected str", f"{FILE}|sha256"): [True],
    ("files[0].git_blob: not 40 hex digits", f"{FILE}|git_blob"): ["0a"],
    ("files[0].size: out of range", f"{FILE}|size"): [0, -1, 10**30],
    ("files[0].size: expected int", f"{FILE}|size"): [1.5, True, "9"],
    ("files[0].urls: not an http", f"{FILE}|urls"): [["file:///x"], ["ftp://x/y"], ["--option"]],
    ("files[0].urls", f"{FILE}|urls"): ["http://x", [None]],
    ("members", "datasets|one|archives|0|members"): MEMBERS,
    ("stands twice", "datasets|one|archives|0|members"): [{"x": "d", "y": "d"}, {"x": "c.zip"}],
    ("expected.rows", "datasets|one|expected"): [{"rows": n} for n in ("many", math.nan, True)],
    ("one.colour: unknown key", "datasets|one|colour"): ["red"],
    ("one.licence: missing key", "datasets|one"): [{k: ONE[k] for k in ONE if k != "licence"}],
    ("datasets", "datasets"): [[]],
    ("one", "datasets|one"): [None],
    **{(repr(name)[1:-1], f"datasets|{name}"): [ONE] for name in NAMES},
}
EACH = [(where, value, word) for (word, where), values in WRONG.items() for value in values]


@pytest.mark.parametrize("where, value, word", EACH, ids=lambda value: repr(value)[:40])
def test_a_wrong_manifest_is_refused_and_the_key_named(where, value, word, tmp_path):
    path = write(tmp_path / "m.yaml", yaml.safe_dump(MANIFEST))
    assert load_manifest(path)["one"].files[0].path == "a/b.txt"
    write(path, yaml.safe_dump(changed(MANIFEST, where, value)))
    message = refusal(load_manifest, path)
    assert message.startswith(f"{path}.datasets") and word in message, message


TABLE = {
    "title": "one",
    "protocol": "senteval",
    "columns": ["c", "c_sd"],
    "rows": {"r": ["*1.5", 0.1]},
}
PUBLISHED = {"papers": {"p": {"title": "P", "tables": {"t": TABLE}}}, "known_slips": []}
NO_CELLS = [{"c": 1}, "1.0", None, [1.0], [1.0, 2.0, 3.0]]
NO_NUMBERS = [None, True, [1], "n/a", "1e999", "nan", "**1", "1_0", "9" * 5000, math.nan, math.inf]
ODD_TABLES = {
    "papers|p|tables|t|rows|r": [*NO_CELLS, *([number, 1] for number in NO_NUMBERS)],
    "papers|p|tables|t": [None, []],
    "papers|p|tables|t|columns": [[1, 2]],
    "papers|p|title": [3],
    "papers": ["x"],
    "known_slips": [[3], [{"paper": "p"}]],
    "colour": ["red"],
}


@pytest.mark.parametrize(
    "where, value",
    [(where, value) for where, values in ODD_TABLES.items() for value in values],
    ids=lambda value: repr(value)[:40],
)
def test_wrong_published_numbers_are_refused_and_the_file_named(where, value, tmp_path):
    path = write(tmp_path / "p.yaml", yaml.safe_dump(PUBLISHED))
    (entry,) = read_published(path).entries
    assert (entry.value, entry.mark, entry.sd) == (1.5, "*", 0.1)
    write(path, yaml.safe_dump(changed(PUBLISHED, where, value)))
    assert str(path) in refusal(read_published, path)


# Settings of scripts: what may stand in each field (tests/unit/test_settings.py tries the types)

STS = {"datasets": ["a"], "protocol": "senteval"}
DEV = {"dataset": "stsb", "protocol": "senteval"}
NLI = {"kind": "nli", "datasets": ["a"]}
BASE = {"max_length": 64, "pooling": "mean"}
DROPOUT = {"distribution": "normal", "granularity": "rows", "layers": "all"}
OUT_OF_BOUNDS = {
    "batch_size": [0, 1],
    "epochs": [0],
    "learning_rate": [0, -1e-5],
    "max_length": [2],
    "seed": [-1],
    "warmup": [1.5],
    "weight_decay": [-0.1],
    "clip": [0],
    "evaluate_share": [0],
    "window": [2],
    "patience": [0],
    "threads": [0],
    "gpus": [2],
}
SETTINGS = [  # class, valid settings, key, value
    *((TrainSettings, STATED, key, value) for key, some in OUT_OF_BOUNDS.items() for value in some),
    *((TrainSettings, STATED, "dropout", {"sampled": {k: v}}) for k, v in DROPOUT.items()),
    (TrainSettings, STATED, "views", "twise"),
    (TrainSettings, STATED, "precision", "fp8"),
    (TrainSettings, STATED, "matmul", "fast"),
    (TrainSettings, STATED, "unit", "windows"),
    (TrainSettings, STATED, "head", "yes"),
    (BaseSettings, BASE, "pooling", "max"),
    (NliSettings, NLI, "kind", "snli"),
    (StsSettings, STS, "protocol", "cooked"),
    (DevSettings, DEV, "protocol", "cooked"),
    (Compute, asdict(COMPUTE), "precision", "fp16"),
    (Compute, asdict(COMPUTE), "matmul", "low"),
]


@pytest.mark.parametrize("decoded, valid, key, value", SETTINGS, ids=str)
def test_an_unknown_word_or_a_number_out_of_bounds_in_settings_is_refused(
    decoded, valid, key, value
):
    decode_json(decoded, json.dumps(valid))
    message = refusal(decode_json, decoded, json.dumps(valid | {key: value}))
    assert re.match(rf"(settings\.)?{key}(\.sampled\.\w+)?: ", message), message


OPTIONS = [  # loss, valid options, key, value: a type that it cannot take, or another formula
    *(("contrastive", {"scale": 20}, "scale", v) for v in ("high", None, [1], True, -5)),
    ("contrastive", {"scale": 20}, "scales", 1),
    ("entropy", {"phi": 0.1}, "reduction", "avg"),
    ("entropy", {"phi": 0.1}, "reduction", "Mean"),
    ("regulators", {}, "reduction", "Sum"),
    ("regulators", {}, "regulator_weight", -1),
    ("regulators", {}, "regulators", 1),
]


@pytest.mark.parametrize("loss, valid, key, value", OPTIONS)
def test_options_that_a_loss_cannot_take_are_refused(loss, valid, key, value):
    find_loss(loss, valid)
    assert refusal(find_loss, loss, valid | {key: value}).startswith(f"options.{key}: ")
