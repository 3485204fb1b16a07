"""Which weights are deleted after their use (``keep.models``), and which of them a job reads.

A job that reads such weights names them as an input: Snakemake deletes a temporary file once all
jobs that name it are done. Where every model stays, a model's record stands for its weights.
"""

from semblance.names import INITIAL
from workflow.planning.figures import figure_runs
from workflow.planning.methods import reads_no_corpus
from workflow.planning.plan import Plan

STAGES = ("train_initial", "train_entropy", "train", "fit_whitening")
FINAL = "final"  # of keep.models: the models that are trained on a whole bank stay


def deletes_models(config: dict) -> bool:
    """Tell whether a config, or the note of an earlier one, deletes models after their use."""
    return config.get("keep", {}).get("models") == FINAL


def deletes_weights(config: dict, stage: str) -> bool:
    """Tell whether the weights that a stage writes are deleted after their use."""
    return stage in STAGES and deletes_models(config)


def weights_read(plan: Plan, corpus: str, base: str, method: str, seed: int | str) -> list[str]:
    """Return the weights of a method's model; none where they stay, or are those of the base."""
    if not deletes_models(plan.config) or reads_no_corpus(plan.config, method):
        return []
    return [plan.model_weights(corpus, base, method, seed)]


def start_weights_read(plan: Plan, corpus: str, base: str, seed: int | str) -> list[str]:
    """Return the weights that an entropy model starts from, as ``weights_read`` does."""
    if plan.is_faq(corpus):
        return weights_read(plan, corpus, base, INITIAL, seed)
    return []


def figure_weights_read(plan: Plan, name: str) -> list[str]:
    """Return the weights of the models of a measured figure, as ``weights_read`` does."""
    return [path for run in figure_runs(plan, name) for path in weights_read(plan, *run)]
