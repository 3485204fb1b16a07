"""One GPU for each job, on a machine where no scheduler hands them out; and jobs without a GPU.

CUDA gives every process the first GPU, so a second training would run beside the first. Each job
therefore takes a GPU for itself, by a lock of the operating system, which ends with its process.
Standard library only, since the choice must be made before anything asks CUDA.
"""

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from semblance.errors import InputError, NoGpu
from semblance.locks import FileLock

# One folder for all logins of a user: TMPDIR differs between jobs, and XDG_RUNTIME_DIR is removed
# when the user logs out for the last time.
LOCKS = Path(f"/tmp/semblance-gpus-{os.geteuid()}")
PATIENCE = 60.0  # seconds for nvidia-smi, which may have to wake the GPUs
POLL = 1.0  # seconds between two looks for a free GPU
NONE_FOUND = "no GPU found: runs on the CPU"
NONE_GIVEN = (
    "no GPU that this job can use, and the config asks for one (resources.gpus: 1); ask the "
    "scheduler for one (slurm/profile.yaml), or set resources.gpus: 0"
)
REMOTE_JOB = "SEMBLANCE_REMOTE_JOB"  # set in the jobs that Snakemake gave to a scheduler
ALLOW_CPU = "SEMBLANCE_ALLOW_CPU"  # set by a user whose scheduler's jobs may do without a GPU

_held: list[FileLock] = []  # for as long as this process lives


def take_gpu(gpus: int, jobs_per_gpu: int = 1, folder: Path = LOCKS) -> None:
    """Take one GPU for the rest of this process, as its CUDA_VISIBLE_DEVICES; none if not ``gpus``.

    Waits while each visible GPU has ``jobs_per_gpu`` jobs of this user. Changes nothing on a
    machine without GPUs, and in a Slurm job that was given exactly one GPU. ``folder`` holds the
    locks; raises InputError where another user could write it.
    """
    if not gpus or _held or _has_one_gpu_of_slurm():
        return
    if names := visible_gpus():
        _make_private(folder)
        os.environ["CUDA_VISIBLE_DEVICES"] = _first_free(names, jobs_per_gpu, folder)


def go_on_without_gpu() -> None:
    """Say in one line that a job which may use a GPU runs on the CPU.

    Raises NoGpu in a job of a scheduler: there nobody would see that it takes days.
    """
    if without_gpu() == NONE_GIVEN:
        raise NoGpu(NONE_GIVEN)
    print(NONE_FOUND, file=sys.stderr, flush=True)


def without_gpu() -> str:
    """Return what it means for the jobs started here that there is no GPU: they stop, or go on."""
    of_scheduler = "SLURM_JOB_ID" in os.environ or REMOTE_JOB in os.environ
    if of_scheduler and ALLOW_CPU not in os.environ:
        return NONE_GIVEN
    return NONE_FOUND


def visible_gpus() -> list[str]:
    """Return the GPUs that CUDA_VISIBLE_DEVICES allows, or all GPUs of the machine.

    A GPU is named by its UUID, a MIG slice by its name. A number in CUDA_VISIBLE_DEVICES counts in
    nvidia-smi's order. As in CUDA, an unknown name ends the list.
    """
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES")
    present = _gpus_of_machine()
    if allowed is None:
        return present
    names: list[str] = []
    for word in allowed.split(","):
        name = _full_name(word.strip(), present)
        if name is None:
            break
        names.append(name)
    return list(dict.fromkeys(names))


def _has_one_gpu_of_slurm() -> bool:
    """Tell whether Slurm gave this job one GPU: only Slurm knows who else may use that one."""
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES")
    return "SLURM_JOB_ID" in os.environ and allowed is not None and "," not in allowed


def _gpus_of_machine() -> list[str]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        done = subprocess.run(
            [program, "--query-gpu=uuid", "--format=csv,noheader"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        # To go on could put two jobs on one GPU.
        advice = "mend the driver, or set resources.gpus: 0"
        raise InputError(program, f"no answer within {PATIENCE:g} s", advice) from None
    return [line.strip() for line in done.stdout.splitlines() if line.startswith("GPU-")]


def _full_name(word: str, present: list[str]) -> str | None:
    """Return the one GPU that a number or the beginning of a UUID names; None if it names none."""
    if word.startswith("MIG-"):
        return word
    is_number = word.isascii() and word.isdigit()
    if not is_number and not word.startswith("GPU-"):
        return None  # an empty word or "-1", for example, allow no GPU
    if not present:
        return word  # without nvidia-smi the word itself is the name
    if is_number:
        names = present[int(word) :][:1]
    else:
        names = [name for name in present if name.startswith(word)]
    if len(names) != 1:
        return None
    return names[0]


def _first_free(names: list[str], jobs_per_gpu: int, folder: Path) -> str:
    """Wait for a free place on one of the GPUs and take it; return the GPU's name."""
    name = _try_all(names, jobs_per_gpu, folder)
    if name is None:
        print(f"waiting for a free GPU ({len(names)} in use)", file=sys.stderr, flush=True)
    while name is None:
        time.sleep(POLL)
        name = _try_all(names, jobs_per_gpu, folder)
    return name


def _try_all(names: list[str], jobs_per_gpu: int, folder: Path) -> str | None:
    """Take the first place on every GPU before the second on any; None if no place is free."""
    for place in range(jobs_per_gpu):
        for name in names:
            lock = FileLock(folder / f"{quote(name, safe='')}.{place}", mode=0o600)
            if lock.take():
                _held.append(lock)
                return name
            lock.release()
    return None


def _make_private(folder: Path) -> None:
    """Make a folder that its user alone may write; refuse a link, and one that others may write."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not own or stat.S_IMODE(status.st_mode) & 0o077:
        problem = "not a folder of this user alone (mode 700)"
        raise InputError(folder, problem, "remove it, or have its owner remove it")
