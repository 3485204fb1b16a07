"""What a config refuses: each mistake in one line, with its key and what would be right."""

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from semblance.errors import InputError, misfits
from tests.shipped import changed, merged
from tests.unit.planning.test_pretrained import BASE
from workflow.checks.load import load
from workflow.config.model import Config

# What is changed, KEY = VALUE (none: the key goes) | the beginning of the error, without `config.`;
# where it is left out, the changed key.
OF_PAPERS = """
output = ; rm -rf x
output = 2026-01-01 | output: a date, not plain text or a number
resources.checkpoint_minutes = .inf | resources.checkpoint_minutes: inf is not a number that can be
seeds.rcl = [18446744073709551616] | seeds.rcl[0]: 18446744073709551616 is not a number that can be
seeds.rcl = []
seeds.rcl = [1, -2] | seeds.rcl[1]: -2
faq.folds = 2
bases.bert-base.revision = main
bases.roberta-base.tokenizer = nobody
bases.bge-small.default_prompt = document | bases.bge-small.default_prompt: prompts do not have 'doc
bases.bert-base.pooling = max
corpora.none = {kind: wiki, datasets: [wiki1m]}
corpora.nli.datasets = [snli, snli]
sts.dev = wiki1m | sts.dev: 'wiki1m' should be 'stsb' or 'sick'
faq.banks.nli = {kind: faqir, dataset: faqir}
faq.banks.mine = {kind: own} | faq.banks.mine.path: missing key
faq.banks.mine = {kind: own, path: f.csv, dataset: faqir} | faq.banks.mine.dataset: has no effect
faq.banks.faqir.path = faq.csv
recipes.rcl.batch_size = | recipes.rcl.batch_size: missing key; each training needs it
recipes.rcl.warmup = | recipes.rcl.warmup: missing key
recipes.rcl.threads = 2
recipes.unsupervised.views = twise
recipes.unsupervised.options.scale = -5
recipes.unsupervised.loss = | methods.ssimcse.loss: missing key
recipes.supervised.by_base.bert-huge = {batch_size: 8}
train_initial.options.scale = -20.0
train_initial.options.phi = 0.1
train_entropy.kinds.entropy.loss = contrastive
train_entropy.kinds.entropy.options.reduction = avg
train_entropy.kinds.entropy.options.phi = 0.1 | train_entropy.kinds.entropy.options.phi: has no
methods.simcse.recipe = nobody
methods.simcse.recipe = | methods.simcse.recipe: missing key
methods.simcse.loss = entropy | methods.simcse.options.phi: missing key
methods.simcse.by_base = {bert-base: {batch_size: 8}}
methods.simcse.regulators = [entropy-0.01]
methods.simcse.options.scal = 3
methods.simcse.options.scale = 0
methods.simcse.loss = off_dropout | methods.simcse.views: 'twice': SimCSE++ embeds each sentence
methods.simcse.views = thrice; methods.simcse.dropout = {off_last: {}, hidden: 0.3} \
| methods.simcse.dropout: 'hidden' has no effect beside off_last
methods.simcse.loss = off_dropout; methods.simcse.views = thrice | methods.simcse.dropout: loss 'off_
methods.start = {recipe: rcl} | methods.start: this name is taken by a stage of its own
methods.simcse.dropout.off_last = {} | methods.simcse.views: 'twice': SimCSE++ embeds each sentence
methods.ssimcse.dropout.hidden = 1.0
methods.ssimcse.dropout.sampled.low = 0.8 | methods.ssimcse.dropout.sampled: low is above high
methods.whitening.recipe = rcl | methods.whitening.recipe: has no effect
methods.whitening.whitening = false | methods.whitening.whitening: False
methods.rcl-8.options.scale = -5 | methods.rcl-8.options.scale: -5 should be greater than 0
methods.rcl-8.regulators = | methods.rcl-8.regulators: loss 'regulators' needs
methods.rcl-8.regulators.phis = [1.0e+16] | methods.rcl-8.regulators.phis[0]: 1e+16 should be less
methods.rcl-2.regulators.phis = [much]
methods.rcl-2.regulators.phis = [0.01, "0.01"] | methods.rcl-2.regulators.phis[1]: '0.01' should be
methods.rcl-2.regulators.phis = [0.01, 0.010] | methods.rcl-2.regulators.phis: [0.01, 0.01] names
methods.rcl-2.regulators = [entropy-0.01, {kind: entropy, phis: [0.01]}] \
| methods.rcl-2.regulators: a model stands twice
methods.rcl-2.regulators = [nobody] | methods.rcl-2.regulators: there is no method 'nobody'
methods.rcl-2.regulators = [nobody/start] | methods.rcl-2.regulators: there is no base 'nobody'
methods.rcl-2.regulators = [bert-base/nobody] | methods.rcl-2.regulators: there is no met
methods.rcl-2.regulators = [entropy-0.010] | methods.rcl-2.regulators: there is no method 'entropy-
methods.rcl-2.regulators = [whitening-target] | methods.rcl-2.regulators: 'whitening-target' is fit
methods.rcl-2.regulators = [bert-base/rcl-2] | methods.rcl-2.regulators: 'rcl-2' waits for itself
methods.rcl-2.regulators = [rcl-4]; methods.rcl-4.regulators = [rcl-2] | methods.rcl-2.regulators: '
methods.rcl-2.regulators = [bert-base/start]; methods.rcl-2.regulator_seeds = [1] | methods.rcl-2.re
methods.rcl-2.regulators = [whitening]; methods.rcl-2.regulator_seeds = [1] | methods.rcl-2.regulato
methods.continued-matched.steps_of = whitening | methods.continued-matched
methods.continued-matched.steps_of = continued-matched | methods.continued-matched
methods.rcl-8.label = RCL (2 regulators) | tables.rcl_controls.labels: the rows of rcl-2 and rcl-8
tables.rcl_table3.seeds = nobody
tables.rcl_table3.rows[0].corpora = [faqir]
tables.rcl_table3.control = nobody
tables.rcl_table3.control = start | tables.rcl_table3.control: the untrained base
tables.rcl_table3.published.start = rcl/3/SRoBERTa
tables.rcl_table3.published.start = rcl/33/RCL
tables.rcl_table3.published.start = ""
tables.rcl_table3.published.rcl8 = rcl/3/RCL
tables.ssimcse_table1.published.bert-base/sincse = s-simcse/1/SimCSE-BERT-base
tables.rcl_table3.controls = {rcl-8: simcse} | tables.rcl_table3.controls.rcl-8: no row of a model
tables.scores = {title: t, layout: sts, seeds: rcl, rows: [{corpora: [nli], bases: [bert-base], \
methods: [simcse]}]} | tables.scores: another file beside the tables has this name
tables.simcse_table5.controls = {simcse: whitening} | tables.simcse_table5.controls.simcse: the unt
seeds.rcl = [0] | seeds.rcl[0]: 0 should be greater than or equal to 1
tables.simcse_tableC1.control = whitening | tables.simcse_tableC1.control: the untrained 'whitening'
tables.simcse_tableE1.rows[0].methods = [whitening-target]
tables.simcse_tableE1.tasks = [stsb] | tables.simcse_tableE1.tasks: has no effect here
tables.rcl_table1a.tasks = [yours] | tables.rcl_table1a.tasks: there is no task 'yours'
tables.rcl_table2a.rows[0].methods = [whitening-target]
tables.rcl_table2a.rows[0].corpora = [faqir, cough] | tables.rcl_table2a.rows: layout 'faq' shows \
one bank, and the rows name cough, faqir
tables.rcl_table2a.rows = [{corpora: [faqir], bases: [bert-base], methods: [start]}, \
{corpora: [cough], bases: [bert-base], methods: [start]}] \
| tables.rcl_table2a.rows: layout 'faq' shows one bank, and the rows name cough, faqir
tables.rcl_controls.rows[0].methods = [{kind: entropy, phis: [1.0e+16]}] \
| tables.rcl_controls.rows[0].methods[0].phis[0]: 1e+16 should be less
tables.rcl_table5.rows[0].methods = [{kind: nobody, phis: [0.1]}] | tables.rcl_table5.rows[0].meth
tables.rcl_table4.labels.nobody = Nobody | tables.rcl_table4.labels: there is no method 'nobody'
tables.rcl_table4.labels.rcl-6 = 4 regulators | tables.rcl_table4.labels: the rows of rcl-4 and rcl
corpora.mine = {kind: nli, datasets: [nli-simcse], neutral: true} | corpora.mine.neutral: data set '
corpora.mine = {kind: pairs, format: qqp, datasets: [qqp], labels: [same]} | corpora.mine.labels: un
corpora.mine = {kind: pairs, format: csv, datasets: [qqp]} | corpora.mine.format: 'csv' is no module
corpora.qqp.sample_seed = 1 | corpora.qqp.sample_seed: has no effect without l
corpora.nli.format = qqp | corpora.nli.format: has no effect here; it belongs to pairs
tables.rcl_table3.layout = wide | tables.rcl_table3.layout: 'wide' should be 'sts', 'faq'
figures.f = {kind: by_phi} | figures.f.rows: missing key; Groups of rows.
figures.f.kind = nobody | figures.f.kind: 'nobody' should be
figures.rcl_anisotropy.seeds = | figures.rcl_anisotropy.seeds: missing key; A list of `seeds`, for
figures.rcl_anisotropy.seeds = nobody | figures.rcl_anisotropy.seeds: there is no list of seeds 'nob
figures.rcl_anisotropy.rows[0].bases = [nobody] | figures.rcl_anisotropy.rows[0].bases: there is no
figures.rcl_anisotropy.rows[0].methods = [nobody]
figures.rcl_anisotropy.kind = curve | figures.rcl_anisotropy.rows[0].methods: there is no method 'st
figures.rcl_anisotropy.kind = retrieval | figures.rcl_anisotropy.collection: missing key; The corpus
figures.rcl_anisotropy.collection = nli | figures.rcl_anisotropy.collection: has no effect here; it
figures.rcl_anisotropy.tables = [rcl_table3] | figures.rcl_anisotropy.tables: has no effect here; it
figures.rcl_anisotropy.kind = curve; figures.rcl_anisotropy.rows[0].methods = [whitening] \
| figures.rcl_anisotropy.rows[0].methods: 'whitening' has no training of its own
figures.rcl_anisotropy.kind = retrieval; figures.rcl_anisotropy.collection = nobody \
| figures.rcl_anisotropy.collection: there is no corpus 'nobody'
figures.rcl_anisotropy.kind = retrieval; figures.rcl_anisotropy.collection = nli \
| figures.rcl_anisotropy.options.queries: missing key
figures.contrasts.rows = [] | figures.contrasts.rows: has no effect here; it belongs to models, coll
figures.rcl_anisotropy.kind = retrieval; figures.rcl_anisotropy.collection = nli; \
figures.rcl_anisotropy.options = {queries: [a], top: 0} | figures.rcl_anisotropy.options.top
"""
OF_MADE_BASES = """
bases.domain.base = nobody
bases.domain.corpus = nobody
bases.domain.pretrain.loss = contrastive
bases.domain.hub = a/b
bases.bert-large.tokenizer = domain | bases.bert-large.tokenizer: 'domain' is trained here itself
"""
OF_OWN_FAQ = """
tables.more = {title: t, layout: sts, seeds: rcl, rows: [{corpora: [nli], bases: [bert-base], \
methods: [bm25]}]} | tables.more.rows[0].methods: 'bm25' ranks answers, of which layout 'sts' has no
methods.rcl-8.regulators = [bm25] | methods.rcl-8.regulators: 'bm25' ranks with the model of another
methods.b = {recipe: rcl, ranking: {of: start, by: words}} | methods.b.recipe: has no effect here
methods.b = {ranking: {of: bm25, by: words}} | methods.b.ranking.of: 'bm25' has no model of its own
methods.b = {ranking: {of: nobody, by: words}} | methods.b.ranking.of: there is no method 'nobody'
methods.b = {ranking: {of: start, by: hybrid, match: better}}; tables.mine.rows[0].methods[0] = b \
| tables.mine.rows[0].methods: 'b' matches questions
answerers.mine.bank = nobody | answerers.mine.bank: there is no bank 'nobody'
answerers.mine.seeds = x | answerers.mine.seeds: there is no list
answerers.mine.methods = [nobody] | answerers.mine.methods: there is no method 'nobody'
answerers.mine.methods = [whitening] | answerers.mine.methods: 'whitening' whitens
answerers.mine.methods = [entropy-0.01] | answerers.mine.methods: 'entropy-0.01' is an entropy m
answerers.mine.methods = [rcl-2] | answerers.mine.methods: no table of bank 'mine' evaluates 'rcl-2'
answerers.mine.methods = [start, start] | answerers.mine.methods: ['start', 'start'] names one twice
answerers.mine.base = bert-base | answerers.mine.methods: no table of bank 'mine' evaluates 'start'
answerers.mine.seeds = ours; seeds.ours = [1, 77] | answerers.mine.methods: no table of bank 'mine'
evaluate_faq.protocols = [annotated] | evaluate_faq.protocols: an answerer of bank
corpora.mine-all = {kind: nli, datasets: [nli]} | faq.banks.mine: a corpus has the name mine-all al
faq.banks.mine-all = {kind: faqir, dataset: faqir} | faq.banks.mine: 'mine-all' is the name of a co
"""


