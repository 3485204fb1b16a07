"""Malformed YAML, configs and manifests are refused by key or line; so is YAML of printed numbers."""

import json
import os

import pytest
import yaml

from semblance.fetch.manifest import load_manifest
from semblance.reporting.published import read_published
from semblance.strict_yaml import read_yaml
from tests.dag.tiny import ROOT, run_module
from tests.hostile.bounds import bounded, put, refusal
from tests.shipped import changed
from tests.unit.data.files import put as write
from workflow.config.layers import read_layer
from workflow.scripts import endings, run

# YAML

YAML = {  # name: (content, line)
    "a doubled key": ("a: 1\nb: {c: 1, d: 2, c: 3}\n", 2),
    "a Python object": ("a: 1\nb: !!python/object:os.system {}\n", 2),
    "a mapping that holds itself": ("a: &a {x: *a}\n", 1),
    "a NUL": ("a: 1\nb: \0\n", 2),
    "nested deeply": ("[" * 1000, 1),
    "a list as a key": ("? [a]\n: 1\n", 1),
    "an impossible date": ("a: 1\nb: 2020-99-99\n", 2),
    "a false float": ("a: !!float x\n", 1),
    "a huge integer": ("a: " + "9" * 5000 + "\n", 1),
    "a number to base 60": ("a: x\nb: 1:30\n", 2),
    "a number to base 8": ("a: x\nb: -010\n", 2),
    "two documents": ("a: 1\n---\nb: 2\n", 2),
    "not UTF-8": (b"a: 1\nb: \xff\n", 2),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml_that_is_malformed_is_refused_at_its_line(name, tmp_path):
    content, line = YAML[name]
    path = write(tmp_path / "x.yaml", content)
    message = refusal(read_yaml, path)
    assert message.startswith(f"{path}:{line}: ") and len(message) < 1500, message
    assert [p.name for p in tmp_path.iterdir()] == ["x.yaml"]


@pytest.mark.parametrize("read", [load_manifest, lambda path: read_published([path]), read_layer])
def test_manifests_published_numbers_and_configs_are_read_as_strictly(read, tmp_path):
    content, line = YAML["a doubled key"]
    path = write(tmp_path / "x.yaml", content)
    message = refusal(read, path)
    assert message.startswith(f"{path}:{line}: ") and "key 'c' stands twice" in message


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
def test_a_malformed_config_is_refused_before_snakemake_starts(name, tmp_path, capsys, monkeypatch):
    path = tmp_path / "c.yaml"
    if name in YAML:
        write(path, YAML[name][0])
    else:
        put(path, name)
    monkeypatch.setattr(os, "execv", None)  # so that a start of snakemake would fail
    with bounded(), pytest.raises(SystemExit) as ended:
        endings.run(lambda: run.main([str(path), "-n"]))
    assert ended.value.code == endings.BAD_INPUT
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: {path}") and printed.count("\n") == 1


def test_the_projects_own_config_is_checked_before_snakemake_reads_it(tmp_path):
    for name in ("semblance", "workflow", "Snakefile", "profiles"):
        (tmp_path / name).symlink_to(ROOT / name)
    write(tmp_path / "config.yaml", YAML["a mapping that holds itself"][0])
    done = run_module(tmp_path, "snakemake", "-n")
    printed = done.stdout + done.stderr
    told = "config.yaml:1: nested too deeply, or a value that holds itself"
    assert done.returncode and told in printed and "Traceback" not in printed


# Manifests


NOTHING = {"sha256": None, "size": None}
ONE = {
    "title": "t",
    "licence": "l",
    "homepage": None,
    "expected": {"rows": 1},
    "files": [NOTHING | {"path": "a/b.txt", "urls": ["http://x/y"]}],
    "archives": [NOTHING | {"path": "c.zip", "urls": [], "members": {"in/d": "d.txt"}}],
}
MANIFEST = {"datasets": {"one": ONE}}
PATHS = ["../x", "/etc/passwd", "a//b", "a\nb", "{wildcard}"]
WRONG = {  # (what the message says, where in the data set): values
    ("one: not a plain relative path", "files[0].path"): PATHS,
    ("stands twice", "files[0].path"): ["c.zip"],
    ("one: a/b.txt: not an http", "files[0].urls"): [["file:///x"], ["--option"]],
    ("'../d'", "archives[0].members"): [{"x": "../d"}],
    ("stands twice", "archives[0].members"): [{"x": "d", "y": "d"}, {"x": "c.zip"}],
}
EACH = [(where, value, word) for (word, where), values in WRONG.items() for value in values]


@pytest.mark.parametrize("where, value, word", EACH, ids=lambda value: repr(value)[:40])
def test_a_wrong_manifest_is_refused_and_the_key_named(where, value, word, tmp_path):
    path = write(tmp_path / "m.yaml", yaml.safe_dump(MANIFEST))
    assert load_manifest(path)["one"].files[0].path == "a/b.txt"
    wrong = changed(MANIFEST, f"datasets.one.{where} = {json.dumps(value)}")
    write(path, yaml.safe_dump(wrong))
    message = refusal(load_manifest, path)
    assert message.startswith(f"{path}.datasets") and word in message, message


@pytest.mark.parametrize("name", ["../one", "a b", "--option"])
def test_a_data_set_of_another_name_than_a_plain_one_is_refused(name, tmp_path):
    path = write(tmp_path / "m.yaml", yaml.safe_dump({"datasets": {name: ONE}}))
    assert refusal(load_manifest, path).startswith(f"{path}.datasets.{name}")
