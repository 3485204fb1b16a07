"""What `verify` finds: an untouched folder holds, and each kind of tampering is named by its path."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from semblance.audit.findings import CELLS, DIGESTS, FORMS, KEPT, LINKS, SCORES, SEALS
from semblance.audit.findings_text import MOST_SHOWN, format_findings
from semblance.audit.recompute import (
    correlation,
    faq_identities,
    faq_values,
    monotone,
    sts_identities,
)
from semblance.audit.verify import verify
from semblance.errors import InputError
from semblance.names import SCORE_COLUMNS
from semblance.provenance import ROOT, beside, digests, read_sealed, write_sealed
from semblance.reporting.contrasts import with_items
from semblance.reporting.formats import csv_text, markdown
from semblance.reporting.latex import latex
from semblance.reporting.table import Contrast, from_json, to_json
from semblance.training.keeping.finished import keep
from tests.unit.reporting import example_results
from workflow.scripts import prepare_faq
from workflow.scripts import verify as script

RUN = "scores/sts/nli/tiny/rcl/seed-2"


@pytest.fixture
def results(untouched, tmp_path):
    """A copy of the finished folder and its resources, to tamper with."""
    shutil.copytree(untouched.parent, tmp_path / "copy")
    return tmp_path / "copy" / "results"


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def record_of(results: Path, file: Path) -> Path:
    """Return the record that lists a file."""
    records = results.parent.rglob("*.json")
    listed = ((record, read_sealed(record)) for record in records if is_record(record))
    for record, value in listed:
        names = [record.parent / name for name in value.get("outputs", {})]
        names += [record.parents[1] / name for name in value.get("files", {})]
        if file in [name.resolve() for name in names]:
            return record
    raise AssertionError(f"no record lists {file}")


def is_record(path: Path) -> bool:
    """Tell whether a file is the record of a stage, of a table or of a download."""
    return path.name == "record.json" or path.parent.name == "records"


def reseal(record: Path, **facts) -> None:
    """Make a record vouch again for whatever now lies beside it."""
    value = read_sealed(record) | facts
    write_sealed(record, value | {"outputs": digests(record.parent, value["outputs"])})


def change_table(results: Path, name: str, change) -> None:
    """Change a table in all its forms alike, seal its record again and make the comparison anew."""
    source = results / f"tables/json/{name}.json"
    table = change(from_json(source.read_text()))
    for path, form in (
        (source, to_json),
        *(
            (results / f"tables/{name}.{end}", form)
            for end, form in (("csv", csv_text), ("md", markdown), ("tex", latex))
        ),
    ):
        path.write_text(form(table))
    reseal(results / f"tables/records/{name}.json")
    example_results.compare(results)


def with_cell(label: str, column: str, **fields):
    """Return the change of a table that gives one cell other fields."""

    def change(table):
        rows = [
            replace(row, cells=row.cells | {column: replace(row.cells[column], **fields)})
            if row.label == label
            else row
            for row in table.rows
        ]
        return replace(table, rows=tuple(rows))

    return change


def with_contrast(label: str, column: str, **fields):
    """Return the change of a table that gives one cell's contrast other fields."""

    def change(table):
        row = next(row for row in table.rows if row.label == label)
        contrast = replace(row.cells[column].contrast, **fields)
        return with_cell(label, column, contrast=contrast)(table)

    return change


def change_score(results: Path, line: int, change) -> None:
    """Change one line of a run's scores, and make all that follows from it anew."""
    path = results / RUN / "scores.csv"
    lines = path.read_text().splitlines(keepends=True)
    lines[line] = change(lines[line])
    path.write_text("".join(lines))
    reseal(results / RUN / "record.json")
    example_results.collect(results)
    for name in example_results.TABLES:
        example_results.render(results, name)
    example_results.compare(results)


def failed(found) -> set[str]:
    return {kind for kind, count in found.failed.items() if count}


