"""Which column of a user's file holds what: by the name that the user gives, else by known names.

A name is compared without case and without white space around and inside it. The documented names
(``question``, ``answer``, ``id``, ``group``, ``queries``) are no guess: written exactly so, they
come before all others.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from semblance.errors import InputError
from semblance_faq.read.findings import Findings, listed

# Other names that a column may have, without case and white space.
NAMES = {
    "question": (
        "questions q frage fragen title titel prompt patterns questiontext faqquestion "
        "pregunta domanda vraag pytanie otázka вопрос"
    ),
    "answer": (
        "answers a antwort antworten body response responses reply answertext faqanswer "
        "respuesta réponse reponse risposta antwoord odpowiedź odpověď ответ"
    ),
    "id": "",
    "group": "gruppe",
    "queries": "wordings otherwordings userqueries anfragen formulierungen",
    "query": "wording userquery userquestion question frage anfrage formulierung",
}
# The settings of the bank that name a column, and the flags of `semblance faq train`.
OPTIONS = {"question": "question_column (--question)", "answer": "answer_column (--answer)"}


@dataclass(frozen=True)
class Columns:
    """The columns that a file must have and those that it may have, by what they hold.

    ``given``: for some of them, the name that the user gave. ``known`` has for each, separated by
    blanks, the other names that it may have.
    """

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, str] = field(default_factory=lambda: NAMES)

    def fit(self, names: Sequence[str]) -> bool:
        """Tell whether a header has a column for all that is needed."""
        return all(self._found(role, names) for role in self.needed)

    def choose(
        self, names: Sequence[str], where: str, hidden: Collection[int] = ()
    ) -> dict[str, int]:
        """Return the place in the header of each column that is there, by what it holds.

        Of columns that may hold the same, one in a ``hidden`` place counts where none is visible.
        Raises InputError at ``where`` for a needed column that is not there, and for two columns
        that may hold the same.
        """
        visible = ["" if place in hidden else name for place, name in enumerate(names)]
        chosen: dict[str, int] = {}
        for role in (*self.needed, *self.optional):
            columns = self._found(role, visible) or self._found(role, names)
            if len(columns) > 1:
                raise self._doubtful(role, [names[i] for i in columns], where)
            if columns and columns[0] in chosen.values():
                other = next(name for name, place in chosen.items() if place == columns[0])
                problem = f"the column {names[columns[0]]!r} is named for {other} and {role}"
                raise InputError(where, problem, "name two columns")
            if columns:
                chosen[role] = columns[0]
            elif role in self.needed:
                raise self._missing(role, names, where)
        return chosen

    def _found(self, role: str, names: Sequence[str]) -> list[int]:
        """Return the places of the columns that may hold this."""
        if role in self.given:
            return _named(self.given[role], names)
        exact = [i for i, name in enumerate(names) if name == role]
        if exact:
            return exact
        taken = {i for name in self.given.values() for i in _named(name, names)}
        known = {role, *self.known[role].split()}
        return [i for i, name in enumerate(names) if _fold(name) in known and i not in taken]

    def _doubtful(self, role: str, found: list[str], where: str) -> InputError:
        advice = "rename one of them"
        if role in OPTIONS and len(set(found)) == len(found):
            advice = f"say which by {OPTIONS[role]}"
        return InputError(where, f"two columns may hold the {role}: {listed(found)}", advice)

    def _missing(self, role: str, names: Sequence[str], where: str) -> InputError:
        header = f"the header is {listed(names)}"
        if role in self.given:
            return InputError(where, f"no column {self.given[role]!r} for the {role}", header)
        advice = f"name it {role} (needed are {', '.join(self.needed)})"
        if role in OPTIONS:
            advice += f", or say which it is by {OPTIONS[role]}"
        return InputError(where, f"no column {role}", f"{advice}; {header}")

    def note(
        self, path: object, names: Sequence[str], places: Mapping[str, int], findings: Findings
    ) -> None:
        """Note which columns are read, and which are not."""
        read = [f"{role} from {names[place]!r}" for role, place in places.items()]
        sentence = f"columns: {', '.join(read)}"
        used = set(places.values())
        rest = [name for i, name in enumerate(names) if i not in used and name.strip()]
        if rest:
            sentence += f"; not read: {listed(rest)}"
        findings.note(path, sentence)


def _named(wanted: str, names: Sequence[str]) -> list[int]:
    """Return the places of a name that the user gave: written exactly so, else without case."""
    exact = [i for i, name in enumerate(names) if name == wanted]
    if exact:
        return exact
    return [i for i, name in enumerate(names) if _fold(name) == _fold(wanted)]


def _fold(name: str) -> str:
    return "".join(unicodedata.normalize("NFC", name).casefold().split())
