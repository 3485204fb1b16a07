"""The tree from a cell to its raw data: every step is there, checked, and readable."""

import json
import shutil
import statistics
from dataclasses import replace

import pytest

from semblance.audit.chain import DELETED, Chain
from semblance.audit.explain import CHECKED, NOT_HERE, Step, explain, find_cell, problems, states
from semblance.audit.findings import format_findings
from semblance.audit.summary import cell_lines
from semblance.audit.verify import verify
from semblance.errors import InputError
from semblance.provenance import circumstances, file_digest
from tests.unit.audit.tampering import change_record, change_table, shown, shown_row
from workflow.scripts import explain as command
from workflow.scripts.explain import to_text

CELL = ("t_sts", "rcl", "STS12")
CHANGED = "says something else than when it was read"


def named(step: Step, name: str) -> list[Step]:
    """Return all steps of a name below a step."""
    below = [one for source in step.sources for one in named(source, name)]
    return [*(source for source in step.sources if source.name == name), *below]


def explained(results, *asked) -> Step:
    chain = Chain(results)
    return explain(chain, find_cell(chain, *asked))


def summary(results, *asked) -> dict[str, str]:
    """What the short form says of a cell, by the word before it."""
    chain = Chain(results)
    place = find_cell(chain, *asked)
    return dict(cell_lines(chain, place, explain(chain, place)))


def test_the_tree_leads_from_the_cell_to_the_raw_data(untouched):
    top = explained(untouched, *CELL)
    seeds = [step for step in top.sources if step.name.startswith("seed ")]
    assert [step.name for step in seeds] == ["seed 1", "seed 2", "seed 3"]
    values = [step.facts["value"] for step in seeds]
    assert top.facts["value"] == pytest.approx(statistics.mean(values))
    assert top.facts["sd"] == pytest.approx(statistics.stdev(values))
    for seed, step in enumerate(seeds, 1):
        (prediction,) = named(step, "predictions")
        record = untouched / f"scores/sts/nli/tiny/rcl/seed-{seed}/record.json"
        assert prediction.record == str(record)
        (model,) = named(prediction, "weights")
        assert model.facts["settings"]["seed"] == seed
        assert model.facts["training"]["best_step"] == 5
        sources = {source.name for source in model.sources}
        assert sources == {"base", "corpus", "tokens", "dev", "entropy-0.01"}
        (entropy,) = named(model, "model")
        assert entropy.facts["settings"]["options"] == {"phi": 0.01}
        file = untouched.parent / "resources/data/raw.txt"
        raw = {"file": str(file), "state": CHECKED, "sha256": file_digest(file)}
        assert named(model, "raw data")[0].files == [raw]
    assert set(states(top).values()) == {CHECKED}


def test_a_retrieval_value_comes_from_every_fold(untouched):
    top = explained(untouched, "t_faq", "rcl [annotated]", "MAP")
    assert [step.record for step in named(top, "predictions")] == [
        str(untouched / f"scores/faq/bank-{fold}/tiny/rcl/seed-{seed}/record.json")
        for seed in (1, 2, 3)
        for fold in (0, 1)
    ]


@pytest.mark.parametrize("column, count", [("top 3", 3), ("max", 1), ("seed 2", 1)])
def test_only_the_seeds_behind_the_value_are_shown(untouched, column, count):
    assert len(named(explained(untouched, "t_seeds", "rcl", column), "predictions")) == count


def test_the_text_fits_100_columns_and_shows_each_record_once_and_each_file(untouched):
    top = explained(untouched, *CELL)
    text = to_text(top)
    # a path is not broken
    prose = [line for line in text.splitlines() if str(untouched.parent) not in line]
    assert max(map(len, prose)) <= 100
    # of the corpus, the dev pairs and the test sets, for three seeds
    assert text.count("raw data\n") == 3 and "(as above)" in text and "  as above" in text
    assert all(file.rpartition("/")[2] in text for file in states(top))