def test_every_check_of_an_untouched_folder_holds(untouched):
    found = verify(untouched)
    assert found.problems == [] and found.notes == []
    # by hand: sts12 has 2 metrics x (3 means + 2 subsets), stsb and stsb-dev 2 x 3, in 7 runs; FAQ 3 protocols x 4
    # metrics in 14 runs; each once in its run and once in the long CSV, which holds 7 lines of alignment and 6
    # of the steps of a training besides; the number of pairs of each alignment is counted again
    lines = 7 * (10 + 6 + 6) + 14 * 3 * 4
    assert found.checked[SCORES] == 2 * lines + 7 + 6 + 7
    # t_sts 4 x 3, t_regulators 3, t_dev 2, t_faq 3 rows x 2 protocols x 4: value in JSON, in CSV, and its sd;
    # t_seeds 2 x 3 of these and 2 x 3 single seeds without sd; of each row its columns, of each table its length
    cells, rows = 4 * 3 + 3 + 2 + 24 + 6, 4 + 3 + 2 + 6 + 2
    # besides, top3 and max have a population sd, and all cells but those of chosen seeds (top3, max and the single
    # seeds, in 2 rows) a contrast or none, in JSON and in CSV
    chosen, contrasts = 2 * 2, cells - 2 * 2
    total = 3 * cells + 2 * 6 + rows + len(example_results.TABLES) + chosen + 2 * contrasts
    assert found.checked[CELLS] == total
    assert found.checked[DIGESTS] == sum(
        len(read_sealed(p).get("outputs", "1"))
        for p in untouched.parent.rglob("*.json")
        if p.name == "record.json" or p.parent.name == "records"
    )


@pytest.mark.parametrize(
    "damage", [flip, lambda path: path.write_bytes(path.read_bytes()[:-1]), Path.unlink]
)
def test_damage_of_any_file_is_named_with_both_digests_and_what_to_do(results, damage):
    names = [
        f"{RUN}/scores.csv",
        "scores/faq/bank-0/tiny/rcl/seed-1/predictions.parquet",
        "tables/scores.csv",
        "tables/t_sts.csv",
        "tables/t_sts.md",
        "tables/t_faq.tex",
        "tables/json/t_seeds.json",
        "tables/published.md",
        "models/nli/tiny/rcl/seed-1/model/model.safetensors",
        "embeddings/nli/tiny/entropy-0.01/seed-1/embeddings.npy",
        "corpora/nli/rows.arrow",
        "tokens/tiny/nli/tokens.arrow",
        "sts/pairs.parquet",
        "../resources/data/raw.txt",
    ]
    for name in names:
        damage(results / name)
    found = verify(results)
    assert found.failed[DIGESTS] == len(names)
    for name in names:
        told = [
            what
            for path, what in found.problems
            if path == str((results / name).resolve()) and "expected sha256" in what
        ]
        assert len(told) == 1 and ("found" in told[0] or "missing" in told[0])
    assert found.delete == {record_of(results, (results / name).resolve()) for name in names}


@pytest.mark.parametrize(
    "name",
    [
        f"{RUN}/record.json",
        "tables/records/t_sts.json",
        "../resources/data/records/raw.json",
        "models/nli/tiny/rcl/seed-1/record.json",
    ],
)
def test_one_flipped_bit_in_a_record_is_found(results, name):
    record = (results / name).resolve()
    flip(record)
    found = verify(results)
    assert SEALS in failed(found) and str(record) in dict(found.problems)


@pytest.mark.parametrize(
    "table, label, column, seed",
    [
        ("t_sts", "rcl", "sts12", "2"),
        ("t_sts", "rcl", "Average", "2"),
        ("t_faq", "rcl", "map", "1"),
        ("t_regulators", "simcse", "Average", "3"),
        ("t_seeds", "rcl", "max", None),
        ("t_seeds", "rcl", "seed 1", "1"),
        ("t_dev", "rcl", "stsb-dev", "1"),
    ],
)
def test_a_cell_changed_in_every_form_and_in_the_record_is_found(
    results, table, label, column, seed
):
    shown = from_json((results / f"tables/json/{table}.json").read_text())
    values = next(row for row in shown.rows if row.label == label).cells[column].values
    seed = seed or next(iter(values))
    change_table(
        results, table, with_cell(label, column, values=values | {seed: values[seed] + 1e-6})
    )
    found = verify(results)
    assert {CELLS, FORMS} <= failed(found) and not {DIGESTS, SEALS} & failed(found)
    assert any(
        path.endswith(f"{table}.json") and f"{label}, {column}" in what
        for path, what in found.problems
    )
    assert any(
        path.endswith(f"{table}.csv") and f"{label}, {column}" in what
        for path, what in found.problems
    )


