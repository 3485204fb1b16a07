"""From a log of questions to a new model, which takes over only if it is not worse.

The model before is never touched. The log's wordings go into NEW.csv, with those of the user's own
second file, which stays as it is; the config goes into NEW.yaml; the run into the folder NEW. A model
that is worse loses its record, without which no command answers by it.
"""

import os
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from semblance import layout
from semblance.counts import counted
from semblance.data.bare import bare_or_whole
from semblance.data.faq import Faq, new_wordings
from semblance.errors import InputError
from semblance.files import write_text
from semblance.strict_yaml import read_yaml
from semblance_faq.commands import train
from semblance_faq.commands.config import FEWEST_WORDINGS, PRECISION, OwnFaq
from semblance_faq.commands.wordings import learn_wordings, own_rows, wordings_csv
from semblance_faq.read.faq import read_own
from semblance_faq.serve.log import QuestionsRead, read_choices

REFUSED = 1  # exit status
HEADER = "# Written by: semblance faq learn\n"
SUFFIX = "-learned"
OWN = "own"  # the kind of a bank that is a user's file


@dataclass(frozen=True)
class TrainedRun:
    """The run that made a model: its output folder, its config, its answerer's name."""

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

    @property
    def queries(self) -> str | None:
        """The user's own file of queries, if there is one."""
        return self.bank.get("queries_path")

    def columns(self) -> dict[str, str]:
        """Return the names of columns that the user has stated."""
        keys = {"question": "question_column", "answer": "answer_column"}
        return {role: self.bank[key] for role, key in keys.items() if key in self.bank}


def find_run(model: str) -> TrainedRun:
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
    run = TrainedRun(output, read_yaml(path), answerer.name)
    try:
        is_own = run.bank["kind"] == OWN and "path" in run.bank
    except (KeyError, TypeError):
        is_own = False
    if not is_own:
        problem = f"does not say from which file {run.answerer!r} was trained"
        raise InputError(path, problem, "name the folder that semblance faq train wrote")
    return run


def next_output(output: str) -> str:
    """Return where the next model goes: OUTPUT-learned, then OUTPUT-learned-2, and so on."""
    match = re.fullmatch(rf"(.+{SUFFIX})(?:-(\d+))?", output)
    if match is None:
        return output + SUFFIX
    return f"{match[1]}-{int(match[2] or 1) + 1}"


class Prepared(NamedTuple):
    """What a log has taught, in lines, and the config of the run that learns from it.

    Without a config nothing runs, and ``status`` is how the command ends.
    """

    lines: tuple[str, ...]
    config: Path | None = None
    status: int = 0


def learn(log: str, model: str, output: str | None, cores: str) -> int:
    """Learn, compare, and accept or refuse, each said in plain lines; return the exit status."""
    before = find_run(model)
    output = train.checked_output(output or next_output(before.output))
    prepared = prepare(log, before, output)
    print(*prepared.lines, sep="\n", flush=True)
    if prepared.config is None:
        return prepared.status
    status = train.run_workflow(prepared.config, cores)
    if status:
        return train.ending(status)
    is_accepted, lines = accept(before, output)
    print(*lines, sep="\n", flush=True)
    return 0 if is_accepted else REFUSED


def prepare(log_path: str, before: TrainedRun, output: str) -> Prepared:
    """Read a log, and write the file of wordings and the config of a run that learns from them.

    Raises InputError for a malformed log or FAQ, and where ``output`` holds something else.
    """
    log = read_choices(log_path)
    faq = read_own(before.bank["path"], before.columns(), before.queries)
    learned = learn_wordings(faq, log)
    lines = (*_log_lines(log_path, log), *learned.lines())
    if not learned.ids:
        return Prepared((*lines, "Nothing to learn."))
    wordings = len(new_wordings(faq) | set(map(bare_or_whole, learned.ids)))
    if wordings < FEWEST_WORDINGS:
        too_few = (
            f"REFUSED: {counted(wordings, 'wording')} with those of the log, and {FEWEST_WORDINGS}"
            " are needed to hold some out and see whether a new model is worse. Learn again when"
            " the log has more."
        )
        return Prepared((*lines, too_few), status=REFUSED)
    file = Path(f"{output}.csv")
    text = wordings_csv([*own_rows(before.queries), *learned.rows()])
    _require_free(output, file, text, before)
    write_text(file, text)
    config = Path(f"{output}.yaml")
    write_text(config, HEADER + train.as_yaml(next_config(before, faq, file, output)))
    return Prepared((*lines, f"wordings: {file}, config: {config}"), config)


