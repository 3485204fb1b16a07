# make demo    set up, then run the whole workflow on the embedded data
# make test    set up, then run the tests
# make plan    how many jobs the chosen config makes: make plan CONFIG=configs/minilm.yaml
.DELETE_ON_ERROR:
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
CORES  ?= all
CONFIG ?= config.yaml

.PHONY: setup demo test test-long plan lock clean

setup: $(VENV)/.ready

# The stamp comes last, so that an interrupted installation starts again.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Semblance needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		$$($(BIN)/python workflow/requirements.py pyproject.toml demo test)
	touch $@

demo: setup
	@$(BIN)/python workflow/progress.py --cores $(CORES) --configfile demo/config.yaml
	@echo; cat demo/results/tables/rcl_table3.md
	@echo; echo "All tables: demo/results/tables/"

test: setup
	$(BIN)/python -m pytest -q -m "not long"

test-long: setup
	$(BIN)/python -m pytest -q -m long

plan: setup
	$(BIN)/snakemake -n --quiet rules --configfile $(CONFIG)

lock: setup
	$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu//' > constraints.txt

clean:
	rm -rf demo/results demo/resources
