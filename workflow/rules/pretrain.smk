# Bases that are trained here, by masked words alone, before any method.
# Inputs: another base, a corpus, its tokens. Outputs: results/bases.


rule pretrain:
    """Train one base on by masked words over a corpus; what takes a base takes the result."""
    input:
        base=lambda w: PLAN.base_record(config["bases"][w.base]["base"]),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        tokens=lambda w: PLAN.tokens_record(w.corpus, w.base),
    output:
        record=f"{OUT}/bases/{{corpus}}/{{base}}/record.json",
        weights=f"{OUT}/bases/{{corpus}}/{{base}}/model/model.safetensors",
    log:
        f"{OUT}/logs/pretrain/{{corpus}}/{{base}}.log",
    benchmark:
        f"{OUT}/logs/pretrain/{{corpus}}/{{base}}.tsv"
    conda:
        "../../envs/semblance.yaml"
    threads: config["training"]["threads"]
    resources:
        **asks("pretrain"),
        gpu=GPUS,
    params:
        settings=lambda w: PLAN.pretrain_settings(w.base),
        code=lambda w: code(
            "pretrain", *modules_of_training(config, w.base, PLAN.pretrain_settings(w.base))
        ),
    shell:
        "{PYTHON}.pretrain --settings {params.settings:q} --base {input.base:q} --corpus {input.corpus:q}"
        " --tokens {input.tokens:q} --code {params.code} {CADENCE} {SHARING} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
