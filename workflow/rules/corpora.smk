# Training corpora and their tokens.
# Inputs: resources/data, resources/models. Outputs: results/corpora, results/tokens.

OF_CORPUS = {
    "manifest": manifest,
    "sources": read_from(),
    "settings": lambda w: canonical(config.corpora[w.corpus].written()),
    "data": f"{RESOURCES}/data",
}


rule prepare_nli:
    """Build the (premise, entailed, contradicted) triples of a corpus."""
    input:
        raw_files("prepare_nli"),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/prepare_nli/{{corpus}}.log",
    wildcard_constraints:
        corpus=corpora_of("nli"),
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_nli"),
    params:
        **OF_CORPUS,
        code=code("prepare_nli"),
    shell:
        "{PYTHON}.prepare_nli --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_wiki:
    """Take a corpus of one sentence a line."""
    input:
        raw_files("prepare_wiki"),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/prepare_wiki/{{corpus}}.log",
    wildcard_constraints:
        corpus=corpora_of("wiki"),
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_wiki"),
    params:
        **OF_CORPUS,
        code=code("prepare_wiki"),
    shell:
        "{PYTHON}.prepare_wiki --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_pairs:
    """Build a corpus of positive pairs."""
    input:
        raw_files("prepare_pairs"),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/prepare_pairs/{{corpus}}.log",
    wildcard_constraints:
        corpus=corpora_of("pairs"),
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_pairs"),
    params:
        **OF_CORPUS,
        code=lambda w: code("prepare_pairs", *modules.of_pairs(config, w.corpus)),
    shell:
        "{PYTHON}.prepare_pairs --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule prepare_triples:
    """Take the rows of queries, positives and hard negatives of a corpus."""
    input:
        raw_files("prepare_triples"),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/prepare_triples/{{corpus}}.log",
    wildcard_constraints:
        corpus=corpora_of("triples"),
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_triples"),
    params:
        **OF_CORPUS,
        code=code("prepare_triples"),
    shell:
        "{PYTHON}.prepare_triples --settings {params.settings:q} --manifest {params.manifest:q} --data {params.data:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


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
    priority: lambda w: stages.priority(PLAN, "tokenise", w)
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("tokenise"),
    params:
        code=code("tokenise"),
    shell:
        "{PYTHON}.tokenise --corpus {input.corpus:q} --base {input.base:q} --code {params.code}"
        " --output {output.record:q} 2> >(tee {log:q} >&2)"
