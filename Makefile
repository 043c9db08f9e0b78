# The two commands of README.md, and short cuts.
PRESET ?= dev
BUILD := build/$(PRESET)

.PHONY: demo test build install setup bench docs

## Installs what is missing, builds, and trains a small transformer from R; with DEVICE=vulkan on a
## GPU, with STEPS=100 for less long, with DTYPE=f16 or bf16 for products in it.
demo: install
	$(if $(DEVICE),TENON_DEVICE=$(DEVICE)) $(if $(DTYPE),TENON_DTYPE=$(DTYPE)) scripts/with-tenon $(BUILD) Rscript examples/r/char_transformer.R $(STEPS)

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
