"""Run ``snakemake --lint``, print the findings that we do not accept, and exit 1 if there are any."""

import re
import subprocess
import sys

# Findings that are wrong for this workflow. Each key must match the whole title of a finding.
ACCEPTED = {
    "Shell command directly uses variable (CADENCE|HUB|PYTHON|SHARING|SOURCE) "
    "from outside of the rule": (
        "These words change no result. In `params`, a change of one would rerun finished jobs."
    ),
    "Param (corpora|data|destination|dev|results|root) is a prefix of input or output file but hardcoded": (
        "The script takes this folder as an argument, and all machines share one file system."
    ),
}
TITLE = re.compile(r"    \* (.*):")
EXPECTED = re.compile(r"Using workflow specific profile .*|Lints for .*|      .*|")


def complaints(output: str) -> list[str]:
    """Return what is wrong according to the output of ``snakemake --lint``.

    A complaint is a finding that is not accepted, an accepted finding that no longer occurs, or a
    line that the linter does not print when all goes well, such as a line of a traceback.
    """
    lines: list[str] = []
    unused = set(ACCEPTED)
    place = ""
    for line in output.splitlines():
        if line.startswith("Lints for "):
            place = line.removeprefix("Lints for ")
        title = TITLE.fullmatch(line)
        if title:
            accepted = {pattern for pattern in ACCEPTED if re.fullmatch(pattern, title[1])}
            unused -= accepted
            if not accepted:
                lines.append(f"{place} {title[1]}")
        elif not EXPECTED.fullmatch(line):
            lines.append(line)
    return lines + [f"workflow/lint.py accepts what does not occur: {p}" for p in sorted(unused)]


def main() -> int:
    """Lint the workflow; return the exit status."""
    command = [sys.executable, "-m", "snakemake", "--lint"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = complaints(done.stdout)
    print(*lines, sep="\n", end="\n" if lines else "", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
