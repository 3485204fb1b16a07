"""One GPU for each job: which ones count, who gets which, who waits, and what a killed job leaves."""

import importlib
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from semblance import gpus
from semblance.errors import InputError, NoGpu
from semblance.provenance import ROOT
from tests.example_settings import STATED
from tests.scripts.flags import python
from workflow.scripts import reading_job, training_job

A, B = "GPU-aaaa1111-0000-0000-0000-000000000000", "GPU-bbbb2222-0000-0000-0000-000000000000"
JOB = """
import os, sys, time
from pathlib import Path
from semblance import gpus
gpus.POLL = 0.02
gpus.take_gpu(1, int(sys.argv[2]), Path(sys.argv[1]))
print(os.environ["CUDA_VISIBLE_DEVICES"], time.monotonic(), flush=True)
if sys.argv[3] == "forever":
    sys.stdin.read()
time.sleep(float(sys.argv[3]))
print(time.monotonic(), flush=True)
"""


def write_nvidia_smi(folder: Path, *lines: str) -> None:
    """Write a program that stands in for nvidia-smi and lists GPUs of these UUIDs."""
    folder.mkdir(exist_ok=True)
    program = folder / "nvidia-smi"
    program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
    program.chmod(0o755)


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch):
    """A machine with the GPUs A and B, no scheduler, and no lock of ours."""
    write_nvidia_smi(tmp_path / "bin", A, B)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    for name in ("CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID", gpus.REMOTE_JOB, gpus.ALLOW_CPU):
        monkeypatch.setenv(name, "")  # so that what the test makes of it is undone at its end
        monkeypatch.delenv(name)
    monkeypatch.setattr(gpus, "_held", [])
    monkeypatch.setattr(gpus, "POLL", 0.02)


@pytest.fixture
def start(tmp_path):
    """Start a job that takes a GPU and keeps it for so many seconds."""
    jobs = []

    def started(seconds: float | str, jobs_per_gpu: int = 1) -> subprocess.Popen:
        arguments = [tmp_path / "locks", jobs_per_gpu, seconds]
        command = [sys.executable, "-c", JOB, *map(str, arguments)]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        jobs.append(subprocess.Popen(command, cwd=ROOT, text=True, **pipes))
        return jobs[-1]

    yield started
    for job in jobs:
        job.kill()
        job.communicate()


def taken_by(job: subprocess.Popen) -> str:
    """Wait until a job has its GPU, and return which."""
    return job.stdout.readline().split()[0]


def most_at_once(spans: list[tuple[float, float]]) -> int:
    """Return the largest number of (start, end) that overlap in one moment: it is reached at some start."""
    return max(sum(start <= moment < end for start, end in spans) for moment, _ in spans)


@pytest.mark.parametrize("jobs_per_gpu", [1, 2])
def test_five_jobs_on_two_gpus_all_run_and_no_gpu_has_more_than_it_may(start, jobs_per_gpu):
    spans: dict[str, list] = {A: [], B: []}
    for job in [start(0.5, jobs_per_gpu) for _ in range(5)]:
        out, errors = job.communicate(timeout=60)
        assert job.returncode == 0, errors
        gpu, begun, ended = out.split()
        spans[gpu].append((float(begun), float(ended)))
    assert sum(map(len, spans.values())) == 5 and all(spans.values())
    assert all(most_at_once(found) <= jobs_per_gpu for found in spans.values())


def test_jobs_share_a_gpu_only_when_every_gpu_has_one(start):
    assert sorted(taken_by(job) for job in [start("forever", 2), start("forever", 2)]) == [A, B]
    assert sorted(taken_by(job) for job in [start("forever", 2), start("forever", 2)]) == [A, B]


def test_a_killed_job_frees_its_gpu_and_a_waiting_job_prints_one_line(start):
    holders = {taken_by(job): job for job in [start("forever"), start("forever")]}
    waiting = start(0)
    assert waiting.stderr.readline() == "waiting for a free GPU (2 in use)\n"
    time.sleep(0.2)  # ten more looks
    holders[B].kill()
    assert taken_by(waiting) == B
    assert waiting.communicate()[1] == ""


