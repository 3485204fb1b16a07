"""From a user's file to an answerer: the config is written, and Snakemake runs it."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

from semblance import layout
from semblance.data.banks.own import read_own
from semblance.errors import InputError
from semblance.files import write_text
from semblance.provenance import ROOT, checked
from semblance.strict_yaml import read_yaml
from workflow.own_faq.quick import BANK, BASE, OwnFaq, quick_config
from workflow.own_faq.thorough import thorough_config

CPU_FACTS = Path("/proc/cpuinfo")
BF16_FLAGS = {"avx512_bf16", "amx_bf16"}  # of processors that compute in bf16 by themselves
HEADER = """\
# Written by: semblance faq train {file}
# Change it as you like, and run it again with: semblance run {config}
"""


def read_faq(
    file: str, columns: Mapping[str, str], queries: str | None, precision: float, output: str
) -> tuple[OwnFaq, tuple[str, ...]]:
    """Read a user's file; return what is made of it, and the lines that tell what was found."""
    bank = read_own(file, columns, queries)
    lines = ()
    if bank.reading is not None:
        lines = tuple(bank.reading.lines())
    own = OwnFaq(
        path=str(Path(file).resolve()),
        output=output,
        wordings=len(bank.queries),
        entries=len(bank.pairs),
        precision=precision,
        queries_path=None if queries is None else str(Path(queries).resolve()),
        question_column=columns.get("question"),
        answer_column=columns.get("answer"),
        bf16=computes_in_bf16(),
    )
    return own, lines


def computes_in_bf16() -> bool:
    """Tell whether the processor has instructions for bf16, which are several times as fast."""
    try:
        facts = CPU_FACTS.read_text(encoding="utf-8")
    except OSError:
        return False
    return not BF16_FLAGS.isdisjoint(facts.split())


def write_config(own: OwnFaq, file: str, thorough: bool = False) -> Path:
    """Write the config beside the output folder; InputError if another one lies there."""
    path = Path(f"{own.output.rstrip('/')}.yaml")
    base = read_yaml(ROOT / "configs" / "minilm.yaml")["bases"][BASE]
    make = quick_config
    command = shlex.quote(file)
    if thorough:
        make = thorough_config
        command += " --thorough"
    config = make(read_yaml(ROOT / "config.yaml"), base, own)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    text = HEADER.format(file=command, config=shlex.quote(str(path))) + text
    if path.exists() and path.read_text(encoding="utf-8") != text:
        advice = f"run it with `semblance run {path}`, or move it away, or choose another --output"
        raise InputError(path, "another config of this name is there", advice)
    write_text(path, text)
    return path


def run_workflow(config: Path, cores: str) -> int:
    """Run Snakemake on the config, the command shown first; return its exit status."""
    arguments = ["--cores", cores, "--configfile", str(config)]
    if Path.cwd() != ROOT:
        arguments += ["--snakefile", str(ROOT / "Snakefile")]
    print(shlex.join(["snakemake", *arguments]), file=sys.stderr, flush=True)
    return subprocess.run([sys.executable, "-m", "snakemake", *arguments], check=False).returncode


def answerer_of(output: str) -> str:
    """Return the folder of the answerer that a run makes."""
    return layout.place(output, layout.ANSWERER, answerer=BANK)


def summary_of(output: str) -> str:
    """Return the summary of a finished run."""
    return Path(answerer_of(output), layout.SUMMARY).read_text(encoding="utf-8")


def is_better(output: str) -> bool:
    """Tell whether the choice was shown to be better than each way that takes no training."""
    evidence = checked(Path(answerer_of(output), layout.RECORD))["evidence"]
    return all(found["verdict"]["word"] == "better" for found in evidence["against"].values())