def test_a_number_in_place_of_a_missing_cell_is_found(results):
    change_table(
        results, "t_sts", with_cell("lost", "sts12", values={"1": 50.0, "2": 50.0, "3": 50.0})
    )
    assert any("lost, sts12: recomputed no value" in what for _, what in verify(results).problems)


def test_a_changed_published_value_is_found(results):
    change_table(results, "t_sts", with_cell("rcl", "stsb", published=99.9))
    found = verify(results)
    assert failed(found) == {FORMS} and "row rcl, column stsb" in format_findings(found)


@pytest.mark.parametrize(
    "field",
    ["difference", "low", "high", "p", "p_exact", "p_holm", "p_equivalence", "detectable"],
)
def test_a_changed_figure_of_a_difference_is_found_twice(results, field):
    """By building the table again, and by the audit's own tests of the recomputed scores."""
    shown = from_json((results / "tables/json/t_sts.json").read_text())
    contrast = next(row for row in shown.rows if row.label == "rcl").cells["stsb"].contrast
    changed = {field: getattr(contrast, field) * 1.001}
    change_table(results, "t_sts", with_contrast("rcl", "stsb", **changed))
    found = verify(results)
    assert failed(found) == {FORMS, CELLS}
    assert "row rcl, column stsb" in format_findings(
        found
    ) and "rcl, stsb: its difference" in format_findings(found)


def test_a_mark_that_does_not_follow_from_the_corrected_p_is_found_twice(results):
    shown = from_json((results / "tables/json/t_sts.json").read_text())
    cell = next(row for row in shown.rows if row.label == "rcl").cells["stsb"]
    other = "" if cell.mark else "*"
    change_table(results, "t_sts", with_cell("rcl", "stsb", mark=other))
    assert failed(verify(results)) == {FORMS, CELLS}


def test_a_difference_where_there_is_no_control_is_found(results):
    change_table(results, "t_sts", with_cell("start", "stsb", contrast=Contrast(1.0)))
    assert failed(verify(results)) == {FORMS, CELLS}


def test_a_bootstrap_that_is_surer_than_the_seeds_is_found(results):
    change_table(results, "t_sts", with_contrast("rcl", "Average", p_bootstrap=1e-9))
    assert failed(verify(results)) == {FORMS, CELLS}


def test_a_changed_bootstrap_p_is_found_by_what_the_items_cause(results):
    change_table(results, "t_sts", with_contrast("rcl", "Average", p_bootstrap=0.999))
    assert failed(verify(results)) == {FORMS}


def test_changed_errors_of_the_items_are_found_when_they_are_drawn_again(results):
    def with_larger_errors(table):
        rows = [
            replace(
                row, items={c: {n: 4 * v for n, v in of.items()} for c, of in row.items.items()}
            )
            for row in table.rows
        ]
        return with_items(replace(table, rows=tuple(rows)))

    change_table(results, "t_sts", with_larger_errors)
    assert verify(results).problems == []
    assert ", items" in format_findings(verify(results, bootstrap=True))


def test_a_table_rendered_without_one_of_its_seeds_is_found(results, monkeypatch):
    record = results / "tables/records/t_sts.json"
    asked = read_sealed(record)["settings"]
    monkeypatch.setattr(example_results, "SEEDS", (1, 2))
    example_results.render(results, "t_sts")
    reseal(record, settings=asked)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {FORMS} and "row simcse, " in format_findings(found)


def test_a_seed_with_scores_that_a_table_leaves_out_is_noted(results, monkeypatch):
    monkeypatch.setattr(example_results, "SEEDS", (1, 2))
    for name in example_results.TABLES:
        example_results.render(results, name)
    example_results.compare(results)
    found = verify(results)
    assert found.problems == [] and any(
        "rcl: the table leaves out the seeds 3" in what for _, what in found.notes
    )


@pytest.mark.parametrize("column, line", [("value", 1), ("value", 4), ("n", 1)])
def test_a_changed_score_is_found_after_all_later_stages_ran_again(results, column, line):
    place = SCORE_COLUMNS.index(column)

    def change(text):
        fields = text.split(",")
        fields[place] = (
            repr(float(fields[place]) - 1e-9) if column == "value" else str(int(fields[place]) + 1)
        )
        return ",".join(fields)

    change_score(results, line, change)
    found = verify(results)
    assert SCORES in failed(found) and not {DIGESTS, SEALS, FORMS} & failed(found)
    assert any(path == str(results / RUN / "scores.csv") for path, _ in found.problems)


