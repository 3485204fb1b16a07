"""The reproduction does not import the application, and the code of what it names counts all the same."""

import ast
import tomllib
from pathlib import Path

import pytest

from semblance.code_digest import module_digests
from semblance.named_modules import BANKS, OWN_PAIRS, module_path
from tests.shipped import merged
from workflow.checks.load import load
from workflow.planning import modules

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = ("pyproject.toml", "faq/pyproject.toml")
APPLICATION = "semblance_faq"
OWN_FAQ = module_path(BANKS, "own", "here")
# All that it takes of the reproduction's package: a change there minds the application, too.
TAKEN = """
    audit.chain audit.explain counts data.arrow data.faq data.raw data.sts data.text data.tokens
    errors evaluation.prepared files gpus layout lines locks models.compute models.folder
    models.prompts models.saved models.vectors named_modules names provenance
    ranking.candidates ranking.words reporting.layouts settings strict_json strict_yaml
    training.final
""".split()


def imported(path: Path) -> set[str]:
    """Return the full names that a file imports: a.b.c for `from a.b import c`."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_no_file_of_the_reproduction_imports_the_application():
    for path in (*ROOT.glob("semblance/**/*.py"), *ROOT.glob("workflow/**/*.py")):
        assert not [name for name in imported(path) if name.startswith(APPLICATION)], path


def test_the_application_installs_the_versions_of_the_project_and_an_answer_needs_few_of_them():
    whole, own = (tomllib.loads((ROOT / name).read_text())["project"] for name in PROJECTS)
    extras = whole["optional-dependencies"]
    pinned = {*whole["dependencies"], *extras["score"], *extras["run"]} - {"semblance[score]"}
    answering, training = set(own["dependencies"]), set(own["optional-dependencies"]["train"])
    assert answering | training == pinned and not answering & training
    assert not [name for name in answering if name.startswith(("torch", "scipy", "snakemake"))]


def test_no_file_of_the_reproduction_names_an_answerer():
    files = [*ROOT.glob("semblance/**/*.py"), *ROOT.glob("workflow/**/*.py")]
    for path in (*files, *ROOT.glob("workflow/**/*.smk"), ROOT / "Snakefile", ROOT / "config.yaml"):
        assert "answerer" not in path.read_text(encoding="utf-8"), path


def test_the_application_takes_what_it_lists_of_the_reproductions_package_and_all_of_it():
    files = ROOT.glob(f"faq/{APPLICATION}/**/*.py")
    names = {name for path in files for name in imported(path) if name.startswith("semblance.")}
    modules_of = {
        name for name in names if ROOT.joinpath(*name.split(".")).with_suffix(".py").is_file()
    }
    modules_of |= {name.rpartition(".")[0] for name in names - modules_of}
    assert {name.removeprefix("semblance.") for name in modules_of} == set(TAKEN)


@pytest.mark.parametrize(
    "module, covered",
    [
        ("semblance_faq.scripts.build_answerer", "semblance_faq.answer.embedding"),
        ("semblance_faq.scripts.build_answerer", "semblance_faq.judge.evidence"),
        (OWN_FAQ, "semblance_faq.read.text"),
        (OWN_PAIRS, "semblance_faq.read.columns"),
    ],
)
def test_the_digest_of_a_stage_covers_the_code_of_the_application_that_it_runs(module, covered):
    assert covered in module_digests(module)


def test_the_code_of_the_reader_counts_for_a_bank_that_is_a_users_own_file_alone():
    config = merged("config.yaml", "configs/own-faq.yaml")
    config["faq"]["banks"]["theirs"] = {"kind": "cough", "dataset": "cough"}
    config = load(config)
    found = {name: modules.of_bank(config, name) for name in ("mine", "theirs")}
    assert OWN_FAQ in found["mine"] and OWN_FAQ not in found["theirs"]
    covered = module_digests(*found["theirs"], "workflow.scripts.prepare_faq")
    assert not any(name.startswith(APPLICATION) for name in covered)
