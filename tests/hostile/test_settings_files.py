"""Malformed manifests, configs, published numbers, settings, records and rendered tables are refused by key or line."""

import json
import math
import re
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from semblance.data.corpus_rows import CorpusSettings
from semblance.data.prepare_dev import DevSettings
from semblance.data.prepare_sts import StsSettings
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.models.base import BaseSettings
from semblance.models.compute import Compute
from semblance.provenance import read_json
from semblance.reporting.published import read_published
from semblance.reporting.table import from_json
from semblance.settings import decode_json
from semblance.strict_yaml import read_yaml
from semblance.training.batch_loss import find_loss
from semblance.training.recipe import TrainSettings
from tests.example_settings import COMPUTE, STATED
from workflow.planning.config import check_files

ROOT = Path(__file__).resolve().parents[2]
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
    "an unknown alias": ("a: *b\n", 1),
    "an unclosed list": ("a: [1\nb: 2\n", 2),
    "an unclosed quote": ('a: "x\n', 2),
    "a tab": ("a:\n\t- b\n", 2),
    "a NUL": ("a: 1\nb: \0\n", 2),
    "a control character": ("a: \x1b[2J\n", 1),
    "nested deeply": ("[" * 1000, 1),
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
    "half a character": (b"a: \xe2\x82\n", 1),
    "a surrogate": (b"a: \xed\xa0\x80\n", 1),
}


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "read",
    [read_yaml, load_manifest, read_published, lambda path: check_files([path])],
    ids=["yaml", "manifest", "published", "config"],
)
@pytest.mark.parametrize("name", YAML)
def test_yaml_that_is_malformed_is_refused_at_its_line(read, name, tmp_path):
    content, line = YAML[name]
    path = put(tmp_path / "x.yaml", content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ") and len(str(caught.value)) < 1500, str(
        caught.value
    )[:300]
    assert [p.name for p in tmp_path.iterdir()] == ["x.yaml"]


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
    assert read_yaml(put(tmp_path / "x.yaml", content)) == yaml.safe_load(content)


def test_the_projects_own_files_are_well_formed():
    check_files(
        [ROOT / "config.yaml", ROOT / "demo/config.yaml", *(ROOT / "configs").glob("*.yaml")]
    )


MANIFEST = {
    "datasets": {
        "one": {
            "title": "t",
            "licence": "l",
            "homepage": None,
            "expected": {"rows": 1},
            "files": [{"path": "a/b.txt", "sha256": None, "size": None, "urls": ["http://x/y"]}],
            "archives": [
                {
                    "path": "c.zip",
                    "sha256": None,
                    "size": None,
                    "urls": [],
                    "members": {"in/d": "d.txt"},
                }
            ],
        }
    }
}
FILE, ARCHIVE = ("datasets", "one", "files", 0), ("datasets", "one", "archives", 0)
WRONG = [  # where, the value, what the message names
    ((*FILE, "path"), "../x", "path"),
    ((*FILE, "path"), "/etc/passwd", "path"),
    ((*FILE, "path"), "a/../../b", "path"),
    ((*FILE, "path"), "", "path"),
    ((*FILE, "path"), ".", "path"),
    ((*FILE, "path"), "a\\b", "path"),
    ((*FILE, "path"), "a\nb", "path"),
    ((*FILE, "path"), "a\0b", "path"),
    ((*FILE, "path"), "{wildcard}", "path"),
    ((*FILE, "path"), "digests.lock.json", "path"),
    ((*FILE, "path"), 3, "path"),
    ((*FILE, "path"), None, "path"),
    ((*FILE, "path"), "c.zip", "stands twice"),
    ((*FILE, "sha256"), "ABC", "sha256"),
    ((*FILE, "sha256"), "g" * 64, "sha256"),
    ((*FILE, "sha256"), "a" * 63 + "\n", "sha256"),
    ((*FILE, "sha256"), True, "sha256"),
    ((*FILE, "size"), 0, "size"),
    ((*FILE, "size"), -1, "size"),
    ((*FILE, "size"), 10**30, "size"),
    ((*FILE, "size"), 1.5, "size"),
    ((*FILE, "size"), True, "size"),
    ((*FILE, "size"), "9", "size"),
    ((*FILE, "urls"), "http://x", "urls"),
    ((*FILE, "urls"), ["file:///etc/passwd"], "urls"),
    ((*FILE, "urls"), ["--option"], "urls"),
    ((*FILE, "urls"), [None], "urls"),
    ((*ARCHIVE, "members"), {"../x": "d"}, "members"),
    ((*ARCHIVE, "members"), {"x": "../d"}, "members"),
    ((*ARCHIVE, "members"), ["x"], "members"),
    ((*ARCHIVE, "members"), {"x": "d", "y": "d"}, "stands twice"),
    ((*ARCHIVE, "members"), {"x": "c.zip"}, "stands twice"),
    (("datasets", "one", "expected"), {"rows": "many"}, "expected.rows"),
    (("datasets", "one", "expected"), {"rows": math.nan}, "expected.rows"),
    (("datasets", "one", "expected"), {"rows": True}, "expected.rows"),
    (("datasets", "one", "colour"), "red", "colour"),
    (("datasets",), [], "datasets"),
    (("datasets", "one"), None, "one"),
    (("datasets", "../one"), MANIFEST["datasets"]["one"], "../one"),
    (("datasets", "a b"), MANIFEST["datasets"]["one"], "a b"),
    (("datasets", "$(touch PWNED)"), MANIFEST["datasets"]["one"], "touch"),
    (("datasets", "--option"), MANIFEST["datasets"]["one"], "--option"),
    (("datasets", "a\nb"), MANIFEST["datasets"]["one"], "a\\nb"),
]


