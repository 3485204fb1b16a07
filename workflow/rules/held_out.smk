# Dev and test data, which no model is fitted to; the folds of a FAQ bank also give training corpora.
# Inputs: resources/data. Outputs: results/dev, results/sts, results/faq, results/corpora (folds).
from semblance.layout import WHOLE


rule prepare_dev:
    """Parse the dev pairs that choose each training's checkpoint."""
    input:
        raw_files("prepare_dev"),
    output:
        record=f"{OUT}/dev/sts/record.json",
        pairs=f"{OUT}/dev/sts/pairs.parquet",
    log:
        f"{OUT}/logs/prepare_dev.log",
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_dev"),
    params:
        manifest=manifest,
        sources=read_from(),
        settings=PLAN.dev_settings(),
        data=f"{RESOURCES}/data",
        code=code("prepare_dev"),
    shell:
        "{PYTHON}.prepare_dev --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_sts:
    """Parse the STS test sets into one file of scored pairs."""
    input:
        raw_files("prepare_sts"),
    output:
        record=f"{OUT}/sts/record.json",
        pairs=f"{OUT}/sts/pairs.parquet",
    log:
        f"{OUT}/logs/prepare_sts.log",
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_sts"),
    params:
        manifest=manifest,
        sources=read_from(),
        settings=PLAN.test_settings(),
        data=f"{RESOURCES}/data",
        code=code("prepare_sts"),
    shell:
        "{PYTHON}.prepare_sts --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_faq:
    """Parse a FAQ bank, split it into folds, and write the corpora of the folds and of the whole."""
    input:
        raw_files("prepare_faq"),
    output:
        record=f"{OUT}/faq/{{bank}}/record.json",
        answers=f"{OUT}/faq/{{bank}}/answers.parquet",
        questions=f"{OUT}/faq/{{bank}}/questions.parquet",
        candidates=f"{OUT}/faq/{{bank}}/candidates.parquet",
        entries=f"{OUT}/faq/{{bank}}/entries.parquet",
        corpora=expand(
            f"{OUT}/corpora/{{{{bank}}}}-{{fold}}/{{file}}",
            fold=[*range(PLAN.folds), WHOLE],
            file=["record.json", "sentences.arrow", "rows.arrow"],
        ),
        dev=expand(
            f"{OUT}/dev/{{{{bank}}}}-{{fold}}/{{file}}",
            fold=range(PLAN.folds),
            file=["record.json", "answers.parquet", "questions.parquet"],
        ),
    log:
        f"{OUT}/logs/prepare_faq/{{bank}}.log",
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_faq"),
    params:
        manifest=manifest,
        sources=lambda w: read_from(*own_files("prepare_faq", w)),
        settings=lambda w: canonical(
            {
                **PLAN.banks[w.bank].written(),
                "name": w.bank,
                "folds": PLAN.folds,
                "seed": config.faq.seed,
            }
        ),
        data=f"{RESOURCES}/data",
        corpora=f"{OUT}/corpora",
        dev=f"{OUT}/dev",
        code=lambda w: code("prepare_faq", *modules.of_bank(config, w.bank)),
    shell:
        "{PYTHON}.prepare_faq --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --corpora {params.corpora:q} --dev {params.dev:q} --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"
