# The front door. `make` prints what there is; everything lands under build/.
PROFILE ?= mini
SEEDS ?=
# nproc counts what OMP_NUM_THREADS allows one process; jobs are processes.
GPUS ?=
JOBS ?= $(shell unset OMP_NUM_THREADS; nproc 2>/dev/null || sysctl -n hw.ncpu)
NAME ?=
CHAPTERS ?=
PYTHON ?= python3
DATA ?=
WHEELHOUSE ?=
# Some shells keep the name of a file in a variable ENV: only our own word counts from there.
ifneq ($(ENV),active)
ifeq ($(origin ENV),environment)
ENV :=
endif
endif

VENV := .venv
ifeq ($(ENV),)
# A build of torch, once chosen, stays; `TORCH=` goes back to the lock's.
TORCH ?= $(patsubst $(VENV)/.ready-%,%,$(wildcard $(VENV)/.ready-*))
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready$(addprefix -,$(TORCH))
else ifneq ($(ENV),active)
$(error Expected ENV=active or none, but got ENV=$(ENV))
else ifneq ($(TORCH)$(WHEELHOUSE),)
$(error TORCH and WHEELHOUSE are for $(VENV); an active environment keeps its own torch. Leave one of the two out)
else
BIN := $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("scripts"))')
STAMP := active
endif
ENVIRONMENT := $(PYTHON) workflow/environment.py
# What the book asks for beyond the library; what is tested and locked besides.
EXTRAS := book detect explain
MORE := test video pdf cluster course
# Rooms that ask much of a library. A warning of an old one is no failure.
FLOORS := build/floors
QUICK := -W default --ignore tests/corruptions/test_peer.py \
	-m "not slow and not network and not browser and not gpu and not bench and not site and not soak" \
	$(addprefix tests/,config corruptions datasets figures html metrics models predict results training) \
	$(addprefix tests/commands/test_,cli.py command_line.py)
RESOLVE = $(BIN)/uv pip compile --quiet --python-version 3.11 --no-emit-index-url --no-annotate \
	--no-header $(addprefix --extra ,$(EXTRAS) $(MORE)) pyproject.toml
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
# Dozens of short processes would each compile the libraries again.
unexport PYTHONDONTWRITEBYTECODE
ifneq ($(DATA),)
# A name may have blanks, which make's own functions take for several names.
export ROBUST_DATA := $(shell $(PYTHON) -c 'import os, sys; print(os.path.abspath(sys.argv[1]))' "$(DATA)")
endif

COMMA := ,
PICTURES ?=
NETWORKS ?=
RETRAIN ?=
OUT ?=
BOOK = $(BIN)/robust book $(subst $(COMMA), ,$(CHAPTERS)) --profile $(PROFILE) $(if $(SEEDS),--seeds $(SEEDS)) --jobs $(JOBS)$(if $(GPUS), --gpus $(GPUS))$(if $(PICTURES), --with-pictures)$(if $(NETWORKS), --networks "$(NETWORKS)")$(if $(RETRAIN), --retrain $(RETRAIN))

.DEFAULT_GOAL := help
.PHONY: help env plan active wheelhouse book course test site-test pdf release soak faults floors check types rules lint format bench portability mutants fetch verify train notebooks gates report clean lock

help: ## print the targets
	@echo "make TARGET [PROFILE=mini|smoke|gpu|full|full_trained] [CHAPTERS=name,name] [SEEDS=1] [JOBS=cores] [GPUS=1] [DATA=folder] [PICTURES=1]"
	@echo "     [ENV=active: the Python in force, not .venv] [TORCH=cpu|cu126|...: another build of torch] [WHEELHOUSE=folder]"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

env: $(STAMP) ## make the virtual environment, or bring it up to date

define OLD_PYTHON
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Expected python 3.11 or newer as $(PYTHON); set PYTHON=/path/to/python3.11."; exit 1; }
endef

$(VENV)/.ready$(addprefix -,$(TORCH)): requirements.lock pyproject.toml
	$(OLD_PYTHON)
	$(ENVIRONMENT) make $(VENV)$(if $(TORCH), --torch $(TORCH))$(if $(WHEELHOUSE), --wheelhouse "$(WHEELHOUSE)")

active:
	$(OLD_PYTHON)
	@$(ENVIRONMENT) active $(EXTRAS)

wheelhouse: ## fill a folder with all wheels, for a machine without a network: make wheelhouse WHEELHOUSE=folder
	$(OLD_PYTHON)
	$(ENVIRONMENT) wheelhouse $(VENV) "$(or $(WHEELHOUSE),build/wheelhouse)"$(if $(TORCH), --torch $(TORCH))

book: $(STAMP) ## compute everything that is missing or stale and render the site
	@$(BOOK)