@pytest.mark.parametrize(
    "asked, advice",
    [
        (("t_none", "rcl", "sts12"), "name one of t_dev, t_faq, "),
        (("t_sts", "nobody", "sts12"), r"not the name of one row; name one of start \[senteval\];"),
        (("T_STS", "RCL", "STS99"), "no such column"),  # the others in any case
        (("t_faq", "rcl", "map"), r"name one of .*rcl \[pairs\]; rcl \[annotated\]"),
    ],
)
def test_an_unknown_or_ambiguous_name_is_answered_with_the_right_ones(untouched, asked, advice):
    with pytest.raises(InputError, match=advice):
        explained(untouched, *asked)


def test_a_step_says_when_its_record_was_made_and_in_which_time(untouched):
    record = untouched / "tables/records/t_sts.json"
    ran = circumstances(record)
    assert f"made  {ran['finished']} in {ran['seconds']} s" in to_text(explained(untouched, *CELL))


def test_a_row_is_named_by_its_label_alone_or_with_its_protocol_or_by_its_method(results):
    label = "RCL (8 regulators)"
    start, simcse, rcl, lost = shown(results, "t_sts").rows
    rows = (start, simcse, replace(rcl, label=label), lost)
    change_table(results, "t_sts", lambda table: replace(table, rows=rows))
    for asked in (label, f"{label} [senteval]", "rcl"):
        assert explained(results, "t_sts", asked, "STS12").name == f"t_sts, {label}, sts12"


def test_predictions_that_are_newer_than_the_table_are_marked(results):
    """As after a changed setting, when another table alone was made again."""
    record = results / "scores/sts/nli/tiny/rcl/seed-1/record.json"
    change_record(record, lambda value: value.update(code="another"))
    top = explained(results, *CELL)
    assert problems(top) == 1 and CHANGED in to_text(top)
    assert Chain(results).changed_since(results / "tables/records/t_sts.json") == [record]


def test_damage_and_change_are_marked_in_the_cells_that_rest_on_them(results):
    model = results / "models/nli/tiny/rcl/seed-2"
    change_record(model / "record.json", lambda record: record["settings"].update(seed=9))
    top = explained(results, *CELL)
    assert problems(top) == 1 and CHANGED in to_text(top)
    weights = model / "model/model.safetensors"
    weights.write_text("damaged")
    top = explained(results, *CELL)
    assert problems(top) == 2 and "damaged: expected sha256 " in to_text(top)
    wrong = [text for word, text in cell_lines(*of_cell(results), top) if word == "wrong"]
    assert any(text.startswith(f"{weights}: damaged: ") for text in wrong) and len(wrong) == 2
    assert problems(explained(results, "t_sts", "simcse", "STS12")) == 0
    (results / "scores/sts/nli/tiny/simcse/seed-1/record.json").write_text("{}")
    assert problems(explained(results, "t_sts", "simcse", "STS12")) == 1


def of_cell(results):
    chain = Chain(results)
    return chain, find_cell(chain, *CELL)


def test_what_lies_in_folders_that_are_not_here_is_no_problem(untouched, tmp_path):
    copy = shutil.copytree(untouched, tmp_path / "results")
    top = explained(copy, *CELL)
    assert problems(top) == 0 and "not here, not checked" in to_text(top)


def test_weights_that_a_run_has_deleted_are_no_problem_and_lost_ones_are(results):
    weights = results / "models/nli/tiny/rcl/seed-2/model/model.safetensors"
    weights.unlink()
    (results / "logs").mkdir()
    for models in ("all", "final"):  # the note that a run leaves of its config
        note = json.dumps({"keep": {"models": models}})
        (results / "logs/config.json").write_text(note)
        findings = verify(results)
        assert (str(weights) in dict(findings.problems)) == (models == "all")
    assert findings.problems == [] and f"{weights}: {DELETED}" in format_findings(findings)
    top = explained(results, *CELL)
    assert problems(top) == 0 and f"{DELETED}  sha256" in to_text(top)

    # other files, and weights that are there, are checked all the same
    weights.write_bytes(b"other weights")
    tokens = results / "tokens/tiny/nli/tokens.arrow"
    tokens.unlink()
    assert {str(weights), str(tokens)} <= dict(verify(results).problems).keys()


