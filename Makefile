# The front door. `make` builds, `make run` tries it, `make test` proves it.
#
#   make                release build: build/pawl
#   make run            build, start the engine with examples in every state and a demo worker
#   make test           all tests                       make BUILD=asan test   the same under sanitizers (also tsan)
#   make check-json     the unit tests of one folder    make tidy              the rules of the house
#   make bench          speed and memory                make install           into PREFIX (/usr/local)

BUILD ?= release
PREFIX ?= /usr/local
DESTDIR ?=
# 0: build/pawl is made without the web application, and Node is not needed. made: build/gen/ui is there already.
WEB ?= 1
# A program that runs the binary if this machine cannot, when `make install` asks it for its man page.
EMULATOR ?=
PYTHON ?= /usr/bin/python3
CC = gcc
comma := ,

ifeq ($(BUILD),release)
  OUT := build
  # Lines and functions, for traces and profiles. All debug information (DEBUG=-g) makes the compiler a quarter slower.
  DEBUG ?= -g1
  # The debug information names files below the tree, not the tree: a build in another folder is the same, byte for byte.
  MODE := -O2 $(DEBUG) -D_FORTIFY_SOURCE=2 -fstack-protector-strong -ffile-prefix-map=$(CURDIR)=.
  # All addresses of libraries are found at the start, and nothing can change them afterwards.
  LINK := -Wl,-z,relro,-z,now
else ifeq ($(BUILD),asan)
  OUT := build/asan
  MODE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  # LEAKS=1 looks for leaks too, which takes seconds at the end of every process on some machines.
  LEAKS ?= 0
  export ASAN_OPTIONS := detect_leaks=$(LEAKS)
else ifeq ($(BUILD),tsan)
  OUT := build/tsan
  MODE := -O1 -g -fsanitize=thread
else
  $(error BUILD is release, asan or tsan)
endif

FOLDERS := base json jsonpath expr schema schedule vault access model program dialect source core telemetry store runtime scenario compute net torture perform export trigger api cli
PACKAGES := libuv libnghttp2 sqlite3 libpcre2-8 openssl zlib libargon2 yaml-0.1 expat libprotobuf-c
# Loaded when they are first needed, not linked: src/perform/libcurl.h.
PACKAGES_LOADED := libcurl libpq libmosquitto

# What a folder's unit tests are linked with, in link order: the folder and all below it.
LINK_base    := base
LINK_json    := json base
LINK_jsonpath := jsonpath json base
LINK_expr    := expr jsonpath json base
LINK_schema  := schema json base
LINK_schedule := schedule base
LINK_vault   := vault json base
LINK_access  := access jsonpath json base
LINK_model   := model schema json base
LINK_program := program schema schedule expr jsonpath json base
LINK_dialect := source dialect core model $(LINK_program)
LINK_source  := $(LINK_dialect)
LINK_core    := $(LINK_dialect)
LINK_telemetry := telemetry $(LINK_dialect)
LINK_store   := store core $(LINK_program)
LINK_runtime := runtime telemetry access vault source dialect store core model $(LINK_program)
LINK_scenario := scenario $(LINK_runtime)
LINK_compute := compute json base
LINK_net     := net base
LINK_torture := torture net $(LINK_runtime)
LINK_perform := perform compute $(LINK_runtime)
LINK_export := export $(LINK_perform)
LINK_trigger := trigger $(LINK_perform)
LINK_api     := api scenario net proto ui compute $(LINK_runtime)
LINK_cli     := cli torture trigger export perform $(LINK_api)

WARN := -Wall -Wextra -Wpedantic -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
        -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wno-missing-field-initializers
VERSION := $(shell cat VERSION)
# Deferred: pkg-config is asked only when something is compiled, after `deps` has run.
PKG_CFLAGS = $(shell pkg-config --cflags $(PACKAGES) $(PACKAGES_LOADED))
PKG_LIBS = $(shell pkg-config --libs $(PACKAGES))
CFLAGS_ALL = -std=gnu17 $(WARN) $(MODE) -pthread -Isrc -isystem $(OUT)/gen/proto -DPAWL_GEN='"$(OUT)/gen"' \
             -DPAWL_VERSION='"$(VERSION)"' $(PKG_CFLAGS) $(CFLAGS)
LIBS_ALL = $(PKG_LIBS) -lm -pthread
# Unit tests are compiled without optimization: most of them run for milliseconds, and the compiler took seconds for each.
# What they test is compiled as ever. A release leaves the debug information of the archives out of them: the linker wrote 16 MB for
# each. Who debugs a test builds it with BUILD=asan.
TEST_MODE := -O0 -U_FORTIFY_SOURCE -g1
TEST_LINK := $(if $(shell command -v ld.gold),-fuse-ld=gold) $(if $(filter release,$(BUILD)),-Wl$(comma)--strip-debug)

