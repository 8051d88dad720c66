# From a fresh clone, with Python 3.11 or newer and make: `make run` or `make test`, nothing else.

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TEST_INSTALLED := $(VENV)/.test-installed
NEURAL := yes
NEURAL_INSTALLED := $(VENV)/.neural-$(NEURAL)
SETUP := .venv-setup
UV := $(SETUP)/bin/uv
PORT := 8501
TOOLS := .venv-tools
REAL := .venv-real
PACKAGES := $(VENV)/lib/python3*/site-packages
IMPORTED_LAST := sklearn.decomposition, sklearn.cluster, scipy.stats, altair, openpyxl, docx
GUIDE := app/static/guide/index.html
GUIDE_SOURCES := $(wildcard docs/guide/*.md) docs/zensical.toml deploy/README.md

export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run docs demo pictures documents release-check test test-all test-fast test-tools test-real walks check lint format browser caddy wordnet compiled install install-test lock upgrade bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# At the first start a second processor compiles what the app imports last. The guide is built while the app already
# runs; if that fails, `make docs` says why.
run: install ## Start the app on 127.0.0.1 (another port: make run PORT=9000)
	@{ [ -e $(PACKAGES)/sklearn/__pycache__ ] || $(BIN)/python -c "import $(IMPORTED_LAST)"; \
	  nice $(MAKE) --no-print-directory --silent $(GUIDE); } >/dev/null 2>&1 & \
	$(BIN)/interacteval serve --port $(PORT)

docs: install $(SETUP)/bin/zensical ## Build the guide, which Help in the app opens
	@PATH="$(CURDIR)/$(SETUP)/bin:$$PATH" $(BIN)/python -m tests.support.guide

$(GUIDE): $(GUIDE_SOURCES) requirements.lock
	@$(MAKE) --no-print-directory docs

pictures: install-test browser ## Take the guide's and README's pictures anew, from the screens as they are
	@$(BIN)/python -m tests.support.guide.pictures

demo: install-test ## Make the project that the app loads as its demo anew
	@$(BIN)/python -m tests.support.demo

documents: install-test ## Write the guide's page of JSON documents anew, from what the commands print
	@$(BIN)/python -m tests.support.guide.documents_page

release-check: install-test docs ## Build wheel and sdist, install each afresh, run the demo and serve it
	@$(BIN)/python -m tests.support.release

test: install-test ## Lint, and every test but the long ones
	@$(MAKE) --no-print-directory lint; ready=$$?; $(BIN)/python -m tests.support.stages && exit $$ready

test-all: check $(NEURAL_INSTALLED) browser caddy wordnet compiled ## Check, and the long tests, which make test leaves out (those that start in time: MINUTES=60)
	@$(BIN)/python -m tests.support.stages --long $(if $(MINUTES),--minutes $(MINUTES))

test-fast: install-test ## Unit tests, without the slow ones
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not long" tests/unit

walks: install-test browser ## Walk the tasks in a browser, and write docs/walks.md
	@rm -rf test-results/walks
	@$(BIN)/python -m pytest -m walk tests/e2e
	@$(BIN)/python -m tests.support.walk_table

test-tools: install-test $(TOOLS)/.installed ## Exported checklists in the tools they are for (promptfoo needs Node)
	@echo "Exported files in other tools"
	@$(BIN)/python -m pytest tests/tools

# Other people's tools have dependencies of their own, so they get an environment of their own.
$(TOOLS)/.installed: tests/tools/requirements.txt tests/tools/training.txt tests/tools/package.json | install
	@echo "Installing promptfoo, DeepEval, Inspect, verifiers and TRL in $(TOOLS) (a few minutes the first time)"
	@$(BIN)/python -m venv --clear $(TOOLS)
	@$(TOOLS)/bin/python -m pip install -qq -r tests/tools/requirements.txt
	@$(BIN)/python -m venv $(TOOLS)/training
	@$(TOOLS)/training/bin/python -m pip install -qq -r tests/tools/training.txt
	@if command -v npm >/dev/null; then cp tests/tools/package.json $(TOOLS) && \
	  npm install --prefix $(TOOLS) --no-audit --no-fund --no-package-lock --omit=peer --loglevel=error; \
	else echo "There is no npm here: promptfoo is left out, and its tests are skipped"; fi
	@touch $@

test-real: install-test $(REAL)/.installed ## A real small model behind llama-cpp-python's server: what works, and how it fails
	@echo "A real model on this computer"
	@INTERACTEVAL_REAL="$(CURDIR)/$(REAL)" nice $(BIN)/python -m pytest -m real tests/real

# The server is compiled here; it stays until the file of requirements changes. Not for this very processor: pip keeps what
# it compiled, and virtual machines name instructions (AMX) that end the server at its first answer.
$(REAL)/.installed: tests/real/requirements.txt | install
	@echo "Building llama-cpp-python's server in $(REAL) (about 12 minutes on two processors the first time)"
	@$(BIN)/python -m venv --clear $(REAL)
	@CMAKE_ARGS=-DGGML_NATIVE=OFF nice $(REAL)/bin/python -m pip install -qq --no-cache-dir -r tests/real/requirements.txt
	@touch $@

check: lint ## Lint, and check the types (a minute and a half the first time, then seconds)
	@echo "Types"
	@$(BIN)/mypy

lint: install-test ## Lint, format, who imports whom
	@echo "Lint"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "Some files aren't formatted: make format"; exit 1; }
	@$(BIN)/lint-imports --no-logo

format: install-test ## Format, and mend what the linter can
	@$(BIN)/ruff check --quiet --fix .; $(BIN)/ruff format .

bench: install-test ## Measure with one of our own benchmarks: make bench NAME=scale SIZES=10000 (or ANSWERS=FILE.csv)
	@$(BIN)/python -m tests.benchmarks $(NAME) $(if $(SIZES),--sizes $(SIZES)) $(if $(ANSWERS),--answers $(ANSWERS))

install: $(INSTALLED) ## Make the environment in .venv, with what running needs
install-test: $(TEST_INSTALLED) ## Add what checks and tests need

# uv installs everything else: ten times as fast as pip. It comes from pip, with its hash.
$(UV): .tools/uv.txt
	@python=$$(PYTHON="$(PYTHON)" sh .tools/find-python) && \
	  echo "Making $(VENV) with $$("$$python" --version), which takes about half a minute" && \
	  { "$$python" -m compileall -q app db pages & sh .tools/new-venv "$$python" $(SETUP); }
	@$(SETUP)/bin/python -m pip install -qq --no-deps --require-hashes -r .tools/uv.txt
	@touch $@

$(SETUP)/bin/zensical: .tools/zensical.txt $(UV)
	@sh .tools/uv-install $(SETUP) --require-hashes -r .tools/zensical.txt
	@touch $@

# Without libraries' own tests, their C sources and Arrow's network services: 130 MB less.
$(INSTALLED): requirements.lock pyproject.toml .tools/uv-install $(UV)
	@$(BIN)/python -c "" 2>/dev/null || $(UV) venv --quiet --clear --python $(SETUP)/bin/python $(VENV)
	@sh .tools/uv-install $(VENV) --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --offline --no-deps --python $(BIN)/python --no-build-isolation --editable .
	@find $(PACKAGES) \( -path '*/site-packages/*/tests' -o -path '*/site-packages/*/include' -o -path '*/pyarrow/*flight*' \
	  -o -path '*/pyarrow/*s3*' -o -name '*.[ch]' -o -name '*.cpp' -o -name '*.pyx' -o -name '*.px[di]' \) -prune -exec rm -rf {} +
	@touch $@

$(TEST_INSTALLED): requirements-test.lock $(INSTALLED)
	@echo "Installing what the tests need"
	@sh .tools/uv-install $(VENV) --require-hashes -r requirements.lock -r requirements-test.lock
	@touch $@

# On Linux torch's build for CPUs alone is enough. Where pip finds none, it takes the build for GPUs with all its libraries.
$(NEURAL_INSTALLED): requirements-neural.lock requirements-cuda.lock $(TEST_INSTALLED)
ifeq ($(NEURAL),yes)
	@echo "Installing torch and transformers for the tests of models on this computer (without them: make test-all NEURAL=no)"
	@pip="$(SETUP)/bin/python -m pip --python $(BIN)/python install -qq --no-deps --require-hashes" && \
	  $$pip -r requirements-neural.lock 2>/dev/null || $$pip -r requirements-cuda.lock
else
	@echo "Tests that need torch and transformers are skipped"
endif
	@touch $@

browser: install-test
	@$(BIN)/python -m tests.support.browser

caddy: install-test
	@$(BIN)/python -m tests.support.caddy

# After the browser, which updates apt's lists where it is missing.
wordnet: browser
	@$(BIN)/python -m tests.support.wordnet

compiled: install-test
	@$(BIN)/python -m tests.support.compiled

# What a lock holds already, the next one leaves out.
LOCK = $(UV) pip compile --quiet --universal --fork-strategy fewest --generate-hashes --no-header --no-annotate $(LOCK_OPTIONS)
LOCKED = $$(sed -nE 's/^([a-z0-9._-]+)==.*/--no-emit-package \1/p' requirements.lock | sort -u)
lock: $(UV) ## Rewrite the lock files after a change to pyproject.toml
	@$(LOCK) --group build --output-file requirements.lock pyproject.toml
	@$(LOCK) --group build --group test --constraint requirements.lock $(LOCKED) --output-file requirements-test.lock pyproject.toml
	@grep zensical pyproject.toml | tr -d '", ' | $(LOCK) --constraint requirements.lock --constraint requirements-test.lock \
	  --output-file .tools/zensical.txt -
	@echo uv | $(LOCK) --output-file .tools/uv.txt -
	@echo "The lock files are up to date with pyproject.toml"

upgrade: LOCK_OPTIONS := --upgrade
upgrade: lock ## The same, with the newest version of everything

clean: ## Remove the environment and all caches
	@rm -rf $(VENV) $(SETUP) $(TOOLS) $(REAL) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist test-results app/static/guide
	@find app pages db prompts tests -type d -name __pycache__ -prune -exec rm -rf {} +
