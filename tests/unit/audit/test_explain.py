"""The tree from a cell to its raw data: every step is there, checked, and readable."""

import json
import shutil
import statistics
import subprocess
import sys

import pytest

from semblance.audit.explain import _find_row, explain, problems
from semblance.audit.origin_text import to_json, to_text
from semblance.errors import InputError
from semblance.provenance import ROOT, file_digest, read_sealed, record_digest, write_sealed
from semblance.reporting.build import build
from semblance.reporting.table import from_json
from tests.unit.reporting.example_scores import frame, spec
from workflow.scripts.endings import BAD_INPUT


def named(node: dict, name: str) -> list[dict]:
    """Return all nodes of a name below a node."""
    return [
        n
        for child in node["sources"]
        for n in ([child] if child["name"] == name else []) + named(child, name)
    ]


def tree(*asked) -> dict:
    return json.loads(to_json(explain(*asked)))


def test_the_tree_leads_from_the_cell_to_the_raw_data(untouched):
    top = tree(untouched, "t_sts", "rcl", "STS12")
    seeds = [node for node in top["sources"] if node["name"].startswith("seed ")]
    assert [node["name"] for node in seeds] == ["seed 1", "seed 2", "seed 3"]
    assert top["facts"]["value"] == pytest.approx(
        statistics.mean(node["facts"]["value"] for node in seeds)
    )
    assert top["facts"]["sd"] == pytest.approx(
        statistics.stdev(node["facts"]["value"] for node in seeds)
    )
    for seed, node in zip((1, 2, 3), seeds, strict=True):
        (prediction,) = named(node, "predictions")
        assert prediction["record"] == str(
            untouched / f"scores/sts/nli/tiny/rcl/seed-{seed}/record.json"
        )
        (model,) = named(prediction, "weights")
        assert (
            model["facts"]["settings"]["seed"] == seed
            and model["facts"]["training"]["best_step"] == 5
        )
        assert {source["name"] for source in model["sources"]} == {
            "base",
            "corpus",
            "tokens",
            "dev",
            "entropy-0.01",
        }
        (entropy,) = named(model, "model")
        assert entropy["facts"]["settings"]["options"] == {"phi": 0.01}
        raw = named(model, "raw data")[0]["files"]
        assert raw == [
            {
                "file": str(untouched.parent / "resources/data/raw.txt"),
                "state": "checked",
                "sha256": file_digest(untouched.parent / "resources/data/raw.txt"),
            }
        ]


def test_each_file_has_the_digest_of_its_content(untouched):
    def check(node):
        for file in node["files"]:
            assert file["sha256"] == file_digest(file["file"]) and file["state"] == "checked"
        for source in node["sources"]:
            check(source)

    check(tree(untouched, "t_regulators", "rcl", "Average"))


def test_a_retrieval_value_comes_from_every_fold(untouched):
    top = tree(untouched, "t_faq", "rcl [annotated]", "MAP")
    places = [node["record"] for node in named(top, "predictions")]
    assert places == [
        str(untouched / f"scores/faq/bank-{fold}/tiny/rcl/seed-{seed}/record.json")
        for seed in (1, 2, 3)
        for fold in (0, 1)
    ]


def test_an_untrained_model_leads_to_its_base(untouched):
    (weights,) = named(tree(untouched, "t_sts", "start", "Average"), "weights")
    assert weights["record"] == str(untouched.parent / "resources/models/tiny/record.json")


@pytest.mark.parametrize("column, count", [("top 3", 3), ("max", 1), ("seed 2", 1)])
def test_only_the_seeds_behind_the_value_are_shown(untouched, column, count):
    assert len(named(tree(untouched, "t_seeds", "rcl", column), "predictions")) == count


def test_a_missing_cell_names_the_runs_without_a_score(untouched):
    facts = tree(untouched, "t_sts", "lost", "Average")["facts"]
    assert (
        facts["value"] == "n/a" and facts["n"] == 0 and "nli/tiny/lost/seed-1" in facts["missing"]
    )


def test_the_text_fits_100_columns_and_shows_each_record_once(untouched):
    text = to_text(explain(untouched, "t_sts", "rcl", "STS12"))
    prose = [
        line for line in text.splitlines() if str(untouched.parent) not in line
    ]  # a path is not broken
    assert max(map(len, prose)) <= 100
    assert (
        text.count("raw data\n") == 3 and "(as above)" in text
    )  # of the corpus, the dev pairs and the test sets, for three seeds
    assert 'settings  as above but {"seed": 2}' in text


