# make           this help: what each target does; it changes nothing
# make setup     install into .venv what the project needs, and write .venv/bin/semblance
# make demo      set up, then run the whole workflow on the embedded data
# make bench     measure speed beside sentence-transformers: make bench DATA=FOLDER (see docs/performance.md)
# make gpu       measure a part on a GPU: make gpu PART=a (docs/performance.md says which parts there are)
# make clean     delete the demo's results and downloads
#
# For work on the project itself:
# make test         set up, check the style, then run the tests
# make test-faq     of these the tests of the application (faq/)
# make test-reproduction  all others of these
# make test-long    the tests that take too long for make test
# make test-storm   two hours of kills and disk faults; its figures stand in docs/reliability.md
# make test-slurm   start a real Slurm on this machine and run on it (needs root and Debian's Slurm packages)
# make lint         check the style of the Python files and of the rules
# make format       mend what a tool can mend of the style
# make docs         write what README.md and docs/ take from other files: keys of the config, counts, data sets
# make site         write the pages of docs/ as a site with navigation and search into site/
# make rulegraph    draw docs/rules.svg (needs graphviz: apt-get install graphviz)
# make path         count the lines that one number of RCL's Table 3 needs to be read
# make lock         pin in constraints.txt the packages that are installed now
.DELETE_ON_ERROR:
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
CORES  ?= all
KEPT   := demo/results/models/nli/minilm-3/rcl-4/seed-1/model/model.safetensors# the model that README.md uses
PARALLEL := -n logical --maxprocesses 8 --dist worksteal

.PHONY: help setup demo lint format test test-faq test-reproduction test-long test-storm test-slurm docs site rulegraph bench gpu path lock clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//; p' $(firstword $(MAKEFILE_LIST))

setup: $(VENV)/.ready $(BIN)/semblance

# The stamp comes last, so that an interrupted installation starts again.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Semblance needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		$$($(BIN)/python workflow/requirements.py pyproject.toml demo test)
	touch $@

# A launcher in place of an installation: the project runs from its checkout.
$(BIN)/semblance: workflow/installed.py $(VENV)/.ready
	@$(BIN)/python -c 'from workflow.installed import write_launcher; write_launcher("$@")'

demo: setup
	@$(BIN)/semblance run demo/config.yaml --cores $(CORES) -- all $(KEPT)
	@echo; $(BIN)/semblance table rcl_table3 --output demo/results
	@echo; echo "The report: demo/results/report.html    All tables: demo/results/tables/"
	@echo; echo "Next:"
	@echo "  $(BIN)/semblance plan configs/papers-main.yaml          the price of the papers' main tables"
	@echo "  $(BIN)/semblance try my_loss.py --against simcse        is a loss of yours better?"
	@echo "  $(BIN)/semblance faq train my.csv --output my-faq       answers from your own FAQ"

lint: setup
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check
	$(BIN)/snakefmt --check Snakefile workflow/rules faq/Snakefile
	$(BIN)/python workflow/lint.py

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow/rules faq/Snakefile

test: lint
	$(BIN)/python -m pytest -q $(PARALLEL) -m "not long and not storm and not slurm"

test-faq: setup
	$(BIN)/python -m pytest -q $(PARALLEL) -m "not long and not storm and not slurm" faq/tests

test-reproduction: setup
	$(BIN)/python -m pytest -q $(PARALLEL) -m "not long and not storm and not slurm" tests

test-long: setup
	$(BIN)/python -m pytest -q $(PARALLEL) -m long

test-storm: setup
	$(BIN)/python -m pytest -q -s -m storm tests/reliability

test-slurm: setup
	$(BIN)/python -m pytest -q -m slurm tests/slurm

docs: setup
	$(BIN)/python -m workflow.scripts.fill_docs

site: $(VENV)/site/bin/mkdocs
	$< build --quiet

$(VENV)/site/bin/mkdocs:
	$(PYTHON) -m venv $(VENV)/site
	$(VENV)/site/bin/pip install --quiet --disable-pip-version-check mkdocs==1.6.1

rulegraph: setup
	$(BIN)/snakemake --rulegraph | awk '/"download_/ && !/_model/ {data[$$1 + 0]; next} !(/->/ && ($$1 + 0) in data)' | tred | dot -Tsvg > docs/rules.svg

# Without setup: a machine with a GPU may have packages of its own, and no network.
GPU_a := train --bases minilm bert-base-shape --precisions fp32 tf32 bf16 --rounds 3
GPU_b := embed --bases minilm bert-base-shape --precisions fp32 tf32 bf16 --rounds 3
GPU_c := host --bases minilm bert-base-shape --precisions fp32 bf16 --rounds 3
GPU_d := shared --precisions bf16
GPU_r := readings
gpu:
	$(PYTHON) -m benchmarks --gpus 1 --steps 60 --output results-benchmarks/gpu.md --only $(GPU_$(PART)) $(ARGS)

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(if $(DATA),--data $(DATA)) --output results-benchmarks/page.md $(ARGS)

path: $(VENV)/.bench
	$(BIN)/python -m benchmarks.path $(ARGS)

$(VENV)/.bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		$$($(BIN)/python workflow/requirements.py pyproject.toml demo test bench)
	touch $@

lock: setup $(VENV)/.bench
	{ grep '^#' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu//'; } > constraints.new
	mv constraints.new constraints.txt

clean:
	rm -rf demo/results demo/resources
