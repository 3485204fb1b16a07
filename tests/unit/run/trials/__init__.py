"""Programs that start as those of workflow.scripts do."""

from workflow.fork_client import run_forked

run_forked()
