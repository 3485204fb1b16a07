"""What `verify` finds: an untouched folder holds, and each kind of damage is named by its path.

A verification takes seconds, so damages that do not touch each other are made in one folder.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from semblance.audit.findings import (
    CELLS,
    DIGESTS,
    FORMS,
    KEPT,
    LINKS,
    MOST_SHOWN,
    SCORES,
    SEALS,
    Findings,
    format_findings,
)
from semblance.audit.verify import verify
from semblance.errors import InputError
from semblance.names import SCORE_COLUMNS
from semblance.provenance import ROOT, digests, input_digests, read_sealed, write_sealed
from semblance.reporting.contrasts import with_items
from semblance.reporting.formats import markdown, table_csv
from semblance.reporting.latex import latex
from semblance.reporting.table import Contrast, Row, Table, from_json, to_json
from semblance.training.keeping.finished import keep
from tests.unit.reporting import example_results
from workflow.scripts import prepare_faq
from workflow.scripts import verify as script

RUN = "scores/sts/nli/tiny/rcl/seed-2"
BASE = "../resources/models/tiny"


@pytest.fixture
def results(untouched, tmp_path):
    """A copy of the finished folder and its resources, to tamper with."""
    shutil.copytree(untouched.parent, tmp_path / "copy")
    return tmp_path / "copy" / "results"


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def change_record(record: Path, change: Callable[[dict], object]) -> None:
    """Change what a record says, without a change of a file, and seal it anew."""
    value = read_sealed(record)
    change(value)
    write_sealed(record, value)


def reseal(record: Path, **facts) -> None:
    """Make a record list whatever now lies beside it."""
    value = read_sealed(record) | facts
    write_sealed(record, value | {"outputs": digests(record.parent, value["outputs"])})


def change_table(results: Path, name: str, change: Callable[[Table], Table]) -> None:
    """Change a table in all its forms alike, and seal its record again."""
    source = results / f"tables/json/{name}.json"
    table = change(from_json(source.read_text()))
    source.write_text(to_json(table))
    for end, form in (("csv", table_csv), ("md", markdown), ("tex", latex)):
        (results / f"tables/{name}.{end}").write_text(form(table))
    reseal(results / f"tables/records/{name}.json")


def with_cell(label: str, column: str, protocol: str = "", **fields) -> Callable[[Table], Table]:
    """Return the change of a table that gives one cell other fields."""

    def changed(row: Row) -> Row:
        if row.label != label or protocol not in ("", row.protocol):
            return row
        return replace(row, cells=row.cells | {column: replace(row.cells[column], **fields)})

    return lambda table: replace(table, rows=tuple(map(changed, table.rows)))


def shown_row(results: Path, table: str, label: str, protocol: str = "") -> Row:
    rows = from_json((results / f"tables/json/{table}.json").read_text()).rows
    return next(r for r in rows if r.label == label and protocol in ("", r.protocol))


def failed(found: Findings) -> set[str]:
    return {kind for kind, count in found.failed.items() if count}


def texts(found: Findings, path: Path) -> list[str]:
    """Return the problems of one path."""
    return [what for where, what in found.problems if where == str(path.resolve())]


def test_every_check_of_an_untouched_folder_holds(untouched):
    found = verify(untouched)
    assert found.problems == [] and found.notes == []
    # by hand: sts12 has 2 metrics x (3 means + 2 subsets), stsb and stsb-dev 2 x 3, in 7 runs; FAQ 3 protocols x 4
    # metrics in 14 runs; the number of pairs of each of 7 alignments is counted again
    assert found.checked[SCORES] == 7 * (10 + 6 + 6) + 14 * 3 * 4 + 7
    # four forms of each table, and its building; the long CSV, the comparison, two files of two pages
    assert found.checked[FORMS] == 5 * len(example_results.TABLES) + 1 + 1 + 2 * 2
    # t_sts 4 x 3, t_regulators 3, t_dev 2, t_faq 3 rows x 2 protocols x 4, t_seeds 2 x (top3, max, mean and 3
    # single seeds); of each row its columns; of each cell with all seeds a contrast or none
    cells, rows = 4 * 3 + 3 + 2 + 24 + 2 * 6, 4 + 3 + 2 + 6 + 2
    of_chosen_seeds = 2 * (2 + 3)
    assert found.checked[CELLS] == cells + rows + (cells - of_chosen_seeds)
    assert found.checked[DIGESTS] == sum(
        len(read_sealed(p).get("outputs", "1"))
        for p in untouched.parent.rglob("*.json")
        if p.name == "record.json" or p.parent.name == "records"
    )


# One file of each kind, and the record that lists it.
FILES = {
    f"{RUN}/scores.csv": f"{RUN}/record.json",
    "scores/faq/bank-0/tiny/rcl/seed-1/predictions.parquet": (
        "scores/faq/bank-0/tiny/rcl/seed-1/record.json"
    ),
    "tables/scores.csv": "tables/records/scores.json",
    "tables/t_sts.csv": "tables/records/t_sts.json",
    "tables/t_regulators.md": "tables/records/t_regulators.json",
    "tables/t_faq.tex": "tables/records/t_faq.json",
    "tables/json/t_seeds.json": "tables/records/t_seeds.json",
    "tables/published.md": "tables/records/published.json",
    "models/nli/tiny/rcl/seed-1/model/model.safetensors": "models/nli/tiny/rcl/seed-1/record.json",
    "models/nli/tiny/simcse/seed-1/dev.csv": "models/nli/tiny/simcse/seed-1/record.json",
    "embeddings/nli/tiny/entropy-0.01/seed-1/embeddings.npy": (
        "embeddings/nli/tiny/entropy-0.01/seed-1/record.json"
    ),
    "corpora/nli/rows.arrow": "corpora/nli/record.json",
    "tokens/tiny/nli/tokens.arrow": "tokens/tiny/nli/record.json",
    "sts/pairs.parquet": "sts/record.json",
    f"{BASE}/model/model.safetensors": f"{BASE}/record.json",
    "../resources/data/raw.txt": "../resources/data/records/raw.json",
}


@pytest.mark.parametrize("damage", [flip, cut, Path.unlink])
def test_damage_of_any_file_is_named_with_both_digests_and_its_record_is_to_be_deleted(
    results, damage
):
    for name in FILES:
        damage(results / name)
    found = verify(results)
    assert found.failed[DIGESTS] == len(FILES)
    for name in FILES:
        [what] = [what for what in texts(found, results / name) if "expected sha256" in what]
        assert "found" in what or "missing" in what
    assert found.delete == {(results / record).resolve() for record in FILES.values()}


def test_one_flipped_bit_in_a_record_of_any_kind_is_found(results):
    records = [(results / name).resolve() for name in FILES.values()]
    for record in records:
        flip(record)
    found = verify(results)
    assert found.failed[SEALS] == len(records)
    assert set(map(str, records)) <= set(dict(found.problems))


# A forged and resealed record of each kind of stage: its change, and those that were made from it.
FORGERIES = {
    "models/nli/tiny/rcl/seed-2/record.json": (
        lambda record: record["settings"].update(learning_rate=1.0),
        [f"{RUN}/record.json"],
    ),
    "models/nli/tiny/entropy-0.01/seed-1/record.json": (
        lambda record: record["settings"].update(seed=9),
        ["embeddings/nli/tiny/entropy-0.01/seed-1/record.json"],
    ),
    "embeddings/nli/tiny/entropy-0.01/seed-3/record.json": (
        lambda record: record.update(device="another"),
        ["models/nli/tiny/rcl/seed-3/record.json"],
    ),
    "tokens/tiny/nli/record.json": (
        lambda record: record.update(code="0" * 64),
        [f"models/nli/tiny/{run}/seed-1/record.json" for run in ("rcl", "simcse", "entropy-0.01")],
    ),
    "scores/faq/bank-0/tiny/rcl/seed-1/record.json": (
        lambda record: record["environment"].update(torch="9.9"),
        ["tables/records/t_faq.json", "tables/records/scores.json"],
    ),
    f"{BASE}/record.json": (
        lambda record: record["settings"].update(layers=3),
        [
            "tokens/tiny/bank-0/record.json",
            "models/nli/tiny/simcse/seed-1/record.json",
            "scores/sts/none/tiny/start/seed-0/record.json",
        ],
    ),
    "../resources/data/records/raw.json": (
        lambda record: record.update(dataset="another"),
        ["sts/record.json", "faq/bank/record.json"],
    ),
    "corpora/bank-1/record.json": (
        lambda record: record["inputs"][0].update(record="0" * 64),
        ["corpora/bank-1/record.json", "tokens/tiny/bank-1/record.json"],
    ),
    "tables/records/t_sts.json": (
        lambda record: record.update(code="0" * 64),
        ["tables/records/published.json", "tables/records/claims.json"],
    ),
}


def test_a_record_of_any_kind_changed_and_sealed_anew_is_found_by_its_readers(results):
    for name, (change, _) in FORGERIES.items():
        change_record(results / name, change)
    found = verify(results)
    assert failed(found) == {LINKS}
    for name, (_, readers) in FORGERIES.items():
        for reader in readers:
            source = "records/raw.json" if reader == name else name
            end = f"{Path(source).name} when that said something else than now"
            assert [what for what in texts(found, results / reader) if end in what]
        assert (results / name).resolve() in found.delete


def test_a_changed_source_breaks_the_link_of_what_was_made_from_it(results):
    changed = {  # a file made anew with its record -> a reader, and what that calls it
        "corpora/nli/rows.arrow": ("models/nli/tiny/rcl/seed-1", "corpus"),
        "dev/bank-0/questions.parquet": ("models/bank-0/tiny/rcl/seed-1", "dev"),
        "dev/sts/pairs.parquet": ("scores/sts/nli/tiny/rcl/seed-1", "dev"),
        "faq/bank/answers.parquet": ("scores/faq/bank-0/tiny/rcl/seed-1", "data"),
        "embeddings/nli/tiny/entropy-0.01/seed-1/embeddings.npy": (
            "models/nli/tiny/rcl/seed-1",
            "results/embeddings/nli/tiny/entropy-0.01/seed-1/record.json",
        ),
        "tokens/tiny/nli/tokens.arrow": ("embeddings/nli/tiny/entropy-0.01/seed-1", "tokens"),
        f"{BASE}/model/tokenizer.json": ("tokens/tiny/nli", "tokenizer"),
        "models/nli/tiny/rcl/seed-2/model/model.safetensors": (RUN, "weights"),
    }
    for file in changed:
        (results / file).write_text("made anew")
        owner = next(p for p in (results / file).parents if (p / "record.json").is_file())
        reseal(owner / "record.json")
    found = verify(results)
    assert failed(found) == {LINKS}
    for reader, role in changed.values():
        told = texts(found, results / reader / "record.json")
        assert [what for what in told if what.startswith(f"its input {role} has sha256 ")]


def test_a_link_that_was_cut_is_found(results):
    record = results / "models/nli/tiny/rcl/seed-2/record.json"
    change_record(record, lambda value: [link.update(record="") for link in value["inputs"]])
    told = texts(verify(results), record)
    assert len(told) == 5 and all("keeps no digest of " in what for what in told)


def test_when_how_often_and_where_a_stage_ran_breaks_no_link(results):
    for record in results.parent.rglob("record.json"):
        change_record(record, lambda value: value.update(seconds=99.0, finished="now", attempts=7))
    for record in results.glob("scores/*/*/*/*/*/record.json"):
        absolute = {
            link["role"]: record.parent / link["place"] for link in read_sealed(record)["inputs"]
        }

        def move(value, places=absolute):
            for link in value["inputs"]:
                link["place"] = str(places[link["role"]])

        change_record(record, move)
    assert verify(results).problems == []


def test_a_folder_of_an_earlier_version_is_refused_in_one_line(results, capsys):
    for record in [*results.rglob("record.json"), *results.glob("tables/records/*.json")]:
        change_record(record, lambda value: value.update(inputs=input_digests(value)))
    with pytest.raises(InputError) as caught:
        verify(results)
    line = str(caught.value)
    assert line.startswith(f"{results}: written by an earlier version") and "\n" not in line
    assert line.endswith("; start the run again")


def test_a_record_that_lists_a_file_outside_of_the_run_is_refused(results):
    (results.parent.parent / "outside.txt").write_text("x")
    forged = {1: "../../../../../../outside.txt", 2: "/etc/hostname"}
    records = {}
    for seed, name in forged.items():
        records[name] = results / f"models/nli/tiny/rcl/seed-{seed}/record.json"
        change_record(records[name], lambda value, n=name: value["outputs"].update({n: "0" * 64}))
    found = verify(results)
    assert SEALS in failed(found)
    for record in records.values():
        [what, *_] = texts(found, record)
        assert "which lies outside of the results and the downloads" in what


@pytest.mark.parametrize(
    "plain",
    [
        {"inputs": ["base"]},
        {"inputs": [{"role": "base"}]},
        {"inputs": {"base": "0" * 64}},
        {"outputs": ["model"]},
        {"outputs": {"model": 3}},
    ],
)
def test_a_sealed_file_of_another_form_is_no_record(results, plain):
    record = results / "models/nli/tiny/rcl/seed-2/record.json"
    change_record(record, lambda value: value.update(plain))
    assert texts(verify(results), record)[0] == "not a record of this version"


def test_a_cell_changed_in_every_form_and_in_the_record_is_found(results):
    cells = [
        ("t_sts", "rcl", "sts12", "2"),
        ("t_sts", "simcse", "Average", "2"),
        ("t_faq", "rcl", "map", "1"),
        ("t_regulators", "simcse", "Average", "3"),
        ("t_seeds", "rcl", "max", None),
        ("t_seeds", "rcl", "seed 1", "1"),
        ("t_dev", "rcl", "stsb-dev", "1"),
    ]
    for table, label, column, seed in cells:
        values = shown_row(results, table, label).cells[column].values
        seed = seed or next(iter(values))
        values = values | {seed: values[seed] + 1e-6}
        change_table(results, table, with_cell(label, column, values=values))
    example_results.compare(results)
    found = verify(results)
    assert {CELLS, FORMS} <= failed(found) and not {DIGESTS, SEALS} & failed(found)
    for table, label, column, _ in cells:
        told = texts(found, results / f"tables/json/{table}.json")
        assert [what for what in told if what.startswith(f"{label}, {column}: recomputed")]


def test_each_changed_figure_of_a_difference_is_found_twice(results):
    """By building the table again, and by the audit's own tests of the recomputed scores."""
    figures = ["difference", "low", "high", "p", "p_exact", "p_holm", "p_equivalence", "detectable"]
    metrics = ["acc@1", "acc@3", "acc@5", "map"]
    places = [(protocol, metric) for protocol in ("pairs", "annotated") for metric in metrics]
    for (protocol, metric), name in zip(places, figures, strict=True):
        contrast = shown_row(results, "t_faq", "rcl", protocol).cells[metric].contrast
        changed = replace(contrast, **{name: getattr(contrast, name) * 1.001 + 1e-6})
        change_table(results, "t_faq", with_cell("rcl", metric, protocol, contrast=changed))
    stsb = shown_row(results, "t_sts", "rcl").cells["stsb"]
    average = shown_row(results, "t_sts", "rcl").cells["Average"].contrast
    three = {"1": 50.0, "2": 50.0, "3": 50.0}
    for change in (
        with_cell("rcl", "stsb", mark="" if stsb.mark else "*"),  # that its p does not give
        with_cell("start", "stsb", contrast=Contrast(1.0)),  # without a control
        with_cell("rcl", "Average", contrast=replace(average, p_bootstrap=1e-9)),  # too sure
        with_cell("lost", "sts12", values=three),  # of no score
    ):
        change_table(results, "t_sts", change)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {FORMS, CELLS}
    told = texts(found, results / "tables/json/t_faq.json")
    assert "row rcl, column acc@1" in told[0]
    wrong = [what.partition(": its difference")[0] for what in told[1:]]
    assert sorted(wrong) == sorted(f"rcl, {metric}" for metric in 2 * metrics)
    told = "\n".join(texts(found, results / "tables/json/t_sts.json"))
    for what in ("rcl, stsb: its", "start, stsb: its", "rcl, Average: its"):
        assert f"{what} difference" in told
    assert "lost, sts12: recomputed no value, because a score is missing" in told


