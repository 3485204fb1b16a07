# Hard negatives for the trainings on a FAQ bank, out of the texts that the training has in any case.
# Inputs: results/corpora (folds), results/embeddings (of the base). Outputs: results/negatives.


rule mine_negatives:
    """Give each row of a fold's corpus a hard negative: a wrong answer that the base ranks high."""
    input:
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
        embeddings=made("mine_negatives", reads.start_embeddings),
    output:
        record=f"{OUT}/negatives/{{corpus}}/{{base}}/record.json",
        sentences=f"{OUT}/negatives/{{corpus}}/{{base}}/sentences.arrow",
        rows=f"{OUT}/negatives/{{corpus}}/{{base}}/rows.arrow",
    log:
        f"{OUT}/logs/mine_negatives/{{corpus}}/{{base}}.log",
    benchmark:
        f"{OUT}/logs/mine_negatives/{{corpus}}/{{base}}.tsv"
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("mine_negatives"),
    params:
        settings=canonical(config.mine_negatives.written()),
        code=code("mine_negatives"),
    shell:
        "{PYTHON}.mine_negatives --settings {params.settings:q} --corpus {input.corpus:q}"
        " --embeddings {input.embeddings:q} --code {params.code} --output {output.record:q}"
        " 2> >(tee {log:q} >&2)"
