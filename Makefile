# Every target does its own set-up first (scripts/setup.sh); nothing else has to be typed.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.PHONY: help setup build demo screenshots gallery fit dev test check generate bench e2e verify chaos image clean chart release release-notes publish-image publish-chart publish-npm publish-pypi publish-notes

NODE := .node/bin/node
export PATH := $(CURDIR)/.node/bin:$(PATH)

help: ## this list
	@echo 'Tearsheet: make TARGET'; echo
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

setup: ## Node 24, packages, a Chromium, fonts; at once when all is there
	@scripts/setup.sh

build: setup ## compile to dist/; then `.node/bin/node dist/cli.js` works without make
	@$(MAKE) -s dist/.built

# A folder's time changes when a file comes or goes, so a removed source leaves no compiled one behind.
dist/.built: $(shell find src -type d -o -type f) tsconfig.json tsconfig.build.json package-lock.json scripts/compile.sh scripts/bundlePageScripts.ts
	@scripts/compile.sh

demo: build ## the main job on bundled ads and pages: pictures in ./demo-output/
	@$(NODE) examples/demo/run.ts

screenshots: build ## the main screens at three widths, light and dark, in ./screenshots-output/, and the pictures of the README
	@$(NODE) examples/screenshots/run.ts

gallery: setup ## pictures of many ads and pages in ./gallery-output/ to judge; CREATIVES=DIR PAGES=DIR DEVICES=desktop,mobile LIMIT=60
	@CREATIVES='$(CREATIVES)' PAGES='$(PAGES)' DEVICES='$(DEVICES)' LIMIT='$(LIMIT)' OUT='$(OUT)' $(NODE) examples/gallery/run.ts

fit: setup ## how often the first choice of a slot is right on labelled pages, with the weights of the table and fitted ones; WRITE=1 PAGES=DIR
	@WRITE='$(WRITE)' PAGES='$(PAGES)' $(NODE) examples/gallery/fit.ts

dev: build ## the service on this machine at http://127.0.0.1:8080, until Ctrl-C; data in ./.tearsheet/
	@exec $(NODE) dist/cli.js dev

# The checks use what the tests leave of the processor. Their results stand at the end, where failures are looked for.
test: setup ## all checks, and all tests but those of verify and e2e
	@code=0; mkdir -p .cache; rm -f .cache/test-summary; \
	$(NODE) scripts/check.ts >.cache/checks.log 2>&1 & checks=$$!; trap "kill $$checks 2>/dev/null" EXIT; \
	SUMMARY=test timeout -k 20 36m $(NODE) node_modules/vitest/vitest.mjs run --project unit --project integration \
	  --project integration-isolated $(ARGS) || code=1; \
	wait $$checks || code=1; echo; cat .cache/checks.log; exit $$code

check: setup ## format, types, lint, layers, unused code, generated files
	@$(NODE) scripts/check.ts

generate: setup ## write the generated files again (configuration and metrics reference, events, CRD, chart)
	@$(NODE) scripts/generate.ts

bench: build ## speed against its floors, as the table of docs/performance.md
	@$(NODE) test/bench/run.ts

e2e: setup ## image and chart on a real cluster: KUBECONFIG's, else one that it starts (Debian, as root; the first time 10 min)
	@scripts/e2e.sh $(ARGS)

# A machine that cannot build the programs of the cluster tier skips it; CI never does.
verify: setup ## the long tests that test and e2e leave out, also on a real API server (the first time 5 min to build it)
	@scripts/verify.sh $(ARGS)

chaos: setup ## kills parts of the service under load and checks that nothing is lost; SEED=1 MINUTES=10 KILLS=1000 (docs/reliability.md)
	@CHROMIUM_PATH="$${CHROMIUM_PATH:-$$(cat .node/chromium.path 2>/dev/null)}" SEED='$(SEED)' MINUTES='$(MINUTES)' KILLS='$(KILLS)' $(NODE) test/chaos/run.ts

image: ## the container image tearsheet:dev, with docker, podman or buildah, else with the test cluster's own
	@scripts/image.sh

chart: ## the Helm chart as a package in .cache/chart/
	@scripts/chart.sh

release: check ## check that the version of package.json can be released, and print the commands that release it
	@scripts/release.sh

release-notes: ## print the section of CHANGELOG.md for the version of package.json
	@scripts/release.sh notes

# The release workflow runs these; scripts/publish.sh says what they need.
publish-npm publish-pypi: setup
publish-image publish-chart publish-npm publish-pypi publish-notes:
	@scripts/publish.sh $(@:publish-%=%)

clean: ## remove what build and demo made; not the packages, not the data
	@rm -rf dist demo-output gallery-output screenshots-output .cache
