# The two commands of README.md, and short cuts.
PRESET ?= dev
BUILD := build/$(PRESET)

.PHONY: demo test build install setup bench docs

## Installs what is missing, builds, and trains a small transformer from R.
demo: install
	scripts/with-tenon $(BUILD) Rscript examples/r/char_transformer.R

## Installs what is missing, builds, and runs every test.
test: setup
	scripts/check $(BUILD)

setup:
	scripts/setup

build: setup
	@[ -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET) >/dev/null
	cmake --build $(BUILD)

## The runtime, compiler and tools under $(BUILD)/home, the R package under $(BUILD)/rlib.
install: build
	scripts/install-r $(BUILD)

bench: setup
	scripts/setup --bench
	scripts/bench $(BUILD)

## The documents, with those generated from ops and passes, as a site: build/docs/index.html.
docs:
	scripts/setup --docs
	scripts/docs build/docs
	scripts/check-links build/docs
