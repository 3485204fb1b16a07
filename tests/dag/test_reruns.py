"""The table of mutations: what changes reruns exactly the stages that depend on it, and nothing else does."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from semblance.code_digest import INERT
from semblance.code_digest import PACKAGES as PROJECT
from semblance.named_modules import (
    BANKS,
    DROPOUTS,
    FIGURES,
    LOSSES,
    MASKED_WORDS,
    PAIRS,
    POOLINGS,
    VIEWS,
    WORDS,
)
from tests.dag.tiny import CONFIG, ROOT, Project, rows
from tests.shipped import changed

pytestmark = pytest.mark.dag

# Who reads whose output, by hand: the ground truth that the dry runs are held against. A stage that runs
# for several corpora is told apart by them: nli and wiki (STS), faq (the folds); and by what else differs.
# Each reads all tables.
OF_TABLES = {"compare_published", "judge_claims"}
ON_STS = ("measure_figure:singular", "measure_figure:anisotropy")
MEASURED_FIGURES = (*ON_STS, "measure_figure:retrieval")
COLLECTED_FIGURES = {  # what tells them apart -> the module of their kind
    "scores": "alignment_uniformity",
    "cosines": "cosine_densities",
    "curve": "curve",
    "regulators": "by_regulators",
    "phi": "by_phi",
    "contrasts": "contrasts",
}
DRAWINGS = COLLECTED_FIGURES | {"singular": "singular_values", "anisotropy": "anisotropy"}
FINALS = ("train_final:faq", "train_final:regulated", "train_final:initial")


def words(text: str, *more: str) -> set[str]:
    return {*text.split(), *more}


READERS = {
    "download:nli": {"prepare_nli"},
    "download:wiki": {"prepare_wiki"},
    "download:pairs": {"prepare_pairs"},
    "download:sts": words("prepare_sts prepare_dev"),
    "download:faq": {"prepare_faq"},
    "download:transfer": {"prepare_transfer"},
    "download_model": words(
        """tokenise:nli tokenise:wiki tokenise:pairs tokenise:faq
        train:nli train:wiki train:pairs train:sampled train:faq train:regulated
        pretrain train_curve train_initial build_answerer train_entropy:nli
        fit_whitening evaluate_sts evaluate_transfer evaluate_faq""",
        *FINALS,
        *MEASURED_FIGURES,
    ),
    "prepare_nli": words("tokenise:nli train:nli train_entropy:nli measure_figure:retrieval"),
    "prepare_wiki": words("tokenise:wiki pretrain train:wiki train:sampled train_curve"),
    "prepare_pairs": words("tokenise:pairs train:pairs"),
    "prepare_faq": words(
        """tokenise:faq train:faq train:regulated train_initial
        train_final:faq train_final:regulated train_final:initial
        train_entropy:faq train_entropy:whole evaluate_faq build_answerer"""
    ),
    "prepare_sts": words("evaluate_sts", *ON_STS),
    "prepare_transfer": {"evaluate_transfer"},
    "prepare_dev": words("train:nli train:wiki train:sampled train:pairs train_curve evaluate_sts"),
    "tokenise:nli": words("train:nli train_entropy:nli embed:nli fit_whitening"),
    "tokenise:wiki": words("pretrain train:wiki train:sampled train_curve"),
    "tokenise:pairs": {"train:pairs"},
    "tokenise:faq": words(
        """train:faq train:regulated train_initial train_entropy:faq
        train_entropy:whole embed:faq embed:whole""",
        *FINALS,
    ),
    "pretrain": {"evaluate_sts"},
    "train_initial": words("train_entropy:faq train_final:initial"),
    "train_entropy:nli": words("embed:nli evaluate_sts"),
    "train_entropy:faq": {"embed:faq"},
    "train_entropy:whole": {"embed:whole"},
    "embed:nli": {"train:nli"},
    "embed:faq": {"train:regulated"},
    "embed:whole": {"train_final:regulated"},
    "train:nli": words("evaluate_sts measure_figure:anisotropy measure_figure:retrieval"),
    "fit_whitening": {"evaluate_sts"},
    "train:wiki": words("evaluate_sts evaluate_transfer measure_figure:singular"),
    "train:sampled": {"evaluate_sts"},
    "train:pairs": {"evaluate_sts"},
    "train:faq": words("evaluate_faq train_final:faq"),
    "train:regulated": words("evaluate_faq train_final:regulated"),
    "train_final:faq": {"build_answerer"},
    "train_final:regulated": {"build_answerer"},
    "train_final:initial": {"train_entropy:whole"},  # the start of the whole bank's entropy models
    "train_curve": {"collect_figure:curve"},
    "evaluate_sts": words(
        """collect_scores render_table collect_figure:scores collect_figure:cosines
        collect_figure:regulators collect_figure:phi"""
    ),
    "evaluate_transfer": words("collect_scores render_table"),
    "evaluate_faq": words("collect_scores render_table build_answerer"),
    "build_answerer": {"report"},
    "collect_scores": {"report"},
    "render_table": words("collect_figure:contrasts report", *OF_TABLES),
    **{f"collect_figure:{name}": {f"draw_figure:{name}"} for name in COLLECTED_FIGURES},
    "measure_figure:singular": {"draw_figure:singular"},
    "measure_figure:anisotropy": {"draw_figure:anisotropy"},
    "measure_figure:retrieval": {"report"},  # a table of sentences, which is not drawn
    **{f"draw_figure:{name}": {"report"} for name in DRAWINGS},
    **dict.fromkeys(OF_TABLES, {"report"}),
    "report": set(),
}
TRAININGS = ("pretrain", "train", "train_initial", "train_final", "train_entropy", "train_curve")
STAGES = sorted({node.partition(":")[0] for node in READERS})
# The modules found by name that the tiny config's stages run, by hand. Where the corpora of a stage
# differ, they are told apart as above. No stage runs DropHead, the pooling cls or
# another format of a bank than StackFAQ.
MEAN = "semblance.models.poolings.mean"
ROWS = "semblance.training.views.rows"
TWICE = "semblance.training.views.twice"
CONTRASTIVE = "semblance.training.losses.contrastive"
ENTROPY = "semblance.training.losses.entropy"
REGULATORS = "semblance.training.losses.regulators"
SAMPLED = "semblance.models.dropouts.sampled"
STACKFAQ = "semblance.data.banks.stackfaq"
QQP = "semblance.data.pairs.qqp"
DELETE = "semblance.training.views.delete"
NAMED_MODULES = {
    "prepare_faq": (STACKFAQ,),
    "prepare_pairs": (QQP,),
    "train:nli": (CONTRASTIVE, REGULATORS, ROWS, MEAN),  # attention-dropout-0.1, rcl-2
    "train:wiki": (CONTRASTIVE, TWICE, MEAN),  # simcse
    "train:sampled": (CONTRASTIVE, TWICE, SAMPLED, MEAN),  # ssimcse-sd, on the same corpus
    "train:pairs": (CONTRASTIVE, ROWS, MEAN),  # simcse-sup-no-negatives
    "train:faq": (CONTRASTIVE, ROWS, MEAN),  # attention-dropout-0.1
    "train:regulated": (REGULATORS, ROWS, MEAN),  # rcl-2 on the same folds
    "train_final:faq": (CONTRASTIVE, ROWS, MEAN),  # the same methods on the whole bank
    "train_final:regulated": (REGULATORS, ROWS, MEAN),
    "train_final:initial": (CONTRASTIVE, ROWS, MEAN),
    "build_answerer": ("semblance_faq.answer.embedding", WORDS, MEAN),
    "pretrain": (MASKED_WORDS, TWICE, MEAN),
    "train_initial": (CONTRASTIVE, ROWS, MEAN),
    "train_entropy": (ENTROPY, ROWS, MEAN),
    "embed": (MEAN,),
    "fit_whitening": (MEAN,),
    "evaluate_sts": (MEAN,),
    "evaluate_transfer": (MEAN,),
    "evaluate_faq": (MEAN,),
    "train_curve": (CONTRASTIVE, DELETE, MEAN),  # simcse-delete-one
    **{f"collect_figure:{n}": (f"{FIGURES}.{kind}",) for n, kind in COLLECTED_FIGURES.items()},
    **{f"draw_figure:{n}": (f"{FIGURES}.{kind}",) for n, kind in DRAWINGS.items()},
    "measure_figure:singular": (f"{FIGURES}.singular_values", MEAN),
    "measure_figure:anisotropy": (f"{FIGURES}.anisotropy", MEAN),
    "measure_figure:retrieval": (f"{FIGURES}.retrieval", MEAN),
}


def downstream(*stages: str) -> set[str]:
    """Return the stages and all that read from them, directly or not; a bare name means all its corpora."""
    found, waiting = (
        set(),
        [node for node in READERS for s in stages if s in (node, node.partition(":")[0])],
    )
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += READERS[node]
    return {node.partition(":")[0] for node in found}


def stages(planned: dict[str, int]) -> set[str]:
    """Fold the download rules into one name and drop the target rule."""
    names = {
        "download" if n.startswith("download_") and n != "download_model" else n for n in planned
    }
    return names - {"all"}


@pytest.fixture(scope="module")
def imported_by() -> dict[str, set[str]]:
    """Map each module of the project to the stages whose process really imports it."""
    program = (
        "import importlib, json, sys\n"
        f"PROJECT = {PROJECT}\n"
        "found = {}\n"
        "for stage, modules in json.loads(sys.argv[1]).items():\n"
        "    for name in [n for n in sys.modules if n.split('.')[0] in PROJECT]:\n"
        "        del sys.modules[name]\n"
        "    for module in modules:\n"
        "        importlib.import_module(module)\n"
        "    found[stage] = [n for n in sys.modules if n.split('.')[0] in PROJECT]\n"
        "print(json.dumps(found))\n"
    )
    told_apart = {stage.partition(":")[0] for stage in NAMED_MODULES if ":" in stage}
    wanted = {}
    for stage in [*NAMED_MODULES, *(s for s in STAGES if s not in told_apart)]:
        script = f"workflow.scripts.{stage.partition(':')[0]}"
        wanted[stage] = (script, *NAMED_MODULES.get(stage, ()))
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(wanted)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    table: dict[str, set[str]] = {}
    for stage, modules in json.loads(done.stdout).items():
        for module in modules:
            table.setdefault(module, set()).add(stage)
    return table


def module_files() -> list[str]:
    """Return every module of the package and every script, as paths from the root."""
    files = [*(ROOT / "workflow" / "scripts").glob("*.py")]
    for package in ("semblance", "semblance_faq"):
        files += (ROOT / package).rglob("*.py")
    return sorted(str(f.relative_to(ROOT)) for f in files if f.stat().st_size)


INERT_FILES = sorted(f"{name.replace('.', '/')}.py" for name in INERT)


def module_name(path: str) -> str:
    """Return the name under which Python imports a file; an ``__init__`` is its package."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@pytest.fixture(scope="module")