def _log_lines(path: str, log: QuestionsRead) -> Iterator[str]:
    asked = counted(len(log.asked), "question")
    yield f"{path}: {asked} asked, {counted(len(log.choices), 'choice')} of an answer"
    for line in log.cut:
        yield f"{path}:{line}: the line was cut off, as by a crash; skipped"


def _require_free(output: str, wordings: Path, text: str, before: TrainedRun) -> None:
    """Raise InputError where the new model would go over another one."""
    if os.path.realpath(output) == os.path.realpath(before.output):
        raise InputError(output, "holds the model before", "choose another --output")
    same = wordings.is_file() and wordings.read_text(encoding="utf-8") == text
    record = Path(layout.record(output, layout.ANSWERER, answerer=before.answerer))
    mine = Path(f"{output}.yaml")  # ours, if it was written for a model that was not accepted yet
    is_ours = mine.is_file() and mine.read_text(encoding="utf-8").startswith(HEADER)
    if record.is_file() and not same:
        advice = f"learn on top of it by --model {output}, or choose another --output"
        raise InputError(output, "holds a model that has learned already", advice)
    for path in (Path(output), mine, wordings):
        if path.exists() and not is_ours and not (same and path == wordings):
            raise InputError(path, "is there already", "move it away or choose another --output")


def next_config(before: TrainedRun, faq: Faq, queries: Path, output: str) -> dict[str, Any]:
    """Return the config before with the new file of wordings and the new output.

    Where its test was unknown entries, wordings are held out from now on; a config that is as
    ``semblance faq train`` wrote it gets the further ways to rank that it would have got.
    """
    config = deepcopy(before.config)
    answerer = config["answerers"][before.answerer]
    own, _ = train.read_faq(
        before.bank["path"],
        output,
        before.columns(),
        str(queries),
        precision=answerer.get("precision", PRECISION),
        base=answerer["base"],
    )
    own = replace(own, bf16=config.get("training", {}).get("precision") == "bf16")
    if config == train.config_of(_as_before(own, before, faq)):
        return train.config_of(own)
    config["output"] = own.output
    changes = {"queries_path": own.queries_path, "hold_out": "wordings"}
    config["faq"]["banks"][answerer["bank"]] |= changes
    return config


def _as_before(own: OwnFaq, before: TrainedRun, faq: Faq) -> OwnFaq:
    """Return what ``semblance faq train`` made of the file with its old wordings."""
    return replace(
        own,
        path=before.bank["path"],
        output=before.config["output"],
        wordings=len(new_wordings(faq)),
        queries_path=before.queries,
    )


def accept(before: TrainedRun, output: str) -> tuple[bool, list[str]]:
    """Compare the new model with the one before; return whether it is accepted, and why.

    A model that is refused loses its record, so that nobody answers by it.
    """
    from semblance_faq.answer.answerer import Answerer
    from semblance_faq.answer.folder import read_record
    from semblance_faq.judge.held_out import compare_answerers

    now = Path(layout.place(output, layout.ANSWERER, answerer=before.answerer))
    parts, left_out = compare_answerers(Answerer.open(before.folder), now)
    lines = [part.line() for part in parts]
    old, new = (read_record(folder)["evidence"]["chosen"] for folder in (before.folder, now))
    if old != new:
        lines.append(f"It answers by {new}, before by {old}: a part of the difference is this.")
    if left_out:
        wordings = counted(left_out, "wording")
        lines.append(f"{wordings} left out: no test of both models with the same right answers")
    if parts and not any(part.is_worse for part in parts):
        lines.append(f"ACCEPTED: not worse than before. Ask by --model {output}")
        return True, lines
    (now / layout.RECORD).unlink()
    why = "worse than before"
    if not parts:
        why = "no wording could be asked of both models"
    lines.append(f"REFUSED: {why}. {before.output} stays as it is; {output} does not answer.")
    return False, lines
