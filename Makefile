# Two commands do everything: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORPUS ?= ../shared/corpus
SCORE ?= ../shared/eval/score.py

.PHONY: demo test lint strength score calibrate bench soak soak-metrics docs clean setup

demo: setup
	@$(BIN)/logrules diagnose fixtures/captured/torch-rank1-sigkill-mid-step || [ $$? -eq 1 ]

test: setup lint strength
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/logrules test
	$(BIN)/logrules check
	$(BIN)/logrules fmt --check

score: setup
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python $(SCORE) $(CORPUS)/guides
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python $(SCORE) $(CORPUS)
	@$(BIN)/python bench/fit_certainty.py $(CORPUS)

# What the examples of the shipped rules exercise, and which wrong rules they notice.
strength: setup
	$(BIN)/logrules test --coverage --floor 100
	$(BIN)/logrules test --mutate --floor 90

# Fits how sure diagnoses are on the labelled corpus, and writes it into rules/certainty.yaml.
calibrate: setup
	$(BIN)/python bench/fit_certainty.py $(CORPUS) --write

# Kept in bench/results.jsonl with date and commit, and printed beside the last run.
bench: setup
	$(BIN)/python bench/record.py start run doctor page testing watch stalls ranks

# Longer property runs than `make test` makes, and an hour of broken logs through every form of report.
soak: setup
	LOGRULES_SOAK=1 $(BIN)/python -m pytest tests/test_promises.py
	$(BIN)/python bench/soak.py $(CORPUS) --minutes 60 --keep soak-found

# A real Prometheus scrapes a real watch; every query of the dashboard must have an answer. Needs Debian's `prometheus`.
soak-metrics: setup
	$(BIN)/python contrib/prometheus/soak.py

docs: setup
	$(BIN)/python docs/generate.py
	for name in report event job rule framework fixes pipeline causes origins stances exceptions exits certainty translation expect case config; do $(BIN)/logrules schema $$name > docs/schema/$$name.json; done

setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml requirements.txt
	sh .ci/venv.sh $(PYTHON) $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
