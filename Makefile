# Every target sets up what it needs and is quick when that is there already.

PYTHON ?= $(or $(shell sh tools/pythons.sh | head -n 1),$(error there is no CPython 3.11 or \
	newer on PATH: install one, or name it with PYTHON=/path/to/python3))
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q
export PIP_DISABLE_PIP_VERSION_CHECK := 1

EXTENSION_SOURCES := $(wildcard src/confluent_kafka/csrc/*.[ch]) tools/librdkafka.py \
	$(wildcard tools/patches/*.patch)
say = @echo "==> $(1)"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two pips must not write into one environment at a time.
.NOTPARALLEL:
.PHONY: help demo test build lint bench wheel asan docs clean system java

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-6s  %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build $(VENV)/.demo java ## the main job: flights through Kafka and Spark
	@$(BIN)/python -m examples.flights

# Without Java the Spark tests are skipped and the closing line says so.
test: build $(VENV)/.demo ## every test this machine can run (ARGS="..." goes to pytest)
	@sh tools/system.sh java || true
	$(call say,running the tests)
	@$(BIN)/python -m pytest $(ARGS)

build: $(VENV)/.extension $(VENV)/.package $(VENV)/.tests ## .venv with the package, its extension and the test tools

lint: build $(VENV)/.lint $(VENV)/.docs $(VENV)/.demo ## style, types, spelling, C with warnings as errors
	$(call say,ruff)
	@$(BIN)/ruff check -q --output-format concise .
	@$(BIN)/ruff format -q --check --output-format concise .
	$(call say,reference)
	@$(BIN)/python tools/docs.py --check
	$(call say,codespell)
	@$(BIN)/codespell
	$(call say,mypy)
	@$(BIN)/mypy
	$(call say,C with -Werror)
	@WERROR=1 $(BIN)/python setup.py -q build_ext --build-lib build/lint --build-temp build/lint
	@$(CC) -std=c11 -Wall -Wextra -Werror -fsyntax-only \
		$$($(BIN)/python tools/librdkafka.py --print cflags) benchmarks/native/*.c

bench: build $(VENV)/.benchmarks .venv-peer/.requirements ## speed and memory beside confluent-kafka and native C
	@$(BIN)/python -m benchmarks $(ARGS)

wheel: build .venv-wheel/.requirements ## a self-contained wheel in dist/, tried with every CPython here
	@$(BIN)/python tools/wheels.py

# A build of its own: PYTHONPATH puts it before the one that .venv has. Leaks are looked for in
# one process without forks and other extensions, where all that is reported is ours.
asan: build $(VENV)/.spark ## unit and embedded tests under the address and undefined-behaviour sanitizers
	$(call say,building with sanitizers)
	@rm -rf build/asan
	@SANITIZE=address$(comma)undefined $(BIN)/python setup.py -q build \
		--build-base build/asan --build-lib build/asan/lib
	$(call say,running the tests under the sanitizers)
	@ASAN_OPTIONS=detect_leaks=1 $(SANITIZED_PYTHON) -P tools/smoke.py
	@ASAN_OPTIONS=detect_leaks=0 $(SANITIZED_PYTHON) -m pytest -p no:cacheprovider \
		tests/unit tests/embedded $(ARGS)

docs: build $(VENV)/.docs ## the reference from the docstrings
	@$(BIN)/python tools/docs.py

clean: ## remove everything that was built (the compiled librdkafka stays in ~/.cache)
	@rm -rf .venv .venv-peer .venv-wheel build dist src/*.egg-info
	@rm -rf .mypy_cache .pytest_cache .ruff_cache
	@find src -name '*.so' -delete
	@find . -name __pycache__ -prune -exec rm -rf {} +

# --- what the targets stand on ------------------------------------------------------------

comma := ,

SANITIZED_PYTHON = PYTHONPATH=$(CURDIR)/build/asan/lib PYTHONMALLOC=malloc \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 $(BIN)/python

system:
	@sh tools/system.sh build

java:
	@sh tools/system.sh java

$(BIN)/python: | system
	$(call say,creating $(VENV) with $(PYTHON))
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.extension: setup.py pyproject.toml $(EXTENSION_SOURCES) $(VENV)/.build | system
	@$(BIN)/python tools/librdkafka.py --check || sh tools/system.sh npm
	@$(BIN)/python tools/librdkafka.py
	$(call say,compiling the extension)
	@$(BIN)/python setup.py -q build_ext --inplace
	@touch $@

# Editable: Python files are used where they stand, and so is the extension just compiled.
$(VENV)/.package: setup.py pyproject.toml | $(VENV)/.extension
	$(call say,installing the package into $(VENV))
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

# One stamp per file of requirements: installed again when the file changes.
$(VENV)/.%: requirements/%.txt | $(BIN)/python
	$(call say,installing $<)
	@$(PIP) -r $<
	@touch $@

.venv-%/.requirements: requirements/%.txt | $(BIN)/python
	$(call say,creating .venv-$* for $<)
	@$(BIN)/python -m venv $(@D)
	@$(@D)/bin/python -m pip install -q -r $<
	@touch $@
