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
    KEPT,
    LINKS,
    MOST_SHOWN,
    NUMBERS,
    SCORES,
    SEALS,
    VERDICTS,
    Findings,
    findings_json,
    format_findings,
)
from semblance.audit.verify import verify
from semblance.errors import InputError
from semblance.names import SCORE_COLUMNS
from semblance.provenance import ROOT, input_digests, read_sealed
from semblance.reporting.published import PAPERS
from semblance.reporting.table import Contrast
from semblance.training.keeping.finished import keep
from tests.files import flip
from tests.scripts.flags import flags
from tests.unit.audit.tampering import (
    change_record,
    change_table,
    failed,
    reseal,
    shown_row,
    texts,
    with_cell,
)
from tests.unit.reporting import example_results
from workflow.scripts import prepare_faq
from workflow.scripts import verify as script

STS = "scores/sts/nli/tiny"
RUN = f"{STS}/rcl/seed-2"
MODELS = "models/nli/tiny"
TEACHER = "embeddings/nli/tiny/entropy-0.01"
BASE = "../resources/models/tiny"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def test_every_check_of_an_untouched_folder_holds(untouched):
    found = verify(untouched)
    assert found.problems == [] and found.notes == []
    # by hand: sts12 has 2 metrics x (3 means + 2 subsets), stsb and stsb-dev 2 x 3, in 7 runs; FAQ 3 protocols x 4
    # metrics in 14 runs, each with its ceiling, and the average precisions of each of these runs; the number of
    # pairs of each of 7 alignments is counted again
    assert found.checked[SCORES] == 7 * (10 + 6 + 6) + 14 * (3 * 4 * 2 + 1) + 7
    # the building of each table; the long CSV
    assert found.checked[NUMBERS] == len(example_results.TABLES) + 1
    # the lines of claims.csv, and their number
    lines = (untouched / "tables/claims.csv").read_text().splitlines()
    assert found.checked[VERDICTS] == len(lines) - 1 + 1
    # t_sts 4 x 3, t_regulators 3, t_dev 2, t_faq 3 rows x 2 protocols x 4, t_seeds 2 x (top3, max, mean and 3
    # single seeds); of each row its main column, and its line of the CSV; of each table its number of lines; of
    # each cell with all seeds a contrast or none
    cells, rows = 4 * 3 + 3 + 2 + 24 + 2 * 6, 4 + 3 + 2 + 6 + 2
    of_chosen_seeds = 2 * (2 + 3)
    of_means = 4 + 3 + 2  # the average by the mean of subsets: rows of t_sts, t_regulators, t_seeds
    of_csv = rows + len(example_results.TABLES)
    assert found.checked[CELLS] == cells + rows + of_csv + (cells - of_chosen_seeds) + of_means
    records = [*untouched.parent.rglob("record.json"), *untouched.parent.rglob("records/*.json")]
    assert found.checked[DIGESTS] == sum(len(read_sealed(p).get("outputs", "1")) for p in records)


FILES = (  # one of each kind
    f"{RUN}/scores.csv",
    "scores/faq/bank-0/tiny/rcl/seed-1/predictions.parquet",
    "tables/scores.csv",
    "tables/t_sts.csv",
    "tables/t_regulators.md",
    "tables/t_faq.tex",
    "tables/json/t_seeds.json",
    "tables/published.md",
    f"{MODELS}/rcl/seed-1/model/model.safetensors",
    f"{MODELS}/simcse/seed-1/dev.csv",
    f"{TEACHER}/seed-1/embeddings.npy",
    "corpora/nli/rows.arrow",
    "tokens/tiny/nli/tokens.arrow",
    "sts/pairs.parquet",
    f"{BASE}/model/model.safetensors",
    "../resources/data/raw.txt",
)


def owner(results: Path, name: str) -> Path:
    """Return the record that lists a file."""
    file = (results / name).resolve()
    names = ("record.json", f"records/{file.stem}.json")
    places = [folder / name for folder in file.parents for name in names]
    return next(place for place in places if place.is_file())


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
    assert found.delete == {owner(results, name) for name in FILES}


def test_one_flipped_bit_in_a_record_of_any_kind_is_found(results):
    records = [owner(results, name) for name in FILES]
    for record in records:
        flip(record)
    found = verify(results)
    assert found.failed[SEALS] == len(records)
    assert set(map(str, records)) <= set(dict(found.problems))


