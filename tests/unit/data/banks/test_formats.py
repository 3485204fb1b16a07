"""What holds for every format of a FAQ bank, and how a format is found by its name."""

from dataclasses import replace
from pathlib import Path

import pytest

from semblance.data.prepare_faq import BankSettings, read_bank
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.named_modules import BANKS, module_names

ROOT = Path(__file__).resolve().parents[4]
DEMO_DATASETS = load_manifest(ROOT / "demo/manifest.yaml")


def demo_data() -> Raw:
    return Raw(DEMO_DATASETS, ROOT / "demo/data")


def settings(kind: str, **changes) -> BankSettings:
    return replace(BankSettings("bank", kind, 3, 0, dataset=kind), **changes)


def test_a_format_without_a_module_is_refused_with_the_known_ones():
    known = ", ".join(module_names(BANKS))
    words = rf"\Abank.kind: .*data/banks/excel.py; known are {known}\Z"
    with pytest.raises(InputError, match=words):
        read_bank(demo_data(), settings("excel"))


@pytest.mark.parametrize("kind", ["cough", "covid", "faqir", "stackfaq"])
def test_a_bank_is_read_from_the_files_of_its_data_set_and_no_other(kind):
    raw = demo_data()
    bank = read_bank(raw, settings(kind))
    expected = DEMO_DATASETS[kind].expected
    assert {name: bank.counts()[name] for name in expected} == expected
    assert set(raw.inputs) == {file.path for file in DEMO_DATASETS[kind].files}


@pytest.mark.parametrize("what", ["pairs", "queries", "judgements"])
def test_a_count_that_differs_from_the_manifest_is_refused(what):
    dataset = DEMO_DATASETS["cough"]
    found = dataset.expected[what]
    wrong = replace(dataset, expected=dataset.expected | {what: found + 1})
    raw = Raw({"cough": wrong}, ROOT / "demo/data")
    with pytest.raises(InputError, match=f"{what}: {found} found, {found + 1} expected"):
        read_bank(raw, settings("cough"))
