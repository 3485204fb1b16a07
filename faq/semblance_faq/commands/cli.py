"""A model that answers from your own FAQ: train it, ask on the command line, serve a page, check it.

The folder of a trained FAQ holds all that is needed. None of these commands uses the network, but
for the training from a base that is not installed, which fetches that base once.
"""

import argparse
import contextlib
import importlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from semblance.errors import InputError
from semblance_faq.commands.config import BASE, PRECISION, READY
from workflow.scripts.cli import add_cores, command
from workflow.scripts.endings import BAD_INPUT, INTERRUPTED, NO_ANSWER, RUN_FAILED, TRY_AGAIN

WRONG = 1  # exit status of check
NOT_BETTER = 1  # exit status of train
STAGES = ("train_final", "build_answerer")  # of a run, which calls their programs
EXAMPLE = "example:\n  semblance faq "
# Of each command an example, and what it is for.
HELP = re.findall(
    r"^\[(\w+)\] (.+)\n([^[]+)", Path(__file__).with_name("help.txt").read_text("utf-8"), re.M
)
EXAMPLES = {name: example for name, example, _ in HELP}
TEXTS = {name: text for name, _, text in HELP}
PROMPT = "question (Ctrl-D ends): "
BASES = f"the model to start from: {BASE}, which is installed, {', '.join(READY)}, or another of config.yaml"
MIRROR = (
    "no base? Elsewhere: semblance fetch {} --mirror FOLDER; then train here with --mirror FOLDER"
)
MODEL: dict = {"required": True, "metavar": "FOLDER", "help": "folder of a trained FAQ"}
QUERIES = "users' queries: columns query and id"
WANTED = "wanted of the answers given (default .9)"
REQUIRED = (
    f"exit status {NOT_BETTER} unless the choice is shown to be better than no training and BM25"
)
KEPT = "add questions and answers shown to FILE, as JSON lines"
CONTACT = "whom to ask where no answer is given: an address of mail or the web, or any text"
LABELS = "where labels are added"
LOG = "a text file with one question a line, a table with a column query, or a log of the server"
SHOWN = 5  # answers, at most
TITLE = "Ask the FAQ"


def main(argv: list[str] | None = None) -> None:
    """Run the named subcommand, or the program of a stage."""
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] in STAGES:
        importlib.import_module(f"semblance_faq.scripts.{words[0]}").main(words[1:])
        return
    args = parser().parse_args(words)
    args.call(args)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    made = command("semblance faq", __doc__, epilog=EXAMPLE + EXAMPLES["train"])
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    _add_train(_added(commands, "train", train, "train on your file"))
    asked = _added(commands, "ask", ask, "ask questions")
    asked.add_argument("--model", **MODEL)
    asked.add_argument("question", nargs="?", help="without it, questions are read, one a line")
    asked.add_argument("--top", type=int, metavar="N", help="the N best, whatever their scores are")
    asked.add_argument("--json", action="store_true", help="one JSON object a line")
    served = _added(commands, "serve", serve, "serve a page")
    served.add_argument("--model", **MODEL)
    served.add_argument("--port", type=int, default=8080, help="default 8080; 0: any free one")
    served.add_argument("--title", default=TITLE, help=f"title of the page (default: {TITLE})")
    served.add_argument("--log", metavar="FILE", help=KEPT)
    served.add_argument("--contact", default="", metavar="ADDRESS", help=CONTACT)
    covered = _added(commands, "coverage", coverage, "what people ask in vain")
    covered.add_argument("--model", **MODEL)
    covered.add_argument("log", help=LOG)
    covered.add_argument("--count", type=int, default=20, metavar="N", help="groups shown (20)")
    covered.add_argument("--json", action="store_true", help="all of it, as one JSON object")
    labelled = _added(commands, "label", label, "label questions of a log")
    labelled.add_argument("--model", **MODEL)
    labelled.add_argument("log", help=LOG)
    labelled.add_argument("--output", required=True, metavar="FILE.csv", help=LABELS)
    labelled.add_argument("--count", type=int, default=60, metavar="N", help="labels wanted (60)")
    updated = _added(commands, "update", update, "take over a changed file")
    updated.add_argument("file", help="your FAQ as it stands now")
    updated.add_argument("--model", required=True, metavar="FOLDER", help="what train wrote")
    updated.add_argument("--output", metavar="FOLDER", help="where it goes: MODEL-updated")
    updated.add_argument("--queries", metavar="FILE", help=QUERIES)
    checked = _added(commands, "check", check_folder, "check a folder")
    checked.add_argument("folder", help=MODEL["help"])
    checked.add_argument("--json", action="store_true", help="facts and problems, as JSON")
    return made


def _added(
    commands: argparse._SubParsersAction, name: str, call: Callable, text: str
) -> argparse.ArgumentParser:
    """Return the parser of a subcommand, which ``call`` runs; its help ends with its example."""
    form = argparse.RawDescriptionHelpFormatter
    more = {"description": TEXTS[name], "epilog": EXAMPLE + EXAMPLES[name]}
    own = commands.add_parser(name, formatter_class=form, help=text, **more)
    own.set_defaults(call=call)
    return own


def _add_train(flags: argparse.ArgumentParser) -> None:
    flags.add_argument("file", help="your FAQ")
    flags.add_argument("--output", required=True, metavar="FOLDER", help="where all results go")
    flags.add_argument("--question", metavar="COLUMN", help="the column of the questions")
    flags.add_argument("--answer", metavar="COLUMN", help="the column of the answers")
    flags.add_argument("--queries", metavar="FILE", help=QUERIES)
    flags.add_argument("--precision", type=float, default=PRECISION, help=WANTED)
    flags.add_argument("--base", default=BASE, metavar="NAME", help=BASES)
    flags.add_argument("--require-better", action="store_true", help=REQUIRED)
    flags.add_argument("--mirror", metavar="FOLDER", help="where semblance fetch has put the base")
    add_cores(flags)


