"""Fetch one base model and make its uniform folder: weights as safetensors, tokenizer, pooling."""

from semblance.fetch.manifest import OWN_HUB, Hub
from semblance.models.base import BaseSettings, build_base
from semblance.settings import decode
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    settings: dict,
    hub: str,
    output: str,
    token_hub: str = OWN_HUB,
    mirror: str | None = None,
    code: str = "",
) -> None:
    base = decode(BaseSettings, settings, "base")
    build_base(base, output, code, Hub(hub, token_hub), mirror)


if __name__ == "__main__":
    run(main)
