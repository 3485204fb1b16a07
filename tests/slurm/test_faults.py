"""What a cluster does to a job, one test each: the training ends with the bytes of one never hurt."""

import os
import signal
import subprocess

import pytest

pytestmark = pytest.mark.slurm


def only_job(cluster) -> str:
    """Return the one job that runs."""
    jobs = cluster.jobs("RUNNING")
    assert len(jobs) == 1, jobs
    return next(iter(jobs))


def test_a_job_that_reaches_its_time_limit_goes_on_at_the_next_try(user, long_training):
    process = user.start(runtime="2", mem_mb="2000")
    assert user.finish(process, 600) == 0, user.output()[-5000:]
    assert "out of time at step" in user.output()
    assert user.outputs() == long_training and user.lives() >= 2


def test_a_cancelled_job_goes_on_at_the_next_try(cluster, user, long_training):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    subprocess.run(["scancel", only_job(cluster)], check=True)
    assert user.finish(process) == 0, user.output()[-5000:]
    assert user.outputs() == long_training and user.lives() == 2


def test_a_requeued_job_goes_on_from_its_last_checkpoint(cluster, user, long_training):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    job = only_job(cluster)
    subprocess.run(["scontrol", "update", f"job={job}", "Requeue=1"], check=True)
    subprocess.run(["scontrol", "requeue", job], check=True)
    assert user.finish(process) == 0, user.output()[-5000:]
    assert user.outputs() == long_training and user.lives() == 2


def test_a_preempted_job_goes_on_at_the_next_try(cluster, user, long_training):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    node = cluster.jobs("RUNNING")[only_job(cluster)]["node"]
    urgent = cluster.ask("sbatch", "--parsable", "-p", "urgent", "-w", node, "--exclusive", "--mem", "100", "-o", "/dev/null",
                         "--wrap", "sleep 15")
    cluster.wait(lambda: cluster.jobs("RUNNING", "COMPLETED").get(urgent), 60, "the urgent job runs")
    assert user.finish(process) == 0, user.output()[-5000:]
    assert user.outputs() == long_training and user.lives() == 2


def test_a_job_whose_node_fails_goes_on_elsewhere(cluster, user, long_training):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    node = cluster.jobs("RUNNING")[only_job(cluster)]["node"]
    cluster.kill_node(node)
    try:
        assert user.finish(process) == 0, user.output()[-5000:]
    finally:
        cluster.start_node(node)
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"], capture_output=True)
    assert user.outputs() == long_training and user.lives() == 2


def test_a_job_out_of_memory_asks_for_more_at_the_next_try(user, long_training):
    process = user.start(mem_mb="'330 if attempt == 1 else 2000'", runtime="30")
    assert user.finish(process) == 0, user.output()[-5000:]
    assert "oom-kill" in user.output()
    assert user.outputs() == long_training


def test_a_killed_controllers_running_job_is_picked_up(cluster, user, long_training):
    first = user.start()
    user.wait_for_a_checkpoint(first)
    job = only_job(cluster)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    second = user.start()
    assert user.finish(second) == 0, user.output()[-5000:]
    assert f"still running from an earlier run: jobs {job}" in user.output()
    assert user.outputs() == long_training and user.lives() == 1  # what the first job made, not a second training


def test_a_failed_job_is_reported_with_its_last_lines_its_node_and_what_to_try(user):
    broken = user.folder / "results/tokens/tiny/nli/tokens.arrow"
    content = bytearray(broken.read_bytes())
    content[len(content) // 2] ^= 1
    stat = broken.stat()
    broken.write_bytes(content)
    os.utime(broken, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert user.finish(user.start("--retries", "0")) != 0
    report = user.output()[user.output().rindex("\nfailed: train"):]
    assert "results/models/nli/tiny/continued/seed-1" in report.splitlines()[1]
    assert "on node n3" in report or "on node n4" in report
    assert "tokens.arrow" in report and "try: " in report


def test_of_two_launches_of_one_job_one_wins_and_the_other_leaves(cluster, user, long_training):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    script = user.folder / "twin.sh"
    script.write_text("#!/bin/sh\n" + "".join(cluster.ask("scontrol", "write", "batch_script", only_job(cluster), "-")))
    twin = cluster.ask("sbatch", "--parsable", "-p", "gpu", "--gpus=1", "--mem", "2000", "-t", "10", "-D", str(user.folder),
                       "-o", str(user.folder / "twin.log"), str(script))
    cluster.wait(lambda: cluster.jobs("FAILED").get(twin), 120, "the twin has left")
    assert "another process writes here" in (user.folder / "twin.log").read_text()
    assert user.finish(process) == 0, user.output()[-5000:]
    assert user.outputs() == long_training and user.lives() == 1
