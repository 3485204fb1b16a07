"""Config files laid over each other as Snakemake lays them, and who set which key."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance.errors import InputError, at, nearest
from semblance.provenance import ROOT, read_text
from semblance.settings import parse_json
from semblance.strict_yaml import UTF8, key_lines, parse_argument, read_yaml
from workflow.config.model import PAPERS

PROJECT = ROOT / "config.yaml"  # which all others are laid over
OF_PAPERS = ("paper", "printed", "claims", "known_slips", "others")  # read by semblance/reporting
LEAD = "config"  # with which an error of the config names a key: config.seeds.rcl[0]
OF_ITSELF = ("title", "published")  # what a table never takes from one that it is like
Step = str | int  # into a config: a key, or the number of an entry of a list


@dataclass(frozen=True)
class Layer:
    """What one file or one flag says; ``name`` is the file's path, or the flag and its argument."""

    name: str
    value: dict[str, Any]
    is_file: bool = True

    def place(self, path: tuple[Step, ...]) -> str:
        """Return ``file:line`` of a path, or the flag."""
        if not self.is_file:
            return self.name
        lines = key_lines(self.name)
        while path and path not in lines:
            path = path[:-1]
        return at(self.name, lines.get(path))


class Layered(dict):
    """A config whose keys come from several layers; each layer is laid over those before it.

    ``layers`` are the given ones. Where one of them has the key ``papers``, the papers' files lie
    below them, and the last such key says whose tables and figures count.
    """

    def __init__(self, layers: Iterable[Layer]):
        super().__init__()
        self.layers = list(layers)
        stated = [layer.value["papers"] for layer in self.layers if "papers" in layer.value]
        named = stated[-1] if stated and isinstance(stated[-1], list) else None
        papers = {}
        if named is not None:  # the named ones first: in their order tables are shown
            order = dict.fromkeys([*(name for name in named if name in PAPERS), *PAPERS])
            papers = {name: of_config(read_layer(PAPERS[name])) for name in order}
        self._all = [*papers.values(), *self.layers]
        for layer in self._all:
            _lay(self, layer.value)
        self._fill_alike()
        self._leave_tables_out_of_figures()
        for name, layer in papers.items():
            if name not in named:
                _leave_out(self, layer.value)

    def values_of_all(self) -> list[dict[str, Any]]:
        """Return what each layer says, the papers' files first."""
        return [layer.value for layer in self._all]

    def _fill_alike(self) -> None:
        """Give each table what it is ``like`` and does not state, and null where that one is null."""
        tables = self.get("tables")
        names = list(tables) if isinstance(tables, dict) else []
        for place, name in enumerate(names):
            like = tables[name].pop("like", None) if isinstance(tables[name], dict) else None
            if like is None:
                continue
            if like not in names[:place]:
                problem = f"tables.{name}.like: there is no table {like!r} above it"
                advice = nearest(str(like), names[:place])
                raise InputError(self._place(f"tables.{name}.like"), problem, advice)
            other = tables[like]
            if isinstance(other, dict):
                other = {key: other[key] for key in other if key not in OF_ITSELF} | tables[name]
            tables[name] = other

    def _leave_tables_out_of_figures(self) -> None:
        """Take tables that are null out of the figures that name them; one without any is null."""
        tables, figures = self.get("tables"), self.get("figures")
        if not isinstance(tables, dict) or not isinstance(figures, dict):
            return
        absent = [name for name, table in tables.items() if table is None]
        for name, figure in figures.items():
            named = figure.get("tables") if isinstance(figure, dict) else None
            if isinstance(named, list) and any(table in named for table in absent):
                left = [table for table in named if table not in absent]
                figures[name] = {**figure, "tables": left} if left else None

    def located(self, error: InputError) -> InputError:
        """Return an error at ``config.KEY`` as one at the place that set the key, or its mapping."""
        lead, dot, key = error.where.partition(".")
        if lead != LEAD or not dot:
            return error
        return InputError(self._place(key), f"{key}: {error.problem}", error.advice)

    def _place(self, key: str) -> str:
        """Return the place in the layer that has most of a key; of several such, in the last one."""
        paths = [(path_of(key, layer.value), layer) for layer in reversed(self._all)]
        path, layer = max(paths, key=lambda each: len(each[0]))
        return layer.place(path)


