"""No pickle is ever read: a file from elsewhere that is unpickled can run anything."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> dict:
    """What a process of its own saw; it also reports a real unpickling at its end."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.unpickling", str(tmp_path_factory.mktemp("pickle"))],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "resumed from step 2" in done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_no_stage_unpickles_anything(seen):
    assert seen["during"] == [] and {"train", "restore", "evaluate_sts", "build"} <= set(
        seen["stages"]
    )


def test_files_that_are_pickles_are_refused_and_run_nothing(seen):
    assert seen["not_refused"] == [] and seen["marks"] == ["REALLY"]


def test_the_watch_sees_a_real_unpickling(seen):
    assert "pickle.loads" in seen["really"] and any(
        event.startswith("pickle.find_class") for event in seen["really"]
    )


FORBIDDEN = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def test_the_project_names_no_unpickler_and_no_shell():
    packages = ("semblance", "semblance_faq", "workflow")
    for path in [file for name in packages for file in (ROOT / name).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = {alias.name.split(".")[0] for alias in node.names} | {
                    (getattr(node, "module", "") or "").split(".")[0]
                }
                assert not names & FORBIDDEN, f"{path}:{node.lineno}"
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in (
                    "torch.load",
                    "eval",
                    "exec",
                    "os.system",
                    "os.popen",
                    "yaml.unsafe_load",
                ), f"{path}:{node.lineno}"
                for keyword in node.keywords:
                    if keyword.arg in ("shell", "allow_pickle", "trust_remote_code"):
                        assert ast.unparse(keyword.value) == "False", f"{path}:{node.lineno}"