def covered(finished: Project) -> list[tuple[str, set[str]]]:
    """Return, for each record of the finished run, its stage and the modules that its code's digest covers."""
    results = finished.folder / "results"
    modules = json.loads((results / "logs/code.json").read_text())
    files = [file for file in results.rglob("*.json") if "checkpoints" not in file.parts]
    found = [value for value in map(json.loads, map(Path.read_text, files)) if "stage" in value]
    return [(record["stage"], set(modules[record["code"]])) for record in found]


def test_the_digest_of_each_stage_covers_the_modules_that_its_process_imports(covered, imported_by):
    stages = {stage for stage, _ in covered}
    assert set(STAGES) - stages <= {"download", "download_model"}  # what they make is pinned
    for stage in stages:
        digested = set().union(*(modules for other, modules in covered if other == stage))
        imported = {
            module
            for module, importers in imported_by.items()
            if any(importer.partition(":")[0] == stage for importer in importers)
        }
        # Stages without settings import this one by workflow.scripts.program alone, which is inert.
        assert imported - INERT - digested <= {"semblance.settings"}, stage
        assert digested <= imported - INERT, stage


# The bodies of a few modules, by hand: which runs of the tiny config use them. ssimcse-sd is one;
# simcse and the curve of simcse-delete-one, whose view changes the second text, are the others.
USERS = {
    "semblance.models.dropouts.sampled": {"train": 1},
    "semblance.models.dropouts.drophead": {},
    "semblance.training.views.twice": {"pretrain": 1, "train": 2, "train_curve": 1},
    "semblance.training.masked_words": {"pretrain": 1},
    "semblance.models.poolings.cls": {},
}


