"""Random damage to every parser and to the config: what is not read is refused, and nothing else happens."""

import copy
import io
import itertools
import json
import math
import shutil
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from semblance.audit.findings import UNREADABLE
from semblance.audit.runs import _read_lines
from semblance.data import nli, sts, wiki
from semblance.data.banks import cough, stackfaq
from semblance.data.bare import shows_nothing
from semblance.data.text import normalise
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.fetch.unpack import extract
from semblance.models import folder as model_folder
from semblance.provenance import canonical, read_sealed, text_digest
from semblance.reporting.published import read_published
from semblance.reporting.scores import COLUMNS
from semblance.reporting.table import from_json
from semblance.settings import decode_json
from semblance.strict_yaml import read_yaml
from semblance.training.recipe import TrainSettings
from semblance_faq.read.faq import read_own
from tests.example_settings import STATED
from tests.hostile.bounds import bounded
from tests.hostile.formats import FORMATS, SCORE
from tests.hostile.malformed import Case
from tests.hostile.test_archives import PLAIN_TAR, PLAIN_ZIP
from tests.hostile.test_models import WORDS as WORDPIECE
from tests.hostile.test_models import base  # noqa: F401  (a fixture)
from tests.hostile.test_settings_files import MANIFEST, PUBLISHED
from tests.shipped import merged
from workflow.planning.config import load
from workflow.planning.layers import laid_over
from workflow.planning.plan import Plan

ROOT = Path(__file__).resolve().parents[2]
SHARED = dict(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
quick = settings(max_examples=30, **SHARED)
EFFORT = [
    pytest.param(quick, id="quick"),
    pytest.param(settings(max_examples=2000, **SHARED), marks=pytest.mark.long, id="long"),
]
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
    b"[" * 50,
    b"nan",
    b"1e999",
    b"-1",
    b"\xed\xa0\x80",
    b"\\u0000",
    b"&x;",
    b"<!DOCTYPE a>",
    b": ",
    b"*a",
    b"&a ",
    b"!!python/name:os.system",
    b"9" * 5000,
    b"\xe2\x80\xa8",
    b"PK\x01\x02",
]


