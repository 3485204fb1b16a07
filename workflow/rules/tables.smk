# Scores in, the papers' tables out. Inputs: results/scores. Outputs: results/tables.
# Records say when they were written: `ancient`, so that a new date alone reruns nothing. They are inputs
# all the same: a stage that stops at damage names the record to delete, and the next run makes it anew.

TABLES = expand(f"{OUT}/tables/{{table}}.{{form}}", table=config.tables, form=["csv", "md", "tex"])


rule collect_scores:
    """Join the scores of every run into the one long CSV."""
    input:
        scores=[PLAN.scores(evaluation) for evaluation in PLAN.evaluations],
        records=ancient([PLAN.scores(evaluation, "record.json") for evaluation in PLAN.evaluations]),
    output:
        scores=f"{OUT}/tables/scores.csv",
        parquet=f"{OUT}/tables/scores.parquet",
        record=f"{OUT}/tables/records/scores.json",
    log:
        f"{OUT}/logs/collect_scores.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        runs=canonical(PLAN.seeds_by_run(PLAN.evaluations)),
        root=f"{OUT}/scores",
        code=code("collect_scores"),
    shell:
        "{PYTHON}.collect_scores --root {params.root:q} --runs {params.runs:q} --output {output.scores:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"


rule render_table:
    """Render one table from its own runs as CSV, Markdown and LaTeX, the paper's values beside ours."""
    input:
        scores=lambda w: PLAN.table_files(w.table, "scores.csv"),
        records=ancient(lambda w: PLAN.table_files(w.table, "record.json")),
        predictions=ancient(lambda w: PLAN.table_files(w.table, "predictions.parquet")),
        papers=OF_PAPERS,
    output:
        csv=report(
            f"{OUT}/tables/{{table}}.csv",
            category="Tables",
            caption="../report/captions/table.rst",
            labels={"table": "{table}"},
        ),
        markdown=f"{OUT}/tables/{{table}}.md",
        latex=f"{OUT}/tables/{{table}}.tex",
        json=f"{OUT}/tables/json/{{table}}.json",
        record=f"{OUT}/tables/records/{{table}}.json",
    log:
        f"{OUT}/logs/render_table/{{table}}.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=lambda w: canonical(marked(PLAN, DATASETS, PLAN.table_spec(w.table))),
        runs=lambda w: canonical(PLAN.seeds_by_run(PLAN.evaluations_of(w.table))),
        results=OUT,
        code=code("render_table"),
    shell:
        "{PYTHON}.render_table --settings {params.settings:q} --runs {params.runs:q}"
        " --results {params.results:q} --papers {input.papers:q} --csv {output.csv:q}"
        " --markdown {output.markdown:q} --latex {output.latex:q} --json {output.json:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"


rule compare_published:
    """Set every cell of our tables beside the papers' value, with a verdict."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config.tables),
        records=ancient(expand(f"{OUT}/tables/records/{{table}}.json", table=config.tables)),
        papers=OF_PAPERS,
    output:
        page=f"{OUT}/tables/published.md",
        record=f"{OUT}/tables/records/published.json",
    log:
        f"{OUT}/logs/compare_published.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        code=code("compare_published"),
    shell:
        "{PYTHON}.compare_published --papers {input.papers:q} --tables {input.records:q}"
        " --output {output.page:q} --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"
