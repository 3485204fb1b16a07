"""What is told of a failed job that left no log of Slurm."""

from types import SimpleNamespace

import pytest

from workflow.controller.job_failures import report_jobs


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def job(rule, folder, *log_lines):
    """A failed job; one without log lines never began."""
    log = f"{rule}.log"
    if log_lines:
        with open(log, "w", encoding="utf-8") as stream:
            stream.write("\n".join(log_lines) + "\n")
    return SimpleNamespace(
        rule=SimpleNamespace(name=rule),
        output=[f"{folder}/record.json"],
        log=[log],
        is_group=lambda: False,
    )


def group(*jobs):
    return SimpleNamespace(jobs=jobs, is_group=lambda: True)


def test_a_local_job_is_reported_with_its_last_lines_and_what_to_try():
    lines = [f"line {number}" for number in range(7)] + ["error: a.csv: no such file"]
    head, *shown, advice = report_jobs(
        [job("download_model", "raw/models/b", *lines)], ""
    ).splitlines()
    assert head == "failed: download_model raw/models/b"
    assert shown == [f"    | {line}" for line in lines[-5:]]
    assert advice.startswith("    try: mend what the last line says")


def test_a_job_that_slurm_refused_is_reported_without_lines():
    head, advice = report_jobs([job("train", "out/models/x")], "").splitlines()
    assert head == "failed: train out/models/x: it did not begin"
    assert "answer of sbatch" in advice


def test_a_job_of_which_a_log_of_slurm_tells_is_not_reported_twice():
    told = "failed: train out/models/x (Slurm job 5 on node n4): out of memory"
    assert report_jobs([job("train", "out/models/x", "error: x")], told) == ""


def test_of_a_group_the_job_without_its_output_is_reported(here):
    (here / "out/models/x").mkdir(parents=True)
    (here / "out/models/x/record.json").touch()
    failed = group(job("train", "out/models/x"), job("evaluate_sts", "out/scores/x"))
    assert report_jobs([failed], "").startswith("failed: evaluate_sts out/scores/x")


def test_without_a_failure_the_report_is_empty():
    assert report_jobs([], "") == ""


def test_a_job_whose_log_tells_of_no_error_was_killed():
    report = report_jobs([job("evaluate_faq", "out/scores/x", "made x in 1.2 s")], "")
    assert "probably killed" in report and "mend what the last line says" not in report