def test_what_the_cells_do_not_decide_is_found_by_building_the_table_again(results):
    change_table(results, "t_sts", with_cell("rcl", "stsb", published=99.9))
    contrast = shown_row(results, "t_regulators", "rcl").cells["Average"].contrast
    unsure = replace(contrast, p_bootstrap=0.999)
    change_table(results, "t_regulators", with_cell("rcl", "Average", contrast=unsure))
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {FORMS}
    assert "row rcl, column stsb" in texts(found, results / "tables/json/t_sts.json")[0]
    assert "row rcl, column Average" in texts(found, results / "tables/json/t_regulators.json")[0]


def test_changed_errors_of_the_items_are_found_when_they_are_drawn_again(results):
    def larger(row: Row) -> Row:
        items = {c: {n: 4 * v for n, v in of.items()} for c, of in row.items.items()}
        return replace(row, items=items)

    def with_larger_errors(table: Table) -> Table:
        return with_items(replace(table, rows=tuple(map(larger, table.rows))))

    change_table(results, "t_sts", with_larger_errors)
    example_results.compare(results)
    assert verify(results).problems == []
    assert ", items" in format_findings(verify(results, bootstrap=True))


def test_a_table_rendered_without_one_of_its_seeds_is_found(results, monkeypatch):
    record = results / "tables/records/t_sts.json"
    settings = read_sealed(record)["settings"]
    monkeypatch.setattr(example_results, "SEEDS", (1, 2))
    example_results.render(results, "t_sts")
    reseal(record, settings=settings)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {FORMS} and "row simcse, " in format_findings(found)


