# From a fresh clone, with Python 3.11 or newer and make: `make run` or `make test`, nothing else.

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
NEURAL := yes
NEURAL_INSTALLED := $(VENV)/.neural-$(NEURAL)
PORT := 8501
BENCHMARKS := statistics attributes
TOOLS := .venv-tools
GUIDE := app/static/guide/index.html

export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run docs pictures documents release-check test test-fast test-tools walks check format browser caddy wordnet install lock upgrade bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: install $(GUIDE) ## Start the app on 127.0.0.1 (another port: make run PORT=9000)
	@$(BIN)/interacteval serve --port $(PORT)

docs: install ## Build the guide, which Help in the app opens
	@$(BIN)/python -m tests.support.guide

# Takes a few seconds. A fault in a page keeps nobody from the app: `make docs` says what it is.
$(GUIDE): $(wildcard docs/guide/*.md) docs/zensical.toml CONTRIBUTING.md deploy/README.md requirements.lock | install
	@$(BIN)/python -m tests.support.guide >/dev/null 2>&1 || echo "The guide could not be built; make docs says why"

pictures: install browser ## Take the guide's and README's pictures anew, from the screens as they are
	@$(BIN)/python -m tests.support.guide.pictures

documents: install ## Write the guide's page of JSON documents anew, from what the commands print
	@$(BIN)/python -m tests.support.guide.documents_page

release-check: docs ## Build wheel and sdist, install each afresh, run the demo and serve it
	@$(BIN)/python -m tests.support.release

test: install $(NEURAL_INSTALLED) browser caddy wordnet check ## Every check and every test, as CI does
	@$(BIN)/python -m tests.support.stages

test-fast: install ## Unit tests, without the slow ones
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow" tests/unit

walks: install browser ## Walk the tasks in a browser, and write docs/walks.md
	@rm -rf test-results/walks
	@$(BIN)/python -m pytest -m walk tests/e2e
	@$(BIN)/python -m tests.support.walk_table

test-tools: install $(TOOLS)/.installed ## Exported checklists in the tools they are for (promptfoo needs Node)
	@echo "Exported files in other tools"
	@$(BIN)/python -m pytest tests/tools

# Other people's tools have dependencies of their own, so they get an environment of their own.
$(TOOLS)/.installed: tests/tools/requirements.txt tests/tools/package.json | install
	@echo "Installing promptfoo, DeepEval and Inspect in $(TOOLS) (a few minutes the first time)"
	@$(BIN)/python -m venv --clear $(TOOLS)
	@$(TOOLS)/bin/python -m pip install -qq -r tests/tools/requirements.txt
	@if command -v npm >/dev/null; then cp tests/tools/package.json $(TOOLS) && \
	  npm install --prefix $(TOOLS) --no-audit --no-fund --no-package-lock --omit=peer --loglevel=error; \
	else echo "There is no npm here: promptfoo is left out, and its tests are skipped"; fi
	@touch $@

check: install ## Lint, format, types, who imports whom
	@echo "Checks"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "Some files aren't formatted: make format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: install ## Format, and mend what the linter can
	@$(BIN)/ruff check --quiet --fix .; $(BIN)/ruff format .

bench: install ## Our own benchmarks
	@for what in $(BENCHMARKS); do $(BIN)/interacteval bench $$what || exit $$?; done

install: $(INSTALLED) ## Make the environment in .venv

$(INSTALLED): requirements.lock pyproject.toml
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	  python=$$(PYTHON="$(PYTHON)" sh .tools/find-python) && \
	  echo "Making $(VENV) with $$("$$python" --version)" && \
	  "$$python" -m venv --clear $(VENV); }
	@echo "Installing what requirements.lock names (a minute or two the first time)"
	@$(BIN)/python -m pip install -qq --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@

# On Linux torch's build for CPUs alone is enough; where pip finds none, the one for GPUs with all its libraries.
$(NEURAL_INSTALLED): requirements-neural.lock requirements-cuda.lock $(INSTALLED)
ifeq ($(NEURAL),yes)
	@echo "Installing torch and transformers for the tests of models on this computer (without them: make test NEURAL=no)"
	@$(BIN)/python -m pip install -qq --no-deps --require-hashes -r requirements-neural.lock 2>/dev/null || \
	  $(BIN)/python -m pip install -qq --no-deps --require-hashes -r requirements-cuda.lock
else
	@echo "Tests that need torch and transformers are skipped"
endif
	@touch $@

browser: install
	@$(BIN)/python -m tests.support.browser

caddy: install
	@$(BIN)/python -m tests.support.caddy

wordnet: install
	@$(BIN)/python -m tests.support.wordnet

lock: install ## Rewrite requirements.lock after a change to pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes --no-header --no-annotate \
	  --extra dev $(LOCK_OPTIONS) --output-file requirements.lock pyproject.toml
	@echo "requirements.lock is up to date with pyproject.toml"

upgrade: LOCK_OPTIONS := --upgrade
upgrade: lock ## The same, with the newest version of everything

clean: ## Remove the environment and all caches
	@rm -rf $(VENV) $(TOOLS) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist test-results app/static/guide
	@find app pages db prompts tests -type d -name __pycache__ -prune -exec rm -rf {} +
