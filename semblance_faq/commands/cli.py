"""A model that answers from your own FAQ: train it, ask on the command line, serve a page, check it.

The folder of a trained FAQ holds all that is needed. None of these commands uses the network, but
for the training from a base that is not installed, which fetches that base once.
"""

import argparse
import contextlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from semblance.errors import InputError
from semblance_faq.answer.questions import (
    MOST_ANSWERS,
    checked_count,
    checked_question,
    questions_of,
)
from semblance_faq.commands.config import BANK, BASE, PRECISION, READY
from workflow.scripts.cli import add_cores
from workflow.scripts.endings import INTERRUPTED, NO_ANSWER, RUN_FAILED

if TYPE_CHECKING:
    from semblance_faq.answer.answerer import Answered

WRONG = 1  # exit status of check
NOT_BETTER = 1  # exit status of train
NOT_ACCEPTED = 1  # exit status of learn
EXAMPLES = {
    "faq": """examples:
  semblance faq train my.csv --output my-faq
  semblance faq ask --model my-faq "How do I renew a loan?"
""",
    "train": """examples:
  semblance faq train my.csv --output my-faq
  semblance faq train my.xlsx --output my-faq --queries asked.csv --question Frage --answer Antwort
""",
    "ask": """examples:
  semblance faq ask --model my-faq "How do I renew a loan?"
  semblance faq ask --model my-faq --json < questions.txt
""",
    "serve": """examples:
  semblance faq serve --model my-faq
  semblance faq serve --model my-faq --port 8090 --log log.jsonl
""",
    "learn": """examples:
  semblance faq learn log.jsonl --model my-faq
  semblance faq learn log.jsonl --model my-faq --output my-faq-2
""",
    "update": """examples:
  semblance faq update my.csv --model my-faq
  semblance faq ask --model my-faq-updated "When do you open?"
""",
    "check": """example:
  semblance faq check my-faq
""",
}
SHAPE = argparse.RawDescriptionHelpFormatter
PROMPT = "question (Ctrl-D ends): "

ASK = f"""Ask questions: one as an argument, or one a line from the standard input.

Exit status 0: each question has an answer. {NO_ANSWER}: at least one has none above the threshold, or
above the floor where there is no threshold.
2: a question or the folder is malformed; one line says what.
"""
TRAIN = f"""Train on your file: CSV, Excel (.xlsx) or JSON lines with questions and answers.

It tries the start model, BM25, both together, and a model that is tuned on the file, in folds. It
keeps the simplest of them that none clearly beats, trained once more on everything, in
OUTPUT/answerers/{BANK}, and prints a summary: what was kept, how good it is beside no training and
BM25, and when it does not answer. The same command goes on after a stop. The config that it runs is OUTPUT.yaml.

Exit status 0: there is an answerer, and the summary says how good it is. {NOT_BETTER}: with --require-better,
it was not shown to be better than the start model, than BM25 and than no training. 2: the file is
malformed; one line says what. {RUN_FAILED}: the run failed.
"""
BASES = (
    f"the model to start from: {BASE}, which is installed (default), {', '.join(READY)}, or"
    " another base of config.yaml; multilingual-e5-small is for other languages than English"
)
SERVE = """Serve a page and a JSON interface on this machine, on 127.0.0.1 only.

No other address can be chosen: the server has no passwords and no encryption. To let others ask,
put a web server with both before it, which passes the header "Host: localhost" on.
It stops at Ctrl-C or SIGTERM when the questions at work are answered, with exit status 0.
"""
LEARN = f"""Learn from the log of the server (serve --log): questions with a chosen answer become wordings.

They go into NEW.csv, with those of your own file of queries, which is not changed. The config of the
model runs again with them, in a folder of its own, NEW. At the end both models are compared on
wordings that neither was trained on.
NEW is the folder of --output; without it MODEL-learned.

Exit status 0: the new model is accepted, or there is nothing to learn. {NOT_ACCEPTED}: refused, because it
is worse or there are too few wordings to tell; the model before stays as it is. 2: the log or a
file is malformed; one line says where. {RUN_FAILED}: the run failed; the model before stays as it is.
"""
UPDATE = """Answer from a file as it stands now, by the model that was trained on an earlier state of it.

Its entries are embedded in seconds; nothing is trained, and the model's own folder stays. Another
update replaces the new one: a server of it takes the new entries by itself. An entry for which
neither the file nor --queries has wordings of users keeps those that it had.
"""
CHECK = f"""Check a folder: digests, and its vectors, which are computed again.

Exit status 0: all is as the record says. {WRONG}: something is not; each problem is one line.
"""


