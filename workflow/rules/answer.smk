# From the folds of a FAQ bank to one model that answers: a training on everything, then the choice.
# Inputs: results/faq, results/corpora, results/models, results/embeddings, results/scores/faq.
# Outputs: results/models, results/answerers.
from semblance.named_modules import WORDS
from semblance.names import INITIAL
from workflow.planning import answerers

ANSWERERS = expand(f"{OUT}/answerers/{{answerer}}/record.json", answerer=config.answerers)


rule train_final:
    """Train one method, or the initial model, on a whole bank, for as long as was best on its folds."""
    input:
        base=made("train_final", reads.base),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
        tokens=made("train_final", reads.tokens),
        folds=made("train_final", reads.models_of_folds),
        regulators=made("train_final", reads.regulators),
    output:
        record=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
        weights=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/model/model.safetensors",
        curve=f"{OUT}/models/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/dev.csv",
    log:
        f"{OUT}/logs/train_final/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of(PLAN.wholes),
        method=any_of([*methods_of(config, "train"), INITIAL]),
    conda:
        "../../envs/semblance.yaml"
    threads: config.training.threads
    resources:
        **asks("train_final"),
        gpu=GPUS,
    params:
        settings=settings_of("train_final"),
        code=code_of("train_final"),
    shell:
        "{PYTHON}.train_final --settings {params.settings:q} --base {input.base:q} --corpus {input.corpus:q}"
        " --tokens {input.tokens:q} --folds {input.folds:q} --regulators {input.regulators:q}"
        " --code {params.code} {CADENCE} {SHARING} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule build_answerer:
    """Choose the way to answer, judge it on held-out questions, and write the folder that answers."""
    input:
        bank=made("build_answerer", reads.bank),
        models=made("build_answerer", reads.models_of_answerer),
        evaluations=made("build_answerer", reads.evaluations_of_answerer),
    output:
        record=f"{OUT}/answerers/{{answerer}}/record.json",
        summary=f"{OUT}/answerers/{{answerer}}/summary.md",
        entries=f"{OUT}/answerers/{{answerer}}/entries.jsonl",
        vectors=f"{OUT}/answerers/{{answerer}}/vectors.npy",
        weights=f"{OUT}/answerers/{{answerer}}/model/model.safetensors",
    log:
        f"{OUT}/logs/build_answerer/{{answerer}}.log",
    conda:
        "../../envs/semblance.yaml"
    threads: config.build_answerer.threads
    resources:
        **asks("build_answerer"),
        gpu=GPUS,
    params:
        settings=lambda w: answerers.settings(PLAN, w.answerer),
        gpus=GPUS,
        code=lambda w: code(
            "build_answerer", WORDS, *modules.of_reading(config, config.answerers[w.answerer].base)
        ),
    shell:
        "{PYTHON}.build_answerer --settings {params.settings:q} --bank {input.bank:q} --models {input.models:q}"
        " --evaluations {input.evaluations:q} --gpus {params.gpus} {SHARING} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"