def test_a_seed_with_scores_that_a_table_leaves_out_is_noted(results, monkeypatch):
    monkeypatch.setattr(example_results, "SEEDS", (1, 2))
    for name in example_results.TABLES:
        example_results.render(results, name)
    example_results.compare(results)
    found = verify(results)
    assert found.problems == []
    assert [w for _, w in found.notes if "rcl: the table leaves out the seeds 3" in w]


def change_line(results: Path, run: str, line: int, change: Callable[[str], str]) -> None:
    """Change one line of a run's scores, and seal its record again."""
    path = results / "scores/sts/nli/tiny" / run / "scores.csv"
    lines = path.read_text().splitlines(keepends=True)
    changed = change(lines[line])
    assert changed != lines[line]
    lines[line] = changed
    path.write_text("".join(lines))
    reseal(path.parent / "record.json")


def with_field(name: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """Return the change of one field of a line of scores."""

    def changed(line: str) -> str:
        fields = line.split(",")
        place = SCORE_COLUMNS.index(name)
        fields[place] = change(fields[place])
        return ",".join(fields)

    return changed


def test_changed_scores_are_found_after_all_later_stages_ran_again(results):
    path = results / "scores/sts/nli/tiny/simcse/seed-2/predictions.parquet"
    frame = pd.read_parquet(path)
    near = sum(frame["gold"][frame["task"] == "stsb"] > 4)
    less = with_field("value", lambda value: repr(float(value) - 1e-9))
    change_line(results, "rcl/seed-1", 1, less)
    change_line(results, "rcl/seed-2", 4, less)
    change_line(results, "rcl/seed-3", 1, with_field("n", lambda n: str(int(n) + 1)))
    change_line(results, "simcse/seed-1", -3, lambda line: "")  # a correlation of stsb-dev
    change_line(results, "simcse/seed-2", -2, with_field("n", lambda n: "40"))
    change_line(results, "simcse/seed-3", -1, with_field("value", lambda value: "8.0"))
    example_results.collect(results)
    for name in example_results.TABLES:
        example_results.render(results, name)
    example_results.compare(results)
    found = verify(results)
    assert {SCORES, LINKS} <= failed(found) and not {DIGESTS, SEALS, FORMS} & failed(found)
    runs = results / "scores/sts/nli/tiny"
    for seed in (1, 2, 3):
        told = texts(found, runs / f"rcl/seed-{seed}/scores.csv")
        assert any("(value, n) shown (" in what for what in told)
    [what] = texts(found, runs / "simcse/seed-1/scores.csv")
    assert "stsb-dev" in what and "shown None" in what
    [what] = texts(found, runs / "simcse/seed-2/scores.csv")
    assert what == f"alignment is of 40 pairs, and {near} by the predictions"
    [what] = texts(found, runs / "simcse/seed-3/scores.csv")
    assert "steps of its training are 8, and 7 by" in what


def test_what_a_run_was_made_from_is_held_against_its_scores(results):
    """An empty file, data of another set, the place of another seed."""
    runs = results / "scores/sts/nli/tiny"
    empty = runs / "simcse/seed-1/scores.csv"
    empty.write_text(empty.read_text().splitlines(keepends=True)[0])
    reseal(empty.parent / "record.json")
    for seed, task, data, wrong in ((1, "stsb-dev", "data", "dev"), (2, "sts12", "dev", "data")):
        path = runs / f"rcl/seed-{seed}/scores.csv"
        named = input_digests(read_sealed(path.with_name("record.json")))
        lines = path.read_text().splitlines(keepends=True)
        of_task = (line for line in range(len(lines)) if f",{task}," in lines[line])
        for line in of_task:
            lines[line] = lines[line].replace(named[wrong], named[data])
        path.write_text("".join(lines))
        reseal(path.with_name("record.json"))
    shutil.rmtree(runs / "rcl/seed-3")
    shutil.copytree(runs / "simcse/seed-3", runs / "rcl/seed-3")
    found = verify(results)
    assert {SCORES, LINKS} <= failed(found) and DIGESTS not in failed(found)
    # all lines of a run
    assert sum("shown None" in what for what in texts(found, empty)) == 22
    for seed in (1, 2):
        told = texts(found, runs / f"rcl/seed-{seed}/scores.csv")
        assert any("another run, weights, data or code" in what for what in told)
    told = texts(found, runs / "rcl/seed-3/record.json")
    assert "it is the record of another run: nli/tiny/simcse/seed-3" in told


def test_other_predictions_and_a_score_of_another_protocol_than_its_pairs_are_found(results):
    path = results / RUN / "predictions.parquet"
    frame = pd.read_parquet(path)
    frame.loc[frame["task"] == "stsb", "similarity"] *= -1
    frame.to_parquet(path)
    reseal(path.parent / "record.json")
    change_record(
        results / "dev/sts/record.json",
        lambda value: value["settings"].update(protocol="raw"),
    )
    found = verify(results)
    assert {SCORES, CELLS, LINKS} <= failed(found)  # the table names the old digest
    assert DIGESTS not in failed(found)
    told = [what for _, what in found.problems if "have the protocol raw" in what]
    assert len(told) == 7 * 6  # six scores of the dev pairs in each of seven runs


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
    assert f"says something else than {kept / 'record.json'}" in texts(verify(results), record)


def test_a_damaged_file_of_a_kept_copy_is_found_and_only_its_record_is_to_be_deleted(results):
    kept = kept_copy(results)
    weights = kept / "model/model.safetensors"
    content = weights.read_bytes()
    weights.unlink()
    weights.write_bytes(content)
    flip(weights)
    found = verify(results)
    assert failed(found) == {KEPT} and "damaged" in dict(found.problems)[str(kept / "record.json")]
    assert found.delete == {kept / "record.json"}


def test_downloads_that_have_moved_are_found_by_the_flag_and_checked_from_any_folder(
    results, monkeypatch
):
    shutil.move(results.parent / "resources", results.parent / "moved")
    assert verify(results).notes != []
    found = verify(results, downloads=results.parent / "moved")
    assert found.problems == [] and found.notes == []
    weights = results.parent / "moved/models/tiny/model/model.safetensors"
    flip(weights)
    for folder, root in ((results.parent, "results"), (results, ".")):
        monkeypatch.chdir(folder)
        found = verify(root, downloads=results.parent / "moved")
        assert [path for path, _ in found.problems] == [str(weights)]


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


def test_a_file_of_the_users_own_is_checked_while_it_is_here(of_own_faq):
    results, file = of_own_faq
    found = verify(results)
    assert found.problems == [] and found.notes == []

    file.write_text(file.read_text().replace("Here", "There"))
    found = verify(results)
    assert failed(found) == {DIGESTS} and all(str(file) in what for _, what in found.problems)
    # made from it: the bank, a corpus and dev questions of each of 3 folds, the corpus of the whole
    assert len(found.problems) == len(found.delete) == 1 + 2 * 3 + 1
    assert file not in found.delete

    file.unlink()
    found = verify(results)
    assert found.problems == []
    notes = [line for line in format_findings(found).splitlines() if line.startswith("note: ")]
    assert len(notes) == 1 and str(file) in notes[0] and "7 more like it" in notes[0]


def test_only_the_record_of_a_lost_file_is_to_be_deleted(results):
    (results / RUN / "scores.csv").unlink()
    found = verify(results)
    # none of the tables that show this run can be made again
    assert len(found.problems) > 1
    assert found.delete == {results / RUN / "record.json"}
    lines = format_findings(found).splitlines()
    first = next(line for line in lines if str(results) in line)
    assert first.startswith(str(results / RUN / "scores.csv"))


def test_only_the_first_of_the_problems_that_damage_causes_are_printed():
    found = Findings()
    for number in range(MOST_SHOWN + 5):
        found.check(LINKS, False, f"record {number}", "broken")
    found.check(DIGESTS, False, "file", "damaged")
    lines = format_findings(found).splitlines()
    assert "file: damaged" in lines and f"record {MOST_SHOWN - 1}: broken" in lines
    assert f"record {MOST_SHOWN}: broken" not in lines and "... and 5 problems more" in lines


def test_a_lost_record_is_made_again_by_the_next_run(results):
    (results / "corpora/nli/record.json").unlink()
    found = verify(results)
    assert str(results / "corpora/nli/record.json") in dict(found.problems)
    assert found.delete == set()
    assert "start the run again" in format_findings(found).splitlines()[-1]


def test_a_changed_page_of_all_tables_is_found_with_its_record(results):
    pages = {
        "scores.csv": (",senteval,", ",raw,"),
        "published.md": ("below", "within"),
        "claims.csv": ("not run", "reproduced"),
        "claims.md": ("not run", "reproduced"),
        "statistics.csv": ("paired t", "Welch t"),
        "statistics.md": ("paired t", "Welch t"),
    }
    for name, (before, after) in pages.items():
        page = results / "tables" / name
        assert before in page.read_text()
        page.write_text(page.read_text().replace(before, after, 1))
        reseal(results / f"tables/records/{page.stem}.json")
    found = verify(results)
    assert failed(found) == {FORMS}
    assert {path for path, _ in found.problems} == {str(results / "tables" / n) for n in pages}


def test_files_that_no_record_lists_are_noted_but_for_logs(results):
    incomplete = results / "tables/incomplete/t_sts.csv"
    for file in (results / "models/left.txt", results / "logs/x.log", incomplete):
        file.parent.mkdir(exist_ok=True)
        file.write_text("?")
    found = verify(results)
    assert found.problems == []
    assert [path for path, _ in found.notes] == [str(results / "models/left.txt"), str(incomplete)]


def test_links_into_missing_folders_are_noted_and_no_problem(results):
    shutil.rmtree(results.parent / "resources")
    found = verify(results)
    assert found.problems == []
    noted = [path for path, what in found.notes if "its input base " in what]
    # 3 seeds of the four trainings in RUNS, and 3 entropy models
    assert len(noted) == 3 * len(example_results.RUNS) + 3
    for folder in (results / "models", results / "embeddings"):
        shutil.rmtree(folder)
    found = verify(results)
    assert found.problems == []
    of_weights = [what for _, what in found.notes if "input weights" in what]
    assert len(of_weights) == 21 and all("not here" in what for what in of_weights)  # one a run


def test_tables_made_with_another_published_yaml_are_noted(results, tmp_path):
    other = tmp_path / "published.yaml"
    other.write_text((ROOT / "workflow/published.yaml").read_text() + "\n")
    found = verify(results, published=other)
    # the tables, the comparison and the claims; the simulation reads no number of a paper
    assert found.problems == [] and len(found.notes) == len(example_results.TABLES) + 2


def test_the_report_is_printed_and_a_problem_gives_exit_status_1(results, capsys):
    script.main([str(results)])
    assert "0 problems" in capsys.readouterr().out
    flip(results / "tables/t_sts.md")
    with pytest.raises(SystemExit) as stopped:
        script.main([str(results)])
    assert stopped.value.code == 1
    start = f"{results / 'tables/t_sts.md'}: damaged: expected sha256 "
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith(start)]