@pytest.mark.parametrize(
    "allowed,seen",
    [
        (None, [A, B]),
        ("0,1", [A, B]),
        ("1", [B]),
        ("1,0", [B, A]),
        (f"{B},{A}", [B, A]),
        (" 0 , 1 ", [A, B]),
        ("GPU-bbbb", [B]),  # CUDA takes the beginning of a UUID
        ("GPU-", []),  # but not if it stands for two
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
        ("1,-1,0", [B]),
        ("0,7,1", [A]),
        ("GPU-cccc,0", []),  # CUDA stops at the first that is not there
        ("0,0", [A]),
        ("MIG-1234,MIG-GPU-aaaa1111/1/0", ["MIG-1234", "MIG-GPU-aaaa1111/1/0"]),
    ],
)
def test_cuda_visible_devices_limits_the_choice(monkeypatch, allowed, seen):
    if allowed is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", allowed)
    assert gpus.visible_gpus() == seen


@pytest.mark.parametrize(
    "allowed, left",
    [
        ("", ""),
        ("-1", "-1"),
        ("1", B),
        ("GPU-bbbb,0", B),
        ("MIG-GPU-aaaa1111/1/0", "MIG-GPU-aaaa1111/1/0"),
        ("2,3", "2"),  # without nvidia-smi the names are used as they are
    ],
)
def test_a_job_sees_one_allowed_gpu_or_none(tmp_path, monkeypatch, allowed, left):
    if allowed == "2,3":
        monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", allowed)
    gpus.take_gpu(1, 1, tmp_path / "locks")
    assert os.environ["CUDA_VISIBLE_DEVICES"] == left


def test_a_process_keeps_the_gpu_it_has_behind_locks_that_only_its_user_may_touch(tmp_path):
    locks = tmp_path / "locks"
    gpus.take_gpu(1, 1, locks)
    gpus.take_gpu(1, 1, locks)  # would wait for itself for ever
    assert os.environ["CUDA_VISIBLE_DEVICES"] == A and len(gpus._held) == 1
    assert stat.S_IMODE(locks.stat().st_mode) == 0o700
    assert {stat.S_IMODE(lock.stat().st_mode) for lock in locks.iterdir()} == {0o600}


def test_in_a_slurm_job_one_gpu_stays_and_of_several_one_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    gpus.take_gpu(1, 1, tmp_path / "locks")
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "1" and not (tmp_path / "locks").exists()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    gpus.take_gpu(1, 1, tmp_path / "locks")
    assert os.environ["CUDA_VISIBLE_DEVICES"] == B


@pytest.mark.parametrize("case", ["no nvidia-smi", "no GPU", "no driver", "none asked for"])
def test_without_a_gpu_nothing_is_set(tmp_path, monkeypatch, case):
    if case == "no nvidia-smi":
        monkeypatch.setenv("PATH", str(tmp_path))
    if case == "no GPU":
        write_nvidia_smi(tmp_path / "bin", "No devices were found")
    if case == "no driver":
        failing = "#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n"
        (tmp_path / "bin" / "nvidia-smi").write_text(failing)
    gpus.take_gpu(0 if case == "none asked for" else 1, 1, tmp_path / "locks")
    assert "CUDA_VISIBLE_DEVICES" not in os.environ and not (tmp_path / "locks").exists()


@pytest.mark.parametrize("allowed_by", [(), ("SLURM_JOB_ID", gpus.ALLOW_CPU)])
def test_without_a_gpu_one_line_says_that_the_cpu_is_used(monkeypatch, capsys, allowed_by):
    for name in allowed_by:  # in a scheduler's job, a user may let it
        monkeypatch.setenv(name, "1")
    gpus.go_on_without_gpu()
    assert capsys.readouterr().err == "no GPU found: runs on the CPU\n"


@pytest.mark.parametrize("mark", ["SLURM_JOB_ID", gpus.REMOTE_JOB])
def test_a_schedulers_job_without_a_gpu_stops(monkeypatch, capsys, mark):
    monkeypatch.setenv(mark, "1")
    with pytest.raises(NoGpu, match="resources.gpus: 1.*slurm/profile.yaml"):
        gpus.go_on_without_gpu()
    assert capsys.readouterr().err == ""


