# The data of the figures, one CSV each, and their drawings. Inputs: results/scores, results/models,
# results/sts or results/tables. Outputs: results/figures, results/curves. Records are `ancient` as
# in tables.smk.

FIGURES = expand(f"{OUT}/figures/{{figure}}.csv", figure=config.figures)
DRAWINGS = expand(
    f"{OUT}/figures/{{figure}}.{{form}}", figure=figures.drawn_figures(PLAN), form=["svg", "png"]
)


rule train_curve:
    """Train one method for a few steps; measure alignment and uniformity on the way."""
    input:
        base=made("train_curve", reads.base),
        corpus=f"{OUT}/corpora/{{corpus}}/record.json",
        rows=f"{OUT}/corpora/{{corpus}}/rows.arrow",
        tokens=made("train_curve", reads.tokens),
        dev=f"{OUT}/dev/sts/record.json",
        regulators=made("train_curve", reads.regulators),
    output:
        record=f"{OUT}/curves/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/record.json",
        curve=f"{OUT}/curves/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}/dev.csv",
    log:
        f"{OUT}/logs/train_curve/{{corpus}}/{{base}}/{{method}}/seed-{{seed}}.log",
    wildcard_constraints:
        corpus=any_of(config.corpora),
    conda:
        "../../envs/semblance.yaml"
    threads: config.training.threads
    resources:
        **asks("train_curve"),
        gpu=GPUS,
    params:
        settings=settings_of("train_curve"),
        code=code_of("train_curve"),
    shell:
        "{PYTHON}.train_curve --settings {params.settings:q} --base {input.base:q} --corpus {input.corpus:q}"
        " --tokens {input.tokens:q} --dev {input.dev:q} --regulators {input.regulators:q}"
        " --code {params.code} {CADENCE} {SHARING} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule collect_figure:
    """Collect the data of one figure from the files of its models, or from tables."""
    input:
        texts=lambda w: figures.figure_files(PLAN, w.figure, texts=True),
        files=ancient(lambda w: figures.figure_files(PLAN, w.figure)),
        records=ancient(made("collect_figure", reads.files_of_figure)),
    output:
        csv=f"{OUT}/figures/{{figure}}.csv",
        record=f"{OUT}/figures/records/{{figure}}.json",
    log:
        f"{OUT}/logs/collect_figure/{{figure}}.log",
    wildcard_constraints:
        figure=any_of(figures.figure_names(PLAN, measured=False)),
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=lambda w: figures.figure_settings(PLAN, w.figure),
        results=OUT,
        code=lambda w: code("collect_figure", *modules.of_figure(config, w.figure)),
    shell:
        "{PYTHON}.collect_figure --settings {params.settings:q} --results {params.results:q}"
        " --output {output.csv:q} --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"


rule measure_figure:
    """Measure the data of one figure on the embeddings of its models."""
    input:
        models=made("measure_figure", reads.models_of_figure),
        weights=weights_of("measure_figure", reads.models_of_figure),
        texts=made("measure_figure", reads.texts_of_figure),
        file=lambda w: figures.figure_data(PLAN, w.figure),
    output:
        csv=f"{OUT}/figures/{{figure}}.csv",
        record=f"{OUT}/figures/records/{{figure}}.json",
    log:
        f"{OUT}/logs/measure_figure/{{figure}}.log",
    wildcard_constraints:
        figure=any_of(figures.figure_names(PLAN, measured=True)),
    conda:
        "../../envs/semblance.yaml"
    threads: config.measure_figure.threads
    resources:
        **asks("measure_figure"),
        gpu=GPUS,
    params:
        settings=lambda w: figures.figure_settings(PLAN, w.figure),
        compute=compute("measure_figure"),
        code=lambda w: code("measure_figure", *modules.of_figure(config, w.figure)),
    shell:
        "{PYTHON}.measure_figure --settings {params.settings:q} --models {input.models:q}"
        " --texts {input.texts:q} --csv {output.csv:q} {params.compute} {SHARING}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"


rule draw_figure:
    """Draw one figure from its data, as SVG and PNG."""
    input:
        csv=f"{OUT}/figures/{{figure}}.csv",
        record=ancient(f"{OUT}/figures/records/{{figure}}.json"),
    output:
        svg=report(
            f"{OUT}/figures/{{figure}}.svg",
            category="Figures",
            caption="../report/captions/figure.rst",
            labels={"figure": "{figure}"},
        ),
        png=f"{OUT}/figures/{{figure}}.png",
        record=f"{OUT}/figures/drawings/{{figure}}.json",
    log:
        f"{OUT}/logs/draw_figure/{{figure}}.log",
    wildcard_constraints:
        figure=any_of(figures.drawn_figures(PLAN)),
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=lambda w: figures.drawing_settings(PLAN, w.figure),
        code=lambda w: code("draw_figure", *modules.of_drawing(config, w.figure)),
    shell:
        "{PYTHON}.draw_figure --settings {params.settings:q} --csv {input.csv:q}"
        " --data {input.record:q} --svg {output.svg:q} --png {output.png:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"
