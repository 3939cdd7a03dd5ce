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
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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
	@set -o pipefail; { bin/bench -program bin/kdrain-tui && bin/drainbench -kdrain bin/kdrain-tui -lab bin/lab; } | tee bin/bench.txt

.PHONY: performance
performance: bin/bench ## write the figures of the last make bench into docs/performance.md
	@bin/bench -page docs/performance.md -at "commit $$(git rev-parse --short HEAD), $$(nproc) cores of$$(sed -n 's/^model name.*://p' /proc/cpuinfo | head -1)" <bin/bench.txt

.PHONY: soak
soak: build bin/lab bin/soak ## long random runs: make soak N=200 SEED=42 (drains; as many that are killed, then resumed or rolled back; 20 times as many pods scheduled, 2,000 times as many random histories, 20,000 times classified)
	@seed=$(or $(SEED),$$RANDOM$$RANDOM); echo "random histories: seed $$seed"; \
		go test ./drain ./drain/roll -run TestHistories -count=1 -timeout=0 -rapid.checks=$$(($(N) * 1000)) -rapid.seed=$$seed && \
		DRAIN_N=$$(($(N) * 100)) DRAIN_SEED=$$seed go test ./app/engine -run 'TestRandom|TestKilled|TestVerdict' -count=1 -timeout=0
	@ORACLE_N=$$(($(N) * 20000)) ORACLE_SEED='$(SEED)' go test -C lab/oracle -v -count=1 -timeout=0 ./...
	@KDRAIN_LAB=$(CURDIR)/bin/lab go test -C lab -tags landing ./landing -v -count=1 -timeout=0 -args -n $$(($(N) * 20)) -seed $(or $(SEED),0)
	@bin/soak -kdrain bin/kdrain-tui -lab bin/lab -n $(N) -kills $(or $(KILLS),$(N)) -seed $(or $(SEED),0)

.PHONY: real
real: build bin/lab ## end-to-end tests on real nodes: kubelet, containerd and systemd in namespaces (Linux, root; the first time builds them)
	@KDRAIN_LAB=$(CURDIR)/bin/lab KDRAIN_BIN=$(CURDIR)/bin/kdrain-tui \
		go test -C lab -tags=e2e,real ./e2e -run TestReal -count=1 -v -timeout=20m

.PHONY: windows
windows: bin/lab ## the program for Windows under wine: tests of what differs, a drain and a roll on the lab
	@tools/windows

# The flows that meet the API server and its controllers most.
VERSIONS ?= 1.34 1.35 1.37
CORE := TestDrain|TestCheck|TestCordonAndUncordon|TestEvictDaemonSets|TestHandover|TestRollThatIsKilledTwice|TestVolumes|TestWaysOut|TestOperators|TestEveryControl|TestTwoRuns|TestDemoScene
.PHONY: versions
versions: build bin/lab ## the predictor and the core of the end-to-end tests on other versions of Kubernetes (each is built first: ten minutes)
	@export KDRAIN_LAB=$(CURDIR)/bin/lab KDRAIN_BIN=$(CURDIR)/bin/kdrain-tui; \
	for version in $(VERSIONS); do \
		echo "Kubernetes $$version"; export LAB_KUBERNETES=$$version; \
		bin/lab build && go test -C lab -tags landing ./landing -count=1 -args -n 300 -seed 1 && \
			go test -C lab -tags=e2e ./e2e -run '$(CORE)' -count=1 -timeout=30m || exit 1; \
	done

.PHONY: build
build: ## the program: bin/kdrain-tui
	@go build $(STRIP) -o bin/kdrain-tui .

.PHONY: docs
docs: ## write the generated pages of docs/ and manifests of deploy/
	@go test ./ui -run 'TestKeyReference' -count=1 -update
	@go test ./app -run 'TestRolesPage' -count=1 -update
	@go test ./cli -run 'Test(CommandsPage|ConfigSchema|SettingsPage)' -count=1 -update
	@go test ./cli -run 'TestJobExample' -count=1 -update
	@tools/pages docs

.PHONY: pictures
pictures: build bin/lab bin/screenshot ## the recording and the picture of README, from a drain on a lab in tmux
	@rm -rf bin/pictures && mkdir -p bin/pictures
	@KDRAIN_LAB=$(CURDIR)/bin/lab KDRAIN_BIN=$(CURDIR)/bin/kdrain-tui KDRAIN_PICTURES=$(CURDIR)/bin/pictures \
		go test -C lab -tags=e2e,pictures ./e2e -run TestPicture -count=1
	@bin/screenshot -title 'kdrain-tui drains a node' <bin/pictures/drain.frames >docs/drain.svg
	@bin/screenshot <bin/pictures/dashboard.screen >docs/dashboard.svg

# What a release has is in .goreleaser.yaml; the image is made of its programs. The first
# time builds goreleaser: some minutes. The version is that of the newest tag. Where git has no
# remote, goreleaser would stamp neither commit nor date: there git is told ours.
REMOTE := GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/kdrain-tui/kdrain-tui
.PHONY: release
release: bin/releasetools ## a snapshot of the release in dist/, with everything that it has; publishes nothing
	@git ls-remote --get-url >/dev/null 2>&1 || export $(REMOTE); bin/goreleaser release --snapshot --clean --skip=publish
	@bin/image -date "$$(git log -1 --format=%ct)"

.PHONY: tryrelease
tryrelease: build bin/lab ## start each part of the release in dist/, and follow README with its archive on a lab
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

# A tool that leaves its checksum in what it makes has to be the same everywhere.
REPEATABLE := -trimpath -buildvcs=false
.PHONY: bin/releasetools
bin/releasetools:
	@go build -C tools/release $(REPEATABLE) -o ../../bin/ tool
	@go build -C tools/sbom $(REPEATABLE) -o ../../bin/ tool
	@go build -C tools/image $(REPEATABLE) -o ../../bin/ .

.PHONY: bin/testall bin/bench bin/screenshot
bin/testall bin/bench bin/screenshot:
	@go build -C tools -o ../bin/ ./$(@F)
