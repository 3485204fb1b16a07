"""The pins: one list in pyproject.toml, the same versions in constraints.txt and in envs/."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = [r for extra in PROJECT["optional-dependencies"].values() for r in extra]


def pins(lines) -> dict[str, str]:
    """Return {name: version} of NAME==VERSION lines, names in pip's normal form."""
    found = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {re.sub(r"[-_.]+", "-", name).lower(): version.strip() for name, version in found}


def test_every_requirement_is_pinned_and_constrained_alike():
    wanted = pins([*PROJECT["dependencies"], *EXTRAS])
    assert len(wanted) == len(PROJECT["dependencies"]) + len(EXTRAS)
    constrained = pins((ROOT / "constraints.txt").read_text().splitlines())
    assert {name: constrained.get(name) for name in wanted} == wanted


def test_the_conda_environment_has_the_projects_pins():
    environment = yaml.safe_load((ROOT / "envs/semblance.yaml").read_text())
    listed = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert pins(listed) == pins(PROJECT["dependencies"])
    python = next(d for d in environment["dependencies"] if isinstance(d, str) and d.startswith("python"))
    assert python.split("=")[1] == PROJECT["requires-python"].removeprefix(">=")
