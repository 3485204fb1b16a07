# RCL's first step: entropy models (Eq. 2), and the frozen embeddings that a training reads.
# Inputs: a corpus, its tokens, a start model. Outputs: results/models, results/embeddings.


rule train_initial:
    """FAQ only: fine-tune the checkpoint with Eq. 1 on one fold; entropy models start from it."""
    input:
        base=made("train_initial", reads.base),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        tokens=made("train_initial", reads.tokens),
        dev=lambda w: PLAN.dev_data(w.corpus),
    output:
        record=f"{OUT}/models/{{corpus}}/{{base}}/initial/seed-{{seed}}/record.json",
        weights=after_use(
            f"{OUT}/models/{{corpus}}/{{base}}/initial/seed-{{seed}}/model/model.safetensors"
        ),
        curve=f"{OUT}/models/{{corpus}}/{{base}}/initial/seed-{{seed}}/dev.csv",
    log:
        f"{OUT}/logs/train_initial/{{corpus}}/{{base}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of(PLAN.folds_of),  # that of a whole bank is one of train_final
    priority: lambda w: stages.priority(PLAN, "train_initial", w)
    conda:
        "../../envs/semblance.yaml"
    threads: config.training.threads
    resources:
        **asks("train_initial"),
        gpu=GPUS,
    params:
        settings=settings_of("train_initial"),
        code=code_of("train_initial"),
    shell:
        "{PYTHON}.train_initial --settings {params.settings:q} --base {input.base:q} --corpus {input.corpus:q}"
        " --tokens {input.tokens:q} --dev {input.dev:q} --code {params.code} {CADENCE} {SHARING}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"


rule train_entropy:
    """Train one entropy model (Eq. 2) for one φ."""
    input:
        base=made("train_entropy", reads.start_of_entropy),
        weights=weights_of("train_entropy", reads.start_of_entropy),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        tokens=made("train_entropy", reads.tokens),
    output:
        record=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
        weights=after_use(
            f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/model/model.safetensors"
        ),
        curve=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/dev.csv",
    log:
        f"{OUT}/logs/train_entropy/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        method=any_of(methods_of(config, "train_entropy")),
    priority: lambda w: stages.priority(PLAN, "train_entropy", w)
    conda:
        "../../envs/semblance.yaml"
    threads: config.training.threads
    resources:
        **asks("train_entropy"),
        gpu=GPUS,
    params:
        settings=settings_of("train_entropy"),
        code=code_of("train_entropy"),
    shell:
        "{PYTHON}.train_entropy --settings {params.settings:q} --base {input.base:q} --corpus {input.corpus:q}"
        " --tokens {input.tokens:q} --code {params.code} {CADENCE} {SHARING} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule embed:
    """Embed each distinct sentence of a corpus with the model of a method, frozen, as float16."""
    input:
        model=made("embed", reads.model),
        weights=lambda w: [
            stages.weights(PLAN, job) for job in reads.model(PLAN, stages.job_of("embed", w))
        ],
        tokens=made("embed", reads.tokens),
    output:
        record=f"{OUT}/embeddings/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
        vectors=f"{OUT}/embeddings/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/embeddings.npy",
    log:
        f"{OUT}/logs/embed/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        method=".+",
    priority: lambda w: stages.priority(PLAN, "embed", w)
    conda:
        "../../envs/semblance.yaml"
    threads: config.embed.threads
    resources:
        **asks("embed"),
        gpu=GPUS,
    params:
        max_length=lambda w: PLAN.embedded_length(w.corpus, w.base, w.method),
        compute=compute("embed"),
        code=lambda w: code("embed", *modules.of_reading(config, w.base)),
    shell:
        "{PYTHON}.embed --model {input.model:q} --tokens {input.tokens:q} --max-length {params.max_length}"
        " {params.compute} {SHARING} --code {params.code} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
