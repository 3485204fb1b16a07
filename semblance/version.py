"""What the running code is called: the version, and the commit of a checkout."""

import subprocess
import tomllib

from semblance.provenance import ROOT


def version() -> str:
    """Return the version of pyproject.toml, and the commit where the project is a git checkout.

    A copy of the code without that file has no version.
    """
    found = "semblance"
    path = ROOT / "pyproject.toml"
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        found += f" {tomllib.loads(text)['project']['version']}"
    commit = _commit()
    if commit:
        found += f" (commit {commit})"
    return found


def _commit() -> str:
    """Return the commit of the checkout, with ``-dirty`` if files differ; empty if it has none."""
    if not ROOT.joinpath(".git").exists():
        return ""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run([*command, "--exclude=*"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):  # no git here
        return ""
    return done.stdout.strip()
