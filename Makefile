# Every target sets up everything that it needs. If everything exists already, this takes no time.

PYTHON ?= $(or $(shell sh tools/pythons.sh | head -n 1),$(error there is no CPython 3.11 or \
	newer on PATH: install one, or name it with PYTHON=/path/to/python3))
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q
export PIP_DISABLE_PIP_VERSION_CHECK := 1

EXTENSION_SOURCES := $(wildcard $(addprefix src/confluent_kafka/csrc/,*.[ch] */*.[ch])) tools/librdkafka.py \
	$(wildcard tools/patches/*/*.patch)
say = @echo "==> $(1)"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two pip processes must not write into one environment at the same time.
.NOTPARALLEL:
.PHONY: help demo test check kafka kafka-news build lint bench bench-spark chaos transactions differential fuzz model wheel wheel-test release asan tsan valgrind freethreaded site clean system java cancellation sanitized

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s  %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build $(VENV)/.demo java ## the main job: flights through Kafka and Spark
	@$(BIN)/python -m examples.flights

# Several tests run at the same time (tests/support/side_by_side.py). Without Java, pytest skips the
# Spark tests, and its last line shows that.
test: build $(VENV)/.demo $(VENV)/.integration $(VENV)/.fuzz ## every test this machine can run (ARGS="..." goes to pytest)
	@sh tools/system.sh java || true
	@! command -v mvn >/dev/null || { $(BIN)/python tools/kafka.py && $(BIN)/python tools/apicurio.py; } >/dev/null
	$(call say,running the tests)
	@$(BIN)/python -m pytest -n auto $(ARGS)

check: build $(VENV)/.demo ## the tests nearest to the changes since main, in two minutes at most (ARGS="..." goes to pytest)
	@$(BIN)/python -m pytest -n auto $(ARGS) $$($(BIN)/python tools/nearest_tests.py)

kafka: build java ## Apache Kafka for the integration tests, from Maven Central
	@$(BIN)/python tools/kafka.py

kafka-news: build java ## what the newest Apache Kafka has and this package does not have (LATEST=4.4.0)
	@$(BIN)/python tools/kafka_news.py

build: $(VENV)/.extension $(VENV)/.package $(VENV)/.tests ## .venv with the package, its extension and the test tools

lint: build $(VENV)/.lint $(VENV)/.docs $(VENV)/.demo ## style, types, spelling, C with warnings as errors
	$(call say,ruff)
	@$(BIN)/ruff check -q --output-format concise .
	@$(BIN)/ruff format -q --check --output-format concise .
	@$(BIN)/python tools/badges.py --check
	$(call say,codespell)
	@$(BIN)/codespell
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(call say,mypy; site)
	@$(BIN)/mypy & types=$$!; $(SITE); site=$$?; wait $$types && exit $$site
	$(call say,dependencies between modules)
	@$(BIN)/python tools/layers.py
	$(call say,waits without the GIL)
	@$(BIN)/python tools/gil.py
	$(call say,C with -Werror)
	@WERROR=1 $(BIN)/python setup.py -q build_ext --build-lib build/lint --build-temp build/lint
	@$(CC) -std=gnu11 -Wall -Wextra -Werror -fsyntax-only \
		$$($(BIN)/python tools/librdkafka.py --print cflags) benchmarks/native/*.c tests/native/*.c

bench: build $(VENV)/.benchmarks .venv-peer/.requirements ## compare speed and memory with other clients and native C; writes results, history and pictures
	@$(BIN)/python -m benchmarks $(ARGS)

bench-spark: build java $(VENV)/.integration $(VENV)/.spark ## Spark: compare rdkafka with the JVM's connector, on a real broker (ARGS="--scale 0.1")
	@$(BIN)/python -W "ignore:pkg_resources is deprecated" -m benchmarks.spark $(ARGS)

chaos: build java $(VENV)/.integration ## faults on a real cluster, with a row of results for each scenario (ARGS="--short --only network")
	@$(BIN)/python -W "ignore:pkg_resources is deprecated" -m tests.chaos $(ARGS)

transactions: build java $(VENV)/.integration ## transactions of five clients under faults, and their anomalies (ARGS="--clients ours --seconds 600")
	@$(BIN)/python -W "ignore:pkg_resources is deprecated" -m tests.chaos.transactions $(ARGS)

differential: build ## random scripts on the compatibility APIs and on the original packages; prints every difference (ARGS="--scripts 1000")
	@$(BIN)/python -m tests.differential $(ARGS)

cancellation: build ## every coroutine, cancelled at each of its first suspensions, and callbacks that raise (SUSPENSIONS=50)
	@CANCELLATION_SUSPENSIONS=$(or $(SUSPENSIONS),50) $(BIN)/python -m pytest -q tests/embedded/test_cancellation.py \
		tests/embedded/test_aiokafka_cancellation.py tests/embedded/test_callbacks_that_raise.py \
		$(wildcard tests/embedded/test_*interrupts.py)

model: build $(VENV)/.fuzz ## consumers against a model, with 500 random examples of each (ARGS="--examples 5000 --seed 1")
	@$(BIN)/python -m tests.model $(ARGS)

# Without clang, the run prints a note and draws all inputs from a seed.
fuzz: build $(VENV)/.fuzz $(VENV)/.guided ## hostile input: 1,000,000 calls, 10,000 frames of a broken broker
	@sh tools/system.sh clang || true
	$(call say,building for libFuzzer)
	@! command -v clang >/dev/null || CC=clang SANITIZE=address,undefined,fuzzer-no-link \
		$(BIN)/python setup.py -q build --build-base build/guided --build-lib build/guided/lib
	@$(BIN)/python -m tests.fuzz $(ARGS)

wheel: build .venv-wheel/.requirements ## a self-contained wheel in dist/ for every CPython here, and a test of each wheel (ARGS="--only 3.12")
	@.venv-wheel/bin/python tools/wheels.py $(ARGS)

wheel-test: ## unit and embedded tests against the wheels in dist/, as they are installed (ARGS="--only cp312")
	@ls dist/*.whl >/dev/null 2>&1 || $(MAKE) -s wheel
	@$(BIN)/python tools/installed.py $(ARGS) -- -n auto

release: build .venv-wheel/.requirements ## sdist and wheels in dist/, with every check before they are published (ARGS="--quick")
	@.venv-wheel/bin/python tools/release.py $(ARGS)

# Each call of each client runs in processes of its own, so that a crash shows which response caused
# it. Only the sanitizers find reads past the end of memory, and leaks.
matrix: build $(if $(SANITIZED),sanitized) ## every answer to every call, with errors, cut short, corrupt or late (SANITIZED=1, ARGS="admin --cases 50")
	@$(if $(SANITIZED),ASAN_OPTIONS=detect_leaks=1 $(SANITIZED_PYTHON),$(BIN)/python) \
		-m tests.matrix $(ARGS)

# This target has a build of its own. PYTHONPATH makes it take precedence over the build in .venv.
# The sanitizer looks for leaks only in the process of tools/smoke.py, which has no forks and no
# other extensions, so that every reported leak is ours.
asan: sanitized $(VENV)/.spark ## unit and embedded tests under the address and undefined-behaviour sanitizers
	$(call say,running the tests under the sanitizers)
	@ASAN_OPTIONS=detect_leaks=1 $(SANITIZED_PYTHON) -P tools/smoke.py
	@ASAN_OPTIONS=detect_leaks=0 $(SANITIZED_PYTHON) -m pytest -p no:cacheprovider \
		tests/unit tests/embedded $(ARGS)

sanitized: build
	$(call say,building with sanitizers)
	@rm -rf build/asan
	@SANITIZE=address$(comma)undefined $(BIN)/python setup.py -q build \
		--build-base build/asan --build-lib build/asan/lib

# The interpreter under the sanitizer is free-threaded, so that only our own locks order the threads.
# faulthandler_timeout is 0, because a dump of stacks would end the run: it reads frames that other
# threads change.
tsan: build ## unit and embedded tests under the thread sanitizer: our extension, librdkafka and CPython
	@$(BIN)/python tools/freethreaded.py --watched build/tsan/venv
	$(call say,building with the thread sanitizer)
	@TSAN_OPTIONS=report_bugs=0 SANITIZE=thread build/tsan/venv/bin/python setup.py -q build \
		--build-base build/tsan --build-lib build/tsan/lib egg_info --egg-base build/tsan/lib
	$(call say,running the tests under the thread sanitizer)
	@PYTHONPATH=$(CURDIR)/build/tsan/lib PYTHON_GIL=0 \
		TSAN_OPTIONS=exitcode=66:suppressions=$(CURDIR)/tools/suppressions/tsan.supp \
		build/tsan/venv/bin/python -m pytest -s -p no:cacheprovider -o faulthandler_timeout=0 \
		$(or $(ARGS),tests/unit tests/embedded $(FREETHREADED_SKIPS))

# Programs run about 20 times slower under memcheck, so the run takes half an hour. Valgrind runs
# one thread at a time. Without --fair-sched, a loop that polls would keep the other threads from
# running.
valgrind: build $(VENV)/.spark ## unit and embedded tests under valgrind
	$(call say,building with debug information)
	@CFLAGS=-g $(BIN)/python setup.py -q build --build-base build/valgrind \
		--build-lib build/valgrind/lib
	$(call say,running the tests under valgrind)
	@PYTHONPATH=$(CURDIR)/build/valgrind/lib PYTHONMALLOC=malloc valgrind -q --fair-sched=yes --error-exitcode=33 \
		--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
		--num-callers=30 --suppressions=tools/suppressions/valgrind.supp \
		$(BIN)/python -m pytest -p no:cacheprovider -o faulthandler_timeout=0 \
		$(or $(ARGS),tests/unit tests/embedded $(VALGRIND_SKIPS))

freethreaded: build ## unit and embedded tests on a CPython without a GIL, built first if there is none (CPYTHON=3.13)
	@$(BIN)/python tools/freethreaded.py $(CPYTHON:%=--version %) $(FREETHREADED)/venv
	$(call say,building for CPython without a GIL)
	@$(FREETHREADED)/venv/bin/python setup.py -q build --build-base $(FREETHREADED) \
		--build-lib $(FREETHREADED)/lib egg_info --egg-base $(FREETHREADED)/lib
	$(call say,running the tests without a GIL)
	@env -u PYTHON_GIL PYTHONPATH=$(CURDIR)/$(FREETHREADED)/lib \
		$(FREETHREADED)/venv/bin/python -m pytest -p no:cacheprovider \
		tests/unit tests/embedded $(FREETHREADED_SKIPS) $(ARGS)

site: build $(VENV)/.docs $(VENV)/.spark ## the documentation, into build/site (open index.html; no server is needed)
	@$(SITE)
	@echo "build/site/index.html"

clean: ## remove everything that was built (librdkafka and Kafka stay in ~/.cache)
	@rm -rf .venv .venv-peer .venv-wheel build dist src/*.egg-info
	@rm -rf .mypy_cache .pytest_cache .ruff_cache
	@find src -name '*.so' -delete
	@find . -name __pycache__ -prune -exec rm -rf {} +

# --- what the targets need ----------------------------------------------------------------

comma := ,

# These tests fork without exec. Valgrind also checks the child process when it ends, and reports
# the parent's memory that the child has not freed.
# The ignored file needs LD_PRELOAD, which valgrind removes from the environment of programs that it
# does not watch.
VALGRIND_SKIPS := $(addprefix --deselect=tests/embedded/,\
	test_mock_cluster.py::test_a_forked_child_is_told_what_to_do test_aio_faults.py::test_fork \
	test_aio_settling.py::test_fork test_aiokafka_loops.py::test_fork) \
	--ignore=tests/embedded/test_causes_by_the_clock.py
# CPYTHON selects a free-threaded CPython. Each version has a folder of its own.
FREETHREADED := build/freethreaded$(CPYTHON)
# The tests in these files need mypy, which has a native part, or the extra [cli]. The environment
# without a GIL has neither.
FREETHREADED_SKIPS := $(addprefix --ignore=tests/,unit/test_stub.py \
	embedded/test_cluster_command.py embedded/test_command_line.py)

# Warnings are errors. Sphinx builds a page again if the page, or a module in its reference, has
# changed. Each version has a folder of its own (docs/_extensions/versions.py).
SITE = $(BIN)/python -m sphinx -q -W --keep-going -b html -d build/doctrees docs \
	build/site/$$($(BIN)/python -c "import confluent_kafka; print(confluent_kafka.__version__)")

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

# The installation is editable: Python uses the files in src/, including the compiled extension.
$(VENV)/.package: setup.py pyproject.toml | $(VENV)/.extension
	$(call say,installing the package into $(VENV))
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

# Each file of requirements has a stamp, so that pip installs it again when the file changes.
$(VENV)/.%: requirements/%.txt | $(BIN)/python
	$(call say,installing $<)
	@$(PIP) -r $<
	@touch $@

.venv-%/.requirements: requirements/%.txt | $(BIN)/python
	$(call say,creating .venv-$* for $<)
	@$(BIN)/python -m venv $(@D)
	@$(@D)/bin/python -m pip install -q -r $<
	@touch $@