sources = $(shell find src/$(1) -name '*.c' | LC_ALL=C sort)
objects = $(patsubst src/%.c,$(OUT)/obj/%.o,$(call sources,$(1)))
archives = $(patsubst %,$(OUT)/lib/%.a,$(1))
MAIN := $(OUT)/obj/cli/main.o
tests_of = $(patsubst tests/unit/%.c,$(OUT)/test/%,$(wildcard tests/unit/$(1)/test_*.c))

all: deps $(OUT)/pawl

$(OUT)/pawl: $(MAIN) $(call archives,$(LINK_cli))
	$(CC) $(MODE) $(LINK) -o $@ $(MAIN) $(call archives,$(LINK_cli)) $(LIBS_ALL)

define archive_rule
$(OUT)/lib/$(1).a: $(filter-out $(MAIN),$(call objects,$(1)))
	@mkdir -p $$(@D)
	@rm -f $$@
	@$(AR) rcs $$@ $$^
endef
$(foreach folder,$(FOLDERS),$(eval $(call archive_rule,$(folder))))

# Messages of gRPC: C code and descriptors are made from contract/proto. Their headers are included as <…/x.pb-c.h>.
PROTO_FILES := $(patsubst contract/proto/%,%,$(shell find contract/proto -name '*.proto' | LC_ALL=C sort))
PROTO_ALL := $(PROTO_FILES) $(patsubst %,google/protobuf/%.proto,any descriptor struct timestamp)
PROTO_MADE := $(OUT)/gen/proto/descriptors.pb

$(PROTO_MADE): $(addprefix contract/proto/,$(PROTO_FILES))
	@rm -rf $(@D)
	@mkdir -p $(@D)
	@echo "  protoc contract/proto"
	@protoc-c -Icontract/proto -I/usr/include --c_out=$(@D) $(PROTO_ALL)
	@protoc -Icontract/proto -I/usr/include --include_imports --descriptor_set_out=$@ $(PROTO_FILES)

# The code is not ours, so its warnings are not either.
$(OUT)/gen/obj/%.o: $(PROTO_MADE)
	@mkdir -p $(@D)
	@$(CC) -std=gnu17 -w $(MODE) -isystem $(OUT)/gen/proto -c -o $@ $(OUT)/gen/proto/$*.pb-c.c

$(OUT)/lib/proto.a: $(patsubst %.proto,$(OUT)/gen/obj/%.o,$(PROTO_ALL))
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcs $@ $^

$(call objects,api): $(PROTO_MADE)

# The web application: web/ is built with Node and npm, and web/embed.mjs makes a table of its files. Without Node, or with
# WEB=0, the table is empty. UI_MODE says which of the two it is, so that a change of mind makes the table anew.
UI := $(OUT)/gen/ui
UI_MODE := $(OUT)/gen/ui.mode
WEB_SOURCES := $(shell find web -name node_modules -prune -o -name dist -prune -o -path web/tests -prune -o -path web/site -prune -o -path web/test-results -prune -o \
                       -type f ! -name '*.test.ts*' ! -name schema.d.ts ! -name '*.md' -print 2>/dev/null | LC_ALL=C sort)

$(UI_MODE): FORCE
	@mkdir -p $(@D)
	@mode=0; [ "$(WEB)" != made ] || mode=1; [ "$(WEB)" = 0 ] || ! test -f web/package.json || ! command -v node >/dev/null || ! command -v npm >/dev/null || mode=1; \
	    [ "$$(cat $@ 2>/dev/null)" = $$mode ] || echo $$mode > $@

web/node_modules/.installed: web/package-lock.json
	@echo "  npm ci (make WEB=0 does without)"
	@cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

web/dist/.built: web/node_modules/.installed $(WEB_SOURCES)
	@echo "  web (make WEB=0 does without)"
	@cd web && npm run --silent build -- --logLevel warn
	@touch $@

