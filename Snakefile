"""From raw data to the papers' tables. `snakemake -n` shows the plan that config.yaml makes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir)))

from semblance.code_digest import code_digest
from semblance.errors import InputError
from workflow.planning.config import check_files, load
from workflow.planning.methods import PHI

try:
    check_files(Path().glob("config.yaml"))  # before Snakemake reads it
except InputError as error:
    raise WorkflowError(str(error))


configfile: "config.yaml"


try:
    check_files(workflow.configfiles)
    config = load(config)
except InputError as error:
    raise WorkflowError(str(error))


include: "workflow/rules/common.smk"
include: "workflow/rules/controller.smk"
include: "workflow/rules/download.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/held_out.smk"
include: "workflow/rules/entropy.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/claims.smk"


wildcard_constraints:
    base="|".join(map(re.escape, config["bases"])),
    corpus="|".join(map(re.escape, ["none", *config["corpora"], *PLAN.folds_of])),
    bank="|".join(map(re.escape, PLAN.banks)),
    method="|".join(map(re.escape, sorted(config["methods"], key=len, reverse=True))),
    kind="|".join(map(re.escape, config["train_entropy"]["kinds"])),
    phi=PHI.pattern,
    seed=r"[0-9]+",
    table="|".join(map(re.escape, config["tables"])),


localrules:
    all,
    collect_scores,
    render_table,
    compare_published,
    judge_claims,
    simulate_statistics,


rule all:
    """Every table, the comparison with the papers, and the verdicts on their claims."""
    default_target: True
    input:
        TABLES,
        f"{OUT}/tables/scores.csv",
        f"{OUT}/tables/published.md",
        f"{OUT}/tables/records/published.json",
        f"{OUT}/tables/claims.md",
        f"{OUT}/tables/statistics.md",
