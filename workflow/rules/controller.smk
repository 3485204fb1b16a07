# What the one process that plans and starts jobs does beside that; jobs only learn what they are.
# Needs: CHECKED, PLAN, OUT, EVENTS, GPUS, JOBS_PER_GPU, hooks, preview, private. Holds OUT for this run alone.
from workflow.run.progress import Screen


def follow_new_plan():
    """Say why more jobs run than planned, and follow them, too."""
    preview.explain_start(workflow, OUT)
    SCREEN.jobs = preview.to_do(workflow.dag, PLAN)


if workflow.is_main_process:
    hooks.prepare_start(PLAN, CHECKED.asked)
    preview.OnPlan(workflow, CHECKED)
    hooks.watch_jobs(EVENTS)
    SCREEN = Screen(OUT, CHECKED.asked)
    private.follow_changes_alone(follow_new_plan)
    if GPUS and (CHECKED.asked.starts_jobs or CHECKED.asked.by_program):
        hooks.limit_gpu_jobs(workflow, JOBS_PER_GPU)
else:
    hooks.mark_remote_job(workflow)


onstart:
    hooks.begin(workflow, PLAN, EVENTS)
    hooks.start_fork_server(workflow, config)
    preview.explain_start(workflow, OUT)
    if not hooks.uses_conda(workflow):  # conda makes the jobs' environment only later
        hooks.ask_for_sources(workflow, PLAN)
    SCREEN.begin(preview.to_do(workflow.dag, PLAN))


onsuccess:
    SCREEN.end()
    hooks.end(PLAN)


onerror:
    SCREEN.end()
    if SCREEN.is_interrupted:
        hooks.end_interrupted(workflow, PLAN)
    hooks.print_end(workflow, PLAN)
