"""How a run was started, and its config, noted in its output folder for later commands."""

import os
import shlex
import sys
from pathlib import Path

from semblance import layout
from semblance.provenance import write_json


def note_command(workflow, out: str, downloads: str) -> None:
    """Write the working folder, the folders as the config spells them, and how snakemake was started.

    ``options`` are those that choose the workflow and its config, and no others; ``command`` is the
    whole command line. ``cores`` are those of this machine; ``at_a_time`` is the largest number of
    jobs that a scheduler has at a time, null where the jobs run on this machine.
    """
    resources = workflow.resource_settings
    note = {
        "folder": os.getcwd(),
        "output": out,
        "downloads": downloads,
        "options": _options(workflow),
        "command": shlex.join(["snakemake", *sys.argv[1:]]),
        "cores": resources.cores,
        "at_a_time": resources.nodes,
    }
    write_json(layout.place(out, layout.COMMAND), note)


def note_config(out: str, config: dict) -> None:
    """Write the config of a run, validated and in full, for its report."""
    write_json(layout.place(out, layout.CONFIG), config)


def _options(workflow) -> list[str]:
    options = []
    if Path(workflow.main_snakefile) != Path("Snakefile").absolute():
        options += ["--snakefile", str(workflow.main_snakefile)]
    files = [_shortened(path) for path in workflow.config_settings.configfiles]
    if files:
        options += ["--configfile", *files]
    if workflow.config_settings.config_args:
        options += ["--config", *workflow.config_settings.config_args]
    return options


def _shortened(path: Path) -> str:
    """Return a path as seen from the working folder, if it lies below it."""
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    return str(path)
