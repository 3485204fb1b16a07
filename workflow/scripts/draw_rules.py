"""Print the graph of the rules in the DOT language; `make rulegraph` makes docs/rules.svg of it."""

import argparse

from workflow.documentation import rulegraph
from workflow.planning.config import laid_over, load
from workflow.planning.plan import Plan
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Print the graph of config.yaml's plan."""
    argparse.ArgumentParser(prog="draw_rules", description=__doc__).parse_args(argv)
    print(rulegraph.dot(Plan(load(laid_over(["config.yaml"])))), end="")


if __name__ == "__main__":
    run(main)
