# Trained models and their scores in, model cards out. Inputs: results/tables, results/models.
# Outputs: results/models. The cards hold scores, which come after each training: so one job at the end
# writes those of all models, and no training depends on it. It waits for the scores and the answerers,
# which come after all trainings.
from workflow.planning.stand_ins import card_settings


rule write_cards:
    """Write a card, and results in MTEB's form, beside the weights of each trained model."""
    input:
        scores=f"{OUT}/tables/scores.csv",
        collected=ancient(f"{OUT}/tables/records/scores.json"),
        answerers=ANSWERERS,
    output:
        record=f"{OUT}/models/record.json",
    log:
        f"{OUT}/logs/write_cards.log",
    localrule: True
    conda:
        "../../envs/semblance.yaml"
    params:
        settings=card_settings(config, DATASETS, STAND_INS.used.datasets),
        results=OUT,
        code=code("write_cards"),
    shell:
        "{PYTHON}.write_cards --settings {params.settings:q} --results {params.results:q}"
        " --code {params.code} --record {output.record:q} 2> >(tee {log:q} >&2)"
