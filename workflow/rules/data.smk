# Prepared corpora, test sets, folds and tokens.
# Inputs: resources/data, resources/models. Outputs: results/{corpora,sts,faq,tokens}.


rule prepare_nli:
    """Build the (premise, entailed, contradicted) triples of a corpus."""
    input:
        lambda w: dataset_files(*config["corpora"][w.corpus]["datasets"]),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/prepare_nli/{{corpus}}.log",
    benchmark:
        f"{OUT}/logs/prepare_nli/{{corpus}}.tsv"
    wildcard_constraints:
        corpus="|".join(
            map(re.escape, (c for c, v in config["corpora"].items() if v["kind"] == "nli"))
        )
        or "(?!)",
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_nli"),
    params:
        settings=lambda w: canonical(config["corpora"][w.corpus]),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_nli"),
    shell:
        "{PYTHON}.prepare_nli --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_wiki:
    """Take a corpus of one sentence a line."""
    input:
        lambda w: dataset_files(*config["corpora"][w.corpus]["datasets"]),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/prepare_wiki/{{corpus}}.log",
    benchmark:
        f"{OUT}/logs/prepare_wiki/{{corpus}}.tsv"
    wildcard_constraints:
        corpus="|".join(
            map(re.escape, (c for c, v in config["corpora"].items() if v["kind"] == "wiki"))
        )
        or "(?!)",
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_wiki"),
    params:
        settings=lambda w: canonical(config["corpora"][w.corpus]),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_wiki"),
    shell:
        "{PYTHON}.prepare_wiki --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_sts:
    """Parse the STS test sets into one file of scored pairs."""
    input:
        dataset_files(*config["sts"]["datasets"]),
    output:
        record=f"{OUT}/sts/record.json",
        pairs=f"{OUT}/sts/pairs.parquet",
    log:
        f"{OUT}/logs/prepare_sts.log",
    benchmark:
        f"{OUT}/logs/prepare_sts.tsv"
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_sts"),
    params:
        settings=PLAN.test_settings(),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_sts"),
    shell:
        "{PYTHON}.prepare_sts --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_dev:
    """Parse the dev pairs that choose each training's checkpoint."""
    input:
        dataset_files(config["sts"]["dev"]),
    output:
        record=f"{OUT}/dev/sts/record.json",
        pairs=f"{OUT}/dev/sts/pairs.parquet",
    log:
        f"{OUT}/logs/prepare_dev.log",
    benchmark:
        f"{OUT}/logs/prepare_dev.tsv"
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_dev"),
    params:
        settings=PLAN.dev_settings(),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_dev"),
    shell:
        "{PYTHON}.prepare_dev --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_faq:
    """Parse a FAQ bank, split it into folds, and write each fold's training corpus."""
    input:
        lambda w: (
            [PLAN.banks[w.bank]["path"]]
            if "path" in PLAN.banks[w.bank]
            else dataset_files(PLAN.banks[w.bank]["dataset"])
        ),
    output:
        record=f"{OUT}/faq/{{bank}}/record.json",
        answers=f"{OUT}/faq/{{bank}}/answers.parquet",
        questions=f"{OUT}/faq/{{bank}}/questions.parquet",
        corpora=expand(
            f"{OUT}/corpora/{{{{bank}}}}-{{fold}}/{{file}}",
            fold=range(PLAN.folds),
            file=["record.json", "sentences.arrow", "rows.arrow"],
        ),
        dev=expand(
            f"{OUT}/dev/{{{{bank}}}}-{{fold}}/{{file}}",
            fold=range(PLAN.folds),
            file=["record.json", "answers.parquet", "questions.parquet"],
        ),
    log:
        f"{OUT}/logs/prepare_faq/{{bank}}.log",
    benchmark:
        f"{OUT}/logs/prepare_faq/{{bank}}.tsv"
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_faq"),
    params:
        settings=lambda w: canonical(
            {
                **PLAN.banks[w.bank],
                "name": w.bank,
                "folds": PLAN.folds,
                "seed": config["faq"]["seed"],
            }
        ),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        corpora=f"{OUT}/corpora",
        dev=f"{OUT}/dev",
        code=code("prepare_faq"),
    shell:
        "{PYTHON}.prepare_faq --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --corpora {params.corpora:q} --dev {params.dev:q} --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule tokenise:
    """Tokenise a corpus's distinct sentences once for a tokenizer."""
    input:
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        base=f"{RESOURCES}/models/{{base}}/record.json",
    output:
        record=f"{OUT}/tokens/{{base}}/{{corpus}}/record.json",
        tokens=f"{OUT}/tokens/{{base}}/{{corpus}}/tokens.arrow",
    log:
        f"{OUT}/logs/tokenise/{{base}}/{{corpus}}.log",
    benchmark:
        f"{OUT}/logs/tokenise/{{base}}/{{corpus}}.tsv"
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("tokenise"),
    params:
        code=code("tokenise"),
    shell:
        "{PYTHON}.tokenise --corpus {input.corpus:q} --base {input.base:q} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"