def cases(text: str) -> list[tuple[str, str]]:
    """Return the changes of each line of a table, and the beginning of the error."""
    found = []
    for line in text.replace("\\\n", "").strip().splitlines():
        changes, _, error = line.partition(" | ")
        found.append((changes, error or changes.partition(" = ")[0].removesuffix(" =")))
    return found


PAPERS = merged("config.yaml")
OWN_FAQ = merged("config.yaml", "configs/own-faq.yaml")
MADE_BASES = merged("config.yaml")
MADE_BASES["bases"]["domain"] = BASE
MISTAKES = [
    (config, *case)
    for config, text in ((PAPERS, OF_PAPERS), (OWN_FAQ, OF_OWN_FAQ), (MADE_BASES, OF_MADE_BASES))
    for case in cases(text)
]


@pytest.mark.parametrize("config, changes, error", MISTAKES, ids=[case[1] for case in MISTAKES])
def test_a_mistake_is_refused_in_one_line_with_its_key(config, changes, error):
    with pytest.raises(InputError) as caught:
        load(changed(config, changes))
    assert str(caught.value).startswith(f"config.{error}") and "\n" not in str(caught.value)


FREE = ("options", "view_options", "sampled", "dropout")  # keys that a module decides


def spoilt(value: object, where: str, keys: list[str], change: Callable) -> object:
    """Return a config in which ``change`` spoils each mapping or leaf; ``keys`` get its key."""
    if isinstance(value, dict):
        inner = {k: v for k, v in value.items() if v is not None}
        for key in inner.keys() - set(FREE):
            inner[key] = spoilt(inner[key], f"{where}.{key}", keys, change)
        return change(inner, where, keys)
    return change(value, where, keys)


