# Bases that are made here: by masked words alone, before any method, or of a file of word vectors.
# Inputs: another base, a corpus, its tokens; or the user's file. Outputs: results/bases.


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
    benchmark:
        f"{OUT}/logs/pretrain/{{corpus}}/{{base}}.tsv"
    wildcard_constraints:
        corpus=any_of(config.corpora),
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


rule prepare_word_vectors:
    """Make a base of a file of word vectors, such as GloVe's: it is read as it is, never trained."""
    input:
        lambda w: config.bases[w.base].word_vectors,
    output:
        record=f"{OUT}/bases/none/{{base}}/record.json",
        weights=f"{OUT}/bases/none/{{base}}/model/model.safetensors",
    log:
        f"{OUT}/logs/prepare_word_vectors/{{base}}.log",
    benchmark:
        f"{OUT}/logs/prepare_word_vectors/{{base}}.tsv"
    wildcard_constraints:
        base=any_of(word_vector_bases(config)),
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("prepare_word_vectors"),
    params:
        manifest=manifest,
        sources=lambda w: read_from(config.bases[w.base].word_vectors),
        settings=lambda w: PLAN.word_vector_settings(w.base),
        data=f"{RESOURCES}/data",
        code=code("prepare_word_vectors"),
    shell:
        "{PYTHON}.prepare_word_vectors --settings {params.settings:q} --manifest {params.manifest:q}"
        " --data {params.data:q} --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"
