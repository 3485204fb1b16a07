"""What the processors and GPUs of this machine use while a run works, where they tell it.

Linux has counters of the processors' energy below /sys/class/powercap (RAPL), which an administrator
may make readable. nvidia-smi tells the power of each GPU now: power times time gives its energy.
Both count the whole machine, so work beside the run counts, too.
"""

import contextlib
import os
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from semblance import layout
from semblance.provenance import write_json

COUNTERS = Path("/sys/class/powercap")
PACKAGES = "intel-rapl:[0-9]*"  # of AMD, too; a part of a package has a second colon in its name
INTERVAL = 30.0  # seconds between two looks; a counter starts anew after some minutes at the least
PATIENCE = 10.0  # seconds for nvidia-smi
MICRO = 1e-6


def gpu_watts() -> dict[str, float]:
    """Return the power of each NVIDIA GPU now, in watts; none where nvidia-smi tells no number."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return {}
    query = ["--query-gpu=index,name,power.draw", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(
            [program, *query],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = {}
    for line in done.stdout.splitlines():
        with contextlib.suppress(ValueError):  # such as "[N/A]" of a GPU that does not tell it
            index, name, watts = line.split(", ")
            found[f"GPU {index}, {name}"] = float(watts)
    return found


class Meter:
    """Adds up the joules of each part of the machine, from one look to the next."""

    def __init__(
        self,
        counters: Path = COUNTERS,
        watts: Callable[[], dict[str, float]] = gpu_watts,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.joules: dict[str, float] = defaultdict(float)
        self.seconds = 0.0
        self._packages = [p for p in sorted(counters.glob(PACKAGES)) if p.name.count(":") == 1]
        self._watts = watts
        self._clock = clock
        self._looked = clock()
        self._counted = self._counts()

    def look(self) -> None:
        """Add what was used since the look before."""
        now = self._clock()
        passed = now - self._looked
        counted = self._counts()
        for package, count in counted.items():
            if package in self._counted:
                used = count - self._counted[package]
                if used < 0:  # the counter has reached its end and started anew
                    used += _number(package / "max_energy_range_uj") or 0.0
                self.joules[_name(package)] += max(used, 0.0) * MICRO
        for gpu, watts in self._watts().items():
            self.joules[gpu] += watts * passed
        self._counted = counted
        self._looked = now
        self.seconds += passed

    def _counts(self) -> dict[Path, float]:
        """Return the microjoules that each package has counted; packages that may not be read lack."""
        found = {package: _number(package / "energy_uj") for package in self._packages}
        return {package: count for package, count in found.items() if count is not None}


def _number(path: Path) -> float | None:
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None


def _name(package: Path) -> str:
    try:
        return f"processor, {(package / 'name').read_text().strip()}"
    except OSError:
        return f"processor, {package.name}"


def measure(out: str, meter: Meter, sleep: Callable[[float], None] = time.sleep) -> None:
    """Note the energy of this run again and again, until its process ends or no part tells any.

    So a killed run loses half a minute of it.
    """
    started = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = Path(layout.place(out, layout.ENERGY), f"{started}-{os.getpid()}.json")
    while True:
        sleep(INTERVAL)
        meter.look()
        if not meter.joules:
            return
        with contextlib.suppress(OSError):  # a full disk is told elsewhere
            path.parent.mkdir(parents=True, exist_ok=True)
            note = {"joules": dict(meter.joules), "seconds": round(meter.seconds, 3)}
            write_json(path, note)