@pytest.mark.parametrize(
    "asked, known",
    [
        (("t_none", "rcl", "sts12"), "known are t_dev, t_faq, t_regulators, t_seeds, t_sts"),
        (("t_sts", "nobody", "sts12"), "known are start, simcse, rcl, lost"),
        (("t_sts", "rcl", "sts99"), "known are STS12, STS-B, Average"),
        (("t_faq", "rcl", "map"), r"rcl \[pairs\], rcl \[annotated\]"),
    ],
)
def test_an_unknown_or_ambiguous_name_lists_the_known_ones(untouched, asked, known):
    with pytest.raises(InputError, match=known):
        explain(untouched, *asked)


def test_a_row_is_found_by_its_label_and_by_its_method():
    rows = {"SimCSE": ("simcse", (1,)), "RCL (8 regulators)": ("rcl-8", (1,))}
    table = build(spec(rows), frame([]))
    for asked in ("RCL (8 regulators)", "rcl-8", "RCL (8 regulators) [senteval]"):
        assert _find_row(table, asked).method == "rcl-8"


def test_a_damaged_file_in_the_tree_is_marked(untouched, tmp_path):
    copy = shutil.copytree(untouched.parent, tmp_path / "copy") / "results"
    (copy / "models/nli/tiny/rcl/seed-2/model/model.safetensors").write_text("damaged")
    node = explain(copy, "t_sts", "rcl", "STS12")
    assert problems(node) == 1 and "damaged: expected sha256 " in to_text(node)
    assert problems(explain(copy, "t_sts", "simcse", "STS12")) == 0
    (copy / "scores/sts/nli/tiny/simcse/seed-1/record.json").write_text("{}")
    assert problems(explain(copy, "t_sts", "simcse", "STS12")) == 1


def test_a_record_that_has_changed_since_it_was_read_is_marked(untouched, tmp_path):
    copy = shutil.copytree(untouched.parent, tmp_path / "copy") / "results"
    record = copy / "models/nli/tiny/rcl/seed-2/record.json"
    value = read_sealed(record)
    write_sealed(record, value | {"settings": value["settings"] | {"learning_rate": 1.0}})
    node = explain(copy, "t_sts", "rcl", "STS12")
    assert problems(node) == 1
    assert "says something else than when it was read" in to_text(node)


def test_what_lies_in_folders_that_are_not_here_is_no_problem(untouched, tmp_path):
    copy = shutil.copytree(untouched, tmp_path / "results")
    node = explain(copy, "t_sts", "rcl", "STS12")
    assert problems(node) == 0 and "not here, not checked" in to_text(node)


def test_the_cell_of_a_users_own_file_is_healthy_until_the_file_changes(untouched, tmp_path):
    """The records name the file, so that it is found from any folder."""
    copy = shutil.copytree(untouched.parent, tmp_path / "copy") / "results"
    own = tmp_path / "copy/my faq.csv"
    own.write_text("question,answer\nWho?,I\n")
    record = copy / "faq/bank/record.json"
    value = read_sealed(record)
    link = {"role": "my faq.csv", "place": "../../../my faq.csv", "record": ""}
    inputs = [*value["inputs"], link | {"digest": file_digest(own)}]
    _say_everywhere(copy, record, value | {"inputs": inputs})
    node = explain(copy, "t_faq", "rcl [pairs]", "MAP")
    assert problems(node) == 0 and "my faq.csv" in to_text(node)
    own.write_text("question,answer\nWho?,You\n")
    assert problems(explain(copy, "t_faq", "rcl [pairs]", "MAP")) > 0


def _say_everywhere(results, record, changed):
    """Write a bank's record anew, and let the evaluations that read it know."""
    before = record_digest(read_sealed(record))
    write_sealed(record, changed)
    for reader in results.glob("scores/faq/*/*/*/*/record.json"):
        value = read_sealed(reader)
        [link] = [link for link in value["inputs"] if link["role"] == "data"]
        assert link["record"] == before
        link["record"] = record_digest(changed)
        write_sealed(reader, value)


def test_the_command_line_prints_the_same_tree(untouched):
    command = [
        sys.executable,
        "-m",
        "semblance",
        "explain",
        "t_dev",
        "simcse",
        "STS-B dev",
        "--results",
        str(untouched),
    ]
    done = subprocess.run(
        [*command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == tree(untouched, "t_dev", "simcse", "STS-B dev")
    shown = from_json((untouched / "tables/json/t_dev.json").read_text())
    assert json.loads(done.stdout)["facts"]["value"] == shown.rows[0].cells["stsb-dev"].mean


def test_an_unknown_command_prints_the_usage():
    done = subprocess.run(
        [sys.executable, "-m", "semblance", "praise"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == BAD_INPUT
    assert "usage: semblance {config,check," in done.stderr and "explain" in done.stderr