@pytest.mark.parametrize("module", USERS)
def test_the_digest_of_a_training_covers_the_named_modules_of_its_method_alone(covered, module):
    users = Counter(stage for stage, modules in covered if module in modules)
    assert {stage: n for stage, n in users.items() if stage in TRAININGS} == USERS[module]


# One line of a function, and the stages that call it, by hand.
EDITS = {
    "semblance/data/faq.py": ("index(min(", "index(max(", ["prepare_faq"]),
    "semblance/evaluation/sts.py": ("] > NEAR", "] >= NEAR", ["evaluate_sts"]),
    "semblance/models/dropouts/sampled.py": ("clamp(0.0", "clamp(0.1", ["train:sampled"]),
    "semblance/reporting/significance.py": ("ddof=1", "ddof=0", ["render_table"]),
    "semblance/training/losses/regulators.py": (
        "+ regulator_weight",
        "- regulator_weight",
        ["train:nli", "train:regulated", "train_final:regulated"],
    ),
}


@pytest.mark.parametrize("path", EDITS)
def test_an_edited_function_reruns_the_stages_that_call_it(finished: Project, path: str):
    old, new, callers = EDITS[path]
    text = (finished.folder / path).read_text()
    assert old in text
    planned = finished.planned_after({finished.folder / path: text.replace(old, new)})
    assert stages(planned) == downstream(*callers)