def test_a_folder_that_does_not_exist_stops_with_one_line(tmp_path):
    with pytest.raises(InputError, match="none: no such folder; name a folder that a run"):
        verify(tmp_path / "none")


def test_a_run_whose_long_csv_is_not_made_yet_has_its_tables_checked(results):
    (results / "tables/scores.csv").unlink()
    (results / "tables/records/scores.json").unlink()
    found = verify(results)
    assert found.problems == []
    assert [path for path, _ in found.notes] == [str(results / "tables/scores.csv")]
    assert found.checked[CELLS] > 0


def test_a_run_that_its_table_left_out_is_found(results, monkeypatch):
    runs = example_results.runs_of(results, "t_sts") | {"sts/nli/tiny/rcl": [1, 3]}
    monkeypatch.setattr(example_results, "runs_of", lambda results, name: runs)
    example_results.render(results, "t_sts")
    example_results.compare(results)
    told = texts(verify(results), results / "tables/json/t_sts.json")
    assert any("rcl, Average: recomputed" in what for what in told)


def test_scores_of_another_run_in_a_tables_record_are_found(results):
    """The table then shows other scores than those that its record names."""
    record = results / "tables/records/t_sts.json"
    links = read_sealed(record)["inputs"]
    fewer = [link for link in links if not link["role"].endswith("rcl/seed-2/scores.csv")]
    assert len(fewer) == len(links) - 1
    reseal(record, inputs=fewer)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {FORMS} and "row rcl, column sts12" in format_findings(found)