course: $(STAMP) ## make a folder for a class of the built book, for laptops without a network: make course OUT=folder
	@$(BIN)/robust course $(subst $(COMMA), ,$(CHAPTERS)) --profile $(PROFILE)$(if $(OUT), --out "$(OUT)")$(if $(WHEELHOUSE), --wheelhouse "$(WHEELHOUSE)")

notebooks: $(STAMP) ## the book without the site
	@$(BOOK) --until notebook

train: $(STAMP) ## train the networks, and nothing else
	@$(BOOK) --until train

test: $(STAMP) ## all tests but those of a built site
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --junit-xml build/tests.xml -m "not bench and not gpu and not site and not soak"

test site-test soak faults check format bench portability mutants: EXTRAS += $(MORE)

# The visit of every page takes longest, so it begins.
SITE_TESTS = tests/site/test_pages.py tests/site/test_paper.py tests/site

site-test: $(STAMP) ## drive Chromium over the built site
	ROBUST_SITE=$(CURDIR)/build/$(PROFILE)/site $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(SITE_TESTS) -m "$(or $(MARKS),site)"

pdf release: EXTRAS += pdf

pdf: $(STAMP) ## print the whole book of the rendered site to one file; needs Chromium with chromedriver
	@$(BIN)/robust pdf --profile $(PROFILE)

release: $(STAMP) ## the book, PDF, packages, results and what they are in one folder; uploads nothing
	@$(BOOK)
	@$(BIN)/robust release --profile $(PROFILE)

soak: $(STAMP) ## interrupt the smoke book again and again, lose jobs on a cluster, hold a class (an hour and more)
	$(BIN)/python -m pytest -m soak -s

faults: $(STAMP) ## let one file call of a small book fail, in 300 drawn ways: make faults [CASES=4000] [SEED=0]
	$(BIN)/python -m pytest -n $(JOBS) tests/soak/test_faults.py -m soak -s

floors: $(STAMP) ## run quick tests on the oldest versions that pyproject.toml allows, installed beside .venv
	@mkdir -p $(FLOORS) && rm -f $(FLOORS)/requirements.txt
	$(RESOLVE) --resolution lowest-direct -o $(FLOORS)/requirements.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(FLOORS)/env
	$(BIN)/uv pip install --quiet --python $(FLOORS)/env --no-deps -r $(FLOORS)/requirements.txt
	PYTHONPATH=$(CURDIR) $(FLOORS)/env/bin/python -m pytest $(QUICK)

# The types take as long as all else together, on one core: so the others are looked at beside them.
check: $(STAMP) ## lint (Python, JavaScript), format, types, layers, the rules of the house
	@$(MAKE) --no-print-directory -j2 types rules

types:
	$(BIN)/mypy

rules: lint
	$(BIN)/python -m pytest -q tests/test_project.py

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxlint --deny-warnings book robust_lib
	$(BIN)/lint-imports

format: $(STAMP) ## let ruff format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## measure speed, ours beside the peer's
	$(BIN)/python -m pytest tests/bench -m bench -s

portability: $(STAMP) ## execute small chapters again as other processors compute them, and compare verdicts (20 minutes)
	$(BIN)/python -m tests.bench.portability --profile $(PROFILE)$(if $(CHAPTERS), --chapters $(subst $(COMMA), ,$(CHAPTERS)))

mutants: $(STAMP) ## plant small faults in modules drawn by lot, and count what their tests find (an hour)
	$(BIN)/python tests/bench/mutants.py

plan: $(STAMP) ## what the book needs, has and lacks, and how long it takes
	@$(BIN)/robust plan $(subst $(COMMA), ,$(CHAPTERS)) --profile $(PROFILE)$(if $(GPUS), --gpus $(GPUS))

fetch: $(STAMP) ## download a data set: make fetch NAME=icons; without NAME, all that PROFILE or its CHAPTERS need
	$(BIN)/robust fetch $(if $(NAME),$(NAME),--profile $(PROFILE)$(if $(CHAPTERS), --chapters $(CHAPTERS)))

verify: $(STAMP) ## look whether a data set is complete: make verify NAME=imagenet_val
	$(BIN)/robust verify $(NAME)

gates: $(STAMP) ## hold the results against what others published of public weights
	$(BIN)/robust gates --profile $(PROFILE)$(if $(CHAPTERS), --chapters $(CHAPTERS))

report: $(STAMP) ## print the verdicts of the profile's results
	$(BIN)/robust report --profile $(PROFILE)

lock: $(STAMP) ## resolve the pinned versions anew (asks the package index)
	$(RESOLVE) --universal --generate-hashes -o requirements.lock

clean: ## remove everything generated, the cache included; downloaded data stays
	@test ! -d build || find build -mindepth 1 -maxdepth 1 ! -name data -exec rm -rf {} +
