# Learning curves: parts of the folds of a FAQ bank, and how good the trainings on them are.
# Inputs: results/corpora, results/faq, results/scores/faq. Outputs: results/corpora (parts),
# results/learning_curves.


rule thin_corpus:
    """Keep a part of the entries, or of the users' wordings, of a fold's training corpus."""
    input:
        corpus=lambda w: f"{OUT}/corpora/{PLAN.parts[w.corpus].corpus}/record.json",
        rows=lambda w: f"{OUT}/corpora/{PLAN.parts[w.corpus].corpus}/rows.arrow",
        bank=lambda w: PLAN.bank_record(PLAN.bank_of(PLAN.parts[w.corpus].corpus)),
    output:
        record=f"{OUT}/corpora/{{corpus}}/record.json",
        sentences=f"{OUT}/corpora/{{corpus}}/sentences.arrow",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
    log:
        f"{OUT}/logs/thin_corpus/{{corpus}}.log",
    benchmark:
        f"{OUT}/logs/thin_corpus/{{corpus}}.tsv"
    wildcard_constraints:
        corpus=any_of(PLAN.parts),
    conda:
        "../../envs/semblance.yaml"
    resources:
        **asks("thin_corpus"),
    params:
        settings=lambda w: answerers.part_settings(PLAN, w.corpus),
        code=code("thin_corpus"),
    shell:
        "{PYTHON}.thin_corpus --settings {params.settings:q} --corpus {input.corpus:q} --bank {input.bank:q}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule draw_learning_curve:
    """Compare the trainings on parts of a bank with those on all of it, and draw the curve."""
    input:
        scores=lambda w: answerers.curve_files(PLAN, w.answerer, "scores.csv"),
        evaluations=ancient(lambda w: answerers.curve_files(PLAN, w.answerer, "record.json")),
        bank=lambda w: PLAN.bank_record(config.answerers[w.answerer].bank),
    output:
        csv=f"{OUT}/learning_curves/{{answerer}}/curve.csv",
        svg=f"{OUT}/learning_curves/{{answerer}}/curve.svg",
        record=f"{OUT}/learning_curves/{{answerer}}/record.json",
    log:
        f"{OUT}/logs/draw_learning_curve/{{answerer}}.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=lambda w: answerers.curve_settings(PLAN, w.answerer),
        code=code("draw_learning_curve"),
    shell:
        "{PYTHON}.draw_learning_curve --settings {params.settings:q} --evaluations {input.evaluations:q}"
        " --bank {input.bank:q} --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"
