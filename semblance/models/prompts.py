"""Prompts: what a model wants before a text, such as "query: " before a question.

They stand in the model's folder, in the file where sentence-transformers keeps them. This module
does not import torch.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.provenance import read_object, write_json

PROMPTS_FILE = "config_sentence_transformers.json"
QUERY = "query"
DOCUMENT = "document"
DOCUMENT_NAMES = (DOCUMENT, "passage", "corpus")  # of one role; the first that is declared counts


@dataclass(frozen=True)
class Prompts:
    """The prompts of a model by name, and the name of the one for texts that have no role.

    It is false where no text is put before anything. ``Prompts.of`` makes one and checks it.
    """

    texts: dict[str, str] = field(default_factory=dict)
    default_name: str | None = None

    @classmethod
    def of(cls, texts: dict[str, Any], default_name: Any, where: str | Path) -> "Prompts":
        """Return the prompts with these names, those of a query and of a document among them.

        sentence-transformers does not agree with itself on which prompt a document gets if
        ``document`` is not declared; so it is always. Raises InputError for what is no text, and
        for a default that no prompt has.
        """
        for name, text in texts.items():
            if not isinstance(text, str):
                raise InputError(where, f"prompt {name!r:.40} is no text", "correct it")
        if default_name is not None and default_name not in texts:
            problem = f"no prompt has the name of the default, {default_name!r:.40}"
            raise InputError(where, problem, f"declared are {', '.join(texts) or 'none'}")
        if not any(texts.values()):
            return cls()
        declared = [texts[name] for name in DOCUMENT_NAMES if name in texts]
        roles = {QUERY: texts.get(QUERY, ""), DOCUMENT: next(iter(declared), "")}
        return cls({**texts, **roles}, default_name)

    def __bool__(self) -> bool:
        return bool(self.texts)

    @property
    def default(self) -> str:
        """The prompt of texts that are compared with their like; sentence-transformers' default."""
        return "" if self.default_name is None else self.texts[self.default_name]

    def queries(self, texts: Iterable[str]) -> list[str]:
        """Return texts that ask, with their prompt."""
        return self._before(QUERY, texts)

    def documents(self, texts: Iterable[str]) -> list[str]:
        """Return texts that answer, with their prompt."""
        return self._before(DOCUMENT, texts)

    def of_faq(self, texts: Iterable[str], questions: Collection[str]) -> list[str]:
        """Return texts of a FAQ with their prompts: ``questions`` ask, the others answer.

        A question is a query whoever asks it. So the same question, asked by a user and kept in the
        FAQ, has the same vector.
        """
        before = {True: self.texts.get(QUERY, ""), False: self.texts.get(DOCUMENT, "")}
        return [before[text in questions] + text for text in texts]

    def _before(self, name: str, texts: Iterable[str]) -> list[str]:
        prompt = self.texts.get(name, "")
        return [prompt + text for text in texts]

    def as_json(self) -> dict[str, Any] | None:
        """Return the JSON form; None where there are no prompts."""
        if not self:
            return None
        return {"prompts": self.texts, "default_prompt_name": self.default_name}


NO_PROMPTS = Prompts()


def read_prompts(folder: Path) -> Prompts:
    """Return the prompts that a model's folder declares."""
    path = folder / PROMPTS_FILE
    if not path.is_file():
        return NO_PROMPTS
    config = read_object(path)
    texts = config.get("prompts") or {}
    if not isinstance(texts, dict):
        raise InputError(path, "its prompts are no mapping of names to texts", "fetch it again")
    return Prompts.of(texts, config.get("default_prompt_name"), path)


def write_prompts(prompts: Prompts, folder: Path) -> None:
    """Write the prompts into a model's folder; nothing where there are none."""
    if prompts:
        write_json(folder / PROMPTS_FILE, prompts.as_json())
