"""The program of a stage: its command line has a flag for each parameter of one function."""

import argparse
import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from semblance.settings import decode_json, parse_json

JSON = {"settings": "settings", "run": "--run"}  # flags of one JSON; what an error calls each
HELP = {
    "bank": "record of the FAQ bank",
    "base": "record of the model to start from, or of the base whose tokenizer it is",
    "checkpoint_minutes": "minutes between step checkpoints",
    "checkpoint_steps": "steps between step checkpoints; 0: by minutes only",
    "code": "digest of the code, for the record",
    "corpora": "folder of training corpora, or records of corpora of pairs",
    "corpus": "record of the training corpus",
    "csv": "the figure's data, or the CSV to write",
    "data": "folder of the raw data, or record of prepared data",
    "dataset": "a name in the manifest",
    "destination": "the data folder",
    "dev": "record of the dev data",
    "embeddings": "record of the start model's vectors",
    "evaluations": "records of the evaluations on the folds",
    "folds": "records of the trainings on the folds",
    "gpus": "1: use a GPU if there is one",
    "hub": "address of the model hub",
    "jobs_per_gpu": "jobs that may share one GPU",
    "json": "the JSON file to write",
    "latex": "the LaTeX file to write",
    "manifest": "the manifest (YAML)",
    "markdown": "the Markdown file to write",
    "matmul": "precision of fp32 matrix products",
    "max_length": "longest input in tokens",
    "mirror": "a folder or http(s) address that may have the files; see `semblance fetch`",
    "model": "record of the model",
    "models": "record of each model, in the order of the settings",
    "output": "the record to write, the data lie in its folder; or a file beside --record",
    "papers": "the papers' numbers and claims (papers/*.yaml)",
    "png": "the drawing to write, as a picture",
    "precision": "precision of the encoder",
    "record": "the record to write",
    "regulators": "records of frozen embeddings",
    "results": "the results folder",
    "root": "the folder of --runs",
    "rows": "JSON: the published row of some corpora",
    "run": "JSON: which model is evaluated, and how",
    "runs": 'JSON: runs with their seeds: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}',
    "scores": "score files",
    "settings": "JSON: all settings of this job",
    "steps_of": "records of trainings that take as many steps",
    "stop_at": "exit with status 75 before this time (seconds since 1970), after a checkpoint",
    "svg": "the drawing to write, for print and pages",
    "tables": "records of the tables, written by render_table",
    "test": "record of the test pairs",
    "texts": "record of the STS tests, or of a corpus",
    "threads": "threads to compute with",
    "token_hub": "address of the hub that gets the user's token",
    "tokens": "record of the corpus's tokens",
    "tolerance": "points within which a value agrees",
}


def program(description: str | None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator: the function takes its arguments from a command line.

    A flag is named as its parameter. ``settings``, ``run`` and each ``dict`` come as one JSON. The
    fields of any other dataclass are flags themselves.
    """

    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def main(argv: list[str] | None = None) -> None:
            parser = argparse.ArgumentParser(
                description=description, formatter_class=argparse.RawDescriptionHelpFormatter
            )
            _add_flags(parser, function)
            _call(function, vars(parser.parse_args(argv)))

        return main

    return decorated


def _add_flags(parser: argparse.ArgumentParser, function: Callable[..., Any]) -> None:
    for parameter in inspect.signature(function).parameters.values():
        if _has_flags_of_its_own(parameter):
            _add_flags(parser, parameter.annotation)
        else:
            flag = f"--{parameter.name.replace('_', '-')}"
            parser.add_argument(flag, help=HELP[parameter.name], **_form(parameter))


def _has_flags_of_its_own(parameter: inspect.Parameter) -> bool:
    return is_dataclass(parameter.annotation) and parameter.name not in JSON


def _form(parameter: inspect.Parameter) -> dict[str, Any]:
    """Return how argparse reads a parameter, by its annotation and its default."""
    form: dict[str, Any] = {"required": True}
    if parameter.default is not inspect.Parameter.empty:
        form = {"default": parameter.default}
    hint = parameter.annotation
    if is_dataclass(hint) or hint is dict:  # of one JSON
        return form
    if get_origin(hint) is UnionType:  # float | None
        hint = get_args(hint)[0]
    if get_origin(hint) is Literal:
        return {**form, "choices": get_args(hint)}
    if get_origin(hint) is Sequence:
        return {**form, "nargs": "+" if "required" in form else "*"}
    return {**form, "type": hint}


def _call(function: Callable[..., Any], flags: dict[str, Any]) -> Any:
    values = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if _has_flags_of_its_own(parameter):
            values[name] = _call(parameter.annotation, flags)
        elif is_dataclass(parameter.annotation):
            values[name] = decode_json(parameter.annotation, flags[name], JSON[name])
        elif parameter.annotation is dict:
            values[name] = parse_json(flags[name], f"--{name}")
        else:
            values[name] = flags[name]
    return function(**values)
