# Every target does its own set-up first (scripts/setup.sh); nothing else has to be typed.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.PHONY: help setup build demo dev test check generate bench e2e image clean

NODE := .node/bin/node
export PATH := $(CURDIR)/.node/bin:$(PATH)

help: ## this list
	@echo 'Tearsheet: make TARGET'; echo
	@sed -n 's/^\([a-z0-9]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

setup: ## Node 24, packages, a Chromium, fonts; at once when all is there
	@scripts/setup.sh

build: setup ## compile to dist/; then `.node/bin/node dist/cli.js` works without make
	@$(MAKE) -s dist/.built

# A folder's time changes when a file comes or goes, so a removed source leaves no compiled one behind.
dist/.built: $(shell find src -type d -o -type f) tsconfig.json tsconfig.build.json package-lock.json scripts/compile.sh
	@scripts/compile.sh

demo: build ## the main job on bundled ads and pages: pictures in ./demo-output/
	@$(NODE) examples/demo/run.ts

dev: build ## the service on this machine at http://127.0.0.1:8080, until Ctrl-C; data in ./.tearsheet/
	@exec $(NODE) dist/cli.js dev

test: setup ## all checks, then all unit and integration tests
	@$(NODE) scripts/runTests.ts

check: setup ## format, types, lint, layers, unused code, generated files
	@$(NODE) scripts/check.ts

generate: setup ## write the generated files again (OpenAPI, configuration and metrics reference)
	@$(NODE) scripts/generate.ts

bench: build ## speed against its floors and peers; writes docs/performance.md
	@$(NODE) test/bench/run.ts

e2e: ## tests on a Kubernetes cluster
	@echo 'make e2e comes with the Kubernetes work; until then make test covers the whole service on one machine.' >&2; exit 1

image: ## the container image
	@echo 'make image comes with the Kubernetes work; until then make dev runs the whole service on one machine.' >&2; exit 1

clean: ## remove what build and demo made; not the packages, not the data
	@rm -rf dist demo-output .cache
