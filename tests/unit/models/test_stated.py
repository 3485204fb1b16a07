"""A folder from elsewhere has the vectors of sentence-transformers, or is refused by what differs."""

import json
import shutil
import sys

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.evaluation.protocols import EveryPooling, TextInput, headline
from semblance.models.found import read_found
from semblance.models.saved import SavedModel
from tests.unit.models.foreign import FAMILIES, add_dense, states, tokenizer, write_foreign
from tests.unit.models.tiny_models import BAKED, PADDED, add_module, built, by_library

TEXTS = [
    "To day A b.",
    "Zoe\u0301 [SEP] to, <pad> or <mask> to?",
    "\u5bc6x  \uff21b today \u0130 k!",
    " a",
    "Today a b c d e f g h i j k l m n o p q r s t",
]
TOKENIZER_CONFIG = "tokenizer_config.json"
LENGTHS = "sentence_bert_config.json"
OF_FOLDER = "config_sentence_transformers.json"
POOLING = "1_Pooling/config.json"
GENERIC = {"tokenizer_class": "PreTrainedTokenizerFast"}  # keeps tokenizer.json as it is
ADDED = {"id": 150, "content": "b.", "single_word": False, "lstrip": False, "rstrip": False}
ADDED |= {"normalized": True, "special": False}


def sets(part, value):
    """Change one part of tokenizer.json."""
    return tokenizer(lambda parts: parts.update({part: value}))


def sets_model(**values):
    return tokenizer(lambda parts: parts["model"].update(values))


def kept(change):
    """Change tokenizer.json and have transformers keep it as it is."""
    return lambda folder: (change(folder), states(TOKENIZER_CONFIG, **GENERIC)(folder))


def without(key):
    return states("config.json", **{key: None})


def move(folder):
    """Move the transformer into a folder of its own."""
    inner = folder / "0_Transformer"
    inner.mkdir()
    for path in folder.glob("*.*"):
        if path.name != "modules.json":
            path.rename(inner / path.name)
    listed(lambda entries: entries[0].update(path=inner.name))(folder)


def types_of_tokens(folder):
    """Give the tokens of a text the type 1, and have transformers hand it on."""

    def change(parts):
        parts["post_processor"]["single"][1]["Sequence"]["type_id"] = 1

    tokenizer(change)(folder)
    names = ["input_ids", "token_type_ids", "attention_mask"]
    states(TOKENIZER_CONFIG, model_input_names=names)(folder)


def listed(change):
    """Change the entries of modules.json."""

    def edit(folder):
        path = folder / "modules.json"
        entries = json.loads(path.read_text())
        change(entries)
        path.write_text(json.dumps(entries))

    return edit


def in_order(*kinds):
    """Add modules behind the pooling."""

    def edit(folder):
        for kind in kinds:
            add_dense(folder) if kind == "Dense" else add_module(folder, kind)

    return edit


def named(kind, place):
    """Add a module with a folder of its own choice."""
    return lambda folder: add_module(folder, kind, place, in_features=32, out_features=32)


def in_bfloat16(folder):
    weights = load_file(folder / "model.safetensors")
    weights = {name: value.bfloat16() for name, value in weights.items()}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


