"""The process that starts the jobs of a run, how far the run is, and what its jobs cost."""