def test_constants_that_nothing_uses_retrain_and_evaluate_nothing(finished: Project):
    # A module that is found by name counts as a whole.
    named = {name for names in NAMED_MODULES.values() for name in names}
    paths = [path for path in module_files() if module_name(path) not in named]
    files = [finished.folder / path for path in paths]
    added = {file: file.read_text() + "\nADDED_BY_A_TEST = 1\n" for file in files}
    # The judge looks up every type of a setting by its name.
    assert stages(finished.planned_after(added)) <= downstream("judge_claims")


EDITS_WITHOUT_EFFECT = {
    "a help text": ("workflow/scripts/report.py", "the record to write", "the record of it"),
    "the wording of an error": ("semblance/training/recipe.py", "fewer than two", "less than two"),
    "the wording of an error in a variable": (
        "semblance/training/run.py",
        "have collapsed onto",
        "have fallen onto",
    ),
    "the line with which a script ends": (
        "workflow/scripts/endings.py",
        "make room or mend",
        "free space or mend",
    ),
    "the place of something new": (
        "semblance/layout.py",
        'BASE = "models/{base}"',
        'BASE = "models/{base}"\nNEW = "new/{corpus}"',
    ),
    "a line that is printed": (
        "semblance/training/keeping/finished.py",
        "already trained",
        "trained before",
    ),
    "the heartbeat's interval": ("semblance/locks.py", "BEAT = 10.0", "BEAT = 5.0"),
    "TensorBoard's flush interval": (
        "semblance/training/keeping/log.py",
        "FLUSH = 5.0",
        "FLUSH = 9.0",
    ),
}


PACKAGES = (LOSSES, VIEWS, DROPOUTS, POOLINGS, BANKS, PAIRS, FIGURES)


