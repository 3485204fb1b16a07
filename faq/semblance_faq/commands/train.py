"""From a user's file to an answerer: the config is written, and Snakemake runs it."""

import contextlib
import importlib.util
import math
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from semblance import layout
from semblance.counts import counted, size
from semblance.data.faq import Faq, Split, answers_known_by_groups, keys_of, new_wordings
from semblance.errors import InputError
from semblance.files import write_text
from semblance.gpus import visible_gpus
from semblance.models.saved import TOKENIZER_FILE
from semblance.provenance import ROOT, checked, read_json, read_text
from semblance.strict_yaml import as_yaml, read_yaml
from semblance_faq.answer.places import ANSWERER, SUMMARY
from semblance_faq.commands.config import (
    BANK,
    BASE,
    FEWEST_WORDINGS,
    FOLDS,
    MULTILINGUAL,
    PRECISION,
    READY,
    OwnFaq,
    quick_config,
)
from semblance_faq.judge.threshold import can_show, fewest_questions
from semblance_faq.read.faq import read_own
from workflow.checks.load import load_files
from workflow.config.layers import PROJECT, laid_over
from workflow.config.part import File, Part, Place
from workflow.run.needs import bf16_here

SPLIT_SEED = 0  # as in config.yaml
WORD = re.compile(r"[^\W\d_]{2,}")
# Of a file's words, in the vocabulary of the English bases; of English FAQs 87 to 94 % are in it, of
# German, French, Spanish and Dutch questions 24 to 43 %.
LEAST_ENGLISH = 0.6
FEWEST_WORDS = 20  # that tell a language
HEADER = """\
# Written by: semblance faq train {file}
# Change it as you like, and run it again with: semblance run {config}
"""


def read_faq(
    file: str,
    output: str,
    columns: Mapping[str, str | None] | None = None,
    queries: str | None = None,
    precision: float = PRECISION,
    base: str = BASE,
) -> tuple[OwnFaq, tuple[str, ...]]:
    """Read a user's file; return what is made of it, and the lines that tell what was found.

    ``columns`` are the names that the user gave, by what they hold. Raises InputError also for an
    output or a precision that no config can have.
    """
    output = checked_output(output)
    files = [str(Path(path).resolve()) for path in (file, queries) if path is not None]
    for path in files:
        if not _fits(File, path):
            advice = "rename it, or its folder: in UTF-8, and without { } < >"
            raise InputError(os.path.relpath(path), "no config can name this file", advice)
    if not 0 < precision < 1:
        advice = "choose a share, such as 0.9 for nine right answers of ten"
        raise InputError("--precision", f"{precision} is not between 0 and 1", advice)
    columns = columns or {}
    bank = read_own(file, columns, queries)
    require_folds(bank, file)
    own = OwnFaq(
        *(files[0], output, len(new_wordings(bank)), precision),
        queries_path=files[1] if queries is not None else None,
        question_column=columns.get("question"),
        answer_column=columns.get("answer"),
        bf16=bf16_here() > 1,
        gpus=min(1, len(visible_gpus())),
        base=base,
    )
    told = (*language_lines(bank, base), *test_lines(bank), *promise_lines(bank, precision))
    return own, (*bank.reading.lines, *told)


def checked_output(output: str) -> str:
    """Return the folder without ``./`` and doubled slashes; InputError if no config can name it."""
    plain = os.path.normpath(os.path.expanduser(output))
    if not _fits(Place, plain):
        advice = (
            "use letters from a to z, digits and the characters _ - . and / alone, no .. and no"
            " blank, and begin with a letter, a digit, _ or /"
        )
        raise InputError("--output", f"{output!r:.80} cannot be the name of the folder", advice)
    return plain


def _fits(kind: Any, value: str) -> bool:
    """Tell whether a config may hold a value of a kind of text."""
    with contextlib.suppress(ValidationError):
        TypeAdapter(kind, config=Part.model_config).validate_python(value)
        return True
    return False


def require_folds(bank: Faq, path: str) -> None:
    """Raise InputError for a FAQ with fewer different answers than folds."""
    parts = len(set(keys_of(bank.pairs, "answer")))
    if parts < FOLDS:
        problem = (
            f"{counted(parts, 'different entry', 'different entries')}, where those that share a question"
            f" or an answer count as one; the test needs {FOLDS}"
        )
        raise InputError(path, problem, "add entries with other questions and other answers")


def test_lines(bank: Faq) -> Iterator[str]:
    """Yield what is tested and what is not, in plain lines."""
    new = len(new_wordings(bank))
    if new >= FEWEST_WORDINGS:
        yield f"test: {new:,} wordings of users, each held out once"
    else:
        yield f"test: the {counted(len(bank.pairs), 'question')} of the FAQ, each held out once"
        known = answers_known_by_groups(bank.pairs, Split(FOLDS, SPLIT_SEED))
        if known:
            yield (
                "test: all questions of one answer are held out together; otherwise"
                f" {known:,} of them would have their answer in training"
            )
    if 0 < new < FEWEST_WORDINGS:
        yield (
            f"not tested: {counted(new, 'wording')} of users; the models train on them, and"
            f" {FEWEST_WORDINGS} are needed to hold some out"
        )


