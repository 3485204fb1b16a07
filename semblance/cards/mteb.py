"""The results of the STS tasks that MTEB has with the same pairs and texts, in MTEB's own form.

Which of our texts are MTEB's was found by the counts that MTEB publishes of its data (numbers of
pairs and characters, distinct sentences, mean gold score): for STS12 to STS16 they are those of
SentEval's texts, lower-cased and tokenised, and for STSBenchmark those of the release, except that
we write one space where 16 of its sentences have more, and none at their ends. MTEB's SICK-R has
9,927 pairs, the papers' 4,927, so it is not among them, and neither is any average.

MTEB's layout: results/MODEL/REVISION/TASK.json and model_meta.json.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from semblance.cards.card import Score
from semblance.settings import StsProtocol


class Task(NamedTuple):
    """A task of MTEB: its name, the revision of its data set, and which of our texts it has."""

    name: str
    revision: str
    text: StsProtocol
    pairs: int


TASKS = {  # the data sets are mteb/sts12-sts and so on, on the hub
    "sts12": Task("STS12", "a0d554a64d88156834ff5ae9920b964011b16384", "senteval", 3108),
    "sts13": Task("STS13", "7e90230a92c190f1bf69ae9002b8cea547a64cca", "senteval", 1500),
    "sts14": Task("STS14", "6031580fec1f6af667f0bd2da0a551cf4f0b2375", "senteval", 3750),
    "sts15": Task("STS15", "ae752c7c21bf194d8b67fd573edf7ae58183cbe3", "senteval", 3000),
    "sts16": Task("STS16", "4d8694f8f0e0100860b497b999b3dbed754a0513", "senteval", 1186),
    "stsb": Task("STSBenchmark", "b0fddb56ed78048fa8b90373c8a3cfc37b684831", "raw", 1379),
}
METRICS = {"spearman": "cosine_spearman", "pearson": "cosine_pearson"}
MAIN = "cosine_spearman"


def task_results(
    scores: Iterable[Score], method: str, original: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return the content of each task's file by the task's name.

    A score counts if MTEB has the same pairs and texts. ``method`` is the model's own: a whitening
    changes its vectors. ``original`` names the tasks whose files are the released ones.
    """
    found: dict[Task, dict[str, float]] = {}
    for score in scores:
        task = TASKS.get(score.task)
        if task is None or score.task not in original or score.method != method:
            continue
        same = (score.protocol, score.n, score.aggregation) == (task.text, task.pairs, "all")
        if same and score.metric in METRICS:
            found.setdefault(task, {})[METRICS[score.metric]] = score.value
    return {task.name: _result(task, values) for task, values in found.items() if MAIN in values}


def _result(task: Task, values: dict[str, float]) -> dict[str, Any]:
    """Return a result as MTEB's TaskResult has it; it was not MTEB that computed it."""
    where = {"hf_subset": "default", "languages": ["eng-Latn"]}
    return {
        "task_name": task.name,
        "dataset_revision": task.revision,
        "mteb_version": None,
        "evaluation_time": None,
        "kg_co2_emissions": None,
        "scores": {"test": [{**values, "main_score": values[MAIN], **where}]},
    }


def model_meta(name: str, revision: str, base: str | None) -> dict[str, Any]:
    """Return what MTEB's model_meta.json says of a model; what is not known of it is null."""
    unknown = ("release_date", "languages", "n_parameters", "max_tokens", "embed_dim", "license")
    unknown += ("reference", "training_datasets", "open_weights", "public_training_code")
    unknown += ("superseded_by", "loader")
    return dict.fromkeys(unknown) | {
        "name": name,
        "revision": revision,
        "framework": ["Sentence Transformers", "PyTorch"],
        "similarity_fn_name": "cosine",
        "use_instructions": False,
        "adapted_from": base,
    }
