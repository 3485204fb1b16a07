"""Random damage to every format and to the config is read or refused; what is valid comes back."""

import copy
import itertools
import json
import math
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semblance.data import nli, sts, wiki
from semblance.data.banks import cough, stackfaq
from semblance.data.bare import shows_nothing
from semblance.data.text import normalise
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.fetch.raw import extract
from semblance.models import folder as model_folder
from semblance.provenance import canonical
from semblance.reporting.published import read_published
from semblance.settings import decode_json
from semblance.strict_yaml import read_yaml
from semblance.training.recipe import TrainSettings
from semblance_faq.read.faq import read_own
from tests.hostile.bounds import LONGEST, bounded, survives
from tests.hostile.formats import FORMATS
from tests.hostile.malformed import Case
from tests.hostile.test_archives import PLAIN_TAR, PLAIN_ZIP
from tests.hostile.test_hostile_names import HOSTILE
from tests.hostile.test_models import PLAIN as TOKENIZER
from tests.hostile.test_settings_files import MANIFEST, PUBLISHED
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.methods import is_untrained
from workflow.planning.plan import Plan

SHARED = {
    "derandomize": True,
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}
quick = settings(max_examples=30, **SHARED)
EFFORT = [  # few examples, and in a long test many
    pytest.param(quick, id="quick"),
    pytest.param(settings(max_examples=2000, **SHARED), marks=pytest.mark.long, id="long"),
]
# What means something to one parser or another
TOKENS = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b'"',
    b"\t",
    b",",
    b"<",
    b"&",
    b"]]>",
    b"{",
]
TOKENS += [b"[" * 50, b"nan", b"1e999", b"-1", b"\xed\xa0\x80", b"\\u0000", b"&x;", b"<!DOCTYPE a>"]
TOKENS += [b": ", b"*a", b"&a ", b"!!python/name:os.system", b"9" * 5000, b"\xe2\x80\xa8"]
TOKENS += [b"PK\x01\x02"]


