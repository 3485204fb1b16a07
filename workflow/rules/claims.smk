# Tables in, verdicts on the papers' claims out.
# Inputs and outputs: results/tables. Also the lexical overlap of sources of pairs, out of
# results/corpora.

OVERLAPS = [f"{OUT}/tables/simcse_overlap.csv"] if PLAN.pair_corpora else []


rule judge_claims:
    """Judge each claim of workflow/claims.yaml by the tables."""
    input:
        tables=expand(f"{OUT}/tables/json/{{table}}.json", table=config.tables),
        records=ancient(expand(f"{OUT}/tables/records/{{table}}.json", table=config.tables)),
        claims=own("workflow/claims.yaml"),
        published=own("workflow/published.yaml"),
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
        "{PYTHON}.judge_claims --claims {input.claims:q} --published {input.published:q}"
        " --tables {input.records:q} --csv {output.csv:q} --markdown {output.markdown:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"


rule compare_overlap:
    """Set the lexical overlap of each source of pairs beside the paper's."""
    input:
        overlaps=[f"{OUT}/corpora/{corpus}/overlap.json" for corpus in PLAN.pair_corpora],
        corpora=ancient([f"{OUT}/corpora/{corpus}/record.json" for corpus in PLAN.pair_corpora]),
        published=own("workflow/published.yaml"),
    output:
        csv=f"{OUT}/tables/simcse_overlap.csv",
        record=f"{OUT}/tables/records/simcse_overlap.json",
    log:
        f"{OUT}/logs/compare_overlap.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        rows=canonical(STAND_INS.overlap_rows()),
        code=code("compare_overlap"),
    shell:
        "{PYTHON}.compare_overlap --corpora {input.corpora:q} --rows {params.rows:q}"
        " --published {input.published:q} --csv {output.csv:q} --code {params.code}"
        " --record {output.record:q} 2> >(tee {log:q} >&2)"
