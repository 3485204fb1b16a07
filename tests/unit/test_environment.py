"""The pins: one list in pyproject.toml, the same versions in constraints.txt and in envs/."""

import re
import tomllib

import yaml

from semblance.provenance import ROOT
from workflow.requirements import requirements

PROJECT, TOOLS = map(tomllib.loads((ROOT / "pyproject.toml").read_text()).get, ("project", "tool"))
ALL = set(requirements(PROJECT, list(PROJECT["optional-dependencies"])))


def pins(lines) -> dict[str, str]:
    """Return {name: version} of NAME==VERSION lines, names in pip's normal form."""
    found = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {re.sub(r"[-_.]+", "-", name).lower(): version.strip() for name, version in found}


def test_every_requirement_is_pinned_and_constrained_alike():
    wanted = pins(ALL)
    assert len(wanted) == len(ALL)
    constrained = pins((ROOT / "constraints.txt").read_text().splitlines())
    assert {name: constrained.get(name) for name in wanted} == wanted


def test_the_conda_environment_has_the_projects_pins():
    environment = yaml.safe_load((ROOT / "envs/semblance.yaml").read_text())
    listed = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    wanted = list(requirements(PROJECT, ["demo"]))
    assert len(listed) == len(wanted) and pins(listed) == pins(wanted)
    [python] = [d for d in environment["dependencies"] if str(d).startswith("python")]
    # the floor is what conda installs
    assert python.split("=")[1] == PROJECT["requires-python"].removeprefix(">=")


def test_every_rule_that_runs_a_command_names_the_conda_environment():
    texts = {file: file.read_text() for file in (ROOT / "workflow/rules").glob("*.smk")}
    found = 0
    for file, text in texts.items():
        for block in re.split(r"^ *rule\b", text, flags=re.M)[1:]:
            [named] = re.findall(r'^ *conda:\s+"(.*)"$', block, flags=re.M)
            place = (file.parent / named).resolve()
            assert place == ROOT / "envs/semblance.yaml", block.splitlines()[0]
            found += 1
    assert found == len(re.findall(r"^ *shell:", "".join(texts.values()), flags=re.M)) > 10


def test_the_image_has_what_the_package_needs_and_is_installed_as_the_docs_say():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    sources = [name for line in lines if line[:5] == "COPY " for name in line.split()[1:-1]]
    packed = TOOLS["setuptools"]["package-data"]["semblance_workflow"]
    needed = {*packed, *PROJECT["license-files"], PROJECT["readme"], "constraints.txt"}
    assert {file.split("/")[0] for file in sources} == {file.split("/")[0] for file in needed}
    assert all((ROOT / file).exists() for file in sources)
    assert f"FROM python:{PROJECT['requires-python'].removeprefix('>=')}-slim" in lines
    [install] = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
    shown = install.replace("--no-cache-dir ", "")
    assert f"\n{shown} " in (ROOT / "docs/commands.md").read_text()
