"""A finished run on a FAQ of one's own whose output and downloads lie on another disk, behind links."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.dag.tiny import CONFIG, Project, printed, rows, run_module

UMASK = 0o027
FOLDS = 3
WAYS = ["start", "bm25", "tuned"]
OWN = CONFIG | {
    "keep": {"models": "final"},
    "seeds": {"faq": [1]},
    "faq": {
        "folds": FOLDS,
        "banks": {"faqir": None, "cough": None, "mine": {"kind": "own", "path": "library.csv"}},
    },
    "methods": {"tuned": {"label": "Tuned", "recipe": "rcl", "dropout": {"attention": 0.1}}},
    "evaluate_faq": {"threads": 1, "max_length": 32, "protocols": ["pairs"]},
    "tables": dict.fromkeys(CONFIG["tables"])
    | {
        # of data sets out of the mirror
        "rcl_table4": {"control": None, "rows": rows("nli", "start")},
        "mine": {"title": "", "layout": "faq", "seeds": "faq", "rows": rows("mine", *WAYS)},
    },
    "figures": dict.fromkeys(CONFIG["figures"]),
    "answerers": {"mine": {"bank": "mine", "base": "tiny", "methods": WAYS, "seeds": "faq"}},
}


@dataclass
class Far:
    """The project, the folder of its run, and the folder of both under its name without links."""

    project: Project
    results: Path
    disk: Path


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run snakemake in a folder, under the umask of these tests."""
    return run_module(folder, "snakemake", *arguments, umask=UMASK)


def project_in(folder: Path, config: dict) -> Project:
    """Return a copy of the project with a config, and a FAQ of one's own in library.csv."""
    project = Project(folder)
    faq = (project.folder / "demo/data/faq/own/library.csv").read_bytes()
    (project.folder / "library.csv").write_bytes(faq)
    project.write_config(config)
    return project


def run_far(folder: Path) -> Far:
    """Run the FAQ's whole workflow in a folder."""
    (folder / "disk/of/results").mkdir(parents=True)
    (folder / "disk/of/downloads").mkdir()
    (folder / "results").symlink_to(folder / "disk/of/results")
    (folder / "downloads").symlink_to(folder / "disk/of/downloads")
    places = {"output": f"{folder}/results/run", "downloads": f"{folder}/downloads/here"}
    project = project_in(folder / "project", OWN | places)
    done = start(project.folder, "--configfile", "tiny.yaml", "--cores", "2")
    assert done.returncode == 0, printed(done)
    return Far(project, folder / "results/run", folder / "disk/of")
