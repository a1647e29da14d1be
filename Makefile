# Every target makes its own set-up: a virtual environment in .venv, with what that target needs.
# `make demo` and `make test` work as the first command on a machine with Python 3.11 or newer, and make.

BIN := .venv/bin
BASE := .venv/.installed
DEV := .venv/.installed-dev
BENCH := .venv/.installed-bench
PYTEST_FLAGS ?= -n 2 --dist loadgroup

.PHONY: help demo test lint format types bench clean
.DEFAULT_GOAL := help

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(BASE) ## Install, then run the supply-chain example and explain one of its conclusions
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/supply/demo.sh

test: $(DEV) ## Run the whole test suite
	@.ci/java
	@$(BIN)/python -m pytest $(PYTEST_FLAGS)

lint: $(DEV) ## Check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(DEV) ## Put the code into the house format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

types: $(DEV) ## Check types
	@$(BIN)/mypy --strict

bench: $(BENCH) ## Measure Tidelog and its peers on the same work; NAME=closure chooses one
	@$(BIN)/tidelog bench $(NAME)

clean: ## Remove the virtual environment and everything that was made
	rm -rf .venv out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): pyproject.toml .ci/venv
	@.ci/venv
	@touch $@

$(DEV): pyproject.toml .ci/venv
	@.ci/venv dev
	@touch $@ $(BASE)

$(BENCH): pyproject.toml .ci/venv
	@.ci/venv bench
	@touch $@ $(BASE)
