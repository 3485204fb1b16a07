"""Print the graph of the rules in the DOT language; `make rulegraph` makes docs/rules.svg of it."""

import argparse

from workflow.documentation import rulegraph
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan
from workflow.scripts.endings import run

CONFIGS = (
    ["config.yaml"],
    ["config.yaml", "configs/own-faq.yaml"],
    ["config.yaml", "configs/simcse-glove.yaml"],
)


def main(argv: list[str] | None = None) -> None:
    """Print the graph of plans that together have every rule: the papers', an own FAQ's and GloVe's."""
    argparse.ArgumentParser(prog="draw_rules", description=__doc__).parse_args(argv)
    plans = [Plan(load(laid_over(names))) for names in CONFIGS]
    print(rulegraph.dot(plans), end="")


if __name__ == "__main__":
    run(main)
