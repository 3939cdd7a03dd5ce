# Everything that one does with this project. `make` alone lists it.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
SHELL := bash

# Length and seed of `make soak` (a fresh seed is printed), how many of its drains
# are killed besides (as many again), steps of `make test`.
N ?= 50
KILLS ?=
SEED ?=
ONLY ?=

# The same flags wherever the program is built, so that the build cache serves
# all of them. Without symbols it is a third smaller. All is built without cgo, as a
# release is: in an image the program has nothing around it.
export CGO_ENABLED := 0
STRIP := -ldflags='-s -w'

.PHONY: help
help: ## list the targets
	@echo 'kdrain-tui: make TARGET'
	@echo
	@sed -nE 's/^([a-z]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: demo
demo: build bin/lab ## a cluster on this machine, the demo scene in it, the dashboard on it
	@lab/demo

.PHONY: test
test: bin/testall ## all tests: unit, differential, integration, end to end (some: ONLY=unit,oracle)
	@bin/testall -only '$(ONLY)' -summary bin/test-summary

.PHONY: lint
lint: ## format, vet, staticcheck, errcheck, tidy modules, house rules
	@tools/lint

.PHONY: bench
bench: build bin/lab bin/bench bin/drainbench ## benchmarks, also against kubectl: one `name value unit` line each
	@bin/bench -program bin/kdrain-tui
	@bin/drainbench -kdrain bin/kdrain-tui -lab bin/lab

.PHONY: soak
soak: build bin/lab bin/soak ## long random runs: make soak N=200 SEED=42 (drains; as many that are killed, then resumed or rolled back; 20 times as many pods scheduled, 20,000 times classified)
	@ORACLE_N=$$(($(N) * 20000)) ORACLE_SEED='$(SEED)' go test -C lab/oracle -v -count=1 -timeout=0 ./...
	@KDRAIN_LAB=$(CURDIR)/bin/lab go test -C lab -tags landing ./landing -v -count=1 -timeout=0 -args -n $$(($(N) * 20)) -seed $(or $(SEED),0)
	@bin/soak -kdrain bin/kdrain-tui -lab bin/lab -n $(N) -kills $(or $(KILLS),$(N)) -seed $(or $(SEED),0)

.PHONY: build
build: ## the program: bin/kdrain-tui
	@go build $(STRIP) -o bin/kdrain-tui .

.PHONY: docs
docs: ## write the generated pages of docs/ and manifests of deploy/
	@go test ./ui -run 'TestKeyReference' -count=1 -update
	@go test ./app -run 'TestRolesPage' -count=1 -update
	@go test ./cli -run 'Test(CommandsPage|ConfigSchema|SettingsPage)' -count=1 -update
	@go test ./cli -run 'TestJobExample' -count=1 -update

# What a release has is in .goreleaser.yaml. The first time builds goreleaser: some minutes.
.PHONY: release
release: bin/releasetools ## a snapshot of the release in dist/, with everything that this machine can build
	@skip=publish; docker buildx version >/dev/null 2>&1 && docker info >/dev/null 2>&1 || \
		{ skip=publish,docker; echo 'No Docker engine with buildx here: the container image is left out.'; }; \
		bin/goreleaser release --snapshot --clean --skip=$$skip

.PHONY: tryrelease
tryrelease: build bin/lab ## install the archive of dist/ as krew would, and plan with it on a lab
	@KDRAIN_LAB=$(CURDIR)/bin/lab KDRAIN_BIN=$(CURDIR)/bin/kdrain-tui \
		go test -C lab -tags=e2e,release ./e2e -run TestRelease -count=1 -v

.PHONY: clean
clean: ## stop the demo cluster, remove what was built
	@if [ -x bin/lab ] && [ -d lab/.lab ]; then bin/lab down; fi
	@rm -rf bin dist lab/bin lab/.lab

# Go knows better than make what is out of date, so these are always asked for.
.PHONY: bin/lab
bin/lab:
	@go build -C lab $(STRIP) -o ../bin/lab .

.PHONY: bin/drainbench bin/soak
bin/drainbench:
	@go build -C lab -o ../bin/drainbench ./bench
bin/soak:
	@go build -C lab -o ../bin/ ./soak

.PHONY: bin/releasetools
bin/releasetools:
	@go build -C tools/release -o ../../bin/ tool
	@go build -C tools/sbom -o ../../bin/ tool

.PHONY: bin/testall bin/bench
bin/testall bin/bench:
	@go build -C tools -o ../bin/ ./$(@F)
