# What the one process that plans and starts jobs does beside that; jobs only learn what they are.
# Needs: CHECKED, PLAN, OUT, RESOURCES, GPUS, JOBS_PER_GPU, hooks. Holds OUT for this run alone.

if workflow.is_main_process:
    hooks.prepare_start(OUT, RESOURCES, CHECKED.asked)
    stale.watch_plan(workflow, CHECKED.asked.touches)  # before lines are filtered out
    preview.shorten_dry_run(workflow, OUT, sys.argv[1:])
    sources.require_unchanged(PLAN, sys.argv[1:])
    if GPUS:
        hooks.limit_gpu_jobs(workflow, JOBS_PER_GPU)
else:
    hooks.mark_remote_job(workflow)


onstart:
    hooks.begin(workflow, config, log)
    preview.explain_start(workflow, OUT)
    if not hooks.uses_conda(workflow):  # conda makes the jobs' environment only later
        sources.ask_first(workflow, PLAN)


onsuccess:
    hooks.end(PLAN)


onerror:
    hooks.print_end(workflow, PLAN)
