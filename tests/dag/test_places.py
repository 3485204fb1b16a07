"""A FAQ of a user's own, run where its folders lie on another disk, behind links, or elsewhere."""

import os

import pytest

from semblance.audit.chain import DELETED
from semblance.layout import WEIGHTS
from tests.dag.far import FOLDS, UMASK, Far, project_in, start
from tests.dag.tiny import CONFIG, printed, rows

pytestmark = pytest.mark.dag
SCORES_OF_START = "results/scores/sts/none/tiny/start/seed-0/record.json"
PROJECT_TABLES = dict.fromkeys(CONFIG["tables"])
TABLES = {
    "rcl_table4": {"rows": rows("nli", "start", "attention-dropout-0.1")},
    "mine": {"title": "", "layout": "faq", "seeds": "rcl", "rows": rows("mine", "start")},
}
BANKS = {"mine": {"kind": "own", "path": "library.csv"}, "faqir": None, "cough": None}
SMALL = CONFIG | {
    "faq": {"folds": 3, "banks": BANKS},
    "answerers": {},  # of a bank that is not there
    "tables": PROJECT_TABLES | TABLES,
}


def test_the_same_start_on_another_disk_has_nothing_to_do(far: Far):
    again = start(far.project.folder, "--configfile", "tiny.yaml", "--cores", "2")
    assert again.returncode == 0 and "Nothing to be done" in printed(again)
    folder = far.project.folder
    assert not (folder / "results").exists() and not (folder / "resources").exists()


@pytest.mark.parametrize("name", ["results/run", "disk/of/results/run"])
def test_a_run_behind_a_link_is_verified_under_both_its_names_and_says_what_was_deleted(
    far: Far, name
):
    done = far.project.python("semblance", "verify", "--output", str(far.disk.parents[1] / name))
    assert " 0 problems" in done.stdout.splitlines()[0] and "not here" not in done.stdout
    assert DELETED in done.stdout


def test_each_file_of_a_run_follows_the_umask(far: Far):
    written = list(far.disk.rglob("*"))
    modes = {path: path.stat().st_mode & 0o777 for path in written}
    wanted = {True: 0o777 & ~UMASK, False: 0o666 & ~UMASK}
    others = {path for path, mode in modes.items() if mode != wanted[path.is_dir()]}
    by_test = {far.disk / name for name in ("results", "downloads")}
    assert len(written) > 100 and others - by_test == set()


def test_a_run_from_another_working_folder_finds_the_project_and_writes_into_the_folder(tmp_path):
    project = project_in(tmp_path / "project", SMALL)
    (tmp_path / "work/workflow").mkdir(parents=True)
    (tmp_path / "work/workflow/__init__.py").touch()  # it must not hide the project's own
    command = ("--configfile", "tiny.yaml", "--directory", str(tmp_path / "work"))
    done = start(project.folder, *command, "--cores", "2", "--", SCORES_OF_START)
    assert done.returncode == 0, printed(done)
    assert (tmp_path / "work" / SCORES_OF_START).is_file()
    assert not (project.folder / "results").exists()
    more = start(project.folder, *command, "-n", "--", "results/tables/claims.md")
    planned = {line.split()[0]: line.split()[1:] for line in more.stdout.splitlines() if line}
    assert more.returncode == 0 and "judge_claims" in planned
    # of the two evaluations on STS that of the start is done
    assert planned["evaluate_sts"] == ["2", "1", "1", "0"] and "download_model" not in planned


def test_the_weights_of_the_folds_are_gone_and_those_of_the_whole_bank_stay(far):
    results = far.results
    models = {record.parent for record in results.glob("models/*/*/*/*/record.json")}
    whole = results / "models/mine-all/tiny/tuned/seed-1"
    assert len(models) == FOLDS + 1
    assert [model for model in models if (model / WEIGHTS).exists()] == [whole]
    assert all((model / "dev.csv").exists() for model in models)
    # With a second copy, and the answerer's
    assert len(list(results.rglob("model.safetensors"))) == 3
    assert (results / "answerers/mine" / WEIGHTS).exists()


def test_other_content_with_an_older_date_is_noticed(far):
    """Of the same size, as ``cp -p`` may put it there."""
    file = far.project.folder / "library.csv"
    before = file.stat()
    with far.project.edited({file: file.read_text().swapcase()}):
        assert file.stat().st_size == before.st_size
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns - 10**12))
        planned = far.project.planned()
    assert planned["prepare_faq"] == 1 and planned["build_answerer"] == 1


def test_a_stage_that_needs_the_weights_has_them_trained_again(far):
    score = f"{far.results}/scores/faq/mine-0/tiny/tuned/seed-1/scores.csv"
    planned = far.project.planned(score, "--forcerun", "evaluate_faq")
    assert (planned["train"], planned["evaluate_faq"]) == (1, 1)
