"""From a log of questions to a new model, which takes over only if it is not worse.

The model before is never touched. The log's wordings go into NEW.csv, with those of the user's own
second file, which stays as it is; the config goes into NEW.yaml; the run into the folder NEW. What
was trained before on the same texts is not trained again. A model that is worse loses its record,
without which no command answers by it.
"""

import itertools
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.answering.choices import QuestionsLog, read_choices
from semblance.counts import counted
from semblance.data.banks.own import read_own
from semblance.data.bare import bare_or_whole
from semblance.data.faq_parts import new_wordings
from semblance.errors import InputError
from semblance.files import write_text
from workflow.own_faq import training
from workflow.own_faq.before import Before, find_run, next_output
from workflow.own_faq.quick import FEWEST_WORDINGS, OwnFaq
from workflow.own_faq.wordings import csv_text, learn_wordings, rows_of
from workflow.planning.expand import PRECISION

FINISHED = f"{layout.pattern(layout.MODEL)}/checkpoints/*/finished"  # of trainings, kept twice
REFUSED = 1  # exit status
HEADER = "# Written by: semblance faq learn\n"


@dataclass(frozen=True)
class Prepared:
    """What a log has taught, in lines, and the config of the run that learns from it.

    Without a config nothing runs, and ``status`` is how the command ends.
    """

    lines: tuple[str, ...]
    config: Path | None = None
    status: int = 0


def learn(log: str, model: str, output: str | None, cores: str) -> int:
    """Learn, compare, and accept or refuse, each told in plain lines; return the exit status."""
    before = find_run(model)
    output = training.checked_output(output or next_output(before.output))
    prepared = prepare(log, before, output)
    _print(prepared.lines)
    if prepared.config is None:
        return prepared.status
    link_finished(before.output, output)
    status = training.run_workflow(prepared.config, cores)
    if status:
        return training.ending(status)
    is_accepted, lines = accept(before, output)
    _print(lines)
    if is_accepted:
        return 0
    return REFUSED


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()


def prepare(log_path: str, before: Before, output: str) -> Prepared:
    """Read a log, and write the file of wordings and the config of a run that learns from them.

    Raises InputError for a malformed log or FAQ, and where ``output`` holds something else.
    """
    log = read_choices(log_path)
    queries = before.bank.get("queries_path")
    faq = read_own(before.bank["path"], before.columns(), queries)
    learned = learn_wordings(faq, log)
    lines = [*_log_lines(log_path, log), *learned.lines()]
    if not learned.ids:
        return Prepared((*lines, "Nothing to learn."))
    wordings = len(new_wordings(faq) | set(map(bare_or_whole, learned.ids)))
    if wordings < FEWEST_WORDINGS:
        return Prepared((*lines, _too_few(wordings)), status=REFUSED)
    file = Path(f"{output}.csv")
    text = csv_text([*rows_of(queries), *learned.rows()])
    _require_free(output, file, text, before)
    write_text(file, text)
    config = Path(f"{output}.yaml")
    write_text(config, HEADER + training.as_yaml(next_config(before, _own(before, file, output))))
    return Prepared((*lines, f"wordings: {file}, config: {config}"), config)


def _own(before: Before, queries: Path, output: str) -> OwnFaq:
    """Return what the new model is made of."""
    answerer = before.config["answerers"][before.answerer]
    asked = training.Asked(
        file=before.bank["path"],
        output=output,
        columns=before.columns(),
        queries=str(queries),
        precision=answerer.get("precision", PRECISION),
        base=answerer["base"],
    )
    own, _ = training.read_faq(asked)
    return own


def _log_lines(path: str, log: QuestionsLog) -> Iterator[str]:
    asked = counted(log.asked, "question")
    yield f"{path}: {asked} asked, {counted(len(log.choices), 'choice')} of an answer"
    for line in log.cut:
        yield f"{path}:{line}: the line was cut off, as by a crash; skipped"


