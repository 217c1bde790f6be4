# Two commands do everything: `make demo` and `make test`. Each sets up what it needs. `make ci` is the same and more.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORPUS ?= ../shared/corpus
SCORE ?= ../shared/eval/score.py
# Where no bytecode is kept, each of the many processes of the tests compiles every module anew.
unexport PYTHONDONTWRITEBYTECODE

LINT := types examples layout findings style imports
STRENGTH := coverage mutants

.PHONY: demo test suite fuzz ci ci-checks measured lint $(LINT) strength $(STRENGTH)
.PHONY: score calibrate bench soak soak-live soak-metrics docs clean setup

demo: setup
	@$(BIN)/logrules diagnose fixtures/captured/torch-rank1-sigkill-mid-step || [ $$? -eq 1 ]

# What each change has to pass. The examples are run first: the tests find what they compiled.
test: setup
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint
	@$(MAKE) --no-print-directory suite

suite: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not fuzz and not integration'

# The rest of the hostile inputs, the properties with six times as many examples as in `make test`, and what other
# programs do with ours (a browser, pre-commit, pytest); `make ci` has all.
fuzz: export LOGRULES_EXAMPLES := fuzz
fuzz: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'fuzz or hypothesis or integration'

# What CI runs: the same tests, measured, and how much the examples of the rules hold.
ci: ci-checks
	@$(MAKE) --no-print-directory measured

# What needs no browser.
ci-checks: setup
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint strength

# The floor of branch coverage, what commands in processes of their own run included, is in pyproject.toml.
# Its data lie not beside the package: a folder of the path that changes makes every start look up what is installed.
# What is measured is told by a path: with the name of the package each process would list all of it when it ends.
# Measuring doubles what a test costs: tests of these marks go ways that others measure, and run without it.
UNMEASURED := hypothesis or unmeasured or fuzz or integration
measured: export COVERAGE_FILE := $(CURDIR)/.coverage-data/of
measured: export LOGRULES_EXAMPLES := fuzz
measured: setup
	mkdir -p .coverage-data
	$(BIN)/coverage erase
	$(BIN)/coverage run --include='$(CURDIR)/logrules/*' -m pytest -n auto --dist worksteal -m 'not ($(UNMEASURED))'
	$(BIN)/python -m pytest -n auto --dist worksteal -m '$(UNMEASURED)'
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Each tool is a target of its own, so that two can run at once; the long ones come first.
lint: $(LINT)

types: setup
	$(BIN)/mypy

examples: setup
	$(BIN)/logrules test

layout: setup
	$(BIN)/logrules fmt --check

findings: setup
	$(BIN)/logrules check

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

imports: setup
	$(BIN)/lint-imports

score: setup
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python $(SCORE) $(CORPUS)/guides
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python $(SCORE) $(CORPUS)
	@$(BIN)/python bench/fit_certainty.py $(CORPUS)

# What the examples of the shipped rules exercise, and which wrong rules they notice.
strength: $(STRENGTH)

# Behind `examples`, which keeps what it compiles.
coverage: setup examples
	$(BIN)/logrules test --coverage --floor 100

mutants: setup examples
	$(BIN)/logrules test --mutate --floor 90

# Fits how sure diagnoses are on the labelled corpus, and writes it into rules/certainty.yaml.
calibrate: setup
	$(BIN)/python bench/fit_certainty.py $(CORPUS) --write

# Kept in bench/results.jsonl with date and commit, and printed beside the last run.
bench: setup
	$(BIN)/python bench/record.py start run doctor page testing watch stalls ranks

# Longer property runs than `make test` makes, and an hour of broken logs through every form of report.
soak: setup
	LOGRULES_EXAMPLES=soak $(BIN)/python -m pytest -m 'hypothesis or fuzz'
	LOGRULES_EXAMPLES=soak $(BIN)/python -m pytest tests/tools/test_redaction_attacks.py
	$(BIN)/python bench/soak.py $(CORPUS) --minutes 60 --keep soak-found
	$(BIN)/python bench/shapes.py

# A real Prometheus scrapes a real watch; every query of the dashboard must have an answer. Needs Debian's `prometheus`.
soak-metrics: setup
	$(BIN)/python contrib/prometheus/soak.py

# Real programs that hang, and healthy ones that pause, under a real watch with short patience; about ten minutes.
soak-live: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python bench/live.py

docs: setup
	$(BIN)/python docs/generate.py

setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml requirements.txt
	sh .ci/venv.sh $(PYTHON) $(VENV)
	sh .ci/install.sh $(BIN)/python
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage-data
