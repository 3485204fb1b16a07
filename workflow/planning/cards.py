"""What the cards of a run's models are told: the licences of its data, and which tests are original."""

from collections.abc import Mapping
from typing import Any

from semblance.fetch.manifest import Dataset
from semblance.provenance import canonical
from workflow.planning.stand_ins import content_digest


def settings(
    config: Mapping[str, Any], datasets: Mapping[str, Dataset], originals: Mapping[str, str]
) -> str:
    """Return the settings of the stage, as JSON.

    ``originals``: the digest of each data set that the papers used (workflow/published.yaml).
    """
    named = {name for corpus in config["corpora"].values() for name in corpus.get("datasets", ())}
    named |= {bank["dataset"] for bank in config["faq"]["banks"].values() if "dataset" in bank}
    named.add(config["sts"]["dev"])
    data = {name: _described(datasets[name]) for name in sorted(named) if name in datasets}
    tests = [name for name in config["sts"]["datasets"] if name in datasets]
    same = [name for name in tests if content_digest(datasets[name]) == originals.get(name)]
    return canonical({"data": data, "original": same})


def _described(dataset: Dataset) -> dict[str, str | None]:
    return {
        "title": dataset.title,
        "licence": dataset.licence,
        "homepage": dataset.homepage,
    }