def main(argv: list[str] | None = None) -> None:
    """Run the named subcommand."""
    args = parser().parse_args(argv)
    args.call(args)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    made = argparse.ArgumentParser(
        prog="semblance faq",
        description=__doc__,
        epilog=EXAMPLES["faq"],
        formatter_class=SHAPE,
    )
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    _add_train(commands)
    _add_ask(commands)
    _add_serve(commands)
    _add_learn(commands)
    _add_update(commands)
    _add_check(commands)
    return made


def _add(
    commands: argparse._SubParsersAction, name: str, call: Callable, **options: object
) -> argparse.ArgumentParser:
    """Return the parser of a subcommand, which ``call`` runs; its help ends with its examples."""
    found = commands.add_parser(name, formatter_class=SHAPE, epilog=EXAMPLES[name], **options)
    found.set_defaults(call=call)
    return found


def _add_train(commands: argparse._SubParsersAction) -> None:
    found = _add(commands, "train", train, help="train on your file", description=TRAIN)
    found.add_argument("file", help="your FAQ")
    found.add_argument("--output", required=True, metavar="FOLDER", help="where all results go")
    found.add_argument("--question", metavar="COLUMN", help="the column of the questions")
    found.add_argument("--answer", metavar="COLUMN", help="the column of the answers")
    found.add_argument("--queries", metavar="FILE", help="users' queries: columns query and id")
    found.add_argument(
        "--precision",
        type=float,
        default=PRECISION,
        help="wanted of the answers given (default .9)",
    )
    found.add_argument("--base", default=BASE, metavar="NAME", help=BASES)
    found.add_argument(
        "--require-better",
        action="store_true",
        help=f"exit status {NOT_BETTER} unless the choice is shown to be better than no training and BM25",
    )
    add_cores(found)


def _add_ask(commands: argparse._SubParsersAction) -> None:
    found = _add(commands, "ask", ask, help="ask questions", description=ASK)
    _add_model(found)
    found.add_argument("question", nargs="?", help="without it, questions are read, one a line")
    found.add_argument(
        "--count", type=int, default=5, metavar="N", help=f"answers, 1 to {MOST_ANSWERS}"
    )
    found.add_argument("--json", action="store_true", help="one JSON object a line")
    found.add_argument(
        "--all", action="store_true", help="show the ranked answers below the threshold, too"
    )


def _add_serve(commands: argparse._SubParsersAction) -> None:
    found = _add(commands, "serve", serve, help="serve a page", description=SERVE)
    _add_model(found)
    found.add_argument("--port", type=int, default=8080, help="default 8080; 0: any free one")
    found.add_argument(
        "--log", metavar="FILE", help="add questions and answers shown to FILE, as JSON lines"
    )


def _add_learn(commands: argparse._SubParsersAction) -> None:
    found = _add(commands, "learn", learn, help="learn from a log", description=LEARN)
    found.add_argument("log", help="what semblance faq serve --log wrote")
    found.add_argument("--model", required=True, metavar="FOLDER", help="what train wrote")
    found.add_argument("--output", metavar="FOLDER", help="where the new model goes")
    add_cores(found)


def _add_update(commands: argparse._SubParsersAction) -> None:
    found = _add(commands, "update", update, help="take over a changed file", description=UPDATE)
    found.add_argument("file", help="your FAQ as it stands now")
    found.add_argument("--model", required=True, metavar="FOLDER", help="what train wrote")
    found.add_argument("--output", metavar="FOLDER", help="where it goes: MODEL-updated")
    found.add_argument("--queries", metavar="FILE", help="users' queries: columns query and id")


def _add_check(commands: argparse._SubParsersAction) -> None:
    found = _add(commands, "check", check_folder, help="check a folder", description=CHECK)
    found.add_argument("folder", help="folder of a trained FAQ")


def _add_model(found: argparse.ArgumentParser) -> None:
    found.add_argument("--model", required=True, metavar="FOLDER", help="folder of a trained FAQ")


