# Everything happens in virtual environments inside this folder: .venv, and one more for each
# further Python that `make quick PYTHON=...` is given.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin

# The first Python here that is new enough, starts (a pyenv shim need not) and can make environments.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
QUICK := $(if $(filter command,$(origin PYTHON)),.venv-$(notdir $(PYTHON)),$(VENV))

# How many processes the tests run in.
JOBS ?= 2

# What `make bench` runs, one after the other.
BENCHES ?= rules floor peers tournament isolation leaderboard calibration sequential

# What `make tournament` plays: enough deals to see who is better, in some minutes.
ARGS ?= --deals 12

help:  ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

# Once for each change of pyproject.toml. What isolates bots is not there for every machine.
$(sort $(VENV)/ready $(QUICK)/ready): pyproject.toml
	@test -n '$(PYTHON)' || { echo 'Python 3.11 or newer with venv is needed: make PYTHON=...' >&2; exit 2; }
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(@D)/bin/pip install --quiet --editable '.[sandbox]' --group dev \
		|| $(@D)/bin/pip install --quiet --editable . --group dev
	@touch $@

setup: $(VENV)/ready  ## Make .venv with arena and all tools in it (PYTHON=... chooses the Python)
	@echo 'arena is in $(BIN); so that the shell finds it: . $(BIN)/activate'

tournament: $(VENV)/ready  ## Play the bots in both games and print the leaderboards; 3 minutes (ARGS=...)
	$(BIN)/arena tournament $(ARGS)

test: $(VENV)/ready  ## Run all tests
	$(BIN)/pytest -n $(JOBS) --dist loadgroup

alone: $(VENV)/ready  ## Run, one by one, the tests of attacks and leftovers, which want an idle machine
	$(BIN)/pytest -m 'alone and not long'

quick: $(QUICK)/ready  ## Run the fast tests and a small tournament (PYTHON=python3.13: on that one)
	$(QUICK)/bin/pytest -n $(JOBS) -m 'not slow and not long and not alone'
	home=$$(mktemp -d) && trap 'chmod -R u+w "$$home" && rm -rf "$$home"' EXIT && \
		$(QUICK)/bin/arena tournament --suite development --players 2 --deals 2 --home "$$home"

lint: $(VENV)/ready  ## Check style, types and layers; changes nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(VENV)/ready  ## Format, and mend what can be mended without thinking
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

cover: $(VENV)/ready  ## Run all tests and measure which branches they take; fails below the floors
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist loadgroup
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage report --include='arena/games/*,arena/wire/*,arena/errors.py' --fail-under=100

long: $(VENV)/ready  ## Run the long tests, and all properties with thousands of examples; hours
	$(BIN)/pytest -n $(JOBS) -m 'long and not alone' -rP
	$(BIN)/pytest -m 'long and alone' -rP
	HYPOTHESIS_PROFILE=long $(BIN)/pytest -n $(JOBS) -m 'not long and not slow and not alone' --timeout 0

bench: $(VENV)/ready  ## Measure: speed of rules, referee, tournaments and leaderboards, and how right ratings are; 15 minutes
	for it in $(BENCHES); do $(BIN)/python bench/$$it.py || exit 1; done

schemas: $(VENV)/ready  ## Write protocol/schemas anew from the types
	$(BIN)/python -m arena.referee.schemas protocol/schemas

check: lint cover  ## All that a change has to pass

clean:  ## Remove the environments and what the tools left behind; results/ stays
	rm -rf .venv .venv-* .hypothesis .coverage* .*_cache *.egg-info dist htmlcov
	find . -name __pycache__ -prune -exec rm -rf {} +

.PHONY: help setup tournament test alone quick lint fmt cover long bench schemas check clean
