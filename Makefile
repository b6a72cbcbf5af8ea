# Every target does its own set-up and can be run again at any time. Nothing but Python 3.11, make and a package index
# is needed; PYTHON names the interpreter, ARGS goes to pytest.
PYTHON ?= python3
PORT ?= 8000
RESET ?=
ARGS ?=

BIN := .venv/bin
INSTALLED := .venv/.installed
WITH_SERVICES := $(BIN)/python -m portal.management.embedded --
SOURCES := manage.py portal tenants quotas jobs sandbox tests

.DEFAULT_GOAL := help
.PHONY: help demo smoke test kill cluster check fix lock

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Start everything on http://localhost:8000 until Ctrl-C; PORT=8001 elsewhere, RESET=1 starts over
	@$(BIN)/python -m portal.management.demo --port $(PORT) $(if $(RESET),--reset)

smoke: $(INSTALLED) ## Submit a job to the running demo, by form and by REST, and wait for its end; ARGS="--rehearsal crash" fails
	@$(BIN)/python -m portal.management.demo.within env LOG_LEVEL=WARNING $(BIN)/python manage.py smoke .choirmaster/credentials.json $(ARGS)

test: $(INSTALLED) ## Run the tests with a PostgreSQL and a Redis of their own; ARGS="tests/jobs -x" chooses
	@$(WITH_SERVICES) $(BIN)/python -m pytest $(or $(ARGS),-n 2 --dist worksteal)

kill: $(INSTALLED) ## Kill every process of a demo again and again while 200 jobs are submitted (minutes)
	@$(WITH_SERVICES) $(BIN)/python -m pytest -m kill $(ARGS)

cluster: $(INSTALLED) ## Let a real control plane judge what is sent; skips where TEST_CLUSTER_URL names none
	@$(WITH_SERVICES) $(BIN)/python -m pytest -m cluster $(ARGS)

check: $(INSTALLED) ## Style, types, import rules, migrations, conventions
	@$(WITH_SERVICES) tools/check.sh

fix: $(INSTALLED) ## Mend what the style checks can mend
	@$(BIN)/ruff check --fix --quiet $(SOURCES) || true
	@$(BIN)/ruff format $(SOURCES)

lock: ## Renew requirements.lock from requirements.in (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --upgrade \
	  --custom-compile-command "make lock" -o requirements.lock requirements.in

$(INSTALLED): requirements.lock
	@tools/install.sh $(PYTHON)
	@touch $@