# A forged and resealed record of each kind of stage: its change, and those that were made from it.
FORGERIES = {
    f"{MODELS}/rcl/seed-2/record.json": (
        lambda record: record["settings"].update(learning_rate=1.0),
        [f"{RUN}/record.json"],
    ),
    f"{MODELS}/entropy-0.01/seed-1/record.json": (
        lambda record: record["settings"].update(seed=9),
        [f"{TEACHER}/seed-1/record.json"],
    ),
    f"{TEACHER}/seed-3/record.json": (
        lambda record: record.update(device="another"),
        [f"{MODELS}/rcl/seed-3/record.json"],
    ),
    "tokens/tiny/nli/record.json": (
        lambda record: record.update(code="0" * 64),
        [f"{MODELS}/{run}/seed-1/record.json" for run in ("rcl", "simcse", "entropy-0.01")],
    ),
    "scores/faq/bank-0/tiny/rcl/seed-1/record.json": (
        lambda record: record["environment"].update(torch="9.9"),
        ["tables/records/t_faq.json", "tables/records/scores.json"],
    ),
    f"{BASE}/record.json": (
        lambda record: record["settings"].update(layers=3),
        [
            "tokens/tiny/bank-0/record.json",
            f"{MODELS}/simcse/seed-1/record.json",
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
        "corpora/nli/rows.arrow": (f"{MODELS}/rcl/seed-1", "corpus"),
        "dev/bank-0/questions.parquet": ("models/bank-0/tiny/rcl/seed-1", "dev"),
        "dev/sts/pairs.parquet": (f"{STS}/rcl/seed-1", "dev"),
        "faq/bank/answers.parquet": ("scores/faq/bank-0/tiny/rcl/seed-1", "data"),
        f"{TEACHER}/seed-1/embeddings.npy": (
            f"{MODELS}/rcl/seed-1",
            f"results/{TEACHER}/seed-1/record.json",
        ),
        "tokens/tiny/nli/tokens.arrow": (f"{TEACHER}/seed-1", "tokens"),
        f"{BASE}/model/tokenizer.json": ("tokens/tiny/nli", "tokenizer"),
        f"{MODELS}/rcl/seed-2/model/model.safetensors": (RUN, "weights"),
    }
    for file in changed:
        (results / file).write_text("made anew")
        reseal(owner(results, file))
    found = verify(results)
    assert failed(found) == {LINKS}
    for reader, role in changed.values():
        problems = texts(found, results / reader / "record.json")
        assert [what for what in problems if what.startswith(f"its input {role} has sha256 ")]


def cut_links(record: dict) -> None:
    for link in record["inputs"]:
        link.update(record="")


def listing(name: str) -> Callable[[dict], object]:
    """Return the change of a record that lists one file more."""
    return lambda record: record["outputs"].update({name: "0" * 64})


OUTSIDE = "which lies outside of the results and the downloads"
NO_RECORD = "not a record of this version"
# A change of a model's record, and what is wrong with it then.
REFUSED = [
    (cut_links, "keeps no digest of "),
    (listing("../../../../../../outside.txt"), OUTSIDE),
    (listing("/etc/hostname"), OUTSIDE),
    (lambda record: record.update(inputs=["base"]), NO_RECORD),
    (lambda record: record.update(inputs=[{"role": "base"}]), NO_RECORD),
    (lambda record: record.update(inputs={"base": "0" * 64}), NO_RECORD),
    (lambda record: record.update(outputs=["model"]), NO_RECORD),
]


def test_a_sealed_record_of_another_form_or_without_links_or_of_files_elsewhere_is_refused(results):
    (results.parent.parent / "outside.txt").write_text("x")
    records = sorted(results.glob("models/*/*/*/seed-*/record.json"))[1:]
    for record, (change, _) in zip(records, REFUSED, strict=False):
        change_record(record, change)
    found = verify(results)
    assert {SEALS, LINKS} <= failed(found)
    for record, (_, problem) in zip(records, REFUSED, strict=False):
        assert problem in texts(found, record)[0]
    assert len(texts(found, records[0])) == len(read_sealed(records[0])["inputs"]) >= 4


def test_when_how_often_and_where_a_stage_ran_breaks_no_link(results):
    for record in results.parent.rglob("record.json"):
        change_record(record, lambda value: value.update(seconds=99.0, finished="now", attempts=7))
    for record in results.glob("scores/*/*/*/*/*/record.json"):

        def move(value: dict, folder: Path = record.parent) -> None:
            for link in value["inputs"]:
                link["place"] = str(folder / link["place"])  # absolute

        change_record(record, move)
    assert verify(results).problems == []


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
    assert {CELLS, NUMBERS} <= failed(found) and not {DIGESTS, SEALS} & failed(found)
    for table, label, column, _ in cells:
        problems = texts(found, results / f"tables/json/{table}.json")
        assert [what for what in problems if what.startswith(f"{label}, {column}: recomputed")]


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
    by_mean = {
        seed: value + 1e-6 for seed, value in shown_row(results, "t_sts", "rcl").by_mean.items()
    }
    assert len(by_mean) == len(example_results.SEEDS)

    def with_other_means(table):
        rows = [replace(row, by_mean=by_mean) if row.label == "rcl" else row for row in table.rows]
        return replace(table, rows=tuple(rows))

    for change in (
        with_other_means,
        with_cell("rcl", "stsb", mark="" if stsb.mark else "*"),  # that its p does not give
        with_cell("start", "stsb", contrast=Contrast(1.0)),  # without a control
        with_cell("rcl", "Average", contrast=replace(average, p_bootstrap=1e-9)),  # too sure
        with_cell("lost", "sts12", values=three),  # of no score
    ):
        change_table(results, "t_sts", change)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {NUMBERS, CELLS}
    first, *others = texts(found, results / "tables/json/t_faq.json")
    assert "rows rcl cells acc@1" in first
    wrong = [what.partition(": its difference")[0] for what in others]
    assert sorted(wrong) == sorted(f"rcl, {metric}" for metric in 2 * metrics)
    problems = "\n".join(texts(found, results / "tables/json/t_sts.json"))
    for what in ("rcl, stsb: its", "start, stsb: its", "rcl, Average: its"):
        assert f"{what} difference" in problems
    assert "lost, sts12: recomputed no value, because a score is missing" in problems
    assert "rcl: its average by the mean of subsets, recomputed" in problems


def test_what_the_cells_do_not_decide_is_found_by_building_the_table_again(results):
    contrast = shown_row(results, "t_regulators", "rcl").cells["Average"].contrast
    unsure = replace(contrast, p_bootstrap=0.999)
    changes = {("t_sts", "stsb"): {"published": 99.9}}
    changes["t_regulators", "Average"] = {"contrast": unsure}
    for (table, column), fields in changes.items():
        change_table(results, table, with_cell("rcl", column, **fields))
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {NUMBERS}
    for table, column in changes:
        problems = texts(found, results / f"tables/json/{table}.json")
        assert f"rows rcl cells {column}" in problems[0]


def test_a_seed_with_scores_that_a_table_leaves_out_is_noted(results, monkeypatch):
    monkeypatch.setattr(example_results, "SEEDS", (1, 2))
    for name in example_results.TABLES:
        example_results.render(results, name)
    example_results.compare(results)
    found = verify(results)
    assert found.problems == []
    # of t_sts simcse and rcl, as of each other table; of the banks under both protocols
    assert [what for _, what in found.notes].count("a row leaves out a seed that has scores") == 12


def test_tables_without_a_seed_without_a_run_and_with_another_runs_link_are_found(
    results, monkeypatch
):
    record = results / "tables/records/t_regulators.json"
    settings = read_sealed(record)["settings"]
    with monkeypatch.context() as patched:
        patched.setattr(example_results, "SEEDS", (1, 2))
        example_results.render(results, "t_regulators")
    reseal(record, settings=settings)
    runs = example_results.runs_of(results, "t_sts") | {"sts/nli/tiny/rcl": [1, 3]}
    with monkeypatch.context() as patched:
        patched.setattr(example_results, "runs_of", lambda results, name: runs)
        example_results.render(results, "t_sts")
    record = results / "tables/records/t_dev.json"
    links = read_sealed(record)["inputs"]
    fewer = [link for link in links if not link["role"].endswith("rcl/seed-2/scores.csv")]
    assert len(fewer) == len(links) - 1
    reseal(record, inputs=fewer)
    example_results.compare(results)
    found = verify(results)
    assert failed(found) == {NUMBERS, CELLS}
    for name, problem in (
        ("t_regulators", "rows simcse seeds"),
        ("t_sts", "rcl, Average: recomputed"),
        ("t_dev", "rows rcl cells stsb-dev"),
    ):
        problems = texts(found, results / f"tables/json/{name}.json")
        assert any(problem in what for what in problems)


def change_line(results: Path, run: str, line: int, field: str, change: Callable) -> None:
    """Change one field of a line of a run's scores, and seal its record again."""
    path = results / STS / run / "scores.csv"
    lines = path.read_text().splitlines(keepends=True)
    fields = lines[line].split(",")
    place = SCORE_COLUMNS.index(field)
    before, fields[place] = fields[place], change(fields[place])
    assert fields[place] != before
    lines[line] = ",".join(fields)
    path.write_text("".join(lines))
    reseal(path.parent / "record.json")


def test_changed_scores_are_found_after_all_later_stages_ran_again(results):
    path = results / STS / "simcse/seed-2/predictions.parquet"
    frame = pd.read_parquet(path)
    near = sum(frame["gold"][frame["task"] == "stsb"] > 4)
    for run, line, field, change in (
        ("rcl/seed-1", 1, "value", lambda value: repr(float(value) - 1e-9)),
        ("rcl/seed-2", 4, "value", lambda value: repr(float(value) - 1e-9)),
        ("rcl/seed-3", 1, "n", lambda n: str(int(n) + 1)),
        ("simcse/seed-1", -3, "task", lambda task: "sts99"),  # a correlation of stsb-dev
        ("simcse/seed-2", -2, "n", lambda n: "40"),
        ("simcse/seed-3", -1, "value", lambda value: "8.0"),
    ):
        change_line(results, run, line, field, change)
    example_results.collect(results)
    for name in example_results.TABLES:
        example_results.render(results, name)
    example_results.compare(results)
    found = verify(results)
    assert {SCORES, LINKS} <= failed(found) and not {DIGESTS, SEALS, NUMBERS} & failed(found)

    def problems(run: str) -> list[str]:
        return texts(found, results / STS / run / "scores.csv")

    for seed in (1, 2, 3):
        assert any("(value, n) shown (" in what for what in problems(f"rcl/seed-{seed}"))
    assert any("stsb-dev" in what and "shown None" in what for what in problems("simcse/seed-1"))
    number = f"alignment is of 40 pairs, and {near} by the predictions"
    assert problems("simcse/seed-2") == [number]
    [what] = problems("simcse/seed-3")
    assert "steps of its training are 8, and 7 by" in what


def test_what_a_run_was_made_from_is_held_against_its_scores(results):
    """An empty file, data of another set, the place of another seed."""
    runs = results / STS
    empty = runs / "simcse/seed-1/scores.csv"
    empty.write_text(empty.read_text().splitlines(keepends=True)[0])
    reseal(empty.parent / "record.json")
    for seed, task, data, wrong in ((1, "stsb-dev", "data", "dev"), (2, "sts12", "dev", "data")):
        path = runs / f"rcl/seed-{seed}/scores.csv"
        named = input_digests(read_sealed(path.with_name("record.json")))
        lines = path.read_text().splitlines(keepends=True)
        for line, text in enumerate(lines):
            if f",{task}," in text:
                lines[line] = text.replace(named[wrong], named[data])
        path.write_text("".join(lines))
        reseal(path.with_name("record.json"))
    shutil.rmtree(runs / "rcl/seed-3")
    shutil.copytree(runs / "simcse/seed-3", runs / "rcl/seed-3")
    found = verify(results)
    assert {SCORES, LINKS} <= failed(found) and DIGESTS not in failed(found)
    assert sum("shown None" in what for what in texts(found, empty)) == 22  # all lines of a run
    for seed in (1, 2):
        problems = texts(found, runs / f"rcl/seed-{seed}/scores.csv")
        assert any("another run, weights, data or code" in what for what in problems)
    problems = texts(found, runs / "rcl/seed-3/record.json")
    assert "it is the record of another run: nli/tiny/simcse/seed-3" in problems


def test_other_predictions_and_a_score_of_another_protocol_than_its_pairs_are_found(results):
    path = results / RUN / "predictions.parquet"
    frame = pd.read_parquet(path)
    frame.loc[frame["task"] == "stsb", "similarity"] *= -1
    frame.to_parquet(path)
    reseal(path.parent / "record.json")
    ranked = results / "scores/faq/bank-0/tiny/rcl/seed-1/predictions.parquet"
    frame = pd.read_parquet(ranked)
    frame.assign(ap=frame["ap"] / 2).to_parquet(ranked)
    reseal(ranked.parent / "record.json")
    dev = results / "dev/sts/record.json"
    change_record(dev, lambda value: value["settings"].update(protocol="raw"))
    found = verify(results)
    assert {SCORES, CELLS, LINKS} <= failed(found)  # the table names the old digest
    assert DIGESTS not in failed(found)
    assert "its average precisions are not of its ranks" in texts(
        found, ranked.with_name("scores.csv")
    )
    problems = [what for _, what in found.problems if "have the protocol raw" in what]
    assert len(problems) == 7 * 6  # six scores of the dev pairs in each of seven runs


@pytest.mark.parametrize("place", ["bases/nli/mine", "curves/nli/tiny/simcse/seed-1"])
def test_the_kept_copy_of_a_pre_training_and_of_a_curve_is_checked_too(results, place):
    kept = results / place / "checkpoints/identity/finished/record.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    assert failed(verify(results)) == {KEPT}


def test_the_kept_copy_of_a_training_is_held_against_its_digests_and_its_record(results):
    model = results / MODELS / "rcl/seed-2"
    kept = model / "checkpoints/identity/finished"
    assert keep(model, read_sealed(model / "record.json")["outputs"], kept)
    assert verify(results).problems == []

    weights = kept / "model/model.safetensors"
    content = weights.read_bytes()
    weights.unlink()  # the copy is a hard link
    weights.write_bytes(content)
    flip(weights)
    found = verify(results)
    assert failed(found) == {KEPT} and "damaged" in dict(found.problems)[str(kept / "record.json")]
    assert found.delete == {kept / "record.json"}

    record = model / "record.json"
    change_record(record, lambda value: value["settings"].update(learning_rate=1.0))
    assert f"says something else than {kept / 'record.json'}" in texts(verify(results), record)


def test_downloads_that_have_moved_are_found_by_the_flag_and_checked_from_any_folder(
    results, monkeypatch
):
    moved = results.parent / "moved"
    shutil.move(results.parent / "resources", moved)
    assert verify(results).notes != []
    found = verify(results, downloads=moved)
    assert found.problems == [] and found.notes == []
    weights = moved / "models/tiny/model/model.safetensors"
    flip(weights)
    for folder, root in ((results.parent, "results"), (results, ".")):
        monkeypatch.chdir(folder)
        assert [path for path, _ in verify(root, downloads=moved).problems] == [str(weights)]


def test_a_file_of_the_users_own_is_checked_while_it_is_here(results):
    file = results.parent / "my faq.csv"
    file.write_text("question,answer\nWho?,I\nWhere?,Here\nWhen?,Now\n")
    bank = {"name": "mine", "kind": "own", "path": str(file), "folds": 3, "seed": 0}
    places = {name: results / name for name in ("corpora", "dev")}
    places |= {
        "data": results.parent / "resources/data",
        "output": results / "faq/mine/record.json",
    }
    prepare_faq.main(flags(settings=bank, manifest=ROOT / "demo/manifest.yaml", **places))
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
    assert {path for path, _ in found.notes} == {str(file)}
    [note] = [line for line in format_findings(found).splitlines() if "no problem: " in line]
    gone = "not checked: the user's own file is not here any more"
    assert note == f"8 notes, no problem: 8 × {gone}"


def test_only_the_first_of_the_problems_that_damage_causes_are_printed():
    found = Findings()
    for number in range(MOST_SHOWN + 5):
        found.check(LINKS, f"record {number}", False, "broken")
    found.check(DIGESTS, "file", False, "damaged")
    lines = format_findings(found).splitlines()
    assert lines.index("file: damaged") < lines.index("record 0: broken")
    assert f"record {MOST_SHOWN - 1}: broken" in lines and "... and 5 problems more" in lines
    assert f"record {MOST_SHOWN}: broken" not in lines
    assert [each["path"] for each in json.loads(findings_json(found))["problems"]] == [
        *(f"record {number}" for number in range(MOST_SHOWN + 5)),
        "file",
    ]


def test_a_lost_record_is_made_again_by_the_next_run(results):
    (results / "corpora/nli/record.json").unlink()
    found = verify(results)
    assert str(results / "corpora/nli/record.json") in dict(found.problems)
    assert found.delete == set()
    assert "start the run again" in format_findings(found).splitlines()[-1]


def test_a_number_of_a_csv_that_no_score_gives_is_found_behind_true_digests(results):
    forged = {
        "scores.csv": ("value", NUMBERS),
        "t_sts.csv": ("sts12", CELLS),
        "t_regulators.csv": ("Average_sd", CELLS),
        "t_faq.csv": ("map_p", CELLS),
        "t_seeds.csv": ("top3_population_sd", CELLS),
        "t_dev.csv": ("n", CELLS),
    }
    for name, (column, _) in forged.items():
        path = results / "tables" / name
        frame = pd.read_csv(path, dtype=str)
        value = float(frame[column].iloc[-2])
        frame.loc[frame.index[-2], column] = repr(value + 1e-6)
        frame.to_csv(path, index=False)
        reseal(results / f"tables/records/{path.stem}.json")
    page = results / "tables/claims.csv"
    page.write_text(page.read_text().replace("not run", "reproduced", 1))
    reseal(results / "tables/records/claims.json")
    found = verify(results)
    kinds = {str(results / "tables" / name): kind for name, (_, kind) in forged.items()}
    by_path = {p.path: p.kind for p in found.failures if p.kind != LINKS}
    assert by_path == kinds | {str(page): VERDICTS}


def test_other_words_a_further_column_and_another_order_are_no_problem(results):
    """Of Markdown, LaTeX and the pages the digest is checked, and of a CSV the numbers by their names."""
    tables = results / "tables"
    for name in ("t_sts.md", "t_sts.tex", "published.md", "claims.md"):
        (tables / name).write_text("As a later version words it.")
    for name in ("t_sts.csv", "claims.csv", "scores.csv"):
        frame = pd.read_csv(tables / name, dtype=str, keep_default_na=False)
        frame.insert(0, "sts12_median", "5")
        frame[frame.columns[::-1]].to_csv(tables / name, index=False)
    path = tables / "json/t_sts.json"
    table = json.loads(path.read_text())
    table["rows"][1]["cells"]["sts12"]["median"] = 5
    table["notes"] = ["As a later version words it."]
    path.write_text(json.dumps(table))
    for name in ("t_sts", "published", "claims", "scores"):
        reseal(tables / f"records/{name}.json")
    found = verify(results)
    assert failed(found) <= {LINKS}  # the pages name the table as it was


def test_what_no_record_lists_what_is_not_made_yet_and_other_printed_numbers_are_noted(
    results, tmp_path
):
    tables = results / "tables"
    # The long CSV waits until every run has its scores.
    for name in ("scores.csv", "scores.parquet", "records/scores.json"):
        (tables / name).unlink()
    unlisted = [results / "models/left.txt"]
    for file in (*unlisted, results / "logs/x.log"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("?")
    others = [tmp_path / path.name for path in PAPERS]
    for path, other in zip(PAPERS, others, strict=True):
        other.write_text(path.read_text() + "\n")
    found = verify(results, papers=others)
    assert found.problems == [] and found.checked[CELLS] > 0
    of_numbers = [tables / f"{name}.md" for name in example_results.TABLES]
    expected = map(str, [*unlisted, tables / "scores.csv", *of_numbers, tables / "claims.csv"])
    assert sorted(path for path, _ in found.notes) == sorted(expected)


def test_links_into_missing_folders_are_noted_and_no_problem(results):
    shutil.rmtree(results.parent / "resources")
    found = verify(results)
    assert found.problems == []
    noted = {Path(path).parent for path, _ in found.notes}
    models = {path.parent for path in results.glob("models/*/*/*/*/record.json")}
    assert models <= noted and len(models) == 3 * len(example_results.RUNS) + 3  # entropy models
    for folder in (results / "models", results / "embeddings"):
        shutil.rmtree(folder)
    found = verify(results)
    assert found.problems == []
    noted = {Path(path).parent for path, _ in found.notes}
    assert {path.parent for path in results.glob("scores/*/*/*/*/*/record.json")} <= noted


def test_the_report_is_printed_and_a_problem_gives_exit_status_1(results, capsys):
    script.main(["--output", str(results)])
    assert "0 problems" in capsys.readouterr().out
    flip(results / "tables/t_sts.md")
    with pytest.raises(SystemExit) as stopped:
        script.main(["--output", str(results)])
    assert stopped.value.code == 1
    start = f"{results / 'tables/t_sts.md'}: damaged: expected sha256 "
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith(start)]


def test_a_folder_that_does_not_exist_stops_with_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a run in the present folder would be named as advice
    with pytest.raises(InputError, match="none: no such folder; name the output folder of a run"):
        verify(tmp_path / "none")
