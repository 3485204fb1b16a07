"""The reproduction does not import the application, and the code of what it names counts all the same."""

import ast
from pathlib import Path

import pytest

from semblance.code_digest import module_digests
from semblance.named_modules import OWN_FAQ, OWN_PAIRS
from tests.shipped import merged
from workflow.planning import modules
from workflow.planning.config import load

ROOT = Path(__file__).resolve().parents[2]
APPLICATION = "semblance_faq"
STAGES = {"workflow/scripts/build_answerer.py"}


def imports_application(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.partition(".")[0] == APPLICATION for name in names):
            return True
    return False


def test_no_file_of_the_reproduction_imports_the_application_but_its_stage():
    files = [*ROOT.glob("semblance/**/*.py"), *ROOT.glob("workflow/**/*.py")]
    found = {str(path.relative_to(ROOT)) for path in files if imports_application(path)}
    assert found == STAGES


@pytest.mark.parametrize(
    "module, covered",
    [
        ("workflow.scripts.build_answerer", "semblance_faq.answer.embedding"),
        ("workflow.scripts.build_answerer", "semblance_faq.judge.evidence"),
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