def another_key(value: object, where: str, keys: list[str]) -> object:
    """Return a mapping with a key that none has; any other value as it is."""
    if not isinstance(value, dict):
        return value
    keys.append(f"{where}.no such")
    return {**value, "no such": 0}


def another_type(value: object, where: str, keys: list[str]) -> object:
    """Return a mapping in the place of a value; a kind, which says what keys there are, as it is."""
    if isinstance(value, dict) or where.endswith(".kind"):
        return value
    keys.append(where)
    return {"no": "such"}


@pytest.mark.parametrize("change", [another_key, another_type])
@pytest.mark.parametrize("config", [PAPERS, OWN_FAQ, MADE_BASES], ids=["papers", "own", "made"])
def test_each_key_of_a_config_refuses_what_its_type_does_not_allow(config, change):
    keys: list[str] = []
    with pytest.raises(ValidationError) as caught:
        Config.model_validate(spoilt(config, "config", keys, change))
    places = {error.where for error in misfits(caught.value, Config, "config")}
    lost = [key for key in keys if not any(f"{p}.".startswith(f"{key}.") for p in places)]
    assert lost == [] and len(keys) > 100


def test_a_config_with_bases_and_corpora_of_every_kind_is_accepted():
    config = changed(MADE_BASES, "")
    pairs = {"kind": "pairs", "format": "qqp", "datasets": ["qqp"], "labels": ["duplicate"]}
    config["corpora"] |= {
        "a": {**pairs, "limit": 10, "sample_seed": 0},
        "b": {"kind": "pairs", "format": "captions", "datasets": ["flickr30k"]},
        "c": {"kind": "nli", "datasets": ["snli", "multinli"], "neutral": True},
        "d": {"kind": "wiki", "datasets": ["wiki1m"], "limit": 5},
    }
    assert load(config).corpora["d"].written() == config["corpora"]["d"]


@pytest.mark.parametrize(
    "changes",
    [
        "methods.rcl-2.regulators = [entropy-sum--0.01]",
        "methods.rcl-8.regulators = [entropy-0.01, entropy-sum-0.01]",
        "train_entropy.kinds.entropy.options = {scale: 5, hard_negatives_in_entropy: false}",
        "tables.rcl_table2a.published = {}; tables.rcl_table2a.rows = [{corpora: [faqir], \
bases: [bert-base], methods: [start]}, {corpora: [faqir], bases: [bert-base], \
methods: [attention-dropout-0.1, rcl-8]}]",
    ],
    ids=["a negative phi", "two kinds of one phi", "every option of a loss", "rows of one bank"],
)
def test_what_is_allowed_is_not_refused(changes):
    load(changed(PAPERS, changes))