def train(args: argparse.Namespace) -> None:
    """Train on a user's file and print the summary."""
    from semblance_faq.commands import train as training

    stated = {"question": args.question, "answer": args.answer}
    own, lines = training.read_faq(
        args.file,
        args.output,
        {role: name for role, name in stated.items() if name is not None},
        args.queries,
        precision=args.precision,
        base=args.base,
    )
    for line in lines:
        print(line, file=sys.stderr)
    config = training.write_config(own, args.file)
    line, hours = training.estimate(config, args.cores)
    print(line, file=sys.stderr)
    if hours > 1 and sys.stdin.isatty():
        print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print(f"not started; to start: semblance run {config}", file=sys.stderr)
            sys.exit(INTERRUPTED)
    status = training.run_workflow(config, args.cores)
    if status:
        sys.exit(training.ending(status))
    summary, is_better = training.result_of(own.output)
    print(summary)
    if args.require_better and not is_better:
        sys.exit(NOT_BETTER)


def ask(args: argparse.Namespace) -> None:
    """Answer the question of the command line, or those of the standard input as they come."""
    from semblance_faq.answer.answerer import Answerer

    checked_count(args.count)
    if args.question is not None:
        checked_question(args.question)
    answerer = Answerer.open(_answerer_folder(args.model), one_thread=True)
    without_answer = 0
    for question in _questions(args):
        answered = answerer.ask(question, args.count)
        print(_format_answered(answered, args), flush=True)
        without_answer += not answered.is_answered
    if without_answer:
        sys.exit(NO_ANSWER)


def _questions(args: argparse.Namespace) -> Iterator[str]:
    if args.question is not None:
        yield args.question
        return
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


def _format_answered(answered: "Answered", args: argparse.Namespace) -> str:
    from semblance_faq.answer.output import as_json, as_text

    if args.json:
        return json.dumps(as_json(answered), ensure_ascii=False)
    return as_text(answered, shutil.get_terminal_size().columns, args.all) + "\n"


def serve(args: argparse.Namespace) -> None:
    """Serve until a signal stops it."""
    if not 0 <= args.port <= 65535:
        raise InputError("--port", f"{args.port} is no port", "choose one from 1024 to 65535")
    from semblance_faq.answer.answerer import Answerer
    from semblance_faq.serve.app import Service
    from semblance_faq.serve.log import QuestionLog
    from semblance_faq.serve.server import HOST, listen
    from semblance_faq.serve.server import serve as serve_until_stopped

    listening = listen(args.port)
    log = None
    if args.log:
        log = QuestionLog(Path(args.log))
    service = Service(Answerer.open(_answerer_folder(args.model), one_thread=True), log)
    port = listening.getsockname()[1]
    serve_until_stopped(
        service, listening, lambda: print(f"serving on http://{HOST}:{port}/", flush=True)
    )


def learn(args: argparse.Namespace) -> None:
    """Learn from a log, compare, and accept or refuse the new model."""
    from semblance_faq.commands.learn import learn as learn_from

    status = learn_from(args.log, args.model, args.output, args.cores)
    if status:
        sys.exit(status)


def update(args: argparse.Namespace) -> None:
    """Take over a changed file and print what was found."""
    from semblance_faq.commands.update import update as take_over

    for line in take_over(args.file, args.model, args.output, args.queries):
        print(line)


def _answerer_folder(named: str) -> Path:
    """Return the folder of an answerer, and say if the file that it was made from has changed since."""
    from semblance_faq.answer.folder import answerer_folder, changed_file

    folder = answerer_folder(named)
    # The record of a copied folder may say anything; it answers all the same.
    with contextlib.suppress(
        InputError, OSError, LookupError, TypeError, ValueError, AttributeError
    ):
        if file := changed_file(folder):
            news = f"{str(file)!r} has changed since this answerer was made"
            print(f"note: {news}; semblance faq update takes changes over", file=sys.stderr)
    return folder


def check_folder(args: argparse.Namespace) -> None:
    """Check a folder and print what was found."""
    from semblance_faq.answer.check import check_answerer

    found = check_answerer(_answerer_folder(args.folder))
    for fact in found.facts:
        print(fact)
    for problem in found.problems:
        print(f"problem: {problem}")
    if found.problems:
        sys.exit(WRONG)
    print("the folder is as its record says")