def test_a_job_stops_if_nvidia_smi_hangs(tmp_path, monkeypatch):
    (tmp_path / "bin" / "nvidia-smi").write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(gpus, "PATIENCE", 0.1)
    with pytest.raises(InputError, match="no answer within 0.1 s"):
        gpus.take_gpu(1, 1, tmp_path / "locks")


@pytest.mark.parametrize("trap", ["a link", "another's", "a file", "open to all"])
def test_a_folder_of_locks_that_others_could_write_is_refused(tmp_path, monkeypatch, trap):
    locks, theirs = tmp_path / "locks", tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    if trap == "a link":
        locks.symlink_to(theirs)
    elif trap == "a file":
        locks.touch(mode=0o600)
    else:
        locks.mkdir(mode=0o700)
    if trap == "open to all":
        locks.chmod(0o777)
    if trap == "another's":
        monkeypatch.setattr(os, "geteuid", lambda: locks.stat().st_uid + 1)
    with pytest.raises(InputError, match="not a folder of this user alone"):
        gpus.take_gpu(1, 1, locks)
    assert not any(theirs.iterdir()) and "CUDA_VISIBLE_DEVICES" not in os.environ


class Taken(Exception):
    """Raised in place of waiting for a GPU."""


SETTINGS = json.dumps({**STATED, "gpus": 1})
TRAINING = "--base b --corpus c --tokens t --checkpoint-minutes 10 --checkpoint-steps 0".split()
TRAINING += ["--settings", SETTINGS, "--jobs-per-gpu", "3", "--output", "o"]
COMPUTE = "--threads 1 --gpus 1 --precision fp32 --matmul highest --jobs-per-gpu 3".split()
READING = ["--model", "m", *COMPUTE, "--output", "o"]


def reading(data: str, **run: object) -> list[str]:
    """Return the arguments of an evaluation of one model; ``run`` are fields of its Run."""
    which = {"corpus": "c", "base": "b", "method": "m", "seed": "1"} | run
    return [*READING, "--run", json.dumps(which), *data.split()]


OF_BANK = {"bank": "k", "fold": 0, "protocols": ["all"]}
COMMANDS = {
    "train": [*TRAINING, "--dev", "d"],
    "pretrain": TRAINING,
    "train_entropy": TRAINING,
    "train_initial": [*TRAINING, "--dev", "d"],
    "embed": [*READING, "--tokens", "t", "--max-length", "32"],
    "fit_whitening": [*READING, "--tokens", "t"],
    "evaluate_sts": reading("--test t --dev d", phi="0.01"),
    "evaluate_transfer": reading("--data d", folds=2, shuffle=0, phi=""),
    "evaluate_faq": reading("--bank k --dev d --max-length 32", **OF_BANK),
}


@pytest.mark.parametrize("script", COMMANDS)
def test_each_script_that_computes_takes_its_gpu_first(monkeypatch, script):
    asked = []

    def take(*arguments):
        asked.append(arguments)
        raise Taken

    module = importlib.import_module(f"workflow.scripts.{script}")
    for holder in (module, training_job, reading_job):
        monkeypatch.setattr(holder, "take_gpu", take, raising=False)
    with pytest.raises(Taken):
        module.main(COMMANDS[script])
    assert asked == [(1, 3)]


def test_importing_the_scripts_does_not_start_cuda():
    """A process that has asked CUDA once is deaf to a later CUDA_VISIBLE_DEVICES."""
    program = (
        "import importlib, sys, torch\n"
        "def asked(*_): sys.exit('CUDA was asked at import')\n"
        "torch.cuda.is_available = torch.cuda.device_count = torch.cuda.init = torch.cuda._lazy_init = asked\n"
        "for name in sys.argv[1:]: importlib.import_module(f'workflow.scripts.{name}')\n"
    )
    done = python("-c", program, *COMMANDS)
    assert done.returncode == 0, done.stderr
