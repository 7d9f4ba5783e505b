# Every target installs what it misses first (scripts/setup) and can be run in
# a fresh checkout. `make help` lists them.

# Where the contract and the rpaths in .cargo/config.toml expect the programs,
# whatever target directory the environment prefers.
export CARGO_TARGET_DIR := $(CURDIR)/target
# The first two would replace those rpaths, not add to them; the third moves the programs.
unexport RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
# rustup's place, for shells that have not read its environment file.
export PATH := $(PATH):$(HOME)/.cargo/bin

# More arguments for every cargo build, such as `--locked`.
CARGO_FLAGS ?=
# What to run only: `make test TESTS=races`.
TESTS ?=

# One profile for programs, tests and lints: dependencies are compiled once,
# and the oracles of the test suite need an optimised engine.
PROFILE := --release

.DEFAULT_GOAL := build
.PHONY: help setup build test demo fmt lint

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

setup: ## install what is missing: LLVM 22 from Debian (needs root), Z3 into .deps
	@scripts/setup

build: setup ## build target/release/raddle and target/release/raddle-frontend
	cargo build $(CARGO_FLAGS) $(PROFILE) --workspace --bins

# The programs come first: tests start them. Documentation tests run from a
# temporary directory, out of reach of the rpaths; the other tests prove those.
test: build ## run all tests
	@scripts/setup-hq || echo 'test: without HyperQueue, the tests of --cluster that need it are skipped' >&2
	cargo test $(CARGO_FLAGS) $(PROFILE) --workspace --lib --bins --tests --no-fail-fast -- $(TESTS)
	LD_LIBRARY_PATH="$(CURDIR)/.deps/z3/lib" \
		cargo test $(CARGO_FLAGS) $(PROFILE) --workspace --doc --no-fail-fast -- $(TESTS)

# Exit code 10 says that raddle found something, as it must here.
demo: build ## find the races of the skip list in examples/
	@echo 'target/release/raddle races examples/skiplist.c --op insert'
	@target/release/raddle races examples/skiplist.c --op insert; code=$$?; \
	if [ $$code -ne 10 ]; then \
		echo "demo: expected findings (exit code 10), got exit code $$code" >&2; exit 1; \
	fi

fmt: ## format the sources
	cargo fmt --all

lint: setup ## check the formatting; clippy with warnings as errors
	cargo fmt --all --check
	cargo clippy $(CARGO_FLAGS) $(PROFILE) --workspace --all-targets -- -D warnings
