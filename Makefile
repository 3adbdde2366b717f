# The front door. `make` prints what there is; everything lands under build/.
PROFILE ?= mini
SEEDS ?= 1
# nproc counts what OMP_NUM_THREADS allows one process; jobs are processes.
GPUS ?=
JOBS ?= $(shell unset OMP_NUM_THREADS; nproc 2>/dev/null || sysctl -n hw.ncpu)
NAME ?=
CHAPTERS ?=
PYTHON ?= python3
DATA ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
# Dozens of short processes would each compile the libraries again.
unexport PYTHONDONTWRITEBYTECODE
ifneq ($(DATA),)
export ROBUST_DATA := $(abspath $(DATA))
endif

COMMA := ,
PICTURES ?=
BOOK = $(BIN)/robust book $(subst $(COMMA), ,$(CHAPTERS)) --profile $(PROFILE) --seeds $(SEEDS) --jobs $(JOBS)$(if $(GPUS), --gpus $(GPUS))$(if $(PICTURES), --with-pictures)

.DEFAULT_GOAL := help
.PHONY: help env book test site-test soak check format bench fetch verify train notebooks gates report clean lock

help: ## print the targets
	@echo "make TARGET [PROFILE=mini|smoke|gpu|full] [CHAPTERS=name,name] [SEEDS=1] [JOBS=cores] [GPUS=1] [DATA=folder] [PICTURES=1]"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

env: $(STAMP) ## make the virtual environment, or bring it up to date

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Expected python 3.11 or newer as $(PYTHON); set PYTHON=/path/to/python3.11."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv==0.13.8
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@

book: $(STAMP) ## compute everything that is missing or stale and render the site
	@$(BOOK)

notebooks: $(STAMP) ## the same without the site
	@$(BOOK) --until notebook

train: $(STAMP) ## train the networks, and nothing else
	@$(BOOK) --until train

test: $(STAMP) ## all tests but those of a built site
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not bench and not gpu and not site and not soak"

site-test: $(STAMP) ## drive Chromium over the built site
	ROBUST_SITE=$(CURDIR)/build/$(PROFILE)/site $(BIN)/python -m pytest tests/site -m site

soak: $(STAMP) ## interrupt the smoke book at random moments, again and again (an hour)
	$(BIN)/python -m pytest tests/soak -m soak -s

check: $(STAMP) ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## let ruff format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## measure speed, ours beside the peer's
	$(BIN)/python -m pytest tests/bench -m bench -s

fetch: $(STAMP) ## download a data set: make fetch NAME=icons
	$(BIN)/robust fetch $(NAME)

verify: $(STAMP) ## look whether a data set is complete: make verify NAME=imagenet_val
	$(BIN)/robust verify $(NAME)

gates: $(STAMP) ## hold the results against what others published of public weights
	$(BIN)/robust gates --profile $(PROFILE)

report: $(STAMP) ## print the verdicts of the profile's results
	$(BIN)/robust report --profile $(PROFILE)

lock: $(STAMP) ## resolve the pinned versions anew (asks the package index)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --extra book --extra detect --extra explain \
		--extra fast --extra test --extra video pyproject.toml -o requirements.lock

clean: ## remove everything generated, the cache included; downloaded data stays
	@test ! -d build || find build -mindepth 1 -maxdepth 1 ! -name data -exec rm -rf {} +
