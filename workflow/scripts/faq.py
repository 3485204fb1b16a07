"""A model that answers from your own FAQ: train it, ask on the command line, serve a page, check it."""

import argparse
import importlib

from semblance.errors import one_of
from workflow.scripts.endings import run

APPLICATION = "semblance_faq.commands.cli"  # the reproduction knows it by this name alone


def parser() -> argparse.ArgumentParser:
    return importlib.import_module(APPLICATION).parser()


def main(argv: list[str] | None = None) -> None:
    application = importlib.import_module(APPLICATION)
    if argv and not argv[0].startswith("-"):
        one_of(argv[0], "command of semblance faq", application.EXAMPLES)
    application.main(argv)


if __name__ == "__main__":
    run(main)