def language_lines(bank: Faq, base: str) -> Iterator[str]:
    """Yield that a base reads English and the file is in another language, if its words say so."""
    installed = read_yaml(ROOT / "configs" / "minilm.yaml")["bases"][BASE]
    package = importlib.util.find_spec(installed["package"])
    if package is None or base not in (BASE, *READY) or base == MULTILINGUAL:
        return  # no vocabulary is there, or another language may be meant
    folder = Path(package.submodule_search_locations[0], installed["subfolder"])
    known = read_json(folder / TOKENIZER_FILE)["model"]["vocab"]
    text = " ".join(f"{pair.question} {pair.answer}" for pair in bank.pairs)
    words = WORD.findall(text.lower())
    share = sum(word in known for word in words) / max(1, len(words))
    if len(words) >= FEWEST_WORDS and share < LEAST_ENGLISH:
        line = (
            f"{share:.0%} of the file's words are in the vocabulary of {base}, which reads English"
        )
        yield f"LANGUAGE: {line}. For other languages: --base {MULTILINGUAL}"


def promise_lines(bank: Faq, precision: float) -> Iterator[str]:
    """Yield which precision the threshold can promise, if the one that is wanted is out of reach."""
    questions = len(new_wordings(bank))
    if questions < FEWEST_WORDINGS:
        questions = len(bank.pairs)
    if questions < fewest_questions(precision):
        most = math.floor(100 * can_show(questions)) / 100
        yield (
            f"promise: {counted(questions, 'question')} cannot show a precision of {precision:g};"
            f" {fewest_questions(precision)} all answered rightly could. At most --precision {most:g}"
        )


def write_config(own: OwnFaq, file: str) -> Path:
    """Write the config beside the output folder, once the planning has accepted it.

    InputError if another one lies there.
    """
    path = Path(f"{own.output.rstrip('/')}.yaml")
    command = shlex.quote(" ".join(file.split()))  # a line break would end the comment
    header = HEADER.format(file=command, config=shlex.quote(str(path)))
    text = header + as_yaml(config_of(own))
    if path.exists() and read_text(path) != text:
        advice = f"run it with `semblance run {path}`, or move it away, or choose another --output"
        raise InputError(path, "another config of this name is there", advice)
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder, "config.yaml")
        trial.write_text(text, encoding="utf-8")
        load_files([str(trial)])
    write_text(path, text)
    return path


def config_of(own: OwnFaq) -> dict[str, Any]:
    """Return the config that is written for a user's file; InputError for an unknown base."""
    known = laid_over([PROJECT])
    bases = {}
    if own.base == BASE:
        bases = {BASE: read_yaml(ROOT / "configs" / "minilm.yaml")["bases"][BASE]}
    elif own.base not in known["bases"]:
        advice = f"choose one of {', '.join((BASE, *READY))}"
        raise InputError("--base", f"config.yaml has no base {own.base!r:.80}", advice)
    return quick_config(known, bases, own)


def estimate(config: Path, cores: str) -> tuple[str, float]:
    """Return what the rest of a run will take, in words, and its hours."""
    from workflow.run.costs import estimates, to_do, wall_time

    cost = estimates([str(config)])
    left = to_do(cost)
    count = len(os.sched_getaffinity(0)) if cores == "all" else int(cores)
    hours = cost.total_hours(left, "gpu") + cost.total_hours(left, "cpu") / count
    memory = size(max((cost.need(job).memory for job in left), default=0))
    disk = size(cost.disk(left))
    line = f"{wall_time(3600 * hours, count)}; {memory} of memory, {disk} of disk"
    return f"estimate: {line}", hours


def run_workflow(config: Path, cores: str, mirror: str | None = None) -> int:
    """Run Snakemake on the config, the command shown first; return its exit status."""
    from workflow.run import command

    arguments = ["--cores", cores, "--configfile", str(config)]
    if mirror is not None:
        arguments += ["--config", f"mirror={os.path.abspath(mirror)}"]
    if Path.cwd() != ROOT:
        arguments += ["--snakefile", str(ROOT / "Snakefile")]
    print(shlex.join(["snakemake", *arguments]), file=sys.stderr, flush=True)
    return command.run(arguments)


def result_of(output: str) -> tuple[str, bool]:
    """Return the summary of a finished run.

    The second value tells whether its choice was shown to be better than each plain way, and
    training to help.
    """
    folder = Path(layout.place(output, ANSWERER, name=BANK))
    is_better = checked(folder / layout.RECORD)["is_better"]
    return (folder / SUMMARY).read_text(encoding="utf-8"), is_better
