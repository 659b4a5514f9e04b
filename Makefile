# Every command sets up what it needs: a virtual environment in .venv, from hashed locks.
# `make demo` and `make test` are all a newcomer has to know.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE = 1

.PHONY: help demo serve unit test test-slow test-spark test-web check docs format bench bench-quick bench-scale lock clean
help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.ready ## what eremite does, on a generated table
	$(BIN)/eremite demo

PORT := 8000
serve: $(VENV)/.ready ## the service on that table, to try in a browser; PORT=8001 for another port
	@trap : INT; $(BIN)/eremite demo --serve --port $(PORT) || test $$? = 130  # 130: by Ctrl-C, of which make need not say more

unit: $(VENV)/.ready ## the quick unit tests, in under a minute once kernels are compiled
	$(BIN)/pytest -n auto -m "not slow and not long" tests/unit

test: $(VENV)/.ready ## all tests but the slow ones
	$(BIN)/pytest -n auto -m "not slow"
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -n auto -m "not slow" tests/unit/engines tests/unit/geometry
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --include 'src/eremite/engines/*,src/eremite/geometry/*' --fail-under 99

SLOW := tests
test-slow: $(VENV)/.ready ## the slow statistical and exhaustive tests; SLOW=tests/attacks for some of them
	$(BIN)/pytest -n auto -m slow $(SLOW)

test-spark: $(VENV)/.ready $(VENV)/.spark ## Spark frames, and a cluster with faults; fetches Spark, half a gigabyte; needs Java
	$(BIN)/pytest tests/contracts/test_spark.py tests/contracts/test_readers.py -k spark
	$(BIN)/pytest -m "not slow" tests/spark

test-web: $(VENV)/.ready $(VENV)/.web ## the service in a browser, its API from its description, crowds and kills; needs chromium
	$(BIN)/pytest tests/web

check: $(VENV)/.ready $(VENV)/.bench $(VENV)/.docs ## format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.docs ## the documentation, into site/: complete, no dead link, nothing loaded from a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict  # with --quiet, warnings would not count
	$(BIN)/python -m tools.check_site
	$(BIN)/marimo check --strict docs/notebooks/analyst.py
	$(BIN)/python docs/notebooks/analyst.py

format: $(VENV)/.ready ## rewrite the code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.ready $(VENV)/.bench ## speed and memory, as ratios to the best peers
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/.ready $(VENV)/.bench ## the same on small tables, to see that it works
	$(BIN)/python -m benchmarks --quick

bench-scale: $(VENV)/.ready $(VENV)/.bench $(VENV)/.spark ## up to 32 million rows, in memory, in files and on Spark: an hour or more, and 10 GB of disk
	$(BIN)/python -m benchmarks.scale

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
# Spark is half a gigabyte; only `make test-spark` and `make bench-scale` install it.
EXTRAS := --extra accounting --extra client --extra excel --extra paper --extra plots --extra postgres --extra service
lock: $(VENV)/.ready ## renew the pinned dependencies
	$(LOCK) pyproject.toml $(EXTRAS) --group dev -o requirements/dev.txt
	$(LOCK) pyproject.toml $(EXTRAS) --group dev --group bench -c requirements/dev.txt -o requirements/bench.txt
	$(LOCK) pyproject.toml $(EXTRAS) --group dev --group docs -c requirements/dev.txt -o requirements/docs.txt
	$(LOCK) pyproject.toml $(EXTRAS) --group dev --group web -c requirements/dev.txt -o requirements/web.txt
	$(LOCK) pyproject.toml --extra spark -c requirements/dev.txt -o requirements/spark.txt
	echo uv | $(LOCK) - -o requirements/uv.txt
	echo 'hatchling>=1.27' | $(LOCK) pyproject.toml --extra excel --extra postgres --extra service - -c requirements/dev.txt -o deploy/requirements.txt

clean: ## remove the environment and all that was generated
	find src -name __pycache__ -prune -exec rm -rf {} +
	rm -rf $(VENV) demo paper site dist build .coverage .numba_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Compiled once here, where every start of Python would otherwise compile hundreds of modules anew: two seconds each.
INSTALL := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python
$(VENV)/.ready: requirements/uv.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "eremite needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python3 cannot make virtual environments here; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	$(INSTALL) --require-hashes -r requirements/dev.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.bench: $(VENV)/.ready requirements/bench.txt
	$(INSTALL) --require-hashes -r requirements/bench.txt
	touch $@

$(VENV)/.web: $(VENV)/.ready requirements/web.txt
	$(INSTALL) --require-hashes -r requirements/web.txt
	touch $@

$(VENV)/.spark: $(VENV)/.ready requirements/spark.txt
	$(INSTALL) --require-hashes -r requirements/spark.txt
	touch $@

$(VENV)/.docs: $(VENV)/.ready requirements/docs.txt
	$(INSTALL) --require-hashes -r requirements/docs.txt
	touch $@
