"""The rules and which of them reads another's outputs, as a graph in the DOT language."""

from collections.abc import Iterable

from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, inputs, jobs

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
