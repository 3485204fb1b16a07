# Models in, scores and per-item predictions out. Inputs: results/models or a base, the prepared
# test data. Outputs: results/scores/{sts,faq}.


rule evaluate_sts:
    """Score one model on the seven STS tasks and STS-B dev."""
    input:
        model=made("evaluate_sts", reads.model),
        weights=weights_of("evaluate_sts", reads.model),
        test=f"{OUT}/sts/record.json",
        pairs=f"{OUT}/sts/pairs.parquet",
        dev=f"{OUT}/dev/sts/record.json",
    output:
        scores=f"{OUT}/scores/sts/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/scores.csv",
        predictions=f"{OUT}/scores/sts/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/predictions.parquet",
        record=f"{OUT}/scores/sts/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
    log:
        f"{OUT}/logs/evaluate_sts/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of(["none", *config.corpora]),
        method=".+",
    conda:
        "../../envs/semblance.yaml"
    threads: config.evaluate_sts.threads
    resources:
        **asks("evaluate_sts"),
        gpu=GPUS,
    params:
        run=lambda w: PLAN.sts_run(**w),
        compute=compute("evaluate_sts"),
        code=lambda w: code("evaluate_sts", *modules.of_reading(config, w.base)),
    shell:
        "{PYTHON}.evaluate_sts --run {params.run:q} --model {input.model:q} --test {input.test:q} --dev {input.dev:q}"
        " {params.compute} {SHARING} --code {params.code} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"


rule evaluate_faq:
    """Rank every answer of the bank for each test question of a fold, and for each dev question."""
    input:
        model=made("evaluate_faq", reads.model),
        weights=weights_of("evaluate_faq", reads.model),
        bank=made("evaluate_faq", reads.dev),
        dev=lambda w: PLAN.dev_data(w.corpus),
    output:
        scores=f"{OUT}/scores/faq/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/scores.csv",
        predictions=f"{OUT}/scores/faq/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/predictions.parquet",
        record=f"{OUT}/scores/faq/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
    log:
        f"{OUT}/logs/evaluate_faq/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of(PLAN.folds_of),
        method=".+",
    conda:
        "../../envs/semblance.yaml"
    threads: config.evaluate_faq.threads
    resources:
        **asks("evaluate_faq"),
        gpu=GPUS,
    params:
        run=lambda w: PLAN.faq_run(**w),
        max_length=config.evaluate_faq.max_length,
        compute=compute("evaluate_faq"),
        code=lambda w: code("evaluate_faq", *modules.of_reading(config, w.base)),
    shell:
        "{PYTHON}.evaluate_faq --run {params.run:q} --model {input.model:q} --bank {input.bank:q} --dev {input.dev:q}"
        " --max-length {params.max_length} {params.compute} {SHARING} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"
