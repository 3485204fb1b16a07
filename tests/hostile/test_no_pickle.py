"""No pickle is ever read: a file from elsewhere that is unpickled can run anything."""

import ast
import json

import pytest

from tests.dag.tiny import ROOT, printed, run_module


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> dict:
    """What a process of its own saw; it also reports a real unpickling at its end."""
    place = str(tmp_path_factory.mktemp("pickle"))
    done = run_module(ROOT, "tests.hostile.unpickling", place)
    assert done.returncode == 0, printed(done)
    assert "resumed from step" in done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_no_stage_unpickles_anything(seen):
    assert seen["during"] == [] and seen["stages"][-3:] == ["train", "train", "evaluate_sts"]


def test_files_that_are_pickles_are_refused_and_run_nothing(seen):
    assert seen["not_refused"] == [] and seen["marks"] == ["REALLY"]


def test_the_watch_sees_a_real_unpickling(seen):
    assert "pickle.loads" in seen["really"]
    assert any(event.startswith("pickle.find_class") for event in seen["really"])


MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
CALLS = {"torch.load", "eval", "exec", "os.system", "os.popen", "yaml.unsafe_load"}
OPTIONS = {"shell", "allow_pickle", "trust_remote_code"}  # which may be False


def forbidden(node: ast.AST) -> set[str]:
    """Return what a node imports, calls or switches on of what could run foreign code."""
    if isinstance(node, ast.Import):
        return MODULES & {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return MODULES & {(node.module or "").split(".")[0], *(a.name for a in node.names)}
    if isinstance(node, ast.Call):
        switched_on = {k.arg for k in node.keywords if ast.unparse(k.value) != "False"}
        return CALLS & {ast.unparse(node.func)} | OPTIONS & switched_on
    return set()


def test_the_project_names_no_unpickler_and_no_shell():
    packages = ("semblance", "faq/semblance_faq", "workflow")
    for path in [file for name in packages for file in (ROOT / name).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not forbidden(node), f"{path}:{node.lineno}"
