"""What a cluster does to a job, a function each: the training ends with the same bytes."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.files import flip
from tests.slurm.user import User

pytestmark = pytest.mark.slurm


def time_limit(cluster, user):
    """Three minutes, one of them kept back, are too few; the next try has twice as many."""
    user.finish(user.start(runtime="3 * attempt", pause=0.35))
    assert "out of time at step" in user.output() and user.attempts() >= 2


def cancelled(cluster, user):
    """One attempt is lost, the next asks for the same memory; its GPU in the other spelling of sites."""
    process = user.start(gpu="0", gres="gpu:1")
    user.wait_for_a_checkpoint(process)
    asked = cluster.ask("scontrol", "show", "job", user.job(cluster))
    subprocess.run(["scancel", user.job(cluster)], check=True)
    user.finish(process)
    assert "TresPerNode=gres:gpu:1" in asked and "TresPerJob" not in asked
    states = [facts["state"] for facts in user.jobs(cluster).values()]
    assert states == ["CANCELLED", "COMPLETED"] and user.attempts() == 2
    first, second = user.memory(cluster)
    assert first == second
    assert "resumed from step" in user.log()


def requeued(cluster, user):
    process = user.start()
    user.wait_for_a_checkpoint(process)
    subprocess.run(["scontrol", "requeue", user.job(cluster)], check=True)
    user.finish(process)
    assert user.attempts() == 2


def out_of_memory(cluster, user):
    """A training that holds more than it asks for; the next attempt asks for twice as much."""
    on_cpu = ("--config", "resources={gpus: 0, checkpoint_steps: 20}")  # there it asks for 2,000 MB
    user.finish(user.start(*on_cpu, held=2200))
    assert "oom-kill" in user.output() or not cluster.cgroups
    first, second = user.memory(cluster)
    assert second == 2 * first


def controller_killed(cluster, user):
    """Its running job is awaited and put back: there is no second training."""
    first = user.start()
    user.wait_for_a_checkpoint(first)
    left_behind = user.job(cluster)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    user.finish(user.start())
    assert f"still running from an earlier run: jobs {left_behind}" in user.output()
    assert "already trained" in user.log() and user.attempts() == 1


def launched_twice(cluster, user):
    """The same job submitted a second time while it runs: one wins and the other leaves."""
    process = user.start(pause=0.2)
    user.wait_for_a_checkpoint(process)
    script = user.folder / "twin.sh"
    submitted = cluster.ask("scontrol", "write", "batch_script", user.job(cluster), "-")
    script.write_text(submitted + "\n")
    asked = "--parsable -p gpu --gpus=1 -c 2 --mem 2000 -t 10".split()
    places = ["-D", str(user.folder), "-o", str(user.folder / "twin.log")]
    twin = cluster.ask("sbatch", *asked, *places, str(script))
    cluster.wait(lambda: cluster.jobs("FAILED").get(twin), 300, "the twin has left")
    user.finish(process)
    assert "another process writes here" in (user.folder / "twin.log").read_text()
    assert user.attempts() == 1


def on_a_node_of_its_own(user):
    return user.start(slurm_partition="cpu", gpu="0", cpus_per_task="16")


def preempted(cluster, user):
    """It goes on when it is its turn again."""
    process = on_a_node_of_its_own(user)
    user.wait_for_a_checkpoint(process)
    job = user.job(cluster)
    node = cluster.jobs("RUNNING")[job]["node"]
    asked = "-p urgent --exclusive --mem 100 -o /dev/null".split()
    cluster.ask("sbatch", *asked, "-w", node, "--wrap", "sleep 5")
    cluster.wait(lambda: job not in cluster.jobs("RUNNING"), 60, "the job is preempted")
    user.finish(process)
    assert "Restarts=1" in cluster.ask("scontrol", "show", "job", job)
    assert user.attempts() == 2


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
    assert user.attempts() == 2


def failing(cluster, user):
    """One bit of an input flipped."""
    broken = user.folder / "results/tokens/tiny/nli/tokens.arrow"
    stat = broken.stat()
    flip(broken)
    os.utime(broken, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    user.finish(user.start("--retries", "0"), status=1)


def refused(cluster, user):
    """It asks for more memory than any node has."""
    user.finish(user.start("--retries", "1", mem_mb="300000"), status=1)


HURTS = (time_limit, cancelled, requeued, out_of_memory, controller_killed, launched_twice)
HURTS += (preempted, node_failed)


@pytest.fixture(scope="module")
def hurt(cluster, local, tmp_path_factory):
    """All at the same time, each in a project of its own: {what: the future of its user}."""

    def run(what):
        user = User(local.copy(tmp_path_factory.mktemp(what.__name__) / "project"))
        what(cluster, user)
        return user

    every = (*HURTS, failing, refused)
    with ThreadPoolExecutor(len(every)) as pool:
        yield {what: pool.submit(run, what) for what in every}


@pytest.mark.parametrize("what", HURTS, ids=lambda what: what.__name__)
def test_a_job_that_is_hurt_goes_on_and_ends_with_the_same_bytes(
    cluster, hurt, long_training, what
):
    if what is out_of_memory and not cluster.cgroups:
        pytest.skip("no writable cgroups here: a memory limit kills nobody")
    assert hurt[what].result().outputs() == long_training


def test_a_failed_job_is_reported_with_its_last_lines_its_node_and_what_to_try(hurt):
    said = hurt[failing].result().output()
    report = said[said.rindex("\nfailed: ") + 1 :].split("\nExiting")[0]
    head, *shown, _ = report.strip().splitlines()[:7]
    assert head.startswith("failed: train results/models/nli/tiny/continued/seed-1 (Slurm job ")
    assert "on node n3" in head or "on node n4" in head
    assert any("tokens.arrow" in line for line in shown)


def test_a_job_that_slurm_does_not_take_is_reported_with_the_answer_of_sbatch(hurt):
    said = hurt[refused].result().output()
    head = said[said.rindex("\nfailed: ") :].splitlines()[1]
    answer = "Requested node configuration is not available"
    assert "sbatch refused it: sbatch: error: " in head and answer in head
    assert "probably killed" not in said
