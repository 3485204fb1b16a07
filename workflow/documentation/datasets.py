"""The table of raw files in docs/data.md, made from the manifest."""

from collections.abc import Mapping

from semblance.fetch.manifest import Dataset, File

HEADING = "## Every file"
FIRST = "| dataset |"


def file_rows(manifest: Mapping[str, Dataset]) -> list[str]:
    """Return one Markdown row for each file and archive of the manifest, in its order."""
    return [
        _file_row(name, dataset, item)
        for name, dataset in manifest.items()
        for item in (*dataset.files, *dataset.archives)
    ]


def _file_row(name: str, dataset: Dataset, item: File) -> str:
    counts = ", ".join(f"{count:,} {what}" for what, count in dataset.expected.items())
    links = ", ".join(f"[{n}]({url})" for n, url in enumerate(item.urls, 1))
    cells = (
        f"`{name}`",
        dataset.licence,
        counts,
        f"`{item.path}`",
        str(item.size or "?"),
        _digest(item),
        links or "–",
    )
    return f"| {' | '.join(cells)} |"


def _digest(item: File) -> str:
    if item.sha256 is not None:
        return f"`{item.sha256}`"
    if item.git_blob is not None:
        return f"git blob `{item.git_blob}`"
    if item.has_digest:
        return "the hub's own"
    return "that of its members"


def fill_files(text: str, manifest: Mapping[str, Dataset]) -> str:
    """Return the page with the rows of its table, its last part, made anew."""
    head, table = text.split(HEADING)
    kept = [line for line in table.splitlines() if not line.startswith("| `")]
    return HEADING.join([head, "\n".join([*kept, *file_rows(manifest)]) + "\n"])