def test_a_deleted_score_is_found_after_all_later_stages_ran_again(results):
    change_score(results, -3, lambda text: "")  # a correlation of stsb-dev
    found = verify(results)
    assert any("stsb-dev" in what and "shown None" in what for _, what in found.problems)


def test_a_wrong_number_of_pairs_of_alignment_is_found(results):
    frame = pd.read_parquet(results / RUN / "predictions.parquet")
    near = sum(frame["gold"][frame["task"] == "stsb"] > 4)
    change_score(results, -2, lambda text: text.replace(f",0.25,{near},", ",0.25,40,"))
    problems = [what for _, what in verify(results).problems]
    assert problems == [f"alignment is of 40 pairs, and {near} by the predictions"]


def test_steps_that_the_training_did_not_take_are_found(results):
    change_score(results, -1, lambda text: text.replace(",7.0,", ",8.0,"))
    found = verify(results)
    assert failed(found) == {LINKS}
    assert any("steps of its training are 8, and 7 by" in what for _, what in found.problems)


def test_an_empty_score_file_beside_predictions_is_found(results):
    path = results / RUN / "scores.csv"
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    reseal(results / RUN / "record.json")
    assert (
        sum(p == str(path) and "shown None" in what for p, what in verify(results).problems) == 22
    )  # all lines of a run


def test_changed_predictions_with_their_record_are_found(results):
    path = results / RUN / "predictions.parquet"
    frame = pd.read_parquet(path)
    frame.loc[frame["task"] == "stsb", "similarity"] *= -1
    frame.to_parquet(path)
    reseal(path.parent / "record.json")
    found = verify(results)
    assert {SCORES, CELLS, LINKS} <= failed(found) and DIGESTS not in failed(
        found
    )  # the table names the old digest


def test_other_weights_under_their_own_record_break_the_link_from_the_scores(results):
    record = results / "models/nli/tiny/rcl/seed-2/record.json"
    (record.parent / "model/model.safetensors").write_text("another model")
    reseal(record)
    found = verify(results)
    assert failed(found) == {LINKS}
    assert [path for path, what in found.problems if "weights" in what] == [
        str(results / RUN / "record.json")
    ]


@pytest.mark.parametrize(
    "record, source",
    [
        ("models/nli/tiny/rcl/seed-1", "corpora/nli/rows.arrow"),
        ("models/bank-0/tiny/rcl/seed-1", "dev/bank-0/questions.parquet"),
        ("models/nli/tiny/rcl/seed-1", "dev/sts/pairs.parquet"),
        ("scores/sts/nli/tiny/rcl/seed-1", "dev/sts/pairs.parquet"),
        ("scores/faq/bank-0/tiny/rcl/seed-1", "faq/bank/answers.parquet"),
        ("models/nli/tiny/rcl/seed-1", "embeddings/nli/tiny/entropy-0.01/seed-1/embeddings.npy"),
        ("embeddings/nli/tiny/entropy-0.01/seed-1", "tokens/tiny/nli/tokens.arrow"),
        ("tokens/tiny/nli", "../resources/models/tiny/model/tokenizer.json"),
    ],
)
def test_a_changed_source_breaks_the_link_of_what_was_made_from_it(results, record, source):
    (results / source).write_text("made anew")
    owner = next(p for p in (results / source).parents if (p / "record.json").is_file())
    reseal(owner / "record.json")
    assert str(results / record / "record.json") in dict(verify(results).problems)


def change_record(record: Path, change) -> None:
    """Change what a record says, without a change of a file, and seal it anew."""
    value = read_sealed(record)
    change(value)
    write_sealed(record, value)


