# All results in, one page out. Inputs: results/tables, results/figures. Output: results/report.html.
# The page also shows the records and the cost of all jobs, so it comes last; it is made again only with
# the results.
from dataclasses import asdict

from semblance import layout
from semblance.provenance import ROOT, text_digest
from workflow.planning.outline import outline

PAGES = ("scores.csv", "published.md", "claims.csv")
TEMPLATES = [*sorted((ROOT / "workflow/report/templates").iterdir()), *extensions.TEMPLATES]
DRAWN = figures.drawn_figures(PLAN)


rule report:
    """Make the report: one HTML page of the claims, the tables, the figures, the cost, the sources."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config.tables),
        records=ancient(expand(f"{OUT}/tables/records/{{table}}.json", table=config.tables)),
        pages=[f"{OUT}/tables/{name}" for name in PAGES],
        drawings=DRAWINGS,
        others=[
            stages.record(PLAN, job) for role in stages.OTHERS for job in role(PLAN, stages.TARGET)
        ],
        figures=[path for name, path in zip(config.figures, FIGURES) if name not in DRAWN],
        templates=[shown(path) for path in TEMPLATES],
        papers=OF_PAPERS,
    output:
        page=report(
            f"{OUT}/report.html",
            category="Report",
            caption="../report/captions/report.rst",
            labels={"page": "report"},
        ),
        record=f"{OUT}/tables/records/report.json",
    log:
        f"{OUT}/logs/report.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        outline=layout.place(OUT, layout.OUTLINE),  # which each start writes
        told=lambda w: text_digest(canonical(asdict(outline(PLAN)))),
        code=code("report", *extensions.names("report")),
    shell:
        "{PYTHON}.report --outline {params.outline:q} --tables {input.records:q} --page {output.page:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"
