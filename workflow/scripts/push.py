"""Upload a trained model with its card to a hub, or with --dry-run show what would be uploaded.

The folder is that of a trained model (results/models/CORPUS/BASE/METHOD/seed-N) or of an answerer.
Each file is compared with its record first. A new repository is private. Weights that were learned
from data whose licence forbids commercial use, or is not known to allow every use, are refused, also
by --dry-run, unless --non-commercial is given. Log in before: hf auth login.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from semblance.errors import InputError
from workflow.scripts.endings import run

if TYPE_CHECKING:
    from semblance.cards.upload import Upload

EXAMPLES = """examples:
  semblance push my-faq/answerers/faq --to me/my-faq --dry-run
  semblance push my-faq/answerers/faq --to me/my-faq
"""


def parser() -> argparse.ArgumentParser:
    """Return the flags."""
    flags = argparse.ArgumentParser(
        prog="semblance push",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add_argument("folder", help="the folder of a trained model or of an answerer")
    flags.add_argument("--to", required=True, metavar="OWNER/NAME", help="the repository")
    flags.add_argument("--dry-run", action="store_true", help="print what an upload would hold")
    flags.add_argument(
        "--non-commercial",
        action="store_true",
        help="upload it although its data are not known to be free for any use; the card says so",
    )
    return flags


def main(argv: list[str] | None = None) -> None:
    """Show or upload."""
    args = parser().parse_args(argv)
    from semblance.cards.upload import plan_upload, require_free, require_repository

    require_repository(args.to)
    upload = plan_upload(args.folder)
    if args.dry_run:
        print(_format_upload(upload, args.to))
        sys.stdout.flush()
    require_free(upload, args.non_commercial)
    if args.dry_run:
        return
    print(f"uploaded: {_send(upload, args.to)}")


def _send(upload: "Upload", repository: str) -> str:
    """Upload; InputError for what the hub or the network refuses."""
    import httpx2  # with which huggingface_hub asks
    from huggingface_hub import HfApi, get_token

    from semblance.cards.upload import send

    if not get_token():
        raise InputError(repository, "you are not logged in to a hub", "run hf auth login")
    try:
        return send(upload, repository, HfApi())
    except httpx2.HTTPError as error:  # the hub's own errors, too
        first = str(error).strip().partition("\n")[0]
        problem = f"the hub did not take it ({first or type(error).__name__})"
        advice = "check the name, your rights and the network, then start again"
        raise InputError(repository, problem, advice) from None


def _format_upload(upload: "Upload", repository: str) -> str:
    """Return the list of an upload's files, and the card."""
    width = max(len(file.name) for file in upload.files)
    lines = [f"{file.name:<{width}}  {file.size:>13,}  {file.sha256}" for file in upload.files]
    total = sum(file.size for file in upload.files)
    head = [
        f"to {repository}, tag {upload.revision}: {len(lines)} files, {total:,} bytes",
        f"use of its data: {upload.standing}",
        "",
        f"{'file':<{width}}  {'bytes':>13}  sha256",
    ]
    return "\n".join([*head, *lines, "", "README.md:", "", upload.card.rstrip("\n")])


if __name__ == "__main__":
    run(main)
