"""One GPU for each job, on a machine where no scheduler hands them out.

CUDA gives every process the first GPU, so a second training would land beside the first. A job takes a GPU for
itself instead, by a lock of the operating system: it ends with its process, however that ends. Standard library
only, since the choice must be made before anything asks CUDA.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from semblance.errors import InputError

# The same for all sessions of a user: TMPDIR differs between jobs, and XDG_RUNTIME_DIR goes with the last login.
LOCKS = Path(f"/tmp/semblance-gpus-{os.geteuid()}")
PATIENCE = 60.0  # seconds for nvidia-smi, which may have to wake the GPUs
POLL = 1.0  # seconds between two looks for a free GPU

_held: list[int] = []  # open locks, for as long as this process lives


def take_gpu(gpus: int, jobs_per_gpu: int = 1, folder: Path = LOCKS) -> None:
    """Take one GPU for the rest of this process, as its CUDA_VISIBLE_DEVICES; without ``gpus`` do nothing.

    Waits while each visible GPU has ``jobs_per_gpu`` jobs of this user. Where there is none, and in a Slurm job
    that was given exactly one, nothing is changed. Raises InputError where ``folder``, of the locks, is another's.
    """
    if not gpus or _held or _allotted():
        return
    if names := visible_gpus():
        os.environ["CUDA_VISIBLE_DEVICES"] = _first_free(names, jobs_per_gpu, _own(folder))


def visible_gpus() -> list[str]:
    """Return the GPUs that CUDA_VISIBLE_DEVICES allows, or all of the machine, by UUID; a MIG slice by its name.

    Numbers count as nvidia-smi does. As for CUDA, an unknown name ends the list.
    """
    allowed, present = os.environ.get("CUDA_VISIBLE_DEVICES"), _gpus_of_machine()
    if allowed is None:
        return present
    names: list[str] = []
    for word in allowed.split(","):
        name = _full_name(word.strip(), present)
        if name is None:
            break
        names.append(name)
    return list(dict.fromkeys(names))


def _allotted() -> bool:
    """Tell whether Slurm gave this job one GPU: it alone knows whom else it gave that one to."""
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
        advice = (
            "mend the driver, or set resources.gpus: 0"  # going on could put two jobs on one GPU
        )
        raise InputError(program, f"no answer within {PATIENCE:g} s", advice) from None
    return [line.strip() for line in done.stdout.splitlines() if line.startswith("GPU-")]


def _full_name(word: str, present: list[str]) -> str | None:
    """Return the UUID that a number or the beginning of a UUID stands for, None where it stands for none."""
    if word.startswith("MIG-"):
        return word
    if word.isascii() and word.isdigit():
        found = (
            present[int(word) :][:1] if present else [word]
        )  # without nvidia-smi a number names itself
    elif word.startswith("GPU-"):
        found = [name for name in present if name.startswith(word)] if present else [word]
    else:
        found = []  # "", "-1" and the like: no GPU
    return found[0] if len(found) == 1 else None


def _first_free(names: list[str], jobs_per_gpu: int, folder: Path) -> str:
    told = False
    while True:
        for place in range(jobs_per_gpu):  # the first place on every GPU before the second on any
            for name in names:
                if _lock(folder / f"{quote(name, safe='')}.{place}"):
                    return name
        if not told:
            print(f"waiting for a free GPU ({len(names)} in use)", file=sys.stderr, flush=True)
            told = True
        time.sleep(POLL)


def _lock(path: Path) -> bool:
    handle = os.open(
        path, os.O_RDWR | os.O_CREAT, 0o600
    )  # a program started from here does not inherit it
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return False
    _held.append(handle)
    return True


def _own(folder: Path) -> Path:
    """Make the folder of the locks; refuse one that others can write, or that is a link to somewhere else."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if (
        not stat.S_ISDIR(found.st_mode)
        or found.st_uid != os.geteuid()
        or stat.S_IMODE(found.st_mode) & 0o077
    ):
        raise InputError(
            folder,
            "not a folder of this user alone (mode 700)",
            "remove it, or have its owner remove it",
        )
    return folder