def train(args: argparse.Namespace) -> None:
    """Train on a user's file and print the summary."""
    from semblance_faq.commands import train as training

    columns = {"question": args.question, "answer": args.answer}
    own, lines = training.read_faq(
        args.file, args.output, columns, args.queries, args.precision, args.base
    )
    for line in lines:
        print(line, file=sys.stderr)
    config = training.write_config(own, args.file)
    line, hours = training.estimate(config, args.cores)
    if hours:  # or all is there, unless the file has changed
        print(line, file=sys.stderr)
    if hours > 1 and sys.stdin.isatty():
        print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print(f"not started; to start: semblance run {config}", file=sys.stderr)
            sys.exit(INTERRUPTED)
    status = training.run_workflow(config, args.cores, args.mirror)
    if status not in (0, BAD_INPUT, INTERRUPTED, TRY_AGAIN):
        if args.base != BASE:
            print(MIRROR.format(config), file=sys.stderr)
        status = RUN_FAILED  # Snakemake's 1 would be our verdict
    if status:
        sys.exit(status)
    summary, is_better = training.result_of(own.output)
    print(summary)
    if args.require_better and not is_better:
        sys.exit(NOT_BETTER)


def ask(args: argparse.Namespace) -> None:
    """Answer the question of the command line, or those of the standard input as they come."""
    _use_one_thread()
    from semblance_faq.answer.answerer import Answerer
    from semblance_faq.answer.output import as_json, as_text

    answerer = Answerer.open(_answerer_folder(args.model))
    without_answer = 0
    for question in _questions(args):
        answered = answerer.ask(question, SHOWN if args.top is None else args.top)
        line = as_text(answered, shutil.get_terminal_size().columns, args.top) + "\n"
        if args.json:
            line = json.dumps(as_json(answered), ensure_ascii=False)
        print(line, flush=True)
        without_answer += not answered.given
    if without_answer:
        sys.exit(NO_ANSWER)


def _questions(args: argparse.Namespace) -> Iterator[str]:
    if args.question is not None:
        yield args.question
        return
    from semblance_faq.answer.output import questions_of

    on_terminal = sys.stdin.isatty()

    def prompt() -> None:
        if on_terminal:
            print(PROMPT, end="", file=sys.stderr, flush=True)

    while True:
        try:
            yield from questions_of(sys.stdin.buffer, prompt)
            return
        except InputError as error:
            if not on_terminal:
                raise
            print(f"error: {error}", file=sys.stderr)  # a person can ask again


def serve(args: argparse.Namespace) -> None:
    """Serve until a signal stops it."""
    _use_one_thread()
    if not 0 <= args.port <= 65535:
        raise InputError("--port", f"{args.port} is no port", "choose one from 1024 to 65535")
    from semblance_faq.answer.answerer import Answerer
    from semblance_faq.answer.output import printable
    from semblance_faq.serve.app import Service
    from semblance_faq.serve.log import QuestionLog
    from semblance_faq.serve.server import HOST, listen
    from semblance_faq.serve.server import serve as serve_until_stopped

    listening = listen(args.port)
    log = QuestionLog(Path(args.log)) if args.log else None
    answerer = Answerer.open(_answerer_folder(args.model))
    service = Service(answerer, log, printable(args.title), printable(args.contact))
    port = listening.getsockname()[1]
    serve_until_stopped(
        service, listening, lambda: print(f"serving on http://{HOST}:{port}/", flush=True)
    )


def _use_one_thread() -> None:
    """Let NumPy and torch, which are not imported yet, compute with one thread.

    A question has few tokens. A second thread that waits for a busy core spins: of a question of 7
    tokens it made 30 ms of processor time 230.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def coverage(args: argparse.Namespace) -> None:
    """Print what an answerer makes of a log."""
    from semblance_faq.commands.coverage import coverage as covered
    from semblance_faq.commands.coverage import lines_of

    found = covered(args.log, _answerer_folder(args.model))
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        print(*lines_of(found, args.count), sep="\n")


def label(args: argparse.Namespace) -> None:
    """Ask a person for labels, and print what they show."""
    from semblance_faq.commands.label import label as label_log

    for line in label_log(args.log, _answerer_folder(args.model), args.output, args.count, input):
        print(line)


def update(args: argparse.Namespace) -> None:
    """Take over a changed file and print what was found."""
    from semblance_faq.commands.update import update as take_over

    print(*take_over(args.file, args.model, args.output, args.queries), sep="\n")


def _answerer_folder(named: str) -> Path:
    """Return the folder of an answerer, and say if the file that it was made from has changed since."""
    from semblance_faq.answer.folder import answerer_folder, changed_file

    folder = answerer_folder(named)
    with contextlib.suppress(Exception):  # the record of a copied folder may say anything
        if file := changed_file(folder):
            news = f"{str(file)!r} has changed since this answerer was made"
            print(f"note: {news}; semblance faq update takes changes over", file=sys.stderr)
    return folder


def check_folder(args: argparse.Namespace) -> None:
    """Check a folder and print what was found."""
    from semblance_faq.answer.folder import check_answerer

    checked = check_answerer(_answerer_folder(args.folder))
    lines = [*checked.facts, *(f"problem: {problem}" for problem in checked.problems)]
    if args.json:
        lines = [json.dumps(checked._asdict(), ensure_ascii=False)]
    elif not checked.problems:
        lines.append("the folder is as its record says")
    print(*lines, sep="\n")
    if checked.problems:
        sys.exit(WRONG)
