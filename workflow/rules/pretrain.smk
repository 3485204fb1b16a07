# Bases that are made here: by masked words alone, before any method.
# Inputs: another base, a corpus, its tokens. Outputs: results/bases.


rule pretrain:
    """Train one base on by masked words over a corpus; what takes a base takes the result."""
    input:
        base=made("pretrain", reads.other_base),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        tokens=made("pretrain", reads.tokens),
    output:
        record=f"{OUT}/bases/{{corpus}}/{{base}}/record.json",
        weights=f"{OUT}/bases/{{corpus}}/{{base}}/model/model.safetensors",
    log:
        f"{OUT}/logs/pretrain/{{corpus}}/{{base}}.log",
    wildcard_constraints:
        corpus=any_of(config.corpora),
    priority: lambda w: stages.priority(PLAN, "pretrain", w)
    conda:
        "../../envs/semblance.yaml"
    threads: config.training.threads
    resources:
        **asks("pretrain"),
        gpu=GPUS,
    params:
        settings=settings_of("pretrain"),
        code=code_of("pretrain"),
    shell:
        "{PYTHON}.pretrain --settings {params.settings:q} --base {input.base:q} --corpus {input.corpus:q}"
        " --tokens {input.tokens:q} --code {params.code} {CADENCE} {SHARING} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