def test_all_edits_that_cannot_move_a_result_rerun_nothing_together(finished: Project, imported_by):
    # Some stage imports each: or its digest would not see them in any case.
    assert all(imported_by[module_name(path)] for path in INERT_FILES)
    paths = {*INERT_FILES, *(path for path, _, _ in EDITS_WITHOUT_EFFECT.values())}
    edits = {finished.folder / path: (finished.folder / path).read_text() for path in paths}
    for path, old, new in EDITS_WITHOUT_EFFECT.values():
        assert old in edits[finished.folder / path]
        edits[finished.folder / path] = edits[finished.folder / path].replace(old, new)
    for path in INERT_FILES:
        edits[finished.folder / path] += "\nADDED_BY_A_TEST = 1\n"
    for package in PACKAGES:
        edits[finished.folder / package.replace(".", "/") / "new_one.py"] = "ADDED_BY_A_TEST = 1\n"
    assert finished.planned_after(edits) == {}


def test_comments_docstrings_and_touched_files_rerun_nothing(finished: Project):
    edits = {}
    for path in module_files():
        text = (finished.folder / path).read_text().replace('"""', '"""Also: ', 1)
        edits[finished.folder / path] = f"# a comment\n{text}\n# the end\n"
    for file in [*finished.folder.glob("resources/**/*"), *finished.folder.glob("results/**/*")]:
        if file.is_file() and file.name != "scores.csv":
            os.utime(file)
    os.utime(finished.folder / "tiny.yaml")
    assert finished.planned_after(edits) == {}