@st.composite
def mutated(draw: st.DrawFn, plain: bytes) -> bytes:
    """Cut, repeat, overwrite and insert in a valid file; now and then give random bytes instead."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=200))
    content = plain
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        twice, token = st.just(content[a:b] * 2), st.sampled_from(TOKENS)
        piece = draw(st.one_of(st.just(b""), twice, token, st.binary(max_size=8)))
        content = content[:a] + piece + content[b if draw(st.booleans()) else a :]
    return content


def fuzz(effort: settings, plain: bytes, path: Path, read) -> None:
    """Read many mutations of a valid file."""

    @effort
    @given(content=mutated(plain))
    def run(content: bytes) -> None:
        path.write_bytes(content)
        survives(read, path)

    run()


@pytest.mark.parametrize("effort", EFFORT)
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_parser_reads_or_refuses_and_does_nothing_else(form, effort, tmp_path):
    folder = Case(form, "", b"", form.target).write(tmp_path / "in")
    fuzz(effort, form.sample.encode(), folder / form.target, lambda _: form.load(folder))
    assert {p.name for p in tmp_path.rglob("*")} == {"in", *form.files}


OTHERS = {
    "manifest": (yaml.safe_dump(MANIFEST).encode(), load_manifest),
    "published": (yaml.safe_dump(PUBLISHED).encode(), read_published),
    "yaml": (b"a: &a [1, {b: 'c'}]\nd: *a\ne: 2020-01-01\nf: !!int '3'\n", read_yaml),
    "config": (b"output: results\nseeds: {all: [1, 2]}\n", lambda path: laid_over([path])),
    "tokenizer": (json.dumps(TOKENIZER).encode(), lambda path: tokenise(path, ["hello a"])),
    "zip": (PLAIN_ZIP, lambda path: extract(path, "one", path.with_name("out"), 5000)),
    "tar": (PLAIN_TAR, lambda path: extract(path, "one", path.with_name("out"), 5000)),
}


@pytest.mark.parametrize("effort", EFFORT)
@pytest.mark.parametrize("name", OTHERS)
def test_files_of_settings_and_archives_are_read_or_refused(name, effort, tmp_path):
    plain, read = OTHERS[name]
    fuzz(effort, plain, tmp_path / "x", read)
    assert {p.name for p in tmp_path.iterdir()} <= {"x", "out"}


@pytest.mark.parametrize("effort", EFFORT)
@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "modules.json", "1_Pooling/config.json"]
)
def test_a_model_folder_loads_or_is_refused(name, effort, model):
    plain = (model / name).read_bytes()
    fuzz(effort, plain, model / name, lambda _: model_folder.load(model))


# None valid is refused: what is written in a format comes back


def texts(marks: str = "", categories: tuple[str, ...] = ()):
    """Generate texts as every reader gives them back, without some marks and categories."""
    letters = st.characters(
        exclude_characters="\0\ufeff" + marks, exclude_categories=("Cs", *categories)
    )
    return st.text(letters, min_size=1, max_size=20).map(normalise).filter(bool)


WORDS = texts()
CELL = WORDS.filter(lambda text: not any(c in text for c in "\t\r\n"))
SHOWN = WORDS.filter(lambda text: not shows_nothing(text))
XML = texts("\ufffe\uffff", ("Cc",))
SCORE = st.integers(0, 5000).map(lambda n: n / 1000)
SPACE = st.sampled_from(["", " ", "\u3000", "\u00a0 "])


def each_effort(**strategies):
    """Make a test of a check: with few generated values, and in a long test with many."""

    def decorate(check):
        @pytest.mark.parametrize("effort", EFFORT)
        def test(effort, tmp_path):
            @effort
            @given(**strategies)
            def run(**values):
                with bounded():
                    check(**values, tmp_path=tmp_path)

            run()

        return test

    return decorate


def rows_of(*columns, **options):
    """Generate some rows of these columns."""
    return st.lists(st.tuples(*columns), min_size=1, max_size=4, **options)


def quoted(*fields: str) -> str:
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields)


def put(path: Path, lines: list[str], end: str = "\n") -> Path:
    path.write_bytes((end.join(lines) + end).encode())
    return path


@each_effort(rows=rows_of(WORDS, WORDS, st.sampled_from(nli.LABELS)), ascii_only=st.booleans())
def test_every_valid_snli_pair_comes_back(rows, ascii_only, tmp_path):
    lines = [
        json.dumps({"gold_label": label, "sentence1": a, "sentence2": b}, ensure_ascii=ascii_only)
        for a, b, label in rows
    ]
    assert list(nli.read_release(put(tmp_path / "a.jsonl", lines))) == rows


@each_effort(rows=rows_of(WORDS, WORDS, WORDS), end=st.sampled_from(["\n", "\r\n"]))
def test_every_valid_triple_comes_back(rows, end, tmp_path):
    lines = ["sent0,sent1,hard_neg", *(quoted(*row) for row in rows)]
    assert nli.read_triples(put(tmp_path / "t.csv", lines, end)) == rows


@each_effort(rows=st.lists(CELL, min_size=1, max_size=5), space=SPACE)
def test_every_valid_sentence_comes_back(rows, space, tmp_path):
    path = put(tmp_path / "w.txt", [space + row + space for row in rows])
    assert wiki.read_sentences(path) == (rows, [])


@each_effort(rows=rows_of(CELL, CELL, SCORE))
def test_every_valid_sts_pair_comes_back(rows, tmp_path):
    put(tmp_path / "STS.input.x.txt", [f"{a}\t{b}" for a, b, _ in rows])
    put(tmp_path / "STS.gs.x.txt", [str(score) for *_, score in rows])
    of_stsb = [f"g\tf\ty\t{n}\t{score}\t{a}\t{b}" for n, (a, b, score) in enumerate(rows)]
    read = sts.read_sts_year(tmp_path, 14), sts.read_stsb(put(tmp_path / "b.csv", of_stsb))
    for pairs in read:
        assert [(p.sentence1, p.sentence2, p.score) for p in pairs] == rows


@each_effort(
    rows=rows_of(SHOWN, SHOWN, SHOWN, st.lists(SHOWN, max_size=2), unique_by=lambda row: row[2])
)
def test_every_valid_faq_of_ones_own_comes_back(rows, tmp_path):
    lines = [json.dumps({"question": q, "answer": a, "id": i, "queries": w}) for q, a, i, w in rows]
    bank = read_own(put(tmp_path / "o.jsonl", lines))
    first = {(q, a): (q, a, i) for q, a, i, _ in reversed(rows)}  # of rows that repeat
    wanted = list(dict.fromkeys(first[q, a] for q, a, *_ in rows))
    assert [(p.question, p.answer, p.id) for p in bank.pairs] == wanted
    wordings = [text for row in rows for text in row[3]]
    assert [q.text for q in bank.queries] == list(dict.fromkeys(wordings))
    table = ["question,answer,id", *(quoted(*row[:3]) for row in rows)]
    assert read_own(put(tmp_path / "o.csv", table)).pairs == bank.pairs


QUERY = XML.filter(lambda text: text != "*")  # the release's own separator


def elements(tag: str, texts: list[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


@each_effort(
    threads=rows_of(XML, st.lists(XML, min_size=1, max_size=2), st.lists(QUERY, max_size=2))
)
def test_every_valid_stackfaq_thread_comes_back(threads, tmp_path):
    body = [
        elements("rephr", queries) + elements("question", [question]) + elements("answer", answers)
        for question, answers, queries in threads
    ]
    lines = ["<root>", *(f"<qapair>{thread}</qapair>" for thread in body), "</root>"]
    bank = stackfaq.read_stackfaq(put(tmp_path / "s.xml", lines))
    pairs = [(question, answer) for question, answers, _ in threads for answer in answers]
    assert [(p.question, p.answer) for p in bank.pairs] == pairs
    assert [q.text for q in bank.queries] == [text for *_, queries in threads for text in queries]


@each_effort(rows=rows_of(WORDS, WORDS, st.lists(st.integers(1, 4), min_size=1, max_size=4), WORDS))
def test_every_valid_cough_bank_comes_back(rows, tmp_path):
    bank, queries = ["index,question,answer,language"], ["index,query"]
    judged = [",".join(quoted(column) for column in cough.JUDGEMENT_COLUMNS)]
    relevant = []
    for n, (question, answer, scores, query) in enumerate(rows):
        mean = sum(scores) / len(scores)
        bank.append(f"{n},{quoted(question, answer)},en")
        queries.append(f"{n},{quoted(query)}")
        judged.append(f'{n},{n},"{scores}",{mean},{"positive" if mean > 3 else "negative"}')
        relevant.append((query, (str(n),) if mean > 3 else ()))
    contents = {"b.csv": bank, "q.csv": queries, "j.csv": judged}
    found = cough.read_cough(*(put(tmp_path / name, lines) for name, lines in contents.items()))
    assert [(p.question, p.answer) for p in found.pairs] == [row[:2] for row in rows]
    assert [(q.text, q.relevant) for q in found.queries] == relevant


# The config

CONFIG = merged("config.yaml")
ODD = [None, True, False, 0, -1, 1, 2, 0.5, 64.0, 10**30, -(10**30), math.nan, math.inf]
ODD += [*HOSTILE, " ", "x", "/etc/passwd", "ünï", "x" * 5000, "nan", "1e999", b"bytes"]
ODD += [[], [None], [[]], ["x"], {}, {"x": 1}, {"x": None}, {1: 2}, {"a\nb": 1}, {3.5: 1}]
ODD += [object(), (1, 2), {1, 2}]


def places(tree: object, where: tuple = ()) -> list[tuple]:
    """List the path of every value in a tree of mappings and lists."""
    if isinstance(tree, list):
        tree = dict(enumerate(tree))
    if not isinstance(tree, dict):
        return []
    found = []
    for key, value in tree.items():
        found += [(*where, key), *places(value, (*where, key))]
    return found


PLACES = places(CONFIG)


def loads(config: dict) -> Plan | None:
    """Return the plan of a config, or None where it is refused in one line that names a key."""
    try:
        return Plan(load(config))
    except InputError as error:
        assert (
            str(error).startswith("config") and "\n" not in str(error) and len(str(error)) < LONGEST
        )
        return None


def decodes(plan: Plan) -> None:
    """Assert that what a plan hands to the scripts is what they take."""
    for run in plan.runs[:40]:
        if run.method in plan.config.methods and not is_untrained(plan.config, run.method):
            settings = plan.train_settings(run.corpus, run.base, run.method, run.seed)
            decode_json(TrainSettings, settings)
    for name in plan.config.tables:
        canonical(plan.table_spec(name)).encode()


CHANGE = st.tuples(
    st.sampled_from(PLACES), st.sampled_from(["drop", *["set"] * 3, "add"]), st.sampled_from(ODD)
)


@pytest.mark.parametrize("effort", EFFORT)
def test_a_mutated_config_is_valid_or_refused_by_its_key(effort):
    @effort
    @given(changes=st.lists(CHANGE, min_size=1, max_size=2))
    def run(changes: list[tuple]) -> None:
        config = copy.deepcopy(CONFIG)
        for where, action, value in changes:
            change(config, where, action, value)
        if (plan := loads(config)) is not None:
            decodes(plan)

    run()


def change(config: dict, where: tuple, action: str, value: object) -> None:
    """Drop or set one place, or add a key beside it; a place that is gone already is left alone."""
    place = config
    try:
        for key in where[:-1]:
            place = place[key]
    except (LookupError, TypeError):  # an earlier change has put something else here
        return
    if not isinstance(place, dict):
        return
    if action == "add":
        place[value if isinstance(value, (str, int, float, bool)) else "x"] = 1
    elif action == "set":
        place[where[-1]] = value
    else:
        place.pop(where[-1], None)


SCALARS = [where for where in PLACES if isinstance(where[-1], str)]


@pytest.mark.parametrize("stride", [pytest.param(7, marks=pytest.mark.long), 1500])
def test_each_odd_value_in_each_place_is_valid_or_refused_by_its_key(stride):
    for where, value in list(itertools.product(SCALARS, ODD))[::stride]:
        config = copy.deepcopy(CONFIG)
        change(config, where, "set", value)
        loads(config)
