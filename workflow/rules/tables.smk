# Scores in, the papers' tables out. Inputs: results/scores. Outputs: results/tables.

rule collect_scores:
    """Join the scores of every run into the one long CSV."""
    input:
        [PLAN.scores(run) for run in PLAN.runs],
    output:
        scores=f"{OUT}/tables/scores.csv",
    params:
        runs=canonical(PLAN.seeds_by_run()),
        root=f"{OUT}/scores",
        code=code("collect_scores"),
    log:
        f"{OUT}/logs/collect_scores.log",
    shell:
        "{PYTHON}.collect_scores --root {params.root:q} --runs {params.runs:q} --output {output.scores:q} 2> >(tee {log:q} >&2)"


rule render_table:
    """Render one table as CSV, Markdown and LaTeX, the paper's values beside ours."""
    input:
        scores=f"{OUT}/tables/scores.csv",
        published="workflow/published.yaml",
    output:
        csv=f"{OUT}/tables/{{table}}.csv",
        markdown=f"{OUT}/tables/{{table}}.md",
        latex=f"{OUT}/tables/{{table}}.tex",
        json=f"{OUT}/tables/json/{{table}}.json",
    params:
        settings=lambda w: canonical(PLAN.table_spec(w.table)),
        predictions=f"{OUT}/scores",
        code=code("render_table"),
    log:
        f"{OUT}/logs/render_table/{{table}}.log",
    shell:
        "{PYTHON}.render_table --settings {params.settings:q} --scores {input.scores:q}"
        " --predictions-root {params.predictions:q} --published {input.published:q} --csv {output.csv:q}"
        " --markdown {output.markdown:q} --latex {output.latex:q} --json {output.json:q} 2> >(tee {log:q} >&2)"


rule compare_published:
    """Set every cell of our tables beside the papers' value, with a verdict."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config["tables"]),
        published="workflow/published.yaml",
    output:
        f"{OUT}/tables/published.md",
    params:
        code=code("compare_published"),
    log:
        f"{OUT}/logs/compare_published.log",
    shell:
        "{PYTHON}.compare_published --published {input.published:q} --tables {input.tables:q}"
        " --output {output:q} 2> >(tee {log:q} >&2)"