def changed(tree: dict, where: tuple, value: object) -> dict:
    """Return a copy of a tree with one place set."""
    tree = json.loads(json.dumps(tree))
    place = tree
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    return tree


@pytest.mark.parametrize("where, value, word", WRONG, ids=lambda value: repr(value)[:40])
def test_a_wrong_manifest_is_refused_and_the_key_named(where, value, word, tmp_path):
    path = put(tmp_path / "m.yaml", yaml.safe_dump(MANIFEST))
    assert load_manifest(path)["one"].files[0].path == "a/b.txt"
    put(path, yaml.safe_dump(changed(MANIFEST, where, value)))
    with pytest.raises(InputError) as caught:
        load_manifest(path)
    assert str(caught.value).startswith(f"{path}.datasets") and word in str(caught.value), str(
        caught.value
    )


PUBLISHED = {
    "papers": {
        "p": {
            "title": "P",
            "tables": {
                "1": {
                    "title": "one",
                    "protocol": "senteval",
                    "columns": ["c", "c_sd"],
                    "rows": {"r": ["*1.5", 0.1]},
                }
            },
        }
    },
    "known_slips": [],
}
ROW = ("papers", "p", "tables", "1", "rows", "r")


@pytest.mark.parametrize(
    "where, value",
    [
        (ROW, value)
        for value in (
            [1.0],
            [1.0, 2.0, 3.0],
            ["n/a", 1],
            [math.nan, 1],
            [math.inf, 1],
            ["1e999", 1],
            [1, "nan"],
            [None, 1],
            [True, 1],
            [[1], 1],
            {"c": 1},
            "1.0",
            None,
            ["**1", 1],
            ["1_0", 1],
            ["9" * 5000, 1],
        )
    ]
    + [
        (ROW[:4], None),
        (ROW[:4], []),
        (("papers",), "x"),
        (("papers", "p", "title"), 3),
        (("known_slips",), [3]),
        (("known_slips",), [{"paper": "p"}]),
        (("colour",), "red"),
        ((*ROW[:4], "columns"), [1, 2]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_wrong_published_numbers_are_refused_and_the_row_named(where, value, tmp_path):
    path = put(tmp_path / "p.yaml", yaml.safe_dump(PUBLISHED))
    (entry,) = read_published(path).entries
    assert (entry.value, entry.mark, entry.sd) == (1.5, "*", 0.1)
    put(path, yaml.safe_dump(changed(PUBLISHED, where, value)))
    with pytest.raises(InputError, match=re.escape(str(path))):
        read_published(path)


JSON = {
    "truncated": '{"a": ',
    "an array": "[]",
    "a number": "3",
    "null": "null",
    "nothing": "",
    "nested deeply": "[" * 100_000,
    "two": "{} {}",
    "a huge number": "9" * 5000,
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "no UTF-8": b'{"a": "\xff"}',
}


@pytest.mark.parametrize("name", JSON)
def test_json_that_is_no_rendered_table_or_settings_is_refused(name, tmp_path):
    content = JSON[name]
    if isinstance(content, bytes):
        with pytest.raises(InputError, match=f"{tmp_path}/x.json:1: not UTF-8"):
            read_json(put(tmp_path / "x.json", content))
        return
    with pytest.raises(InputError, match="^table.json"):
        from_json(content, "table.json")
    with pytest.raises(InputError, match="^settings"):
        decode_json(TrainSettings, content)


SETTINGS = {**STATED, "batch_size": 2}


@pytest.mark.parametrize(
    "key, text",
    [
        ("learning_rate", "1e999"),
        ("learning_rate", "NaN"),
        ("learning_rate", "1" + "0" * 400),
        ("learning_rate", '"0.1"'),
        ("batch_size", "2.0"),
        ("batch_size", "true"),
        ("batch_size", "null"),
        ("epochs", "[1]"),
        ("dropout", '{"hidden": "x"}'),
    ],
)
def test_settings_of_another_type_or_not_finite_are_refused(key, text):
    assert decode_json(TrainSettings, json.dumps(SETTINGS)).batch_size == 2
    others = json.dumps({k: v for k, v in SETTINGS.items() if k != key})[1:-1]
    with pytest.raises(InputError, match="settings"):
        decode_json(TrainSettings, f'{{{others}, "{key}": {text}}}')


@pytest.mark.parametrize(
    "options", [{"scale": "high"}, {"scale": None}, {"scale": [1]}, {"scale": True}, {"scales": 1}]
)
def test_options_that_a_loss_cannot_take_are_refused(options):
    find_loss("contrastive", {"scale": 20})
    with pytest.raises(InputError, match="options.scale"):
        find_loss("contrastive", options)


@pytest.mark.parametrize(
    "key, value",
    [
        ("views", "twise"),
        ("precision", "fp8"),
        ("matmul", "fast"),
        ("unit", "windows"),
        ("head", "yes"),
        ("dropout.sampled.distribution", "normal"),
        ("dropout.sampled.granularity", "rows"),
        ("dropout.sampled.layers", "all"),
        ("batch_size", 1),
        ("batch_size", 0),
        ("epochs", 0),
        ("learning_rate", 0),
        ("learning_rate", -1e-5),
        ("max_length", 2),
        ("seed", -1),
        ("warmup", 1.5),
        ("weight_decay", -0.1),
        ("clip", 0),
        ("evaluate_share", 0),
        ("window", 2),
        ("patience", 0),
        ("threads", 0),
        ("gpus", 2),
    ],
)
def test_an_unknown_word_or_a_number_out_of_bounds_in_settings_is_refused(key, value):
    for name in reversed(key.split(".")):
        value = {name: value}
    with pytest.raises(InputError, match=f"^settings.{re.escape(key)}: ") as caught:
        decode_json(TrainSettings, json.dumps(SETTINGS | value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "decoded, values, key",
    [
        (BaseSettings, {"max_length": 64, "pooling": "max"}, "pooling"),
        (CorpusSettings, {"kind": "snli", "datasets": ["a"]}, "kind"),
        (StsSettings, {"datasets": ["a"], "protocol": "cooked"}, "protocol"),
        (DevSettings, {"dataset": "stsb", "protocol": "cooked"}, "protocol"),
        (Compute, {**asdict(COMPUTE), "precision": "fp16"}, "precision"),
        (Compute, {**asdict(COMPUTE), "matmul": "low"}, "matmul"),
    ],
)
def test_an_unknown_word_in_a_scripts_settings_is_refused(decoded, values, key):
    with pytest.raises(InputError, match=rf"^(settings\.)?{key}: (unknown word|there is no) "):
        decode_json(decoded, json.dumps(values))


@pytest.mark.parametrize(
    "loss, options, key",
    [
        ("contrastive", {"scal": 3}, "scal"),
        ("contrastive", {"scale": "twenty"}, "scale"),
        ("contrastive", {"scale": -5}, "scale"),
        ("entropy", {"phi": 0.1, "reduction": "avg"}, "reduction"),
        ("entropy", {"phi": 0.1, "reduction": "Mean"}, "reduction"),
        ("regulators", {"reduction": "Sum"}, "reduction"),
        ("regulators", {"regulator_weight": -1}, "regulator_weight"),
        ("regulators", {"regulators": 1}, "regulators"),
    ],
)
def test_an_option_that_would_mean_another_formula_is_refused(loss, options, key):
    with pytest.raises(InputError, match=f"^options.{key}: "):
        find_loss(loss, options)