LOWER = {"type": "Lowercase"}
SEQUENCE = {"type": "Sequence", "normalizers": [{"type": "NFKC"}, LOWER]}
CASED = states(TOKENIZER_CONFIG, do_lower_case=False)
BLANKS = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
METASPACE = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never"}
SECOND = {"name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}
DENSE = "2_Dense/config.json: "
ORDER = "modules in this order are not supported"
EQUAL = {  # name: the family, and what is changed
    "nothing": ("bert", lambda folder: None),
    "nothing of RoBERTa": ("roberta", lambda folder: None),
    "nothing of XLM-R": ("xlm-roberta", lambda folder: None),
    "runs of blanks": ("xlm-roberta", sets("normalizer", BLANKS)),  # as converters write it
    "no number of XLM-R's padding": ("xlm-roberta", without("pad_token_id")),
    "NFKC, kept": ("bert", kept(sets("normalizer", SEQUENCE))),
    "accents, as lower case implies": ("bert", states(TOKENIZER_CONFIG, strip_accents=True)),
    "unknown token that is never met": ("roberta", sets_model(unk_token="<unk>")),
    "token of tokenizer.json": ("bert", tokenizer(lambda p: p["added_tokens"].append(ADDED))),
    "baked length": ("bert", sets("truncation", BAKED)),
    "baked padding": ("bert", sets("padding", PADDED)),
    "an empty setting": ("bert", states(LENGTHS, tokenizer_args={}, query_length=None)),
    "text in lower case": ("roberta", states(LENGTHS, do_lower_case=True)),
    "length of another family": ("bert", states("sentence_albert_config.json", x=1)),
    "number of padding": ("roberta", states("config.json", pad_token_id=0)),
    "no number of padding": ("roberta", without("pad_token_id")),
    "in a folder of its own": ("bert", lambda folder: (add_dense(folder), move(folder))),
    "normalised": ("bert", in_order("Normalize")),
    "dense": ("bert", in_order("Dense", "Normalize")),
    # its pooling_mode says mean
    "older key of a pooling": ("bert", states(POOLING, pooling_mode_cls_token=True)),
}
OF_OTHERS = {  # name: the family, what is changed, and what the refusal says
    "no blank in front": ("xlm-roberta", sets("pre_tokenizer", METASPACE), "pre_tokenizer is"),
    "unknown piece": ("xlm-roberta", sets_model(unk_id=1), "model.unk_id is 3"),
    "a normalizer of RoBERTa": ("roberta", sets("normalizer", LOWER), "normalizer is"),
    "blank in front": ("roberta", states(TOKENIZER_CONFIG, add_prefix_space=True), "pre_tok.* is"),
    "none of RoBERTa": ("roberta", sets("post_processor", None), "post_processor is"),
    "merged by chance": ("roberta", sets_model(dropout=0.5), "model.dropout is"),
}
OF_BERT = {
    "no normalizer": (sets("normalizer", None), "normalizer is"),
    "NFKC and lower case": (sets("normalizer", SEQUENCE), "normalizer is"),
    "letters as they are": (CASED, "normalizer is"),
    "accents": (states(TOKENIZER_CONFIG, strip_accents=False), "normalizer is"),
    "words": (sets("pre_tokenizer", {"type": "WhitespaceSplit"}), "pre_tokenizer is"),
    "no post-processor": (sets("post_processor", None), "post_processor is"),
    "no post-processor, kept": (kept(sets("post_processor", None)), "puts other than one token"),
    "types of tokens": (kept(types_of_tokens), "post_processor .* states types"),
    "another first token": (states(TOKENIZER_CONFIG, cls_token="[MASK]"), "post_processor"),
    "prefix": (sets_model(continuing_subword_prefix="@"), "continuing_subword_prefix is"),
    "letters of a word": (sets_model(max_input_chars_per_word=2), "max_input_chars"),
    "no added tokens": (sets("added_tokens", []), r"added token '\[PAD\]' is"),
    "token of added_tokens.json": (states("added_tokens.json", **{"b.": 150}), "added .*b."),
    "token of the map": (
        states("special_tokens_map.json", additional_special_tokens=["b."]),
        "added token 'b.' is",
    ),
    "token in pieces": (states(TOKENIZER_CONFIG, split_special_tokens=True), "split_spec"),
    "padded in front": (sets("padding", PADDED | {"direction": "Left"}), "padding_side is"),
    "cut in front": (sets("truncation", BAKED | {"direction": "Left"}), "truncation_side"),
    "side of padding": (states(TOKENIZER_CONFIG, padding_side="left"), "padding_side is"),
    "side of a cut": (states(TOKENIZER_CONFIG, truncation_side="left"), "truncation_side"),
    "no file": (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer.json"),
    "cased": (states(LENGTHS, tokenizer_args={"do_lower_case": False}), "tokenizer_args is"),
    "processor": (states(LENGTHS, processor_kwargs={"padding_side": "left"}), "processor_k"),
    "config": (states(LENGTHS, config_args={"hidden_act": "relu"}), "config_args is"),
    "no length": (states(LENGTHS, max_seq_length=0), "max_seq_length is 0"),
    "task": (states(LENGTHS, transformer_task="fill-mask"), "transformer_task is"),
    "length of questions": (states(LENGTHS, query_length=4), "query_length is"),
    "another family": (  # which is said before what its tokenizer differs in
        lambda folder: (states("config.json", model_type="mpnet")(folder), CASED(folder)),
        "model_type 'mpnet' is not supported",
    ),
    "cut vectors": (states(OF_FOLDER, truncate_dim=4), "truncate_dim is 4"),
    "cross-encoder": (states(OF_FOLDER, model_type="CrossEncoder"), "is a CrossEncoder"),
    "adapter": (states("adapter_config.json", r=8), "adapter_config.json; merge"),
    "code": (listed(lambda e: e[1].update(type="my.Pooling")), "my.Pooling is code"),
    "arguments": (listed(lambda e: e[1].update(kwargs=["task"])), "kwargs is"),
    "dense in the name of another": (named("Dense", "2_Normalize"), r"2_Norm.* \(Dense\) is"),
    "a module of our name": (named("Pooler", "2_Pooler"), r"2_Pooler \(Pooler\) is not"),
    "two of a name": (
        listed(lambda e: e.append(SECOND | {"name": "1"})),
        "two modules have one name",
    ),
    "dense twice": (in_order("Dense", "Dense"), ORDER),
    "normalised first": (in_order("Normalize", "Dense"), ORDER),
    "normalised twice": (in_order("Normalize", "Normalize"), ORDER),
    "pooling first": (listed(list.reverse), ORDER),
    "no bias": (lambda folder: add_dense(folder, bias=False), f"{DENSE}bias is false"),
    "narrower": (lambda folder: add_dense(folder, out_features=8), f"{DENSE}out_features is"),
    "residual": (lambda folder: add_dense(folder, use_residual=True), f"{DENSE}use_resid"),
    "activation": (
        lambda folder: add_dense(folder, activation_function="torch.nn.modules.activation.ReLU"),
        f'{DENSE}activation_function is "ReLU"',
    ),
    "two poolings": (states(POOLING, pooling_mode=["cls", "mean"]), "once"),
}
REFUSED = OF_OTHERS | {name: ("bert", *case) for name, case in OF_BERT.items()}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("foreign")
    return {family: write_foreign(place / family, family) for family in FAMILIES}


def vectors(folder):
    """Return the directions of the vectors of the texts, of which ``score`` takes cosines."""
    found = read_found(folder)
    tokens = tokenise(found.tokenizer, TEXTS, found.lower_case)
    ours = EveryPooling(found).encode(tokens, found.max_length)[found.own]
    return ours / np.linalg.norm(ours, axis=1, keepdims=True)


@pytest.fixture
def changed(folders, tmp_path):
    """A function that copies the folder of a family, changes it, and returns it."""

    def make(family, change):
        folder = shutil.copytree(folders[family], tmp_path / "folder")
        change(folder)
        return folder

    return make


@pytest.mark.parametrize("name", EQUAL)
def test_a_changed_folder_has_the_vectors_of_its_library(changed, name):
    folder = changed(*EQUAL[name])
    theirs = by_library(folder).encode(TEXTS, normalize_embeddings=True)
    np.testing.assert_allclose(vectors(folder), theirs, atol=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_a_folder_that_its_library_reads_otherwise_is_refused(changed, name):
    *case, said = REFUSED[name]
    folder = changed(*case)
    with pytest.raises(InputError, match=said):
        vectors(folder)


BY_THE_SAME_RULE = "no added tokens|cut vectors|padded in front|normalised twice|cased".split("|")
IN_LOWER_CASE = (*EQUAL["text in lower case"], "do_lower_case is true")  # a base is refused, too


@pytest.mark.parametrize("case", [IN_LOWER_CASE, *(REFUSED[name] for name in BY_THE_SAME_RULE)])
def test_bases_are_refused_by_the_same_rule(changed, tmp_path, case):
    *case, said = case
    folder = changed(*case)
    with pytest.raises(InputError, match=said):
        built(folder, tmp_path / "base")


@pytest.mark.parametrize(
    "change, said",
    [
        (states("config.json", dtype="bfloat16"), "bfloat16 in its files, computed in float32"),
        (
            lambda folder: (in_bfloat16(folder), states("config.json", dtype=None)(folder)),
            "bfloat16 in its files, computed in float32",
        ),
        (states(OF_FOLDER, similarity_fn_name="dot"), "similarity dot in its files, cosine here"),
        (in_bfloat16, "no prompts"),  # config.json says float32, in which the library computes, too
    ],
)
def test_the_headline_says_what_is_computed_otherwise(changed, change, said):
    folder = changed("bert", change)
    assert headline(read_found(folder), TextInput("", 16)).endswith(said)


def test_a_model_of_a_run_is_read_without_transformers(folders, tmp_path, monkeypatch):
    built(folders["bert"], tmp_path)
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert read_found(SavedModel.read(tmp_path / "record.json")).own == "mean"
