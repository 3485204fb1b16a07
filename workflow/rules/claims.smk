# Tables in, verdicts on the papers' claims out.
# Inputs and outputs: results/tables.


rule judge_claims:
    """Judge each claim of the papers by the tables."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config.tables),
        records=ancient(expand(f"{OUT}/tables/records/{{table}}.json", table=config.tables)),
        papers=OF_PAPERS,
    output:
        csv=report(
            f"{OUT}/tables/claims.csv",
            category="Claims",
            caption="../report/captions/claims.rst",
            labels={"table": "claims"},
        ),
        markdown=f"{OUT}/tables/claims.md",
        record=f"{OUT}/tables/records/claims.json",
    log:
        f"{OUT}/logs/judge_claims.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        code=code("judge_claims"),
    shell:
        "{PYTHON}.judge_claims --papers {input.papers:q}"
        " --tables {input.records:q} --csv {output.csv:q} --markdown {output.markdown:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"