def _too_few(wordings: int) -> str:
    return (
        f"REFUSED: {counted(wordings, 'wording')} with those of the log, and {FEWEST_WORDINGS} are"
        " needed to hold some out and see whether a new model is worse. Learn again when the log"
        " has more."
    )


def _require_free(output: str, wordings: Path, text: str, before: Before) -> None:
    """Raise InputError where the new model would go over another one."""
    if os.path.realpath(output) == os.path.realpath(before.output):
        raise InputError(output, "holds the model before", "choose another --output")
    same = wordings.is_file() and wordings.read_text(encoding="utf-8") == text
    record = Path(layout.record(output, layout.ANSWERER, answerer=before.answerer))
    mine = f"{output}.yaml"
    if record.is_file() and not same:
        advice = f"learn on top of it by --model {output}, or choose another --output"
        raise InputError(output, "holds a model that has learned already", advice)
    for path in (Path(output), Path(mine), wordings):
        if path.exists() and not _is_ours(Path(mine)) and not (same and path == wordings):
            raise InputError(path, "is there already", "move it away or choose another --output")


def _is_ours(config: Path) -> bool:
    """Tell whether a config was written here, for a model that was not accepted yet."""
    return config.is_file() and config.read_text(encoding="utf-8").startswith(HEADER)


def next_config(before: Before, own: OwnFaq) -> dict[str, Any]:
    """Return the config before with the new file of wordings and the new output.

    Where its test was unknown entries, wordings are held out from now on; a config that is as
    ``semblance faq train`` wrote it gets the further ways to rank that it would have got.
    """
    config = deepcopy(before.config)
    precision = config.get("training", {}).get("precision")
    own = replace(own, bf16=precision == "bf16")
    for thorough, learning_curve in itertools.product((False, True), repeat=2):
        asked = replace(own, thorough=thorough, learning_curve=learning_curve)
        if config == _as_written(before, asked):
            return training.config_of(asked)
    name = config["answerers"][before.answerer]["bank"]
    config["output"] = own.output
    config["faq"]["banks"][name] |= {"queries_path": own.queries_path, "hold_out": "wordings"}
    return config


def _as_written(before: Before, own: OwnFaq) -> dict[str, Any]:
    """Return the config that ``semblance faq train`` writes for the file and its old wordings."""
    queries = before.bank.get("queries_path")
    faq = read_own(before.bank["path"], before.columns(), queries)
    old = replace(
        own,
        path=before.bank["path"],
        output=before.config["output"],
        entries=len(faq.pairs),
        wordings=len(new_wordings(faq)),
        queries_path=queries,
    )
    return training.config_of(old)


def link_finished(before: str, output: str) -> int:
    """Give a new run the trainings that the run before has finished; return how many there are.

    A training looks there for its own texts and settings, and is not done again where it finds
    them. The files are linked where the file system can, and take no room.
    """
    found = sorted(Path(before).glob(FINISHED))
    for source in found:
        target = Path(output, source.relative_to(before))
        if not target.exists():
            shutil.copytree(source, target, copy_function=_link_or_copy)
    return len(found)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # the file system has no links, or the folders lie on two
        shutil.copy2(source, target)


def accept(before: Before, output: str) -> tuple[bool, list[str]]:
    """Compare the new model with the one before; return whether it is accepted, and why.

    A model that is refused loses its record, so that nobody answers by it.
    """
    from semblance.answering.answerer import Answerer
    from semblance.answering.held_out import compare

    now = Path(layout.place(output, layout.ANSWERER, answerer=before.answerer))
    found = compare(Answerer.open(before.folder), now)
    lines = list(found.lines())
    if found.parts and not found.is_worse:
        lines.append(f"ACCEPTED: not worse than before. Ask by --model {output}")
        return True, lines
    (now / layout.RECORD).unlink()
    why = "worse than before"
    if not found.parts:
        why = "no wording could be asked of both models"
    lines.append(f"REFUSED: {why}. {before.output} stays as it is; {output} does not answer.")
    return False, lines