def path_of(key: str, config: Any) -> tuple[Step, ...]:
    """Return the path of ``a.b[0].c`` as far as the config has it; a name may hold dots itself."""
    path: list[Step] = []
    node = config
    rest = f".{key}"
    while rest:
        steps = {}  # from the node, as an error writes them
        if isinstance(node, dict):
            steps = {f".{step}": step for step in node}
        elif isinstance(node, list):
            steps = {f"[{place}]": place for place in range(len(node))}
        paths = [text for text in steps if f"{rest}.".startswith((f"{text}.", f"{text}["))]
        if not paths:
            break
        longest = max(paths, key=len)
        path.append(steps[longest])
        node = node[steps[longest]]
        rest = rest.removeprefix(longest)
    return tuple(path)


def of_config(paper: Layer) -> Layer:
    """Return what a paper's file says of the config: not what the paper prints, claims and has wrong."""
    value = {key: part for key, part in paper.value.items() if key not in OF_PAPERS}
    value["tables"] = {
        name: {key: part for key, part in table.items() if key not in OF_PAPERS}
        for name, table in value["tables"].items()
    }
    return Layer(paper.name, value)


def _leave_out(config: dict, paper: dict) -> None:
    """Take the tables and figures of a paper out of a config."""
    for section in ("tables", "figures"):
        entries = config.get(section)
        if isinstance(entries, dict):
            for name in paper.get(section, ()):
                entries.pop(name, None)


def _lay(under: dict, over: dict) -> dict:
    for key, value in over.items():
        if isinstance(value, dict):
            beneath = under.get(key)
            under[key] = _lay(beneath if isinstance(beneath, dict) else {}, value)
        else:
            under[key] = value
    return under


def laid_over(paths: Iterable[str | Path], arguments: Iterable[str] = ()) -> Layered:
    """Return config files, and ``key=value`` of --config, laid over each other; not yet validated."""
    layers = [*map(read_layer, paths)]
    for argument in arguments:
        key, _, text = argument.partition("=")
        flag = f"--config {argument}"
        layers.append(Layer(flag, {key: parse_argument(text, flag)}, is_file=False))
    return Layered(layers)


def over_project(paths: Iterable[str | Path], arguments: Iterable[str] = ()) -> Layered:
    """Return the project's config.yaml with config files and ``key=value`` laid over it.

    A config.yaml of the working folder comes between them.
    """
    own = Path("config.yaml")
    here = []
    if own.exists() and not own.samefile(PROJECT):
        here.append(own)
    return laid_over([shown(PROJECT), *here, *paths], arguments)


def read_layer(path: str | Path) -> Layer:
    """Read a config file; InputError, with the line, for one that is not strict YAML or JSON.

    One that is not there may be one of the project's own, as configs/minilm.yaml. Snakemake takes the
    last value of a key that stands twice. Here it is refused.
    """
    path = shown(found(str(path)))
    if not Path(path).exists():
        raise InputError(path, "no such file", "name a config file")
    if Path(path).suffix == ".json":
        value = parse_json(read_text(path, advice=UTF8), path)
    else:
        value = read_yaml(path)
    if not isinstance(value, dict):
        raise InputError(at(path, 1), "no mapping of keys to values", "see config.yaml")
    return Layer(path, value)


def shown(path: str | Path) -> str:
    """Return a path as seen from the working folder, if it lies below it."""
    path = Path(path)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return str(path)


def found(path: str) -> str:
    """Return a path with ``~`` resolved; one that is not there, in the project's folder if it is there."""
    path = os.path.expanduser(path)
    if not os.path.exists(path) and os.path.exists(ROOT / path):  # False of too long a path
        return str(ROOT / path)
    return path