@st.composite
def mutated(draw: st.DrawFn, plain: bytes) -> bytes:
    """Cut, repeat, overwrite and insert in a valid file; now and then give random bytes instead."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=200))
    content = plain
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        piece = draw(
            st.one_of(
                st.just(b""),
                st.just(content[a:b] * 2),
                st.sampled_from(TOKENS),
                st.binary(max_size=8),
            )
        )
        content = content[:a] + piece + content[b if draw(st.booleans()) else a :]
    return content


def survives(read, path: Path) -> None:
    """Read a file within the bounds of time and memory: parsed, or refused in one line."""
    try:
        with bounded():
            read(path)
    except InputError as error:
        assert (
            "\n" not in str(error) and len(str(error)) < 3100
        )  # three parts of a thousand characters


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


def sealed(value: dict) -> bytes:
    """Return a record as ``write_sealed`` writes it."""
    digest = text_digest(canonical(value))
    return (json.dumps({**value, "sha256": digest}, indent=2, sort_keys=True) + "\n").encode()


def streamed(table: pa.Table) -> bytes:
    """Return a table as an Arrow stream."""
    buffer = io.BytesIO()
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def audited_scores(path: Path) -> None:
    """Read scores as the audit does; it counts these errors as findings."""
    try:
        _read_lines(path)
    except UNREADABLE as error:
        raise InputError(path, str(error)) from None


OTHERS = {
    "manifest": (yaml.safe_dump(MANIFEST).encode(), load_manifest),
    "published": (yaml.safe_dump(PUBLISHED).encode(), read_published),
    "yaml": (b"a: &a [1, {b: 'c'}]\nd: *a\ne: 2020-01-01\nf: !!int '3'\n", read_yaml),
    "table": (
        b'{"rows": [{"cells": {"a": {"mean": 1, "sd": 1, "n": 1, "values": {"1": 0.5}}}}], "name": "t"}',
        lambda path: from_json(path.read_bytes().decode("utf-8", "replace"), "t"),
    ),
    "settings": (
        json.dumps(STATED).encode(),
        lambda path: decode_json(TrainSettings, path.read_bytes().decode("utf-8", "replace")),
    ),
    "record": (sealed({"outputs": {"a": "b"}, "seed": 1}), read_sealed),
    "config": (b"output: results\nseeds: {all: [1, 2]}\n", lambda path: laid_over([path])),
    "scores in an audit": ((",".join(COLUMNS) + f"\n{SCORE}\n").encode(), audited_scores),
    "tokenizer": (
        json.dumps({"version": "1.0", "added_tokens": [], "model": WORDPIECE}).encode(),
        lambda path: tokenise(path, ["hello a"]),
    ),
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
def test_a_model_folder_loads_or_is_refused(name, effort, base, tmp_path):  # noqa: F811
    folder = shutil.copytree(base / "model", tmp_path / "model")
    plain = (folder / name).read_bytes()
    fuzz(effort, plain, folder / name, lambda _: model_folder.load(folder))


# None valid is refused: what is written in a format comes back

TEXT = st.text(
    st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=20
)
WORDS = TEXT.map(normalise).filter(bool)  # as every reader gives texts back
CELL = WORDS.filter(lambda text: not any(c in text for c in "\t\r\n"))
XML = (
    st.text(
        st.characters(exclude_characters="\ufeff\ufffe\uffff", exclude_categories=["Cs", "Cc"]),
        min_size=1,
        max_size=20,
    )
    .map(normalise)
    .filter(bool)
)
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


def quoted(*fields: str) -> str:
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields)


def put(path: Path, lines: list[str], end: str = "\n") -> Path:
    path.write_bytes((end.join(lines) + end).encode())
    return path


@each_effort(
    rows=st.lists(st.tuples(WORDS, WORDS, st.sampled_from(nli.LABELS)), min_size=1, max_size=4),
    ascii_only=st.booleans(),
)
def test_every_valid_snli_pair_comes_back(rows, ascii_only, tmp_path):
    lines = [
        json.dumps({"gold_label": label, "sentence1": a, "sentence2": b}, ensure_ascii=ascii_only)
        for a, b, label in rows
    ]
    assert list(nli.read_release(put(tmp_path / "a.jsonl", lines))) == rows


@each_effort(
    rows=st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_every_valid_triple_comes_back(rows, end, tmp_path):
    triples = nli.read_triples(
        put(tmp_path / "t.csv", ["sent0,sent1,hard_neg", *(quoted(*row) for row in rows)], end)
    )
    assert triples == rows


@each_effort(rows=st.lists(CELL, min_size=1, max_size=5), space=SPACE)
def test_every_valid_sentence_comes_back(rows, space, tmp_path):
    path = put(tmp_path / "w.txt", [space + row + space for row in rows])
    assert wiki.read_sentences(path) == (rows, [])


@each_effort(rows=st.lists(st.tuples(CELL, CELL, SCORE), min_size=1, max_size=4))
def test_every_valid_sts_pair_comes_back(rows, tmp_path):
    put(tmp_path / "STS.input.x.txt", [f"{a}\t{b}" for a, b, _ in rows])
    put(tmp_path / "STS.gs.x.txt", [str(score) for *_, score in rows])
    assert [(p.sentence1, p.sentence2, p.score) for p in sts.read_sts_year(tmp_path, 14)] == rows
    put(
        tmp_path / "b.csv",
        [f"g\tf\ty\t{n}\t{score}\t{a}\t{b}" for n, (a, b, score) in enumerate(rows)],
    )
    assert [(p.sentence1, p.sentence2, p.score) for p in sts.read_stsb(tmp_path / "b.csv")] == rows


SHOWN = WORDS.filter(lambda text: not shows_nothing(text))


@each_effort(
    rows=st.lists(
        st.tuples(SHOWN, SHOWN, SHOWN, st.lists(SHOWN, max_size=2)),
        min_size=1,
        max_size=4,
        unique_by=lambda row: row[2],
    )
)
def test_every_valid_faq_of_ones_own_comes_back(rows, tmp_path):
    lines = [json.dumps({"question": q, "answer": a, "id": i, "queries": w}) for q, a, i, w in rows]
    bank = read_own(put(tmp_path / "o.jsonl", lines))
    first = {(q, a): (q, a, i) for q, a, i, _ in reversed(rows)}  # of rows that repeat
    assert [(p.question, p.answer, p.id) for p in bank.pairs] == list(
        dict.fromkeys(first[q, a] for q, a, *_ in rows)
    )
    asked = [text for row in rows for text in row[3]]
    assert [q.text for q in bank.queries] == list(dict.fromkeys(asked))
    table = read_own(
        put(tmp_path / "o.csv", ["question,answer,id", *(quoted(*row[:3]) for row in rows)])
    )
    assert table.pairs == bank.pairs


@each_effort(
    threads=st.lists(
        st.tuples(XML, st.lists(XML, min_size=1, max_size=2), st.lists(XML, max_size=2)),
        min_size=1,
        max_size=3,
    )
)
def test_every_valid_stackfaq_thread_comes_back(threads, tmp_path):
    assume(
        all(text != "*" for *_, texts in threads for text in texts)
    )  # the release's own separator
    body = [
        "<qapair>"
        + "".join(f"<rephr>{escape(text)}</rephr>" for text in texts)
        + f"<question>{escape(question)}</question>"
        + "".join(f"<answer>{escape(text)}</answer>" for text in answers)
        + "</qapair>"
        for question, answers, texts in threads
    ]
    bank = stackfaq.read_stackfaq(put(tmp_path / "s.xml", ["<root>", *body, "</root>"]))
    assert [(p.question, p.answer) for p in bank.pairs] == [
        (q, a) for q, answers, _ in threads for a in answers
    ]
    assert [q.text for q in bank.queries] == [text for *_, texts in threads for text in texts]


@each_effort(
    rows=st.lists(
        st.tuples(WORDS, WORDS, st.lists(st.integers(1, 4), min_size=1, max_size=4), WORDS),
        min_size=1,
        max_size=4,
    )
)
def test_every_valid_cough_bank_comes_back(rows, tmp_path):
    put(
        tmp_path / "b.csv",
        [
            "index,question,answer,language",
            *(f"{n},{quoted(q, a)},en" for n, (q, a, *_) in enumerate(rows)),
        ],
    )
    put(
        tmp_path / "q.csv",
        ["index,query", *(f"{n},{quoted(query)}" for n, (*_, query) in enumerate(rows))],
    )
    means = [sum(scores) / len(scores) for *_, scores, _ in rows]
    put(
        tmp_path / "j.csv",
        [
            ",".join(quoted(c) for c in cough.JUDGEMENT_COLUMNS),
            *(
                f'{n},{n},"{scores}",{mean},{"positive" if mean > 3 else "negative"}'
                for n, ((*_, scores, _), mean) in enumerate(zip(rows, means, strict=True))
            ),
        ],
    )
    bank = cough.read_cough(tmp_path / "b.csv", tmp_path / "q.csv", tmp_path / "j.csv")
    assert [(p.question, p.answer) for p in bank.pairs] == [row[:2] for row in rows]
    assert [(q.text, q.relevant) for q in bank.queries] == [
        (row[3], (str(n),) if mean > 3 else ())
        for n, (row, mean) in enumerate(zip(rows, means, strict=True))
    ]


# The config

CONFIG = merged("config.yaml")
ODD = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    0.5,
    64.0,
    10**30,
    -(10**30),
    math.nan,
    math.inf,
    "",
    " ",
    "x",
    "..",
    "../x",
    "/etc/passwd",
    "a b",
    "'",
    '"',
    "`id`",
    "$(touch PWNED)",
    "; touch PWNED",
    "a\nb",
    "a\n",
    "--option",
    "{x}",
    "{params}",
    "ünï",
    "\0",
    "\ud800",
    "x" * 5000,
    "nan",
    "1e999",
    [],
    [None],
    [[]],
    ["x"],
    {},
    {"x": 1},
    {"x": None},
    {1: 2},
    {"a\nb": 1},
    b"bytes",
    {3.5: 1},
    object(),
    (1, 2),
    {1, 2},
]


def places(tree: object, where: tuple = ()) -> list[tuple]:
    """List the path of every value in a tree of mappings and lists."""
    items = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    return [
        found for key, value in items for found in ((*where, key), *places(value, (*where, key)))
    ]


PLACES = places(CONFIG)


def loads(config: dict) -> Plan | None:
    """Return the plan of a config, or None where it is refused in one line that names a key."""
    try:
        return Plan(load(config))
    except InputError as error:
        assert (
            str(error).startswith("config") and "\n" not in str(error) and len(str(error)) < 3000
        ), str(error)[:300]
        return None


def decodes(plan: Plan) -> None:
    """Assert that what a plan hands to the scripts is what they take."""
    for run in plan.runs[:40]:
        if run.method != "start" and run.method in plan.config.methods:
            decode_json(
                TrainSettings, plan.train_settings(run.corpus, run.base, run.method, run.seed)
            )
    for name in plan.config.tables:
        canonical(plan.table_spec(name)).encode()


@pytest.mark.parametrize("effort", EFFORT)
def test_a_mutated_config_is_valid_or_refused_by_its_key(effort):
    @effort
    @given(
        changes=st.lists(
            st.tuples(
                st.sampled_from(PLACES),
                st.sampled_from(["drop", "set", "set", "set", "add"]),
                st.sampled_from(ODD),
            ),
            min_size=1,
            max_size=2,
        )
    )
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
    for key in where[:-1]:
        if not (
            isinstance(place, dict)
            and key in place
            or isinstance(place, list)
            and isinstance(key, int)
            and key < len(place)
        ):
            return
        place = place[key]
    if action == "add" and isinstance(place, dict):
        place[value if isinstance(value, (str, int, float, bool)) else "x"] = 1
    elif action == "set" and isinstance(place, dict):
        place[where[-1]] = value
    elif action == "drop" and isinstance(place, dict):
        place.pop(where[-1], None)


SCALARS = [where for where in PLACES if isinstance(where[-1], str)]


@pytest.mark.parametrize("stride", [pytest.param(7, marks=pytest.mark.long), 150])
def test_each_odd_value_in_each_place_is_valid_or_refused_by_its_key(stride):
    for where, value in list(itertools.product(SCALARS, ODD))[::stride]:
        config = copy.deepcopy(CONFIG)
        change(config, where, "set", value)
        loads(config)
