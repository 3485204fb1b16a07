"""The rows of a user's file, whatever its format: its name says which."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from semblance.data.text import read_lines, refuse_traces, shows_nothing
from semblance.errors import InputError, at
from semblance.strict_json import parse_strict
from semblance_faq.read.columns import Columns
from semblance_faq.read.delimited import read_delimited
from semblance_faq.read.findings import EMPTY, Findings
from semblance_faq.read.text import FORMATS

Row = tuple[int, dict[str, Any]]
Reader = Callable[[Path | str, Columns, Findings], Iterator[Row]]
DELIMITED = (".csv", ".tsv")
JSON_LINES = (".jsonl", ".ndjson")
WORKBOOKS = (".xlsx", ".xlsm")
BAR = re.compile(r"(?<!\\)\|")


def read_table(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield the line of each row that is not empty, and its values by what they hold.

    A value is text, but ``queries`` is a list of texts; of JSON lines any value, and None where the
    key is missing. A row is empty if nothing stands in the columns that are read; it is counted.
    """
    reader = _reader(path)
    for line, values in reader(path, columns, findings):
        if reader is not _read_json and "queries" in values:
            values["queries"] = split_queries(values["queries"])
        texts = [value for value in values.values() if value not in (None, [])]
        if all(isinstance(text, str) and shows_nothing(text) for text in texts):
            findings.add(EMPTY, path, line)
        else:
            yield line, values


def split_queries(text: str) -> list[str]:
    r"""Return the queries of a cell, which bars separate; ``\|`` is a bar of a query."""
    parts = BAR.split(text)
    return [part.replace(r"\|", "|") for part in parts if part.strip()]


def is_table(path: Path | str) -> bool:
    """Tell whether the name of a file is that of a format with columns."""
    return _suffix(path) in (*DELIMITED, *JSON_LINES, *WORKBOOKS)


def _suffix(path: Path | str) -> str:
    return Path(str(path).removesuffix(".gz")).suffix.lower()


def _reader(path: Path | str) -> Reader:
    suffix = _suffix(path)
    if suffix in DELIMITED:
        return read_delimited
    if suffix in JSON_LINES:
        return _read_json
    if suffix in WORKBOOKS and not str(path).endswith(".gz"):
        from semblance_faq.read.sheets import read_workbook  # few files need openpyxl

        return read_workbook
    advice = "name the file after its format; .csv and .jsonl may be packed (.gz)"
    if suffix in (".xls", ".ods"):
        advice = "open it in Excel or LibreOffice and save it as .xlsx"
    raise InputError(path, f"neither .csv nor .jsonl nor .xlsx: a FAQ is {FORMATS}", advice)


def _read_json(path: Path | str, columns: Columns, findings: Findings) -> Iterator[Row]:
    """Yield the rows of JSON lines; the keys of all of them together are the columns.

    A blank line is an empty row, as in CSV.
    """
    rows: list[Row] = []
    for line, text in read_lines(path):
        refuse_traces(text, path, line)
        try:
            value = parse_strict(text) if text.strip() else {}
            if not isinstance(value, dict):
                raise ValueError(f"a JSON {type(value).__name__}, not an object")
        except ValueError as error:
            problem = f"not a JSON object as expected: {error}"
            raise InputError(at(path, line), problem, "one object a line") from None
        rows.append((line, value))
    first = next((line for line, row in rows if row), None)
    if first is None:
        return
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    places = columns.choose(names, at(path, first))
    columns.note(path, names, places, findings)
    for line, row in rows:
        yield line, {role: row.get(names[place]) for role, place in places.items()}