def test_a_users_own_file_is_checked_where_its_record_names_it(results):
    own = results.parent / "my faq.csv"
    own.write_text("question,answer\nWho?,I\n")
    link = {"role": own.name, "place": f"../../../{own.name}", "digest": file_digest(own)}
    bank = results / "faq/bank/record.json"
    change_record(bank, lambda value: value["inputs"].append(link | {"record": ""}))

    def state() -> str:
        return states(explained(results, "t_faq", "rcl [pairs]", "MAP"))[str(own)]

    assert state() == CHECKED
    own.write_text("question,answer\nWho?,You\n")
    assert state().startswith("damaged: ")
    own.unlink()
    assert state() == NOT_HERE


def test_the_short_form_says_how_a_cell_came_to_be(untouched):
    said = summary(untouched, *CELL[:2], "Average")
    cells = shown_row(untouched, "t_sts", "rcl").cells
    cell = cells["Average"]
    assert said["cell"].startswith(f"{cell.mean:.2f} ± {cell.sd:.2f}, the mean of 3 seeds (1: ")
    for task, name in (("sts12", "STS12"), ("stsb", "STS-B")):
        assert f"{name} {cells[task].values['1']:.2f}" in said["a seed"]
    assert said["control"].startswith("simcse: ") and said["corpus"].startswith("nli")
    assert said["unlike it"] == "nothing but the data"  # as this small example has it
    assert "the mean of 2 folds" in summary(untouched, "t_faq", "rcl [pairs]", "MAP")["a seed"]
    assert "the mean of 1 seed (2: " in summary(untouched, "t_seeds", "rcl", "seed 2")["cell"]


def test_the_short_form_names_the_settings_in_which_a_row_differs_from_its_control(results):
    for method, rate in (("rcl", 0.5), ("simcse", 0.25)):
        record = results / f"models/nli/tiny/{method}/seed-1/record.json"
        change_record(
            record, lambda value, rate=rate: value["settings"].update(rate=rate, seed=rate)
        )
    assert summary(results, *CELL)["unlike it"] == "rate 0.5 (control 0.25)"


def test_an_untrained_model_has_no_corpus_and_a_missing_cell_names_the_runs_it_lacks(untouched):
    start = ("t_sts", "start", "Average")
    (weights,) = named(explained(untouched, *start), "weights")
    assert weights.record == str(untouched.parent / "resources/models/tiny/record.json")
    assert "corpus" not in summary(untouched, *start)
    lost = ("t_sts", "lost", "Average")
    assert explained(untouched, *lost).facts["value"] == "n/a"
    said = summary(untouched, *lost)
    assert said["cell"].startswith("n/a") and "nli/tiny/lost/seed-1" in said["missing"]


def test_the_command_line_prints_15_lines_or_every_step_or_the_tree_as_json(
    untouched, capsys, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    cell = ("t_dev", "simcse", "STS-B dev", "--output", str(untouched))
    command.main([*cell])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 15 and max(map(len, lines[:-1])) <= 80
    again = " ".join(lines).split()[-5:]
    assert again == ["again", "semblance", "verify", "--output", str(untouched)]
    command.main([*cell, "--all"])
    assert capsys.readouterr().out == to_text(explained(untouched, *cell[:3])) + "\n"
    command.main([*cell, "--json"])
    facts = json.loads(capsys.readouterr().out)["facts"]
    assert facts["value"] == shown(untouched, "t_dev").rows[0].cells["stsb-dev"].mean


def test_a_claim_is_found_by_its_name_or_words_and_of_several_each_is_named(untouched, capsys):
    for words in ("rcl-over-drophead", "RCL is better than drophead"):
        command.main([words, "--output", str(untouched)])
        printed = capsys.readouterr().out.splitlines()
        assert printed[0] == "rcl-over-drophead" and "no table rcl_table3" in " ".join(printed)
    command.main(["rcl-over-drophead", "--json", "--output", str(untouched)])
    judged = json.loads(capsys.readouterr().out)["sources"]
    assert [one["facts"]["figures"]["verdict"] for one in judged] == ["not run"] * 2
    with pytest.raises(InputError, match="name one of rcl-over-attention-dropout, "):
        command.main(["rcl_table3", "--output", str(untouched)])
