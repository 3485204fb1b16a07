"""`semblance compare`: one line that answers, and a table behind it."""

import csv
import json

import numpy as np
import pytest

from semblance.errors import InputError
from workflow.scripts import compare


@pytest.fixture
def files(tmp_path):
    """Three sets: a is 2 points above b and c, which are alike."""
    items = np.random.default_rng(0).uniform(0.3, 0.6, size=500)
    for name, shift in (("a", 0.02), ("b", 0.0), ("c", 0.0)):
        noise = np.random.default_rng(ord(name)).normal(scale=0.01, size=500)
        rows = [f"{i},{score}" for i, score in enumerate(items + shift + noise)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,score", *rows]) + "\n")
    return [str(tmp_path / f"{name}.csv") for name in "abc"]


def test_the_first_line_answers(files, capsys):
    compare.main(files[:2])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("a is better than b: +") and "points [+" in first
    compare.main(files[1:])
    assert capsys.readouterr().out.startswith("b and c do not differ (within ±0.5): ")
    compare.main([*files[1:], "--margin", "0.0001"])
    assert capsys.readouterr().out.startswith("undecided: b less c is ")
    compare.main(files)
    said = capsys.readouterr().out
    assert said.startswith("a beside 2 others: better 2\n")


def test_csv_and_json_hold_the_differences(files, tmp_path, capsys):
    table = str(tmp_path / "d.csv")
    compare.main([*files, "--csv", table, "--json"])
    stated = json.loads(capsys.readouterr().out)["differences"]
    with open(table) as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["value"]) for row in rows] == [one["value"] for one in stated]
    assert [(row["a"], row["b"]) for row in rows] == [("a", "b"), ("a", "c")]


def test_the_second_line_names_tasks_of_mteb_that_were_run_on_other_data(tmp_path, capsys):
    for name, revision in (("a", "1" * 40), ("b", "2" * 40)):
        (tmp_path / name).mkdir()
        for task, own in (("STS12", revision), ("STS13", "3" * 40)):
            scores = {"test": [{"main_score": 0.5}]}
            result = {"task_name": task, "dataset_revision": own, "scores": scores}
            (tmp_path / name / f"{task}.json").write_text(json.dumps(result))
    compare.main([str(tmp_path / name) for name in "ab"])
    second = capsys.readouterr().out.splitlines()[1]
    assert second == "other data in b than in a: STS12: 11111111 (test) and 22222222 (test)"


def test_too_few_sets_and_a_senseless_margin_are_refused(files):
    with pytest.raises(InputError, match="name two or more"):
        compare.main(files[:1])
    with pytest.raises(InputError, match="--margin"):
        compare.main([*files, "--margin", "0"])


def test_a_column_of_which_lower_may_be_better_asks(tmp_path, capsys):
    for name, loss in (("a", 2.5), ("b", 2.9)):
        rows = [f"{i},{loss + i % 3 / 10 + (name == 'a') * i / 100}" for i in range(9)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,eval_loss", *rows]) + "\n")
    sets = [str(tmp_path / f"{name}.csv") for name in "ab"]
    with pytest.raises(InputError, match="say --lower-is-better, or --no-lower-is-better"):
        compare.main([*sets, "--score", "eval_loss"])
    for option, verdict in (("--lower-is-better", "better"), ("--no-lower-is-better", "worse")):
        compare.main([*sets, "--score", "eval_loss", option])
        assert capsys.readouterr().out.startswith(f"a is {verdict} than b: −0.36 [")


def test_a_file_of_several_models_is_several_sets_and_few_items_have_no_verdict(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("model,STS12,STS13\nx,70,72\ny,71,70.5\n")
    compare.main([str(table)])
    assert capsys.readouterr().out.startswith(
        "no verdict: x less y is +0.25 on 2 items; it takes 5 "
    )
