"""What a cluster does to a job, one test each: the training ends with the bytes of one never hurt."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.slurm.user import User, copy_of

pytestmark = pytest.mark.slurm


def time_limit(cluster, user):
    """Three minutes, of which one is kept back, for what takes longer; twice that for the next try."""
    user.finish(user.start(runtime="3 * attempt", pause=0.35))


def cancelled(cluster, user):
    """And its GPU asked for in the other spelling that sites use."""
    process = user.start(gpu="0", gres="gpu:1")
    user.wait_for_a_checkpoint(process)
    user.asked = cluster.ask("scontrol", "show", "job", user.job(cluster))
    subprocess.run(["scancel", user.job(cluster)], check=True)
    user.finish(process)


def requeued(cluster, user):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    subprocess.run(["scontrol", "requeue", user.job(cluster)], check=True)
    user.finish(process)


def out_of_memory(cluster, user):
    """A first try with too little even to start the training."""
    user.finish(user.start(mem_mb="330 if attempt == 1 else 3000"))


def controller_killed(cluster, user):
    first = user.start()
    user.wait_for_a_checkpoint(first)
    user.left_behind = user.job(cluster)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    user.finish(user.start())


def failing(cluster, user):
    """One bit of an input flipped."""
    broken = user.folder / "results/tokens/tiny/nli/tokens.arrow"
    content, stat = bytearray(broken.read_bytes()), broken.stat()
    content[len(content) // 2] ^= 1
    broken.write_bytes(content)
    os.utime(broken, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    user.finish(user.start("--retries", "0"), status=1)


def twin(cluster, user):
    """The same job submitted a second time while it runs."""
    process = user.start(pause=0.2)
    user.wait_for_a_checkpoint(process)
    script = user.folder / "twin.sh"
    submitted = cluster.ask("scontrol", "write", "batch_script", user.job(cluster), "-")
    script.write_text(submitted + "\n")
    asked = "--parsable -p gpu --gpus=1 -c 2 --mem 2000 -t 10".split()
    places = ["-D", str(user.folder), "-o", str(user.folder / "twin.log")]
    user.twin = cluster.ask("sbatch", *asked, *places, str(script))
    cluster.wait(lambda: cluster.jobs("FAILED").get(user.twin), 300, "the twin has left")
    user.finish(process)


def on_a_node_of_its_own(user):
    return user.start(slurm_partition="cpu", gpu="0", cpus_per_task="16")


def preempted(cluster, user):
    process = on_a_node_of_its_own(user)
    user.wait_for_a_checkpoint(process)
    job = user.job(cluster)
    node = cluster.jobs("RUNNING")[job]["node"]
    asked = "-p urgent --exclusive --mem 100 -o /dev/null".split()
    cluster.ask("sbatch", *asked, "-w", node, "--wrap", "sleep 5")
    cluster.wait(lambda: job not in cluster.jobs("RUNNING"), 60, "the job is preempted")
    user.finish(process)
    user.history = cluster.ask("scontrol", "show", "job", job)


def node_failed(cluster, user):
    process = on_a_node_of_its_own(user)
    user.wait_for_a_checkpoint(process)
    job = user.job(cluster)
    node = cluster.jobs("RUNNING")[job]["node"]
    cluster.kill_node(node)
    cluster.wait(lambda: job not in cluster.jobs("RUNNING"), 120, "the node's silence is noticed")
    cluster.start_node(node)
    subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"], capture_output=True)
    user.finish(process)


@pytest.fixture(scope="module")
def hurt(cluster, local, tmp_path_factory):
    """All of these at the same time, each in a project of its own: {what: the future of its user}."""

    def run(what):
        user = User(copy_of(local, tmp_path_factory.mktemp(what.__name__) / "project"))
        what(cluster, user)
        return user

    every = (time_limit, cancelled, requeued, out_of_memory, controller_killed, failing)
    every += (twin, preempted, node_failed)
    with ThreadPoolExecutor(len(every)) as pool:
        yield {what: pool.submit(run, what) for what in every}


def test_a_job_that_reaches_its_time_limit_goes_on_at_the_next_try(hurt, long_training):
    user = hurt[time_limit].result()
    assert "out of time at step" in user.output()
    assert user.outputs() == long_training and user.attempts() >= 2


def test_a_cancelled_job_goes_on_at_the_next_try(hurt, long_training):
    user = hurt[cancelled].result()
    assert user.outputs() == long_training and user.attempts() == 2
    assert "TresPerNode=gres:gpu:1" in user.asked and "TresPerJob" not in user.asked


def test_a_requeued_job_goes_on_from_its_last_checkpoint(hurt, long_training):
    user = hurt[requeued].result()
    assert user.outputs() == long_training and user.attempts() == 2


def test_a_job_out_of_memory_asks_for_more_at_the_next_try(cluster, hurt, long_training):
    if not cluster.cgroups:
        pytest.skip("no writable cgroups here: a memory limit kills nobody")
    user = hurt[out_of_memory].result()
    assert "oom-kill" in user.output()
    assert user.outputs() == long_training


def test_a_killed_controllers_running_job_is_awaited_and_its_result_counts(hurt, long_training):
    user = hurt[controller_killed].result()
    assert f"still running from an earlier run: jobs {user.left_behind}" in user.output()
    # What the first job made was put back: there was no second training.
    assert user.outputs() == long_training and user.attempts() == 1
    log = user.folder / "results/logs/train/nli/tiny/continued/seed-1.log"
    assert "already trained" in log.read_text()


def test_a_failed_job_is_reported_with_its_last_lines_its_node_and_what_to_try(hurt):
    said = hurt[failing].result().output()
    report = said[said.rindex("\nfailed: ") + 1 :].split("\nExiting")[0]
    head, *shown, _ = report.strip().splitlines()[:7]
    assert head.startswith("failed: train results/models/nli/tiny/continued/seed-1 (Slurm job ")
    assert "on node n3" in head or "on node n4" in head
    assert any("tokens.arrow" in line for line in shown)


def test_of_two_launches_of_one_job_one_wins_and_the_other_leaves(hurt, long_training):
    user = hurt[twin].result()
    assert "another process writes here" in (user.folder / "twin.log").read_text()
    assert user.outputs() == long_training and user.attempts() == 1


def test_a_preempted_job_goes_on_when_it_is_its_turn_again(hurt, long_training):
    user = hurt[preempted].result()
    assert "Restarts=1" in user.history
    assert user.outputs() == long_training and user.attempts() == 2


def test_a_job_whose_node_fails_goes_on(hurt, long_training):
    user = hurt[node_failed].result()
    assert user.outputs() == long_training and user.attempts() == 2