FORGERIES = {  # record -> its change, and the records that were made from it
    "a learning rate": (
        "models/nli/tiny/rcl/seed-2",
        lambda record: record["settings"].update(learning_rate=1.0),
        ["scores/sts/nli/tiny/rcl/seed-2"],
    ),
    "a seed": (
        "models/nli/tiny/entropy-0.01/seed-1",
        lambda record: record["settings"].update(seed=9),
        ["embeddings/nli/tiny/entropy-0.01/seed-1"],
    ),
    "a code digest": (
        "tokens/tiny/nli",
        lambda record: record.update(code="0" * 64),
        ["models/nli/tiny/rcl/seed-1", "embeddings/nli/tiny/entropy-0.01/seed-3"],
    ),
    "a version of a library": (
        "scores/faq/bank-0/tiny/rcl/seed-1",
        lambda record: record["environment"].update(torch="9.9"),
        ["tables/records/t_faq.json", "tables/records/scores.json"],
    ),
    "the settings of a base": (
        "../resources/models/tiny",
        lambda record: record["settings"].update(layers=3),
        [
            "tokens/tiny/bank-0",
            "models/nli/tiny/simcse/seed-1",
            "scores/sts/none/tiny/start/seed-0",
        ],
    ),
    "the digest of a record that was read": (
        "corpora/nli",
        lambda record: record["records"].update({"records/raw.json": "0" * 64}),
        ["corpora/nli", "tokens/tiny/nli", "models/nli/tiny/rcl/seed-3"],
    ),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_record_changed_and_sealed_anew_is_found_by_its_readers(results, what):
    name, change, readers = FORGERIES[what]
    change_record(results / name / "record.json", change)
    found = verify(results)
    assert failed(found) == {LINKS}
    named = {path.removesuffix("/record.json") for path, _ in found.problems}
    assert {str(results / reader) for reader in readers} <= named


def test_a_changed_setting_of_a_table_is_found_by_its_page(results):
    record = results / "tables/records/t_sts.json"
    change_record(record, lambda value: value.update(code="0" * 64))
    found = verify(results)
    assert failed(found) == {LINKS}
    assert str(results / "tables/records/published.json") in dict(found.problems)


def test_a_record_that_keeps_nothing_of_what_it_read_is_found(results):
    record = results / "models/nli/tiny/rcl/seed-2/record.json"
    change_record(record, lambda value: value.pop("records"))
    told = [what for path, what in verify(results).problems if path == str(record)]
    assert len(told) == 5 and all("keeps no digest of " in what for what in told)


def test_a_run_of_an_earlier_version_is_checked_without_these_links(results):
    """Its records keep nothing of what they read, and do not name the downloads beside them."""
    for record in [*results.rglob("record.json"), *results.glob("tables/records/*.json")]:
        change_record(record, lambda value: [value.pop(k, 0) for k in ("records", "places")])
    found = verify(results)
    assert found.problems == [] and [path for path, _ in found.notes] == [str(results)]
    flip(results.parent / "resources/data/raw.txt")
    assert failed(verify(results)) == {DIGESTS}


def test_when_how_often_and_where_a_stage_ran_breaks_no_link(results):
    for record in results.parent.rglob("record.json"):
        change_record(record, lambda value: value.update(seconds=99.0, finished="now", attempts=7))
    assert verify(results).problems == []


@pytest.mark.parametrize("name", ["../../../../../../outside.txt", "/etc/hostname"])
def test_a_record_that_lists_a_file_outside_of_the_run_is_refused(results, name):
    record = results / "models/nli/tiny/rcl/seed-2/record.json"
    (results.parent.parent / "outside.txt").write_text("x")
    change_record(record, lambda value: value["outputs"].update({name: "0" * 64}))
    found = verify(results)
    assert SEALS in failed(found)
    assert (
        "which lies outside of the results and the downloads" in dict(found.problems)[str(record)]
    )


def kept_copy(results: Path) -> Path:
    """Keep a training of the results as its stage does; return the folder of the copy."""
    model = results / "models/nli/tiny/rcl/seed-2"
    kept = model / "checkpoints/identity/finished"
    names = read_sealed(model / "record.json")["outputs"]
    assert keep(model, names, kept)
    return kept


def test_the_kept_copy_of_a_training_is_held_against_its_record(results):
    kept = kept_copy(results)
    assert verify(results).problems == []
    record = kept.parents[2] / "record.json"
    change_record(record, lambda value: value["settings"].update(learning_rate=1.0))
    assert (str(record), f"says something else than {kept / 'record.json'}") in verify(
        results
    ).problems


def test_a_damaged_file_of_a_kept_copy_is_found_and_only_its_record_is_to_be_deleted(results):
    kept = kept_copy(results)
    weights = kept / "model/model.safetensors"
    content = bytearray(weights.read_bytes())
    weights.unlink()
    content[0] ^= 1
    weights.write_bytes(content)
    found = verify(results)
    assert failed(found) == {KEPT} and "damaged" in dict(found.problems)[str(kept / "record.json")]
    assert found.delete == {kept / "record.json"}


def test_a_flipped_bit_in_downloads_elsewhere_is_found_from_any_folder(results, monkeypatch):
    """The records name the downloads; no flag and no folder is asked of the user."""
    project = results.parent
    shutil.move(project / "resources", project / "elsewhere")
    for record in results.rglob("record.json"):
        if "places" in read_sealed(record):
            place = beside(record, project / "elsewhere/data")
            write_sealed(record, read_sealed(record) | {"places": {"data": place}})
    flip(project / "elsewhere/models/tiny/model/model.safetensors")
    for folder, root in ((project, "results"), (results, "."), (Path("/"), results)):
        monkeypatch.chdir(folder)
        found = verify(root)
        weights = project / "elsewhere/models/tiny/model/model.safetensors"
        assert [path for path, _ in found.problems] == [str(weights)]


def test_downloads_that_have_moved_are_found_by_the_flag(results):
    shutil.move(results.parent / "resources", results.parent / "moved")
    assert verify(results).notes != []
    found = verify(results, downloads=results.parent / "moved")
    assert found.problems == [] and found.notes == []


@pytest.fixture
def of_own_faq(results):
    """The results, with a bank that was prepared from a user's own file, and that file."""
    file = results.parent / "my faq.csv"
    file.write_text("question,answer\nWho?,I\nWhere?,Here\nWhen?,Now\n")
    bank = {"name": "mine", "kind": "own", "path": str(file), "folds": 3, "seed": 0}
    prepare_faq.main(
        [
            *("--settings", json.dumps(bank), "--manifest", str(ROOT / "demo/manifest.yaml")),
            *("--data", str(results.parent / "resources/data")),
            *("--corpora", str(results / "corpora"), "--dev", str(results / "dev")),
            *("--output", str(results / "faq/mine/record.json")),
        ]
    )
    return results, file


def test_a_healthy_run_on_a_users_own_file_has_no_problem_and_no_note(of_own_faq):
    results, _ = of_own_faq
    found = verify(results)
    assert found.problems == [] and found.notes == []


def test_a_changed_file_of_the_users_own_is_a_problem(of_own_faq):
    results, file = of_own_faq
    file.write_text(file.read_text().replace("Here", "There"))
    found = verify(results)
    assert failed(found) == {DIGESTS} and all(str(file) in what for _, what in found.problems)
    # made from it: the bank, a corpus and dev questions of each of 3 folds, the corpus of the whole
    assert len(found.problems) == len(found.delete) == 1 + 2 * 3 + 1
    assert file not in found.delete


def test_a_file_of_the_users_own_that_is_gone_is_noted_once(of_own_faq):
    results, file = of_own_faq
    file.unlink()
    found = verify(results)
    assert found.problems == []
    notes = [line for line in format_findings(found).splitlines() if line.startswith("note: ")]
    assert len(notes) == 1 and str(file) in notes[0] and "7 more like it" in notes[0]


def test_a_score_of_another_protocol_than_its_pairs_is_found(results):
    change_record(
        results / "dev/sts/record.json",
        lambda value: value["settings"].update(protocol="raw"),
    )
    told = [what for _, what in verify(results).problems if "have the protocol raw" in what]
    assert len(told) == 7 * 6  # six scores of the dev pairs in each of seven runs


def test_only_the_record_of_a_lost_file_is_to_be_deleted(results):
    (results / RUN / "scores.csv").unlink()
    found = verify(results)
    # the lines of 16 correlations and of 6 on dev, of alignment and of the steps have no run now
    assert len(found.problems) > 16 + 6 + 2
    assert found.delete == {results / RUN / "record.json"}
    lines = format_findings(found).splitlines()
    first = next(line for line in lines if str(results) in line)
    assert first.startswith(str(results / RUN / "scores.csv"))
    assert sum(str(results) in line for line in lines) <= 1 + MOST_SHOWN + 1


def test_a_lost_record_is_made_again_by_the_next_run(results):
    (results / "corpora/nli/record.json").unlink()
    found = verify(results)
    assert str(results / "corpora/nli/record.json") in dict(found.problems)
    assert found.delete == set()
    assert "start the run again" in format_findings(found).splitlines()[-1]


@pytest.mark.parametrize("task, data", [("stsb-dev", "data"), ("sts12", "dev")])
def test_a_score_that_names_the_data_of_another_set_is_found(results, task, data):
    inputs = read_sealed(results / RUN / "record.json")["inputs"]
    other = {"data": "dev", "dev": "data"}[data]
    path = results / RUN / "scores.csv"
    lines = path.read_text().splitlines(keepends=True)
    changed = [
        line.replace(inputs[other], inputs[data]) if f",{task}," in line else line for line in lines
    ]
    assert changed != lines
    path.write_text("".join(changed))
    reseal(results / RUN / "record.json")
    assert any("weights, data or code" in what for _, what in verify(results).problems)


def test_scores_that_lie_in_the_place_of_another_seed_are_found(results):
    shutil.rmtree(results / RUN)
    shutil.copytree(results / "scores/sts/nli/tiny/rcl/seed-1", results / RUN)
    assert "it is the record of another run: nli/tiny/rcl/seed-1" in format_findings(
        verify(results)
    )


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("published.md", "below", "within"),
        ("claims.csv", "not run", "reproduced"),
        ("claims.md", "not run", "reproduced"),
        ("statistics.csv", "paired t", "Welch t"),
        ("statistics.md", "paired t", "Welch t"),
    ],
)
def test_a_changed_page_of_all_tables_is_found_with_its_record(results, name, before, after):
    page = results / "tables" / name
    assert before in page.read_text()
    page.write_text(page.read_text().replace(before, after, 1))
    reseal(results / f"tables/records/{page.stem}.json")
    found = verify(results)
    assert failed(found) == {FORMS} and str(page) in dict(found.problems)


