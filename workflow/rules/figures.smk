# The data of the figures, one CSV each; the report draws them. Inputs: results/scores, or
# results/models and results/sts. Outputs: results/figures. Records are `ancient` as in tables.smk.


rule collect_figure:
    """Collect the data of one figure from the scores and predictions of its models."""
    input:
        scores=lambda w: figures.figure_files(PLAN, w.figure, "scores.csv"),
        files=ancient(lambda w: figures.figure_files(PLAN, w.figure)),
        records=ancient(lambda w: figures.figure_files(PLAN, w.figure, "record.json")),
    output:
        csv=f"{OUT}/figures/{{figure}}.csv",
        record=f"{OUT}/figures/records/{{figure}}.json",
    log:
        f"{OUT}/logs/collect_figure/{{figure}}.log",
    wildcard_constraints:
        figure=any_of(figures.figure_names(PLAN, measured=False)),
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=lambda w: figures.figure_settings(PLAN, w.figure),
        results=OUT,
        code=lambda w: code("collect_figure", *modules_of_figure(config, w.figure)),
    shell:
        "{PYTHON}.collect_figure --settings {params.settings:q} --results {params.results:q}"
        " --output {output.csv:q} --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"


rule measure_figure:
    """Measure the data of one figure on the embeddings of its models."""
    input:
        models=lambda w: figures.figure_models(PLAN, w.figure),
        test=f"{OUT}/sts/record.json",
        pairs=f"{OUT}/sts/pairs.parquet",
    output:
        csv=f"{OUT}/figures/{{figure}}.csv",
        record=f"{OUT}/figures/records/{{figure}}.json",
    log:
        f"{OUT}/logs/measure_figure/{{figure}}.log",
    benchmark:
        f"{OUT}/logs/measure_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=any_of(figures.figure_names(PLAN, measured=True)),
    conda:
        "../../envs/semblance.yaml"
    threads: config["measure_figure"]["threads"]
    resources:
        **asks("measure_figure"),
        gpu=GPUS,
    params:
        settings=lambda w: figures.figure_settings(PLAN, w.figure),
        compute=compute("measure_figure"),
        code=lambda w: code("measure_figure", *modules_of_figure(config, w.figure)),
    shell:
        "{PYTHON}.measure_figure --settings {params.settings:q} --models {input.models:q}"
        " --pairs {input.test:q} --csv {output.csv:q} {params.compute} {SHARING}"
        " --code {params.code} --output {output.record:q} 2> >(tee {log:q} >&2)"
