"""The table of mutations: what changes reruns exactly the stages that depend on it, and nothing else does.

A dry run says of each job whether it is stale of itself, so changes that make different stages stale
are made together. That all reads of a stale job runs again, too, follows from who reads whose output.
"""

import json
import os
from pathlib import Path

import pytest

from semblance.code_digest import INERT
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
from semblance.provenance import PACKAGES as PROJECT
from tests.dag.tiny import CONFIG, ROOT, Job, Project, rows
from tests.scripts.flags import python
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
    "selections": "selections",
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
        """embed:nli tokenise:nli tokenise:wiki tokenise:pairs tokenise:faq
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
    "render_table": words("collect_figure:contrasts collect_figure:selections report", *OF_TABLES),
    **{f"collect_figure:{name}": {f"draw_figure:{name}"} for name in COLLECTED_FIGURES},
    "measure_figure:singular": {"draw_figure:singular"},
    "measure_figure:anisotropy": {"draw_figure:anisotropy"},
    "measure_figure:retrieval": {"report"},  # a table of sentences, which is not drawn
    **{f"draw_figure:{name}": {"report"} for name in DRAWINGS},
    **dict.fromkeys(OF_TABLES, {"report"}),
    "report": set(),
}
TRAININGS = ("pretrain", "train", "train_initial", "train_final", "train_entropy", "train_curve")
TRAININGS_ON_FAQ = words(
    "train:faq train:regulated train_initial train_entropy:faq train_entropy:whole", *FINALS
)
STAGES = sorted({node.partition(":")[0] for node in READERS})
# The modules found by name that the tiny config's stages run, by hand. No stage runs DropHead, the
# pooling cls or another format of a bank than StackFAQ.
MEAN = "semblance.models.poolings.mean"
OF_LOSSES = tuple(f"{LOSSES}.{name}" for name in ("contrastive", "regulators"))
OF_VIEWS = tuple(f"{VIEWS}.{name}" for name in ("rows", "twice"))
MEASURED = ("singular_values", "anisotropy", "retrieval")
NAMED_MODULES = {
    "prepare_faq": (f"{BANKS}.stackfaq",),
    "prepare_pairs": (f"{PAIRS}.qqp",),
    "train": (*OF_LOSSES, *OF_VIEWS, f"{DROPOUTS}.sampled", MEAN),
    "train_final": (*OF_LOSSES, f"{VIEWS}.rows", MEAN),
    "train_initial": (f"{LOSSES}.contrastive", f"{VIEWS}.rows", MEAN),
    "train_entropy": (f"{LOSSES}.entropy", f"{VIEWS}.rows", MEAN),
    "train_curve": (f"{LOSSES}.contrastive", f"{VIEWS}.delete", MEAN),  # simcse-delete-one
    "pretrain": (MASKED_WORDS, f"{VIEWS}.twice", MEAN),
    "build_answerer": ("semblance_faq.answer.embedding", WORDS, MEAN),
    "report": ("semblance_faq.extends.report",),
    **dict.fromkeys(("embed", "fit_whitening"), (MEAN,)),
    **dict.fromkeys(("evaluate_sts", "evaluate_transfer", "evaluate_faq"), (MEAN,)),
    "collect_figure": tuple(f"{FIGURES}.{kind}" for kind in COLLECTED_FIGURES.values()),
    "draw_figure": tuple(f"{FIGURES}.{kind}" for kind in DRAWINGS.values()),
    "measure_figure": (*(f"{FIGURES}.{kind}" for kind in MEASURED), MEAN),
}


# What tells the jobs of a stage apart above -> its name there.
DATA = {
    "nli-simcse": "nli",
    "wiki1m": "wiki",
    "qqp": "pairs",
    "stackfaq": "faq",
    **dict.fromkeys(("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick"), "sts"),
    **dict.fromkeys(("mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc"), "transfer"),
}
SHOWN = {
    "simcse_figure3": "scores",
    "simcse_figureG1": "cosines",
    "simcse_figure2": "curve",
    "rcl_regulators": "regulators",
    "rcl_phi": "phi",
    "simcse_figureF1": "singular",
    "rcl_anisotropy": "anisotropy",
    "simcse_table8": "retrieval",
    "ssimcse_selections": "selections",
}


def node(job: Job) -> str:
    """Return the name above of a job."""
    data = job.rule.removeprefix("download_")
    corpus, method, figure = (
        job.wildcards.get(name, "") for name in ("corpus", "method", "figure")
    )
    if data in DATA:
        return f"download:{DATA[data]}"
    if figure:
        return f"{job.rule}:{SHOWN.get(figure, figure)}"
    of_faq = "regulated" if method == "rcl-2" else "faq"
    if job.rule == "train_final":
        return f"{job.rule}:{'initial' if method == 'initial' else of_faq}"
    kinds = [DATA.get(corpus, corpus)]
    if corpus.startswith("stackfaq"):  # a fold, or the whole bank
        kinds = ["whole" if corpus.endswith("-all") else of_faq, "faq"]
    if method == "ssimcse-sd":
        kinds = ["sampled"]
    named = [f"{job.rule}:{kind}" for kind in kinds if f"{job.rule}:{kind}" in READERS]
    return named[0] if named else job.rule


def nodes(*stages: str) -> set[str]:
    """Return the nodes of stages; a bare name means all its corpora."""
    return {node for node in READERS for s in stages if s in (node, node.partition(":")[0])}


def readers_of(*stages: str) -> set[str]:
    """Return the nodes of stages and all that read from them, directly or not."""
    reached, waiting = set(), [*nodes(*stages)]
    while waiting:
        reader = waiting.pop()
        if reader not in reached:
            reached.add(reader)
            waiting += READERS[reader]
    return reached


def stages(planned: list[Job]) -> set[str]:
    """Return the stages that a plan would run."""
    return {node(job).partition(":")[0] for job in planned if job.runs}


def stale(planned: list[Job]) -> set[str]:
    """Return what is stale of itself, and check that this and what reads of it runs."""
    changed = {node(job) for job in planned if job.is_stale}
    assert stages(planned) == {node.partition(":")[0] for node in readers_of(*changed)}
    return changed


def test_who_reads_whose_output_is_as_written_above(finished: Project):
    planned = finished.jobs()
    assert not stages(planned)
    readers: dict[str, set[str]] = {}
    for job in planned:
        readers.setdefault(node(job), set()).update(node(planned[i]) for i in job.readers)
    assert readers == READERS


@pytest.fixture(scope="module")
def imported_by() -> dict[str, set[str]]:
    """Map each module of the project to the stages whose process really imports it."""
    program = (
        "import importlib, json, sys\n"
        "import workflow\n"  # it knows where the package of the application lies
        f"PROJECT = {tuple(PROJECT)}\n"
        "found = {}\n"
        "for stage, modules in json.loads(sys.argv[1]).items():\n"
        "    for name in [n for n in sys.modules if n.split('.')[0] in PROJECT]:\n"
        "        del sys.modules[name]\n"
        "    for module in modules:\n"
        "        importlib.import_module(module)\n"
        "    found[stage] = [n for n in sys.modules if n.split('.')[0] in PROJECT]\n"
        "print(json.dumps(found))\n"
    )
    wanted = {stage: (program_of(stage), *NAMED_MODULES.get(stage, ())) for stage in STAGES}
    done = python("-c", program, json.dumps(wanted), check=True)
    table: dict[str, set[str]] = {}
    for stage, modules in json.loads(done.stdout).items():
        for module in modules:
            table.setdefault(module, set()).add(stage)
    return table


def program_of(stage: str) -> str:
    """Return the module that a stage runs: of the workflow, or of the application."""
    places = {f"workflow.scripts.{stage}": ROOT, f"semblance_faq.scripts.{stage}": ROOT / "faq"}
    [found] = [n for n, f in places.items() if (f / f"{n.replace('.', '/')}.py").is_file()]
    return found


def module_files() -> list[str]:
    """Return every module of the package and every script, as paths from the root."""
    files = [ROOT / "workflow/__init__.py", *(ROOT / "workflow/scripts").glob("*.py")]
    for package in ("semblance", "faq/semblance_faq"):
        files += (ROOT / package).rglob("*.py")
    return sorted(str(f.relative_to(ROOT)) for f in files if f.stat().st_size)


def module_name(path: str) -> str:
    """Return the name under which Python imports a file; an ``__init__`` is its package."""
    name = path.removeprefix("faq/").removesuffix(".py").removesuffix("/__init__")
    return name.replace("/", ".")


INERT_FILES = [path for path in module_files() if module_name(path) in INERT]


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
        imported = {module for module, importers in imported_by.items() if stage in importers}
        # Stages without settings import these by workflow.scripts.program or endings alone: inert.
        of_program = {f"semblance.{name}" for name in ("settings", "named_modules", "code_digest")}
        assert imported - INERT - digested <= of_program, stage
        assert digested <= imported - INERT, stage


# One line of a function, and the stages that call it, by hand.
EDITS = {
    "semblance/data/faq.py": ("index(min(", "index(max(", ["prepare_faq"]),
    "semblance/evaluation/sts.py": ("] > NEAR", "] >= NEAR", ["evaluate_sts"]),
    "semblance/models/dropouts/sampled.py": ("clamp(0.0", "clamp(0.1", ["train:sampled"]),
    "semblance/statistics/significance.py": (
        "ddof=1",
        "ddof=0",
        [
            "render_table",
            "collect_figure:contrasts",
            "draw_figure:contrasts",  # their labels are drawn
            "draw_figure:selections",
            "judge_claims",
            "report",
        ],
    ),
    "semblance/training/losses/regulators.py": (
        "+ regulator_weight",
        "- regulator_weight",
        ["train:nli", "train:regulated", "train_final:regulated"],
    ),
}


def test_edited_functions_rerun_the_stages_that_call_them(finished: Project):
    edits, expected = {}, set()
    for path, (old, new, callers) in EDITS.items():
        text = (finished.folder / path).read_text()
        assert old in text and not expected & nodes(*callers)
        edits[finished.folder / path] = text.replace(old, new)
        expected |= nodes(*callers)
    assert stale(finished.jobs_after(edits)) == expected


def test_constants_that_nothing_uses_retrain_and_evaluate_nothing(finished: Project):
    # A module that is found by name counts as a whole.
    named = {name for names in NAMED_MODULES.values() for name in names}
    paths = [path for path in module_files() if module_name(path) not in named]
    files = [finished.folder / path for path in paths]
    added = {file: file.read_text() + "\nADDED_BY_A_TEST = 1\n" for file in files}
    # The judge looks up every type of a setting by its name, and the report reads his types.
    assert stale(finished.jobs_after(added)) <= {"judge_claims", "report"}


PACKAGES = (LOSSES, VIEWS, DROPOUTS, POOLINGS, BANKS, PAIRS, FIGURES)


def test_comments_touched_files_and_edits_that_cannot_move_a_result_rerun_nothing_together(
    finished: Project, imported_by
):
    # Some stage imports each: or its digest would not see them in any case.
    assert all(imported_by[module_name(path)] for path in INERT_FILES)
    texts = {path: (finished.folder / path).read_text() for path in module_files()}
    worded = "semblance/training/recipe.py"  # an error; unit/test_code_digest.py has all such texts
    assert "fewer than two" in texts[worded]
    texts[worded] = texts[worded].replace("fewer than two", "less than two")
    for path in INERT_FILES:
        texts[path] += "\nADDED_BY_A_TEST = 1\n"
    for path, text in texts.items():
        documented = text.replace('"""', '"""Also: ', 1)
        texts[path] = f"# a comment\n{documented}\n# the end\n"
    for package in PACKAGES:
        texts[f"{package.replace('.', '/')}/new_one.py"] = "ADDED_BY_A_TEST = 1\n"
    for file in [*finished.folder.glob("resources/**/*"), *finished.folder.glob("results/**/*")]:
        if file.is_file() and file.name != "scores.csv":
            os.utime(file)
    os.utime(finished.folder / "tiny.yaml")
    edits = {finished.folder / path: text for path, text in texts.items()}
    assert stages(finished.jobs_after(edits)) == set()


# Changes of the tiny config, as tests.shipped.changed reads them | the nodes that they make stale.
CONFIG_MUTATIONS = """
seeds.other = [1, 2] |
corpora.nli-all.limit = 20 |
methods.rcl-8.dropout.drophead = 0.9 |
train_entropy.kinds.entropy-sum.options.scale = 5.0 |
resources.jobs_per_gpu = 2 |
resources.checkpoint_minutes = 1; resources.checkpoint_steps = 50 |
bases.tiny.million_parameters = 999999; resources.max_runtime = 77 |
mirror = demo |
hub = https://mirror.example |
bases.tiny.max_length = 32 | download_model
corpora.nli.limit = 100 | prepare_nli
corpora.wiki1m.limit = 100 | prepare_wiki
corpora.qqp.labels = [different] | prepare_pairs
corpora.qqp.limit = 20; corpora.qqp.sample_seed = 1 | prepare_pairs
faq.seed = 5 | prepare_faq
transfer.datasets = [mr, trec] | prepare_transfer
sts.datasets = [stsb] | prepare_sts
sts.dev = sick | prepare_dev
sts.protocol = raw | prepare_sts prepare_dev
bases.tiny-pretrained.pretrain.learning_rate = 0.001 | pretrain
bases.tiny-pretrained.pretrain.share = 0.3 | pretrain
training.clip = 0.5 | TRAININGS
recipes.unsupervised.learning_rate = 0.0001 | train:wiki train:sampled train_curve
recipes.supervised.learning_rate = 0.0001 | train:pairs
recipes.rcl.on_faq.learning_rate = 0.0001 | TRAININGS_ON_FAQ
recipes.rcl.options.scale = 10.0 | train:nli train_entropy:nli TRAININGS_ON_FAQ
methods.ssimcse-sd.dropout.sampled.high = 0.3 | train:sampled
train_initial.options.scale = 10.0 | train_initial train_final:initial
train_entropy.early_stopping.patience = 5 | train_entropy
train_curve.steps = 3 | train_curve
train_curve.every = 2 | train_curve
embed.threads = 2 | embed
embed.precision = bf16 | embed
evaluate_sts.precision = bf16 | evaluate_sts
evaluate_sts.threads = 2 | evaluate_sts
evaluate_faq.matmul = medium | evaluate_faq
evaluate_faq.max_length = 16 | evaluate_faq
evaluate_transfer.folds = 3 | evaluate_transfer
evaluate_transfer.seed = 1 | evaluate_transfer
measure_figure.precision = bf16 | measure_figure
build_answerer.threads = 2 | build_answerer
answerers.tiny.precision = 0.8 | build_answerer
answerers.tiny.methods = [start, attention-dropout-0.1, rcl-2] | build_answerer
tables.rcl_table4.title = another | render_table
methods.rcl-2.label = another | render_table DRAWN:scores DRAWN:regulators DRAWN:anisotropy DRAWN:phi
bases.tiny.label = another | render_table DRAWN:scores DRAWN:regulators DRAWN:anisotropy \
DRAWN:cosines DRAWN:singular
figures.simcse_table8.options.queries = [A cat sleeps.] | measure_figure:retrieval
figures.simcse_figureG1.rows = [{corpora: [wiki1m], bases: [tiny], methods: [simcse]}] \
| collect_figure:cosines DRAWN:cosines
"""


def mutations() -> dict[str, set[str]]:
    """Return the nodes that each change makes stale."""
    text = CONFIG_MUTATIONS.replace("\\\n", "").replace("DRAWN", "draw_figure")
    text = text.replace("TRAININGS_ON_FAQ", " ".join(TRAININGS_ON_FAQ))
    text = text.replace("TRAININGS", " ".join(TRAININGS))
    rows = [line.partition("|") for line in text.strip().splitlines()]
    return {change.strip(): nodes(*stale.split()) for change, _, stale in rows}


MUTATIONS = mutations()


def apart() -> list[list[str]]:
    """Return the changes in groups: within a group, each makes nodes of its own stale."""
    groups: list[tuple[list[str], set[str]]] = []
    for change, expected in MUTATIONS.items():
        for changes, together in groups:
            if not together & expected:
                changes.append(change)
                together |= expected
                break
        else:
            groups.append(([change], set(expected)))
    return [changes for changes, _ in groups]


@pytest.mark.parametrize("changes", apart(), ids=lambda changes: changes[0])
def test_changed_settings_rerun_what_depends_on_them(finished: Project, changes: list[str]):
    """Each of them alone waits for `make test-long`."""
    config, expected = CONFIG, set()
    for change in changes:
        config = changed(config, change)
        expected |= MUTATIONS[change]
    assert expected <= stale(finished.jobs_with(config)) <= readers_of(*expected)


@pytest.mark.long
@pytest.mark.parametrize("change, expected", MUTATIONS.items())
def test_a_changed_setting_reruns_what_depends_on_it(finished: Project, change: str, expected):
    # What reads of them may be stale of itself, too: a table says in which settings a row differs.
    assert expected <= stale(finished.jobs_with(changed(CONFIG, change))) <= readers_of(*expected)


RAW = {  # a file -> what reads it
    "stsb/sts-dev.csv": READERS["download:sts"],
    "nli/nli_for_simcse.csv": {"prepare_nli"},
    "wiki/wiki1m_for_simcse.txt": {"prepare_wiki"},
    "qqp/train.tsv": {"prepare_pairs"},
    "faq/stackfaq/stackExchange-FAQ.xml": {"prepare_faq"},
    "transfer/MR/rt-polarity.pos": {"prepare_transfer"},
}


def test_changed_data_files_rerun_their_readers(finished: Project):
    files = [finished.folder / "resources/data" / path for path in RAW]
    planned = finished.jobs_after({file: file.read_bytes() + b"\n" for file in files})
    assert stale(planned) == set.union(*RAW.values())


def test_added_seeds_phis_and_tables_train_only_what_is_new(finished: Project):
    change = (
        "seeds.ssimcse = [1, 2]; "
        "tables.rcl_table5.rows[0].methods = [{kind: entropy, phis: [0.01, 0.07]}, rcl-2]"
    )
    like = {"title": "One more", "layout": "sts", "seeds": "rcl"}
    more = {"of_finished": ["start", "rcl-2"], "of_new": ["start", "attention-dropout-0.2"]}
    config = changed(CONFIG, change)
    config["tables"] |= {name: like | {"rows": rows("nli", *found)} for name, found in more.items()}
    new = [job for job in finished.jobs_with(config) if job.runs]
    methods = {("simcse", "2"), ("ssimcse-sd", "2"), ("attention-dropout-0.2", "1")}
    of_phi = {("entropy-0.07", "1")}
    made_by = {"train_entropy": of_phi, "train": methods, "evaluate_sts": methods | of_phi}
    for rule, made in made_by.items():
        runs = [job.wildcards for job in new if job.rule == rule]
        assert sorted((run["method"], run["seed"]) for run in runs) == sorted(made)
    rendered = {job.wildcards["table"] for job in new if job.rule == "render_table"}
    assert rendered == {"ssimcse_table1", "rcl_table5", *more}
    shown = {job.wildcards["figure"] for job in new if job.rule == "collect_figure"}
    # Of all models, of all tables, and of the table of the further seeds.
    assert shown == {"simcse_figure3", "contrasts", "ssimcse_selections"}
    others = words("train evaluate_sts train_entropy render_table collect_figure draw_figure")
    assert stages(new) - others == {"collect_scores", *OF_TABLES, "report"}
