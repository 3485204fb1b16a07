# The final models, one for each corpus, base, method and seed.
# Inputs: a corpus, its tokens, the base, for RCL the frozen embeddings. Outputs: results/models.


rule train:
    """Train one method with one seed; its checkpoints lie beside its outputs until it is done."""
    input:
        base=made("train", reads.base),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
        tokens=made("train", reads.tokens),
        dev=lambda w: PLAN.dev_data(w.corpus),
        regulators=made("train", reads.regulators),
        steps_of=made("train", reads.pacemakers),
    output:
        record=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
        weights=after_use(
            f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/model/model.safetensors"
        ),
        curve=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/dev.csv",
    log:
        f"{OUT}/logs/train/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of([*config.corpora, *PLAN.folds_of]),  # a whole bank has no dev questions
        method=any_of(methods_of(config, "train")),
    priority: lambda w: stages.priority(PLAN, "train", w)
    conda:
        "../../envs/semblance.yaml"
    threads: config.training.threads
    resources:
        **asks("train"),
        gpu=GPUS,
    params:
        settings=settings_of("train"),
        code=code_of("train"),
    shell:
        "{PYTHON}.train --settings {params.settings:q}"
        " --base {input.base:q} --corpus {input.corpus:q} --tokens {input.tokens:q} --dev {input.dev:q}"
        " --regulators {input.regulators:q} --steps-of {input.steps_of:q}"
        " --code {params.code} {CADENCE} {SHARING}"
        " --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
