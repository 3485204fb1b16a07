"""Render a kept run anew by today's code, claims and printed numbers, from its scores and predictions.

    python -m benchmarks.render_kept docs/runs/NAME --configfile CONFIG...

The options behind the folder are those of the run's own command, which its report names. For a
change of how numbers are computed from scores. Which predictions a record means cannot be checked
by their digests, as they are packed; ``semblance verify`` shows that they give the scores.
"""

import contextlib
import sys
from dataclasses import asdict, replace
from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain, is_download
from semblance.audit.kept import PACKED, keep, laid_out, unpack
from semblance.code_digest import code_digest
from semblance.figures import KINDS
from semblance.named_modules import FIGURES, module_path
from semblance.provenance import ROOT, beside, canonical, read_object, read_sealed, write_json
from semblance.reporting import predictions
from semblance.reporting.published import PAPERS
from workflow.extensions import extensions
from workflow.planning.outline import ORIGIN
from workflow.report.outline import Outline
from workflow.run.crate import write_crate
from workflow.scripts import (
    collect_figure,
    compare_published,
    draw_figure,
    judge_claims,
    render_table,
    report,
)

MANIFEST = str(ROOT / "workflow/manifest.yaml")


def stated_digest(record: str | Path, path: str | Path) -> str:
    """Return what a record states of predictions, which lie here in another form."""
    return read_sealed(record)["outputs"][beside(record, path)]


def told(chain: Chain, config: dict) -> Outline:
    """Return what the report is told of a run, from its config and its records."""
    tables = {path.stem: config["tables"][path.stem] for path in chain.root.glob("tables/json/*")}
    lists = {name: table["seeds"] for name, table in tables.items()}
    drawn = {path.stem for path in chain.root.glob("figures/drawings/*")}
    links = [link for path in chain.paths for link in chain.node(path).links]
    raw = {link.place.stem for link in links if is_download(link.place)} - {"record", "source"}
    bases = config["bases"]
    return Outline(
        out=str(chain.root),
        manifest=MANIFEST,
        notes={name: table.get("note") for name, table in tables.items()},
        seeds={name: f"{len(config['seeds'][of])} ({of})" for name, of in lists.items()},
        labels={name: base.get("label", name) for name, base in bases.items()},
        origins={n: " ".join(str(b[k]) for k in ORIGIN if k in b) for n, b in bases.items()},
        datasets=tuple(sorted(raw)),
        figures={
            name: config["figures"][name]["kind"] for name in config["figures"] if name in drawn
        },
        drawn=tuple(sorted(drawn)),
        others={name: () for each in extensions("settings") for name in each.NAMING},
        records=tuple(map(str, chain.paths)),
    )


def flags(chain: Chain, record: Path) -> dict[str, object]:
    """Return the arguments that the program of a record gets, by its stage, besides record and code."""
    made = chain.node(record).record
    root, stage, settings = chain.root, made["stage"], made.get("settings", {})
    files = {path.suffix[1:]: path for path in (record.parent / name for name in made["outputs"])}
    tables = [path for path in chain.paths if chain.node(path).stage == "render_table"]
    papers = {"papers": PAPERS}
    if stage == "render_table":
        scores = [link.place.parent for link in chain.node(record).links if link.record]
        runs: dict[str, list[int]] = {}
        for path in sorted(set(scores) - {record.parent}):
            run = path.parent.relative_to(root / layout.SCORES).as_posix()
            runs.setdefault(run, []).append(int(path.name.removeprefix("seed-")))
        forms = {"csv": files["csv"], "markdown": files["md"], "latex": files["tex"]}
        of = {"settings": canonical(settings), "runs": canonical(runs), "results": root}
        return {**of, **forms, "json": files["json"], **papers}
    if stage == "compare_published":
        return {"tables": tables, **papers, "output": files["md"]}
    if stage == "judge_claims":
        return {"tables": tables, **papers, "csv": files["csv"], "markdown": files["md"]}
    if stage == "report":
        return {"outline": root / layout.OUTLINE, "tables": tables, "page": files["html"]}
    of = {"settings": canonical(settings)}
    if stage == "collect_figure":
        return {**of, "results": root, "output": files["csv"]}
    data = layout.place(root, layout.FIGURE_RECORD, figure=record.stem)
    csv = layout.place(root, layout.FIGURE, figure=record.stem)
    return {**of, "csv": csv, "data": data, "svg": files["svg"], "png": files["png"]}


# In the order of their inputs.
PROGRAMS = {
    "render_table": render_table,
    "compare_published": compare_published,
    "judge_claims": judge_claims,
    "collect_figure": collect_figure,
    "draw_figure": draw_figure,
    "report": report,
}


def render(folder: Path, options: list[str]) -> None:
    """Make the tables, verdicts, figures of tables and report of a kept run anew, and keep it."""
    predictions.checked_digest = stated_digest
    kept = folder.resolve()
    with laid_out(folder) as chain, contextlib.chdir(chain.root.parent):
        folder.parent.mkdir(parents=True)
        folder.symlink_to(chain.root)  # the report names the kept folder
        for packed in sorted(kept.glob(PACKED.format(kind="*", number="*"))):
            unpack(packed, chain.root)
        config = read_object(kept / "config.json")
        outline = replace(told(chain, config), out=str(folder))
        for name, of in {
            "CONFIG": config,
            "OUTLINE": asdict(outline),
            "COMMAND": {"options": options},
        }.items():
            write_json(layout.place(chain.root, getattr(layout, name)), of)
        for stage, module in PROGRAMS.items():
            for record in [path for path in chain.paths if chain.node(path).stage == stage]:
                kind = chain.node(record).record.get("settings", {}).get("kind")
                if stage == "collect_figure" and KINDS[kind] != "tables":
                    continue
                own = [module_path(FIGURES, kind, "kind")] if kind else []
                given = flags(chain, record)
                given |= {"record": record, "code": code_digest(module.__name__, *own)}
                words: list[str] = []
                for name, value in given.items():
                    words += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
                module.main(words)
        keep(chain.root, kept)
    write_crate(kept)


if __name__ == "__main__":
    render(Path(sys.argv[1]), sys.argv[2:])
