# Each target makes its own .venv; a second run starts in seconds.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP_DEMO := $(VENV)/.demo
STAMP_DEV := $(VENV)/.dev
ARGS ?=

.PHONY: demo test check bench soak clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo    a five-pins table that plays a match by itself; prints its display's and referee's addresses and the PIN"
	@echo "make test    installs what the tests need and runs them"
	@echo "make check   lint, types, import directions, generated files"
	@echo "make bench   speed, as ratios measured in one run"
	@echo "make soak    the long runs (hours)"

$(STAMP_DEMO): pyproject.toml tools/venv.sh
	@tools/venv.sh "$(PYTHON)" "$(VENV)" demo
	@touch $@

$(STAMP_DEV): pyproject.toml tools/venv.sh tools/stubs.py
	@tools/venv.sh "$(PYTHON)" "$(VENV)" dev
	@$(BIN)/python tools/stubs.py
	@touch $@ $(STAMP_DEMO)

demo: $(STAMP_DEMO)
	@$(BIN)/marker demo $(ARGS)

test: $(STAMP_DEV)
	@tools/system-packages.sh
	@$(BIN)/python -m pytest -m "not soak" $(ARGS)

check: $(STAMP_DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q -p no:randomly tests/architecture

bench: $(STAMP_DEV)
	@$(BIN)/marker bench all $(ARGS)

soak: $(STAMP_DEV)
	@tools/system-packages.sh
	@$(BIN)/python -m pytest -m soak --timeout=0 $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache dist
