# Tables in, verdicts on the papers' claims out, and how far the tests can be trusted.
# Inputs and outputs: results/tables.


rule judge_claims:
    """Judge each claim of workflow/claims.yaml by the tables."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config["tables"]),
        records=ancient(expand(f"{OUT}/tables/records/{{table}}.json", table=config["tables"])),
        claims=own("workflow/claims.yaml"),
        published=own("workflow/published.yaml"),
    output:
        csv=f"{OUT}/tables/claims.csv",
        markdown=f"{OUT}/tables/claims.md",
        record=f"{OUT}/tables/records/claims.json",
    log:
        f"{OUT}/logs/judge_claims.log",
    conda:
        "../../envs/semblance.yaml"
    params:
        code=code("judge_claims"),
    shell:
        "{PYTHON}.judge_claims --claims {input.claims:q} --published {input.published:q}"
        " --tables {input.records:q} --csv {output.csv:q} --markdown {output.markdown:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"


rule simulate_statistics:
    """Simulate the tests of the tables at the spread of the seeds that the tables measured."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config["tables"]),
        records=ancient(expand(f"{OUT}/tables/records/{{table}}.json", table=config["tables"])),
    output:
        csv=f"{OUT}/tables/statistics.csv",
        markdown=f"{OUT}/tables/statistics.md",
        record=f"{OUT}/tables/records/statistics.json",
    log:
        f"{OUT}/logs/simulate_statistics.log",
    conda:
        "../../envs/semblance.yaml"
    params:
        code=code("simulate_statistics"),
    shell:
        "{PYTHON}.simulate_statistics --tables {input.records:q} --csv {output.csv:q}"
        " --markdown {output.markdown:q} --code {params.code} --record {output.record:q}"
        " 2> >(tee {log:q} >&2)"
