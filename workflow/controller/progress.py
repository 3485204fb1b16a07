"""Run snakemake and tell in one line what runs and how much is left.

All that snakemake prints goes into .snakemake/log; on failure its report is shown whole.
"""

import re
import subprocess
import sys
from collections import deque

from tqdm import tqdm

RULE = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w[\w-]*):")
WILDCARDS = re.compile(r"^    wildcards: (.*)")
DONE = re.compile(r"^(\d+) of (\d+) steps")
SHOWN = ("error:", "warning:", "Nothing to be done")


def main(arguments: list[str]) -> int:
    """Run ``snakemake ARGUMENTS``; return its exit status."""
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments],
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    recent: deque[str] = deque(maxlen=60)
    try:
        with tqdm(
            unit="job",
            file=sys.stderr,
            mininterval=0 if sys.stderr.isatty() else 20,
            dynamic_ncols=True,
        ) as bar:
            rule = ""
            for line in process.stdout or ():
                recent.append(line)
                rule = follow(line, rule, bar)
    except KeyboardInterrupt:  # snakemake got the signal too: let its jobs stop first
        process.wait()
        return 130
    if status := process.wait():
        sys.stderr.writelines(recent)
    return status


def follow(line: str, rule: str, bar: tqdm) -> str:
    """Bring the bar up to date with one line of snakemake's; return the rule last named."""
    if found := RULE.match(line):
        rule = found.group(1)
        bar.set_description_str(rule, refresh=False)
    elif found := WILDCARDS.match(line):
        values = [part.partition("=")[2] for part in found.group(1).split(", ")]
        bar.set_description_str(" ".join([rule, *values])[:60], refresh=False)
    elif found := DONE.match(line):
        bar.total = int(found.group(2))
        bar.update(int(found.group(1)) - bar.n)
    elif line.startswith(SHOWN):
        bar.write(line.rstrip(), file=sys.stderr)
    return rule


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
