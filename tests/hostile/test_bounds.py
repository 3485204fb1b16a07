"""No reader of foreign files waits for ever at a pipe or a file without end.

unit/test_files.py has all that is no regular file.
"""

import pytest

from semblance.data.raw import Raw
from semblance.data.tokens import load_tokenizer
from semblance.fetch.raw import extract
from semblance.models.architecture import read_architecture
from semblance.models.weights import load_weights
from semblance_faq.read.faq import read_own
from tests.hostile.bounds import put, refusal
from workflow.config.layers import read_layer

# What stands in the place of a file


READERS = {
    "a config": (read_layer, "c.yaml"),
    "weights": (load_weights, "model.safetensors"),
    "a model's config": (lambda path: read_architecture(path.parent), "config.json"),
    "a tokenizer": (load_tokenizer, "tokenizer.json"),
    "a user's file": (lambda path: Raw({}, path.parent).user_file(str(path)), "own.csv"),
    "a FAQ in CSV": (read_own, "f.csv"),
    "a FAQ in JSON": (read_own, "f.jsonl"),
    "a FAQ in gzip": (read_own, "f.csv.gz"),
    "a workbook": (read_own, "f.xlsx"),
    "an archive": (lambda path: extract(path, "a", path.with_name("out")), "x.zip"),
}


@pytest.mark.parametrize("kind", ["a pipe", "a terabyte of nothing"])
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_or_too_large_is_refused_at_once(name, kind, tmp_path):
    read, file = READERS[name]
    path = put(tmp_path / file, kind)
    assert str(path) in refusal(read, path)
