# SentEval's transfer tasks: labelled texts, and how well a classifier on a model's embeddings labels
# them. Inputs: resources/data, results/models or a base. Outputs: results/transfer, results/scores/transfer.


rule prepare_transfer:
    """Parse SentEval's transfer tasks into one file of labelled texts."""
    input:
        raw_files("prepare_transfer"),
    output:
        record=f"{OUT}/transfer/record.json",
        texts=f"{OUT}/transfer/items.parquet",
    log:
        f"{OUT}/logs/prepare_transfer.log",
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_transfer"),
    params:
        manifest=manifest,
        sources=read_from(),
        settings=canonical(config.transfer.written()),
        data=f"{RESOURCES}/data",
        code=code("prepare_transfer"),
    shell:
        "{PYTHON}.prepare_transfer --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule evaluate_transfer:
    """Score one model on SentEval's seven transfer tasks, by a classifier on its embeddings."""
    input:
        model=made("evaluate_transfer", reads.model),
        weights=weights_of("evaluate_transfer", reads.model),
        data=f"{OUT}/transfer/record.json",
        texts=f"{OUT}/transfer/items.parquet",
    output:
        scores=f"{OUT}/scores/transfer/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/scores.csv",
        predictions=f"{OUT}/scores/transfer/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/predictions.parquet",
        record=f"{OUT}/scores/transfer/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
    log:
        f"{OUT}/logs/evaluate_transfer/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of(["none", *config.corpora]),
        method=".+",
    conda:
        "../../envs/semblance.yaml"
    threads: config.evaluate_transfer.threads
    resources:
        **asks("evaluate_transfer"),
        gpu=GPUS,
    params:
        run=lambda w: canonical(
            {
                **w,
                "phi": PLAN.phi(w.method),
                "folds": config.evaluate_transfer.folds,
                "shuffle": config.evaluate_transfer.seed,
            }
        ),
        compute=compute("evaluate_transfer"),
        code=lambda w: code("evaluate_transfer", *modules.of_reading(config, w.base)),
    shell:
        "{PYTHON}.evaluate_transfer --run {params.run:q} --model {input.model:q} --data {input.data:q}"
        " {params.compute} {SHARING} --code {params.code} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
