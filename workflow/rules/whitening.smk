# Base models whose embeddings are whitened, without any training.
# Inputs: a base, the tokens of a corpus. Outputs: results/models.


rule fit_whitening:
    """Fit the whitening of a base on the distinct sentences of a corpus."""
    input:
        model=made("fit_whitening", reads.base),
        tokens=made("fit_whitening", reads.tokens),
    output:
        record=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
        weights=after_use(
            f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/model/model.safetensors"
        ),
    log:
        f"{OUT}/logs/fit_whitening/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        method=any_of(methods_of(config, "fit_whitening")),
    conda:
        "../../envs/semblance.yaml"
    threads: config.fit_whitening.threads
    resources:
        **asks("fit_whitening"),
        gpu=GPUS,
    params:
        compute=compute("fit_whitening"),
        code=lambda w: code("fit_whitening", *modules.of_reading(config, w.base)),
    shell:
        "{PYTHON}.fit_whitening --model {input.model:q} --tokens {input.tokens:q}"
        " {params.compute} {SHARING} --code {params.code} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
