"""What the report is told of a plan: it loads no config itself."""

from itertools import chain

from workflow.extensions import extensions
from workflow.planning import stages
from workflow.planning.figures import drawn_figures
from workflow.planning.plan import Plan
from workflow.planning.tables import base_label
from workflow.report.outline import Outline

ORIGIN = ("hub", "package", "folder", "revision")  # the keys of a base that say whence it comes


def outline(plan: Plan) -> Outline:
    config, wanted = plan.config, stages.wanted_by(plan)
    bases = {name: config.bases[name].written() for name in wanted.bases}
    naming = chain.from_iterable(each.NAMING for each in extensions("settings"))
    jobs = [job for job in stages.jobs(plan) if job != stages.TARGET]
    made = [job for job in jobs if stages.STAGES[job.stage].work != "download"]
    return Outline(
        out=plan.out,
        manifest=wanted.manifest,
        notes={name: table.note for name, table in config.tables.items()},
        seeds={n: f"{len(config.seeds[t.seeds])} ({t.seeds})" for n, t in config.tables.items()},
        labels={name: base_label(config, name) for name in config.bases},
        origins={
            name: " ".join(str(base[key]) for key in ORIGIN if key in base)
            for name, base in bases.items()
        },
        datasets=wanted.datasets,
        figures={name: figure.kind for name, figure in config.figures.items()},
        drawn=tuple(drawn_figures(plan)),
        others={section: tuple(getattr(config, section)) for section in naming},
        records=tuple(stages.record(plan, job) for job in made),
    )