def test_a_file_that_no_record_lists_is_noted(results):
    (results / "models/left.txt").write_text("?")
    (results / "logs").mkdir()
    (results / "logs/x.log").write_text("?")
    found = verify(results)
    assert found.problems == [] and [path for path, _ in found.notes] == [
        str(results / "models/left.txt")
    ]


def test_links_into_missing_folders_are_noted_and_no_problem(results):
    for folder in (results / "models", results / "embeddings", results.parent / "resources"):
        shutil.rmtree(folder)
    found = verify(results)
    assert found.problems == [] and any("not here" in what for _, what in found.notes)
    assert len([path for path, what in found.notes if "input weights" in what]) == 21  # one a run


def test_without_the_resources_their_links_are_noted_and_no_problem(results):
    """An entropy model starts from an initial model or from the base, which is not here."""
    shutil.rmtree(results.parent / "resources")
    found = verify(results)
    assert found.problems == []
    noted = [path for path, what in found.notes if "its input base " in what]
    # 3 seeds of the four trainings in RUNS, and 3 entropy models
    assert len(noted) == 3 * len(example_results.RUNS) + 3


def test_tables_made_with_another_published_yaml_are_noted(results, tmp_path):
    other = tmp_path / "published.yaml"
    other.write_text((ROOT / "workflow/published.yaml").read_text() + "\n")
    found = verify(results, published=other)
    # the tables, the comparison and the claims; the simulation reads no number of a paper
    assert found.problems == [] and len(found.notes) == len(example_results.TABLES) + 2


