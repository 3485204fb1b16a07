"""From raw data to the papers' tables. `snakemake -n` shows the plan that config.yaml makes."""

import os
import sys

sys.path.insert(0, os.fspath(workflow.current_basedir))  # of this file, from any working folder

from workflow import extensions
from workflow.planning.stages import jobs, record
from workflow.run import hooks

CHECKED = hooks.check_start(workflow)
config = CHECKED.config


include: "workflow/rules/common.smk"
include: "workflow/rules/controller.smk"
include: "workflow/rules/download.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/held_out.smk"
include: "workflow/rules/pretrain.smk"
include: "workflow/rules/entropy.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/whitening.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/transfer.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


for rules in extensions.RULES:

    include: rules


wildcard_constraints:
    base=any_of(config.bases),
    corpus=any_of(["none", *config.corpora, *PLAN.folds_of, *PLAN.wholes]),
    bank=any_of(PLAN.banks),
    method=any_of(sorted(config.methods, key=len, reverse=True)),
    seed=r"[0-9]+",
    table=any_of(config.tables),


rule all:
    """Every table and figure, the verdicts on the papers' claims, and the report of all.

    The records of all jobs are among its inputs: Snakemake leaves a missing file in the middle
    missing as long as everything made from it is there.
    """
    default_target: True
    input:
        [record(PLAN, job) for job in jobs(PLAN)],
        TABLES,
        FIGURES,
        DRAWINGS,
        f"{OUT}/tables/scores.csv",
        f"{OUT}/tables/published.md",
        f"{OUT}/tables/claims.md",
        f"{OUT}/report.html",
    localrule: True
    message:
        "all is made"
