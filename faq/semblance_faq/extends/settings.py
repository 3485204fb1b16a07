"""The sections of a config that make answerers."""

from typing import Annotated

from pydantic import Field

from semblance.settings import Threads
from workflow.config.part import Distinct, Name, Part, of

NAMING = ("answerers",)  # the sections whose entries name bases and banks


class Building(Part):
    """The last stage of an answerer: its choice, its threshold, its vectors in fp32."""

    threads: Threads = 2
    """Threads of a job. Another number changes the last digits of a result. Without it: 2."""


class Answerer(Part):
    """One answerer."""

    bank: of("bank", "faq.banks")
    """The bank of `faq.banks` that it answers from."""
    base: of("base", "bases")
    """The base model."""
    methods: Distinct[Name]
    """What is chosen from, the simplest first: methods, also those with `ranking`, and `start`. A
    table of the bank evaluates each of them with this base and these seeds. A method with
    `whitening` is refused for now."""
    seeds: of("list of seeds", "seeds")
    """A list of `seeds`. The final models have the first of them."""
    precision: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """The share of right answers that the threshold must be shown to give. Without it: 0.9."""


class Sections(Part):
    """What the config of an own FAQ has beside the others' sections."""

    build_answerer: Building = Building()
    """The last stage of an answerer: its choice, its threshold, its vectors in fp32. Without it: 2
    threads."""
    answerers: dict[Name, Answerer] = {}
    """The answerers by name: each is one model that answers from a FAQ bank, in the folder
    `answerers/NAME` of the output. On the folds of the bank it is chosen how to answer best, and
    how sure an answer must be; then the chosen method is trained on the whole bank, for as long as
    was best on the folds. Without it: none."""
