"""Named tensors in safetensors files: written whole or not at all, refused when damaged."""

import re
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from semblance.errors import InputError, is_passing
from semblance.files import require_regular, whole_file


def save_tensors(tensors: dict[str, Tensor], path: str | Path) -> None:
    """Write tensors to a file; OSError where the disk refuses them."""
    with whole_file(path) as temporary:
        try:
            save_file(tensors, temporary, metadata={"format": "pt"})
        except SafetensorError as error:
            raise OSError(_os_errno(error), f"cannot be written ({error})", str(path)) from None


def _os_errno(error: SafetensorError) -> int | None:
    """Return the system's error number, which the library has in its text only."""
    number = re.search(r"os error (\d+)", str(error))
    if number is None:
        return None
    return int(number[1])


def load_tensors(path: str | Path) -> dict[str, Tensor]:
    """Read a file of tensors; InputError if it is missing, no regular file or damaged."""
    if not Path(path).exists():
        raise InputError(
            path, "no weights as safetensors", "choose a base or revision that has them"
        )
    try:
        require_regular(path)
        return load_file(path)
    except (SafetensorError, OSError) as error:
        if is_passing(error):  # the machine failed: the file need not be damaged
            raise
        raise InputError(
            path, f"damaged weights ({error})", "delete the folder and fetch it again"
        ) from None
