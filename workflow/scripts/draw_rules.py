"""Print the graph of the rules in the DOT language; `make rulegraph` makes docs/rules.svg of it."""

import argparse
from collections.abc import Iterable

from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, inputs, jobs
from workflow.scripts.endings import run

CONFIGS = (
    ["config.yaml"],
    ["config.yaml", "configs/own-faq.yaml"],
)
COLOURS = {  # by kind of work
    "download": "#e8e8e8",
    "prepare": "#dbe9f6",
    "train": "#f9cfcf",
    "read": "#d9efd3",
    "table": "#e6dcf2",
}
HEAD = """digraph rules {
  rankdir=LR; bgcolor=white; nodesep=0.15; ranksep=0.3;
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=13, color="#555555"];
  edge [color="#555555", arrowsize=0.7];
"""


def main(argv: list[str] | None = None) -> None:
    """Print the graph of plans that together have every rule: the papers' and an own FAQ's."""
    argparse.ArgumentParser(prog="draw_rules", description=__doc__).parse_args(argv)
    plans = [Plan(load(laid_over(names))) for names in CONFIGS]
    print(dot(plans), end="")


def edges(plans: Iterable[Plan]) -> set[tuple[str, str]]:
    """Return the pairs (rule, rule that reads its outputs) of some plans."""
    found = set()
    for plan in plans:
        for job in jobs(plan):
            found |= {(source.stage, job.stage) for source in inputs(plan, job)}
    return found


def dot(plans: Iterable[Plan]) -> str:
    """Return the graph of some plans, one colour for each kind of work."""
    nodes = [f'  {name} [fillcolor="{COLOURS[stage.work]}"];' for name, stage in STAGES.items()]
    arrows = [f"  {source} -> {target};" for source, target in sorted(edges(plans))]
    return HEAD + "\n".join([*nodes, *arrows]) + "\n}\n"


if __name__ == "__main__":
    run(main)
