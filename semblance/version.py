"""What the running code is called: the version, and the commit that it is of."""

import subprocess
import tomllib

from semblance.provenance import ROOT


def version() -> str:
    """Return the version of pyproject.toml, and the commit where it is known.

    A copy of the code without that file has no version.
    """
    name = "semblance"
    path = ROOT / "pyproject.toml"
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        name += f" {tomllib.loads(text)['project']['version']}"
    commit = code_commit()
    if commit:
        name += f" (commit {commit})"
    return name


def code_commit() -> str:
    """Return the commit of the checkout, with ``-dirty`` if files differ; nothing without git."""
    if not ROOT.joinpath(".git").exists():
        return ""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run([*command, "--exclude=*"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):  # no git here
        return ""
    return done.stdout.strip()