# Changes of the tiny config, as tests.shipped.changed reads them, and the stages that they rerun.
CONFIG_MUTATIONS = {
    "seeds of a list no table uses": ("seeds.other = [1, 2]", set()),
    "a base's length": ("bases.tiny.max_length = 32", downstream("download_model")),
    "a corpus's limit": ("corpora.nli.limit = 100", downstream("prepare_nli")),
    "the wiki corpus's limit": ("corpora.wiki1m.limit = 100", downstream("prepare_wiki")),
    "the labels of pairs": ("corpora.qqp.labels = [different]", downstream("prepare_pairs")),
    "a sample of pairs": (
        "corpora.qqp.limit = 20; corpora.qqp.sample_seed = 1",
        downstream("prepare_pairs"),
    ),
    "a corpus no table uses": ("corpora.nli-all.limit = 20", set()),
    "the split's seed": ("faq.seed = 5", downstream("prepare_faq")),
    "the learning rate of a base that is trained here": (
        "bases.tiny-pretrained.pretrain.learning_rate = 0.001",
        downstream("pretrain"),
    ),
    "the share of the words that are masked": (
        "bases.tiny-pretrained.pretrain.share = 0.3",
        downstream("pretrain"),
    ),
    "gradient clipping": ("training.clip = 0.5", downstream(*TRAININGS)),
    "the jobs that share a GPU": ("resources.jobs_per_gpu = 2", set()),
    "the unsupervised recipe": (
        "recipes.unsupervised.learning_rate = 0.0001",
        downstream("train:wiki", "train_curve"),
    ),
    "the steps of a curve": ("train_curve.steps = 3", downstream("train_curve")),
    "the steps between two measurements": ("train_curve.every = 2", downstream("train_curve")),
    "the supervised recipe": (
        "recipes.supervised.learning_rate = 0.0001",
        downstream("train:pairs"),
    ),
    "the FAQ recipe": (
        "recipes.rcl.on_faq.learning_rate = 0.0001",
        downstream("train:faq", "train_initial", "train_entropy:faq"),
    ),
    "the initial models' scale": (
        "train_initial.options.scale = 10.0",
        downstream("train_initial"),
    ),
    "early stopping": ("train_entropy.early_stopping.patience = 5", downstream("train_entropy")),
    "the scale of a recipe": (
        "recipes.rcl.options.scale = 10.0",
        downstream("train:nli", "train:faq", "train:regulated", "train_initial", "train_entropy"),
    ),
    "how often a checkpoint is written": (
        "resources.checkpoint_minutes = 1; resources.checkpoint_steps = 50",
        set(),
    ),
    "an entropy kind no table uses": (
        "train_entropy.kinds.entropy-sum.options.scale = 5.0",
        set(),
    ),
    "a method's option": (
        "methods.ssimcse-sd.dropout.sampled.high = 0.3",
        downstream("train:sampled"),
    ),
    "a method no table uses": ("methods.rcl-8.dropout.drophead = 0.9", set()),
    "the embedding's threads": ("embed.threads = 2", downstream("embed")),
    "the embedding's precision": ("embed.precision = bf16", downstream("embed")),
    "the STS evaluation's precision": (
        "evaluate_sts.precision = bf16",
        downstream("evaluate_sts"),
    ),
    "the precision of the measured figures": (
        "measure_figure.precision = bf16",
        {"measure_figure", "draw_figure", "report"},
    ),
    "the queries of a figure": (
        "figures.simcse_table8.options.queries = [A cat sleeps.]",
        {"measure_figure", "report"},
    ),
    "a model of a figure less": (
        "figures.simcse_figureG1.rows = [{corpora: [wiki1m], bases: [tiny], methods: [simcse]}]",
        {"collect_figure", "draw_figure", "report"},
    ),
    "the precision that a threshold must have": (
        "answerers.tiny.precision = 0.8",
        downstream("build_answerer"),
    ),
    "the threads of an answerer": ("build_answerer.threads = 2", downstream("build_answerer")),
    "a method of an answerer less": (
        "answerers.tiny.methods = [start, attention-dropout-0.1]",
        downstream("build_answerer"),
    ),
    "the folds of the transfer tasks": (
        "evaluate_transfer.folds = 3",
        downstream("evaluate_transfer"),
    ),
    "the shuffling before the folds": (
        "evaluate_transfer.seed = 1",
        downstream("evaluate_transfer"),
    ),
    "one transfer task less": ("transfer.datasets = [mr, trec]", downstream("prepare_transfer")),
    "the FAQ evaluation's products": ("evaluate_faq.matmul = medium", downstream("evaluate_faq")),
    "the STS evaluation's threads": ("evaluate_sts.threads = 2", downstream("evaluate_sts")),
    "the FAQ evaluation's length": ("evaluate_faq.max_length = 16", downstream("evaluate_faq")),
    "a table's title": ("tables.rcl_table4.title = another", downstream("render_table")),
    "a method's name in the tables": ("methods.rcl-2.label = another", downstream("render_table")),
    "a base's name in the tables": ("bases.tiny.label = another", downstream("render_table")),
    "one test set less": ("sts.datasets = [stsb]", downstream("prepare_sts")),
    "the dev pairs' data set": ("sts.dev = sick", downstream("prepare_dev")),
    "the protocol of the sentence pairs": (
        "sts.protocol = raw",
        downstream("prepare_sts", "prepare_dev"),
    ),
    "the mirror": ("mirror = demo", set()),
    "the hub": ("hub = https://mirror.example", set()),
}


# What nearly every change reruns: these stages tell no change from another.
LAST = downstream("collect_scores", "render_table", "collect_figure")


def apart() -> list[list[str]]:
    """Return the changes in groups, one of each outcome: within a group, each reruns stages of its own.

    Changes that rerun nothing are a group, and those that rerun only last stages join no others.
    """
    groups: list[tuple[list[str], set[str]]] = []
    seen = []
    for name, (_, expected) in CONFIG_MUTATIONS.items():
        own = (expected - LAST) or expected
        if expected and expected in seen:
            continue
        seen.append(expected)
        for names, rerun in groups:
            alike = bool(rerun) == bool(own) and (rerun <= LAST) == (own <= LAST)
            if alike and not rerun & own:
                names.append(name)
                rerun |= own
                break
        else:
            groups.append(([name], set(own)))
    return [names for names, _ in groups]


@pytest.mark.parametrize("names", apart(), ids=lambda names: names[0])
def test_changed_settings_rerun_what_depends_on_them(finished: Project, names: list[str]):
    """Each of them alone waits for `make test-long`."""
    config, expected = CONFIG, set()
    for name in names:
        change, reruns = CONFIG_MUTATIONS[name]
        config = changed(config, change)
        expected |= reruns
    assert stages(finished.planned_with(config)) == expected