RANKS = [[1], [3], [2], [1], [6]]


def shown(**other):
    """The scores of RANKS by hand, some of them changed."""
    scores = {
        "acc@1": 2 / 5,
        "acc@3": 4 / 5,
        "acc@5": 4 / 5,
        "map": (1 + 1 / 3 + 1 / 2 + 1 + 1 / 6) / 5,
    }
    return {
        ("bank", "", metric, "test", "pairs"): value for metric, value in (scores | other).items()
    }


def ranked(ranks=RANKS):
    ap = [np.mean([(i + 1) / r for i, r in enumerate(rs)]) for rs in ranks]
    return pd.DataFrame({"protocol": "pairs", "query": range(len(ranks)), "ranks": ranks, "ap": ap})


def test_retrieval_scores_recomputed_are_those_by_hand():
    found = faq_values(ranked(), "bank")
    assert {key: value for key, (value, _) in found.items()} == pytest.approx(shown(), abs=1e-15)
    assert {n for _, n in found.values()} == {5}


@pytest.mark.parametrize(
    "other, broken",
    [
        ({}, set()),
        ({"acc@1": 0.4 + 1e-9}, {"Acc@1 = MRR@1"}),
        ({"map": 0.6 + 1e-9}, {"MAP = MRR where one answer is relevant"}),
        ({"acc@3": 0.9}, {"Acc@1 <= Acc@3 <= Acc@5"}),
    ],
)
def test_each_retrieval_identity_can_fail(other, broken):
    assert {
        name for name, holds, _ in faq_identities(ranked(), shown(**other)) if not holds
    } == broken