# The documentation as pages: docs/ and contract/ make them, and the binary has them at /docs/.
SITE := $(OUT)/gen/site
$(SITE)/index.html: web/node_modules/.installed $(wildcard web/site/* docs/*.md docs/*/* contract/openapi.json contract/schema/*) web/src/ui/tokens.css web/src/ui/mark.svg
	@node web/site/site.mjs . $(SITE)

# A folder for any server of files, with the API's description and the schemas beside the pages.
site: deps $(SITE)/index.html
	@rm -rf $(OUT)/site
	@mkdir -p $(OUT)/site/schemas
	@cp -r $(SITE) $(OUT)/site/docs
	@cp contract/openapi.json $(OUT)/site/
	@for file in contract/schema/*.schema.json; do cp $$file $(OUT)/site/schemas/$$(basename $$file .schema.json).json; done
	@echo '<!doctype html><meta http-equiv="refresh" content="0; url=docs/"><title>Pawl</title><a href="docs/">Pawl</a>' > $(OUT)/site/index.html
	@echo "  $(OUT)/site"

ifneq ($(WEB),made)
$(UI)/assets.c: $(UI_MODE) $(WEB_SOURCES) $(wildcard web/site/* docs/*.md docs/*/* contract/openapi.json contract/schema/*)
	@rm -rf $(UI)
	@mkdir -p $(UI)
	@if [ "$$(cat $(UI_MODE))" = 1 ]; then \
	    $(MAKE) --no-print-directory web/dist/.built $(SITE)/index.html && node web/embed.mjs web/dist $(UI) $(SITE); \
	else \
	    printf '#include "api/ui/assets_int.h"\nconst struct ui_assets ui_assets = { NULL, 0 };\n' > $(UI)/assets.c && : > $(UI)/bytes.s; \
	fi
endif

$(UI)/assets.o: $(UI)/assets.c src/api/ui/assets_int.h
	@$(CC) -std=gnu17 $(WARN) $(MODE) -Isrc -c -o $@ $<

$(UI)/bytes.o: $(UI)/assets.c
	@$(CC) $(MODE) -c -o $@ $(UI)/bytes.s

$(OUT)/lib/ui.a: $(UI)/assets.o $(UI)/bytes.o
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcs $@ $^

# The commit, for `pawl version`; written anew only if it is another one.
$(OUT)/gen/commit.h: FORCE
	@mkdir -p $(@D)
	@commit=$$(git rev-parse --short=12 HEAD 2>/dev/null || true); \
	    line="#define PAWL_COMMIT \"$$commit\""; [ "$$(cat $@ 2>/dev/null)" = "$$line" ] || echo "$$line" > $@
$(OUT)/obj/cli/version.o: $(OUT)/gen/commit.h
$(OUT)/obj/cli/version.o: override CFLAGS += -include $(OUT)/gen/commit.h

# Another version makes these anew.
$(patsubst src/%.c,$(OUT)/obj/%.o,$(shell grep -rl PAWL_VERSION src --include='*.c')): VERSION

# Embedded documents.
$(OUT)/obj/api/openapi.o: contract/openapi.json
$(OUT)/obj/api/forms/style.o: src/api/forms/forms.css
$(OUT)/obj/api/entity/help.o: docs/entities.md docs/grpc.md
$(OUT)/obj/api/schemas.o: $(wildcard contract/schema/*.json)
$(OUT)/obj/api/mcp/approve.o: src/api/mcp/approve.json
$(OUT)/obj/api/pages.o: $(wildcard docs/*.md) docs/llms.txt
$(OUT)/obj/api/definitions/templates.o: $(OUT)/gen/templates.json

# One object: each file of examples/templates under its name.
$(OUT)/gen/templates.json: $(wildcard examples/templates/*.json) Makefile
	@mkdir -p $(@D)
	@{ printf '{'; between=; for file in $(sort $(wildcard examples/templates/*.json)); do \
	    printf '%s"%s":' "$$between" "$$(basename $$file)"; cat $$file; between=,; done; printf '}'; } > $@
$(OUT)/obj/schema/metaschemas.o: $(wildcard src/schema/meta/*.json)
$(OUT)/obj/cli/serve/demo_fill.o: examples/loan-application.json examples/loan-disbursement.json examples/templates/leave-request.json $(wildcard examples/demo/*.json) src/cli/serve/demo.json

$(OUT)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

define test_rule
$(OUT)/test/$(1)/%: tests/unit/$(1)/%.c $(call archives,$(LINK_$(1)))
	@mkdir -p $$(@D)
	@echo "  test $$<"
	@$$(CC) $$(CFLAGS_ALL) $$(TEST_MODE) $$(TEST_LINK) -Itests/unit -MMD -MP -MF $$@.d -o $$@ $$< $(call archives,$(LINK_$(1))) $$(LIBS_ALL) -lcmocka
unit-$(1): $(call tests_of,$(1))
check-$(1): deps unit-$(1)
	@$$(PYTHON) tools/run_tests.py $(call tests_of,$(1))
.PHONY: unit-$(1) check-$(1)
endef
$(foreach folder,$(FOLDERS),$(eval $(call test_rule,$(folder))))

-include $(shell find $(OUT) -name '*.d' -type f 2>/dev/null)

# Installs what is missing; silent and quick when nothing is.
deps:
	@tools/install-deps

run: all
	@$(OUT)/pawl serve --demo --grpc 127.0.0.1:9090

# An order and its payment, with a calculation node: examples/order-payment.
run-orders: all
	@$(PYTHON) examples/order-payment/run.py $(OUT)/pawl

UNIT_TESTS = $(foreach folder,$(FOLDERS),$(call tests_of,$(folder)))
LIVE_TESTS = $(wildcard $(foreach folder,api contract sdk cli docs abuse power crash model postgres nodes old,tests/$(folder)/test_*.py))
SCENARIOS = $(wildcard examples/*.scenario.json examples/serverless/*.scenario.* examples/graph/*.scenario.* examples/templates/*.scenario.json tests/scenario/*.json tests/scenario/patterns/*.json)

WEB_TESTS := $(if $(filter-out 0,$(WEB)),tools/check-web "tools/check-web quick")
# `make test` says so at its end.
LEFT_OUT = $(if $(WEB_TESTS),,--skipped "tests of web/: WEB=0") $(if $(FUZZ_SKIPPED),--skipped "fuzz replay of $(FUZZ_SKIPPED): node-llhttp is not installed")

unit: $(UNIT_TESTS)

# Campaigns: each has a target of its own, and a short form of it is part of `make test`.
-include tools/dist/dist.mk tests/fuzz/fuzz.mk tests/sim/sim.mk tests/power/power.mk tests/crash/crash.mk tests/model/model.mk tests/nodes/nodes.mk tests/abuse/abuse.mk
SHORT_SEEDS := 80
SHORT_CYCLES := 6
SHORT_FAULTS := 8

# Everything that the tests run. The web application comes first: npm waits for the network while two compilers work.
POSTGRES_TOOLS := $(addprefix $(OUT)/,pawl-on-postgres pawl-behind-balancer balance)
programs: $(UI)/assets.c $(OUT)/pawl $(POSTGRES_TOOLS) unit $(FUZZ_REPLAYS) $(OUT)/sim $(POWER_TESTS) $(POWER_TOOLS) $(MODEL_TOOLS)

test: deps
	@$(MAKE) --no-print-directory -j3 programs # Two compile while one waits for packages.
	@$(MAKE) --no-print-directory BUILD=release -j2 $(TIDY_ARCHIVES)
	@PAWL_BINARY=$(OUT)/pawl CRASH_CYCLES=$(SHORT_CYCLES) FAULTS_STEP=$(SHORT_FAULTS) POWER_SEEDS=1 POWER_RUNS=1 $(PYTHON) tools/run_tests.py $(LEFT_OUT) \
	    $(UNIT_TESTS) $(FUZZ_REPLAYS) $(POWER_TESTS) "$(OUT)/sim --seeds $(SHORT_SEEDS)" "$(OUT)/sim --seeds 20 --nodes 3" \
	    "$(PYTHON) tests/sim/mutations.py --check" \
	    "$(OUT)/pawl test $(SCENARIOS)" "$(PYTHON) tools/tidy.py build/obj" $(WEB_TESTS) $(LIVE_TESTS) \
	    "$(ON_POSTGRES) $(POSTGRES_QUICK)" "$(ON_NODES) $(NODES_QUICK)"

# The tests of the running engine with its store in PostgreSQL; `make test` has a quick part of them.
ON_POSTGRES := tests/services/on-postgres $(PYTHON) tools/run_tests.py
POSTGRES_QUICK := tests/api/test_jobs.py tests/api/test_tasks.py tests/contract/test_instances.py
POSTGRES_TESTS = $(filter-out tests/api/test_ui.py,$(wildcard $(foreach folder,api contract sdk cli,tests/$(folder)/test_*.py)))
test-postgres: deps
	@$(MAKE) --no-print-directory -j2 $(POSTGRES_TOOLS) $(NODES_TOOLS)
	@PAWL_BINARY=$(OUT)/pawl $(ON_POSTGRES) $(POSTGRES_TESTS)
	@if [ "$$(id -u)" = 0 ]; then $(NODES_SHORT); else echo "skipped: a run with faults needs root (make nodes-campaign)"; fi

# The same with several nodes behind a balancer that sends each request to another one (BALANCE=connection: each connection).
NODES ?= 3
BALANCE ?= request
ON_NODES = env PAWL_TEST_NODES=$(NODES) PAWL_TEST_BALANCE=$(BALANCE) tests/services/three-on-postgres $(PYTHON) tools/run_tests.py
NODES_QUICK := tests/api/test_jobs.py tests/contract/test_jobs.py
test-nodes: deps
	@$(MAKE) --no-print-directory -j2 $(POSTGRES_TOOLS)
	@PAWL_BINARY=$(OUT)/pawl $(ON_NODES) $(POSTGRES_TESTS)

$(POSTGRES_TOOLS): $(OUT)/%: tests/services/% $(OUT)/pawl
	@cp $< $@

# Every browser test and every rule for web/; `make test` has a quick part of them.
web-test: all
	@tools/check-web full
	@PAWL_BINARY=$(OUT)/pawl tools/check-web browser

# The conformance runner of the Model Context Protocol and two of its clients. Their packages are those of tests/mcp alone.
tests/mcp/node_modules/.installed: tests/mcp/package-lock.json
	@echo "  npm ci in tests/mcp"
	@cd tests/mcp && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

mcp: all tests/mcp/node_modules/.installed
	@PAWL_BINARY=$(OUT)/pawl $(PYTHON) tests/mcp/test_conformance.py -v

# The pictures of docs/, taken anew on a walk through docs/office.md and docs/operator.md.
pictures: all
	@cd web && PAWL_BINARY=$(OUT)/pawl npm run --silent pictures

# The rules of the house. Objects of the release build are looked at, whatever BUILD is.
TIDY_ARCHIVES := $(foreach folder,$(FOLDERS),build/lib/$(folder).a)
tidy: deps
	@$(MAKE) --no-print-directory BUILD=release -j2 $(TIDY_ARCHIVES)
	@$(PYTHON) tools/tidy.py build/obj

# Writes every C file as .clang-format wants it.
format: deps
	@clang-format -i $$(git ls-files '*.c' '*.h')

# Speed and memory: `make bench QUESTION=chain` asks one question, `make bench-quick` asks them in short,
# `make bench-peers` asks others, `make bench-record` writes the answers down (docs/performance.md).
BENCH_PROGRAMS := $(patsubst %,$(OUT)/bench/%,load shoot call floor states micro)
BENCH_LINK := $(call archives,access $(LINK_core))

bench bench-quick: all $(BENCH_PROGRAMS) $(OUT)/bench/unaudited/pawl
	@$(PYTHON) bench/run.py $(OUT) $(if $(filter bench-quick,$@),--quick) $(QUESTION)

bench-peers: all
	@$(PYTHON) bench/peers/run.py $(OUT)

bench-record:
	@$(PYTHON) bench/record.py $(OUT)

$(OUT)/bench/wire.o: bench/wire.c bench/wire.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -c -o $@ $<

# An engine whose commands leave no rows in the audit, for the question `gate`.
$(OUT)/bench/unaudited/pawl: bench/unaudited.c $(OUT)/pawl
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -c -o $(@D)/unaudited.o $<
	@$(CC) $(MODE) -Wl,--wrap=audit_calls_note -o $@ $(MAIN) $(@D)/unaudited.o $(call archives,$(LINK_cli)) $(LIBS_ALL)

$(OUT)/bench/%: bench/%.c $(OUT)/bench/wire.o $(BENCH_LINK)
	@echo "  bench $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d -o $@ $< $(OUT)/bench/wire.o $(BENCH_LINK) $(LIBS_ALL)

install: all install-files

# The binary tells its own man page and completions.
install-files:
	install -D -m 755 $(OUT)/pawl $(DESTDIR)$(PREFIX)/bin/pawl
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	           $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(EMULATOR) $(OUT)/pawl docs man > $(DESTDIR)$(PREFIX)/share/man/man1/pawl.1
	$(EMULATOR) $(OUT)/pawl docs bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pawl
	$(EMULATOR) $(OUT)/pawl docs zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_pawl
	$(EMULATOR) $(OUT)/pawl docs fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/pawl.fish
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/local/bin|$(PREFIX)/bin|' packaging/pawl.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/pawl.service
	test -e $(DESTDIR)/etc/pawl/pawl.conf || install -D -m 644 packaging/pawl.conf $(DESTDIR)/etc/pawl/pawl.conf

clean:
	rm -rf build

FORCE:

.PHONY: FORCE all deps run run-orders unit programs site test test-postgres test-nodes web-test mcp pictures tidy format bench bench-quick bench-peers bench-record install install-files clean
.DEFAULT_GOAL := all