@pytest.mark.long
@pytest.mark.parametrize("name", CONFIG_MUTATIONS)
def test_a_changed_setting_reruns_what_depends_on_it(finished: Project, name: str):
    change, expected = CONFIG_MUTATIONS[name]
    assert stages(finished.planned_with(changed(CONFIG, change))) == expected


@pytest.mark.parametrize(
    "path,reader",
    [
        ("resources/data/stsb/sts-dev.csv", "download:sts"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                ("resources/data/nli/nli_for_simcse.csv", "prepare_nli"),
                ("resources/data/wiki/wiki1m_for_simcse.txt", "prepare_wiki"),
                ("resources/data/qqp/train.tsv", "prepare_pairs"),
            )
        ),
        ("resources/data/faq/stackfaq/stackExchange-FAQ.xml", "prepare_faq"),
        ("resources/data/transfer/MR/rt-polarity.pos", "prepare_transfer"),
    ],
)
def test_a_changed_data_file_reruns_its_readers(finished: Project, path: str, reader: str):
    file = finished.folder / path
    planned = finished.planned_after({file: file.read_bytes() + b"\n"})
    assert stages(planned) == downstream(reader) - {"download"}


def test_an_added_seed_trains_only_that_seed(finished: Project):
    planned = finished.planned_with(changed(CONFIG, "seeds.ssimcse = [1, 2]"))
    # simcse and ssimcse-sd with seed 2
    assert planned["train"] == 2 and planned["evaluate_sts"] == 2
    assert stages(planned) == {
        "train",
        "evaluate_sts",
        *downstream("collect_scores"),
        *downstream("render_table"),
    }
    assert planned["render_table"] == 1  # ssimcse_table1 alone has these seeds


def test_an_added_phi_keeps_the_other_entropy_models(finished: Project):
    methods = "tables.rcl_table5.rows[0].methods = [entropy-0.01, entropy-0.07, rcl-2]"
    planned = finished.planned_with(changed(CONFIG, methods))
    assert planned["train_entropy"] == 1 and planned["evaluate_sts"] == 1
    assert "train" not in planned and "embed" not in planned


def with_new_table(*methods: str) -> dict:
    """Return the tiny config with one more table, of these methods."""
    table = {"title": "One more", "layout": "sts", "seeds": "rcl", "rows": rows("nli", *methods)}
    return CONFIG | {"tables": CONFIG["tables"] | {"one_more": table}}


def test_an_added_table_of_finished_runs_trains_and_evaluates_nothing(finished: Project):
    planned = finished.planned_with(with_new_table("start", "rcl-2"))
    assert stages(planned) == downstream("render_table")
    assert planned["render_table"] == 1


def test_an_added_table_trains_its_own_new_runs_and_leaves_the_other_tables(finished: Project):
    planned = finished.planned_with(with_new_table("start", "rcl-2", "attention-dropout-0.2"))
    del planned["all"]
    expected = ("train", "evaluate_sts", "collect_scores", "render_table")
    expected += (*OF_TABLES, "report")
    # One figure shows all models, and one all tables.
    figures = dict.fromkeys(("collect_figure", "draw_figure"), 2)
    assert planned == dict.fromkeys(expected, 1) | figures


def test_one_table_asks_for_its_own_runs_and_no_others(fresh: Project):
    planned = fresh.planned("results/tables/rcl_table4.csv")
    # start and rcl-2 on nli; one entropy model gives two regulators
    expected = {"train": 1, "train_entropy": 1, "embed": 1, "evaluate_sts": 2, "render_table": 1}
    prepared = {"prepare_nli", "prepare_sts", "prepare_dev", "tokenise", "download_model"}
    data = {name for name in planned if name.startswith("download_")} - prepared
    assert {"download_wiki1m", "download_stackfaq"}.isdisjoint(data)
    rest = {name: count for name, count in planned.items() if name not in prepared | data}
    assert rest == expected