def test_average_precision_of_a_single_answer_is_checked_beside_others_with_several():
    frame = ranked([*RANKS, [1, 2]])
    name = "MAP = MRR where one answer is relevant"
    assert (name, True) in [found[:2] for found in faq_identities(frame, shown(**{"acc@1": 0.5}))]
    frame.loc[1, "ap"] += 1e-9
    assert (name, False) in [found[:2] for found in faq_identities(frame, shown(**{"acc@1": 0.5}))]


@pytest.mark.parametrize("metric, holds", [("spearman", True), ("pearson", False)])
def test_only_a_rank_correlation_passes_the_monotone_map(metric, holds):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"task": "t", "gold": rng.normal(size=50), "similarity": rng.uniform(-1, 1, size=50)}
    )
    passed = {("t", "", "spearman", "all", "p"): correlation(frame, metric)}
    assert [found[1] for found in sts_identities(frame, passed)] == [holds]


def test_the_monotone_map_keeps_neighbours_apart_and_in_order():
    around = [np.nextafter(x, toward) for x in (-1.0, -1e-300, 0.5, 1.0) for toward in (-2, 2)]
    values = np.array([-1.0, 0.0, *around])
    order = np.argsort(values)
    assert (np.diff(monotone(values)[order]) > 0).all() and monotone(np.array([-0.0])) == monotone(
        np.array([0.0])
    )


def test_the_report_is_printed_and_a_problem_gives_exit_status_1(results, capsys):
    script.main([str(results)])
    assert "0 problems" in capsys.readouterr().out
    flip(results / "tables/t_sts.md")
    with pytest.raises(SystemExit) as stopped:
        script.main([str(results)])
    assert stopped.value.code == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(
        line.startswith(f"{results / 'tables/t_sts.md'}: damaged: expected sha256 ")
        for line in lines
    )


def test_a_folder_that_does_not_exist_stops_with_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "semblance", "verify", str(tmp_path / "none")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (
        done.returncode == 2
        and done.stderr.startswith("error: ")
        and "no such folder" in done.stderr
    )
    with pytest.raises(InputError, match="no such folder"):
        verify(tmp_path / "none")


def test_a_run_whose_long_csv_is_not_made_yet_has_its_tables_checked(untouched, results):
    lines = (results / "tables/scores.csv").read_text().count("\n") - 1
    (results / "tables/scores.csv").unlink()
    (results / "tables/records/scores.json").unlink()
    found = verify(results)
    assert found.problems == []
    assert [path for path, _ in found.notes] == [str(results / "tables/scores.csv")]
    assert found.checked[SCORES] == verify(untouched).checked[SCORES] - lines
    change_table(
        results, "t_sts", with_cell("rcl", "sts12", values={"1": 50.0, "2": 50.0, "3": 50.0})
    )
    assert {CELLS, FORMS} <= failed(verify(results))


def test_a_run_that_its_table_left_out_is_found(results, monkeypatch):
    asked = example_results.runs_of(results, "t_sts")
    left_out = asked | {"sts/nli/tiny/rcl": [1, 3]}
    monkeypatch.setattr(example_results, "runs_of", lambda results, name: left_out)
    example_results.render(results, "t_sts")
    example_results.compare(results)
    told = [what for path, what in verify(results).problems if path.endswith("json/t_sts.json")]
    assert any("rcl, Average: recomputed" in what for what in told)


def test_scores_of_another_run_in_a_tables_record_are_found(results):
    """The table then shows other scores than those that its record names."""
    record = results / "tables/records/t_sts.json"
    named = read_sealed(record)["inputs"]
    name = next(name for name in named if name.endswith("rcl/seed-2/scores.csv"))
    reseal(record, inputs={key: digest for key, digest in named.items() if key != name})
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {FORMS} and "row rcl, column sts12" in format_findings(found)


def test_incomplete_tables_are_noted_and_not_checked(results):
    path = results / "tables/incomplete/t_sts.csv"
    path.parent.mkdir()
    path.write_text("table,x\n")
    found = verify(results)
    assert found.problems == [] and [path for path, _ in found.notes] == [str(path)]
