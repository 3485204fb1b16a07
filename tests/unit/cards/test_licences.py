"""What the text of a licence allows."""

import pytest
import yaml

from semblance.cards.licences import common_hub_name, common_standing, hub_name, standing
from semblance.provenance import ROOT


@pytest.mark.parametrize(
    ("text", "allows"),
    [
        ("CC BY-SA 4.0", "free"),
        ("CC0-1.0 (hand-made)", "free"),
        ("Apache-2.0", "free"),
        ("CC BY-NC-SA 3.0", "non-commercial"),
        ("CC BY-NC-ND 4.0", "non-commercial"),
        ("none stated; research only", "non-commercial"),
        ("for non commercial use", "non-commercial"),
        ("none stated", "unknown"),
        ("mixed; SNLI CC BY-SA 4.0, MNLI mixed", "unknown"),
        ("CC BY-ND 4.0", "unknown"),
        ("MIT\nand something else", "unknown"),
        ("", "unknown"),
    ],
)
def test_only_a_known_free_licence_allows_any_use(text, allows):
    assert standing(text) == allows


def test_the_strictest_licence_counts():
    assert common_standing(["MIT", "CC BY 4.0"]) == "free"
    assert common_standing(["MIT", "none stated"]) == "unknown"
    assert common_standing(["none stated", "CC BY-NC 4.0", "MIT"]) == "non-commercial"


def test_a_model_without_known_data_is_not_free():
    assert common_standing([]) == "unknown"


def test_a_hub_gets_the_name_of_a_licence_only_if_all_data_have_it():
    assert hub_name("CC BY-SA 3.0") == "cc-by-sa-3.0"
    assert hub_name("Quora's terms of service") == "other"
    assert common_hub_name(["CC BY 4.0", "CC BY 4.0"]) == "cc-by-4.0"
    assert common_hub_name(["CC BY 4.0", "MIT"]) == "other"


def test_each_licence_of_the_manifest_that_forbids_commerce_is_found():
    datasets = yaml.safe_load((ROOT / "workflow/manifest.yaml").read_text())["datasets"]
    texts = {name: data["licence"] for name, data in datasets.items()}
    marked = {name for name, text in texts.items() if "-NC" in text or "research" in text}
    assert marked == {n for n, text in texts.items() if standing(text) == "non-commercial"}
    assert standing(texts["wiki1m"]) == "free"
