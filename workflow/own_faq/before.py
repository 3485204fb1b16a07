"""The run that made a model, found by its folder; and where the next model goes."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.counts import counted
from semblance.errors import InputError
from semblance.strict_yaml import read_yaml

SUFFIX = "-learned"
OWN = "own"  # the kind of a bank that is a user's file


@dataclass(frozen=True)
class Before:
    """The run that made the model before: its output folder, its config, its answerer's name."""

    output: str
    config: dict[str, Any]
    answerer: str

    @property
    def folder(self) -> Path:
        """The folder of the answerer."""
        return Path(layout.place(self.output, layout.ANSWERER, answerer=self.answerer))

    @property
    def bank(self) -> dict[str, Any]:
        """What the config says of the user's file."""
        name = self.config["answerers"][self.answerer]["bank"]
        return self.config["faq"]["banks"][name]

    def columns(self) -> dict[str, str]:
        """Return the names of columns that the user has stated."""
        keys = {"question": "question_column", "answer": "answer_column"}
        return {role: self.bank[key] for role, key in keys.items() if key in self.bank}


def find_run(model: str) -> Before:
    """Return the run of a folder that ``semblance faq train`` or ``learn`` has written.

    ``model`` is the output folder of the run, or the folder of the answerer in it. Raises
    InputError for a folder without its config or its answerer.
    """
    folder = Path(os.path.normpath(model))
    found = sorted(folder.glob(f"{layout.pattern(layout.ANSWERER)}/{layout.RECORD}"))
    if (folder / layout.RECORD).is_file() and not found:
        found = [folder / layout.RECORD]
    if len(found) != 1:
        problem = f"{counted(len(found), 'trained FAQ')} in it, and one is wanted"
        raise InputError(model, problem, "name the folder that semblance faq train wrote")
    answerer = found[0].parent
    output = str(answerer.parent.parent)
    path = Path(f"{output}.yaml")
    if not path.is_file():
        advice = "learn where semblance faq train wrote both, the folder and its config"
        raise InputError(path, "no such config of the model", advice)
    before = Before(output, read_yaml(path), answerer.name)
    _require_own(before, path)
    return before


def _require_own(before: Before, path: Path) -> None:
    """Raise InputError for a config that does not say from which file the model came."""
    try:
        is_own = before.bank["kind"] == OWN and "path" in before.bank
    except (KeyError, TypeError):
        is_own = False
    if not is_own:
        problem = f"does not say from which file {before.answerer!r} was trained"
        raise InputError(path, problem, "name the folder that semblance faq train wrote")


def next_output(output: str) -> str:
    """Return where the next model goes: OUTPUT-learned, then OUTPUT-learned-2, and so on."""
    match = re.fullmatch(rf"(.+{SUFFIX})(?:-(\d+))?", output)
    if match is None:
        return output + SUFFIX
    return f"{match[1]}-{int(match[2] or 1) + 1}"
