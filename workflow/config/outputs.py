"""What a run makes of its models: tables, figures."""

from typing import Any, Literal

from semblance.figures import KINDS, Source
from semblance.reporting.layouts import LAYOUTS
from semblance.settings import Positive
from workflow.config.part import Distinct, Label, Listed, Name, Part, of, one_of
from workflow.config.trainings import Entropies, names_of


class Rows(Part):
    """A group of rows: each corpus, base and method of it together make a row."""

    corpora: of("corpus or bank", "corpora", "faq.banks", form=Listed[Name])
    """Corpora, or in layout `faq` banks."""
    bases: of("base", "bases", form=Listed[Name])
    """Base models."""
    methods: Listed[one_of(lambda _: "phis", str=Name, phis=Entropies)]
    """Methods; `start` is the base model before any training; entropy models as a kind and its φs,
    or by their names where another place has them so."""

    @property
    def method_names(self) -> list[str]:
        """The methods by their names; an entry with several φ is one for each."""
        return names_of(self.methods)


class Table(Part):
    """One table."""

    title: str
    """Heading of the table."""
    layout: Literal[*LAYOUTS]
    """Columns. `sts`: the seven tasks and their average; `sts-mean` and `sts-wmean` by the mean of
    a task's subsets, plain or weighted, `sts-pearson` by Pearson's correlation. `faq`:
    accuracy and MAP. `regulators`: the average alone, one column for each row. `seeds`: mean, top
    3, best and each seed. `dev`: STS-B dev. `faq-dev`: MAP of the dev questions. `transfer`:
    accuracy on the seven transfer tasks, and their average. `transfer-dev`: the same on their dev
    parts."""
    like: Name | None = None
    """A table above this one, from which it takes every key that it does not state itself, but for
    `title` and `published`. Where a config makes that one null, this one is null, too."""
    seeds: of("list of seeds", "seeds")
    """A list of `seeds`."""
    control: str | None = None
    """Method that each row is compared with, on the row's own base; `previous` is the row above.
    The untrained base is never compared, and is no control. Without it: no comparison, but in the
    layout `regulators` `previous`."""
    controls: dict[str, Name] = {}
    """Methods whose rows have another control than `control`."""
    margin: Positive | None = None
    """Points. A difference from the control counts as none if its interval lies within it. Without
    it: 0.5."""
    tasks: Distinct[str] | None = None
    """The STS tasks that it shows and averages; of the layouts `sts`,
    `regulators` and `seeds` alone. Without it: the seven."""
    note: str | None = None
    """A sentence below the table. Without it: none."""
    labels: dict[str, Label] = {}
    """Names of rows in this table: of a METHOD where it differs from its own label, or of a
    CORPUS/METHOD, where several corpora stand in one table."""
    published: dict[str, str] = {}
    """Row of a paper (papers/*.yaml), as PAPER/TABLE/ROW, that stands beside a METHOD, a
    BASE/METHOD or a CORPUS/METHOD. A row of another base, other data or other settings than the
    paper's is a stand-in: it is not compared with the published row, and a note says in what it
    differs."""
    rows: Listed[Rows]
    """Groups of rows. Each corpus, base and method of a group together make a row."""


class _Figure(Part):
    kind: Literal[*KINDS]
    """What is shown. `alignment_uniformity`: both measures beside the STS average. `by_phi`,
    `by_regulators`: the STS average against the φ of entropy models, or the number of regulators.
    `contrasts`: every row of the tables against its control, with the intervals and the difference
    of each seed. `cosine_densities`: the cosine of each STS-B test pair, in five groups of gold
    score. `curve`: alignment and uniformity during a training of `train_curve`.
    `singular_values`: those of the matrix of STS-B's sentence embeddings.
    `anisotropy`: the terms of RCL's Eqs. 4 to 6 on STS-B. `specifications`: a claim under every
    reading. `selections`: a difference by every way to make one number of the seeds. `retrieval`:
    the most similar sentences of a collection for fixed queries; it has no drawing."""
    options: dict[str, Any] = {}
    """Keyword arguments of the kind's module. Without it: the module's defaults."""

    @property
    def source(self) -> Source:
        """What the figure is made from."""
        return KINDS[self.kind]


class FigureOfModels(_Figure):
    """A figure of some models."""

    seeds: of("list of seeds", "seeds")
    """A list of `seeds`, for `rows`."""
    rows: Listed[Rows]
    """Groups of rows. Each corpus, base and method of a group together make a row."""


class FigureOfAll(_Figure):
    """A figure of all models that are scored on STS."""


class FigureOfTables(_Figure):
    """A figure of whole tables."""

    tables: of("table", "tables", form=Listed[Name] | None) = None
    """The tables of a figure of kind `contrasts`, `specifications` or `selections`. One that is
    null is left out, and a figure without any is, too. Without it: all."""


class FigureOfCollection(FigureOfModels):
    """A figure of a search."""

    collection: of("corpus", "corpora")
    """The corpus whose sentences are searched."""


ALL_MODELS = "alignment_uniformity"  # the one kind that shows every model where it names no rows


def _kind_of_figure(figure: dict) -> str:
    kind = figure.get("kind")
    source = KINDS.get(kind) if isinstance(kind, str) else None
    if source in ("tables", "collection"):
        return source
    return "all" if kind == ALL_MODELS and "rows" not in figure else "models"


Figure = one_of(
    _kind_of_figure,
    models=FigureOfModels,
    all=FigureOfAll,
    tables=FigureOfTables,
    collection=FigureOfCollection,
)
