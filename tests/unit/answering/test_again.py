"""An answerer is judged again by the scores that lie beside it, whatever its digests say."""

import json
import shutil

import pytest

from semblance.answering.again import judge_again
from semblance.provenance import file_digest, read_sealed, write_sealed
from tests.unit.answering.example_run import write_run

ASKED = {f"wording {number}": float(number % 3 == 0) for number in range(60)}


@pytest.fixture(scope="module")
def run(tmp_path_factory, model):
    return write_run(tmp_path_factory.mktemp("run"), model, ASKED).parents[1]


@pytest.fixture
def folder(run, tmp_path):
    """The answerer of a copy of the run."""
    return shutil.copytree(run, tmp_path / "run") / "answerers/faq"


def seal(folder, **changes):
    """Renew the digests of the folder's files, as a forger would."""
    record = read_sealed(folder / "record.json") | changes
    record.pop("sha256", None)
    for name in record["outputs"]:
        record["outputs"][name] = file_digest(folder / name)
    write_sealed(folder / "record.json", record)


def problems(folder):
    found = judge_again(folder, read_sealed(folder / "record.json"))
    assert found.judged
    return [f"{path.name}: {problem}" for path, problem in found.problems]


def test_an_answerer_as_it_was_written_agrees_with_its_scores(folder):
    assert problems(folder) == []


def test_a_forged_threshold_is_found_though_all_digests_are_right(folder):
    threshold = {"score": 0.05, "precision": 0.99, "answered": 0.9}
    settings = json.loads((folder / "answering.json").read_text()) | {"threshold": threshold}
    (folder / "answering.json").write_text(json.dumps(settings))
    seal(folder, settings=settings)
    [problem] = problems(folder)
    assert problem.startswith("answering.json: threshold says") and "scores give null" in problem


def test_a_forged_verdict_is_found_in_the_evidence_and_in_the_summary(folder):
    evidence = read_sealed(folder / "record.json")["evidence"]
    evidence["against"]["start"]["verdict"]["word"] = "better"
    text = (folder / "summary.md").read_text()
    (folder / "summary.md").write_text(text.replace("VERDICT: no better", "VERDICT: better"))
    seal(folder, evidence=evidence)
    of_evidence, of_summary = problems(folder)
    assert 'word says "better", the scores give "no better"' in of_evidence
    assert of_summary.startswith("summary.md: line ") and "VERDICT: no better" in of_summary


def test_scores_that_were_changed_after_the_answerer_are_found(folder):
    record = folder.parents[1] / "scores/faq/faq-1/tiny/start/seed-0/record.json"
    said = read_sealed(record)
    said.pop("sha256", None)
    write_sealed(record, said | {"code": "other"})
    [problem] = problems(folder)
    assert "says something else than when the answerer was made" in problem


def test_a_record_that_names_too_few_scores_is_a_problem(folder):
    record = read_sealed(folder / "record.json")
    names = [name for name in record["records"] if "faq-1" not in name]
    seal(folder, records={name: record["records"][name] for name in names})
    [problem] = problems(folder)
    assert "there is none of start on faq-1" in problem


def test_without_the_scores_it_says_plainly_that_nothing_was_derived(folder, tmp_path):
    alone = shutil.copytree(folder, tmp_path / "alone")
    found = judge_again(alone, read_sealed(alone / "record.json"))
    assert not found.judged and not found.problems
    assert found.fact.startswith("not re-derived: the scores are not here")


def test_a_text_that_is_missing_hides_no_other_problem(folder):
    (folder / "summary.md").unlink()
    evidence = read_sealed(folder / "record.json")["evidence"] | {"questions": 1}
    record = read_sealed(folder / "record.json") | {"evidence": evidence}
    record.pop("sha256", None)
    write_sealed(folder / "record.json", record)
    of_evidence, of_summary = problems(folder)
    assert "questions says 1, the scores give 60" in of_evidence
    assert of_summary.startswith("summary.md: missing")
