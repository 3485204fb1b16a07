# Semblance as a program, for docker and apptainer: docs/cluster.md, "In a container".
FROM python:3.11-slim

WORKDIR /source
COPY Snakefile config.yaml constraints.txt pyproject.toml README.md LICENSE ./
COPY configs configs
COPY demo/config.yaml demo/manifest.yaml demo/
COPY demo/data demo/data
COPY envs envs
COPY papers papers
COPY profiles profiles
COPY semblance semblance
COPY faq faq
COPY slurm slurm
COPY workflow workflow
RUN pip install --no-cache-dir --constraint constraints.txt ".[demo]"

# The user who runs it may be one whom the image does not know.
ENV HOME=/tmp USER=semblance
WORKDIR /work
ENTRYPOINT ["semblance"]
