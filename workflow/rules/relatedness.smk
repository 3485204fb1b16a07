# STS-B and SICK with SentEval's regressor: their pairs in three parts, and the correlations of a model.
# Inputs: resources/data, results/models or a base. Outputs: results/relatedness, results/scores/relatedness.


rule prepare_relatedness:
    """Parse STS-B and SICK with their train pairs into one file of scored pairs."""
    input:
        raw_files("prepare_relatedness"),
    output:
        record=f"{OUT}/relatedness/record.json",
        pairs=f"{OUT}/relatedness/pairs.parquet",
    log:
        f"{OUT}/logs/prepare_relatedness.log",
    benchmark:
        f"{OUT}/logs/prepare_relatedness.tsv"
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_relatedness"),
    params:
        manifest=manifest,
        sources=read_from(),
        settings=canonical({"datasets": PLAN.relatedness_datasets, "protocol": config.sts.protocol}),
        data=f"{RESOURCES}/data",
        code=code("prepare_relatedness"),
    shell:
        "{PYTHON}.prepare_relatedness --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule evaluate_relatedness:
    """Score one model on STS-B and SICK, by a regressor that is trained on its embeddings."""
    input:
        model=made("evaluate_relatedness", reads.model),
        weights=weights_of("evaluate_relatedness", reads.model),
        data=f"{OUT}/relatedness/record.json",
        pairs=f"{OUT}/relatedness/pairs.parquet",
    output:
        scores=f"{OUT}/scores/relatedness/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/scores.csv",
        predictions=f"{OUT}/scores/relatedness/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/predictions.parquet",
        record=f"{OUT}/scores/relatedness/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
    log:
        f"{OUT}/logs/evaluate_relatedness/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    benchmark:
        f"{OUT}/logs/evaluate_relatedness/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.tsv"
    wildcard_constraints:
        corpus=any_of(["none", *config.corpora]),
        method=".+",
    conda:
        "../../envs/semblance.yaml"
    threads: config.evaluate_relatedness.threads
    resources:
        **asks("evaluate_relatedness"),
        gpu=GPUS,
    params:
        run=lambda w: canonical(
            {
                **w,
                "phi": PLAN.phi(w.method),
                "regressor_seed": config.evaluate_relatedness.seed,
            }
        ),
        compute=compute("evaluate_relatedness"),
        code=lambda w: code("evaluate_relatedness", *modules.of_reading(config, w.base)),
    shell:
        "{PYTHON}.evaluate_relatedness --run {params.run:q} --model {input.model:q} --data {input.data:q}"
        " {params.compute} {SHARING} --code {params.code} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
