"""TREC's files of FAQ evaluations: what other programs compute from them is ours."""

import csv
import shutil
from urllib.parse import unquote

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.errors import InputError
from semblance.exporting.trec import WHOLE, encoded, falling, lines, read_rankings
from tests.unit.exporting.example_rankings import (
    QUESTIONS,
    entry_id,
    write_bank,
    write_results,
)
from workflow.scripts import export

KEPT = 100


@pytest.fixture(scope="module")
def folds(tmp_path_factory):
    return write_results(tmp_path_factory.mktemp("run") / "results")


@pytest.fixture(scope="module")
def made(folds, tmp_path_factory):
    """The folder with trec/ of both folds."""
    place = tmp_path_factory.mktemp("exported")
    named = [str(folder) for folder in folds]
    export.main([*named, "--trec", str(place / "trec")])
    return place


def predictions(folds, protocol):
    rows = [r for f in folds for r in pq.read_table(f / "predictions.parquet").to_pylist()]
    return [row for row in rows if row["protocol"] == protocol]


def measures(made, protocol):
    with (made / "trec" / protocol / "measures.csv").open(newline="") as stream:
        return {row["measure"]: float(row["value"]) for row in csv.DictReader(stream)}


def columns(path):
    return [line.split(" ") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


@pytest.mark.parametrize("protocol", ["pairs", "annotated"])
def test_the_metrics_that_ir_measures_computes_are_ours(made, folds, protocol):
    ir_measures = pytest.importorskip("ir_measures", reason="make setup installs ir_measures")
    folder = made / "trec" / protocol
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
    run = list(ir_measures.read_trec_run(str(folder / "run.txt")))
    names = ["AP", "RR", "Success@1", "Success@3", "Success@5", "P@1"]
    wanted = [ir_measures.parse_measure(name) for name in names]
    found = {str(k): v for k, v in ir_measures.calc_aggregate(wanted, qrels, run).items()}
    ranks = [row["ranks"] for row in predictions(folds, protocol)]
    kept = [[rank for rank in own if rank <= KEPT] for own in ranks]
    precisions = [
        sum((i + 1) / rank for i, rank in enumerate(inside)) / len(own)
        for inside, own in zip(kept, ranks, strict=True)
    ]
    expected = {
        "AP": np.mean(precisions),
        "RR": np.mean([1 / inside[0] if inside else 0 for inside in kept]),
        **{f"Success@{k}": np.mean([own[0] <= k for own in ranks]) for k in (1, 3, 5)},
        "P@1": np.mean([own[0] == 1 for own in ranks]),
    }
    assert found == pytest.approx(expected, abs=1e-9)
    ours = measures(made, protocol) | {"P@1": found["P@1"]}
    assert {name: ours[name] for name in names} == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("protocol", ["pairs", "annotated"])
def test_the_measure_of_the_whole_ranking_is_the_score_that_the_evaluation_reports(
    made, folds, protocol
):
    ours = measures(made, protocol)
    rows = predictions(folds, protocol)
    assert ours[WHOLE] == pytest.approx(np.mean([row["ap"] for row in rows]), abs=1e-12)
    assert ours[WHOLE] > ours["AP"]  # some right answers lie below the hundredth
    for k in (1, 3, 5):
        expected = np.mean([row[f"acc@{k}"] for row in rows])
        assert ours[f"Success@{k}"] == pytest.approx(expected, abs=1e-12)


def test_it_is_reported_how_many_questions_have_a_right_answer_below_those_that_are_kept(folds):
    [pairs, _] = read_rankings(folds)
    below = sum(row["ranks"][-1] > KEPT for row in predictions(folds, "pairs"))
    assert below > 0 and f"of {below} questions" in list(lines(pairs))[1]


@pytest.mark.parametrize("protocol", ["pairs", "annotated"])
def test_the_run_holds_the_kept_answers_in_their_order_under_the_ids_of_their_entries(
    made, folds, protocol
):
    found: dict[str, list] = {}
    for query, constant, document, rank, score, tag in columns(
        made / "trec" / protocol / "run.txt"
    ):
        assert constant == "Q0" and tag == "tiny/tuned/seed-3"
        found.setdefault(unquote(query), []).append((unquote(document), int(rank), float(score)))
    expected = {row["query"]: row["top"] for row in predictions(folds, protocol)}
    assert len(expected) == 2 * QUESTIONS and found.keys() == expected.keys()
    for query, top in expected.items():
        assert [document for document, _, _ in found[query]] == [entry_id(n) for n in top]
        assert [rank for _, rank, _ in found[query]] == list(range(1, KEPT + 1))
        in_single_precision = np.asarray([score for _, _, score in found[query]], np.float32)
        assert (np.diff(in_single_precision) < 0).all()


def test_scores_that_differ_are_written_as_they_are():
    assert falling([0.75, 0.5, -0.25]) == [0.75, 0.5, -0.25]


@pytest.mark.parametrize("start", [50.0, 1.0, 1e-3, 0.0, -1.0])
def test_equal_scores_are_moved_apart_by_a_millionth_at_most(start):
    found = np.asarray(falling([start] * KEPT))
    assert (np.diff(found.astype(np.float32)) < 0).all()
    assert np.abs(found - start).max() <= KEPT * max(abs(start) * 1e-6, 1e-9)


def test_one_fold_alone_has_its_own_questions(folds):
    [pairs, annotated] = read_rankings(folds[:1])
    assert len(pairs.queries) == len(annotated.queries) == QUESTIONS


def test_what_is_not_the_folds_of_one_model_where_they_were_made_is_refused(folds, tmp_path):
    others = write_results(tmp_path / "others", "other")
    of_changed_bank = write_results(tmp_path / "changed")
    write_bank(tmp_path / "changed", later_entry="another id")
    copy = shutil.copytree(folds[0], tmp_path / "copy")
    for folders, problem in (
        ([folds[0], folds[0]], "asks .* again; name each fold once"),
        ([folds[0], others[1]], "is not of the same bank, model and ranking"),
        (of_changed_bank, "is of another bank than .*/faq/own-1/record.json"),
        ([tmp_path], "is no result of an evaluation on a FAQ"),
        ([folds[0].parents[5] / "faq/own-1"], "is not of an evaluation on a FAQ"),
        ([copy], "lies no longer in scores/faq/own-1-0"),
    ):
        with pytest.raises(InputError, match=problem):
            read_rankings(folders)


def test_an_export_replaces_nothing(folds, made):
    with pytest.raises(InputError, match="exists already; name a new folder"):
        export.main([str(folds[0]), "--trec", str(made / "trec")])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "no form is named"),
        (["--onnx"], "needs one SOURCE and --output"),
        (["--trec", "x", "--output", "y"], "belongs to --onnx"),
        (["--onnx", "--output", "x", "--trec", "y"], "two exports"),
    ],
)
def test_flags_that_do_not_belong_together_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        export.main(["somewhere", *arguments])


# A file holds no half of a surrogate pair: the readers of a FAQ refuse it.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@settings(deadline=None, max_examples=40)
@given(TEXTS)
def test_an_encoded_id_is_one_word_without_quotation_marks_and_can_be_decoded(identity):
    found = encoded(identity)
    assert found.split() == [found] and found.isprintable() and found.splitlines() == [found]
    assert not set(found) & set("\"'")
    assert unquote(found, errors="strict") == identity


@settings(deadline=None, max_examples=40)
@given(TEXTS, TEXTS)
def test_two_ids_stay_two(one, other):
    assert (encoded(one) == encoded(other)) == (one == other)


def test_an_ordinary_id_stays_as_it_is():
    for identity in ("17", "A-3_b.c/d", "Größe", "問い"):
        assert encoded(identity) == identity


def test_an_empty_id_is_refused():
    with pytest.raises(InputError, match="an id is empty"):
        encoded("")
