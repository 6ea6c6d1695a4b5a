# Fuzzing. Included by the Makefile.
#
#   make fuzz              every target for FUZZ_SECONDS (600), one after the other, with clang-19
#   make fuzz-json         one of them; what it finds new goes to build/fuzz/corpus/json
#   make fuzz-merge-json   takes what is new and interesting into tests/fuzz/corpus/json.tar.gz
#   make fuzz-add-json FILES="found/a found/b"     takes these files into the archive, under their own names
#   make fuzz-pack-json    writes the archive anew from build/corpus/json, in which files were changed or removed by hand
#   make fuzz-replay       every corpus through its target, with $(CC)
#   make fuzz-pictures     clients that have pictures drawn by an engine under AddressSanitizer
#   make fuzz-seeds        writes the seeds of the binary formats anew
#
# FUZZ_MORE: options for libFuzzer; with "-fork=1 -ignore_crashes=1" it goes on after a finding.

FUZZ_SECONDS ?= 600
FUZZ_TARGETS := json cells path schema yaml expr template predicate definition state history http http2 events cron mqtt model protobuf payload import crowd grpc xml picture token jwks oidc access keys cookies records audit
FUZZ_FOLDERS := base json jsonpath expr schema schedule vault access model program dialect source core compute net store runtime scenario perform trigger api

# The folder a target is about: it is linked with that and all below it.
FUZZ_FOLDER_json := json
FUZZ_FOLDER_cells := json
FUZZ_FOLDER_path := jsonpath
FUZZ_FOLDER_schema := schema
FUZZ_FOLDER_yaml := source
FUZZ_FOLDER_expr := expr
FUZZ_FOLDER_template := expr
FUZZ_FOLDER_predicate := expr
FUZZ_FOLDER_definition := core
FUZZ_FOLDER_state := core
FUZZ_FOLDER_history := core
FUZZ_FOLDER_http := net
FUZZ_FOLDER_http2 := net
FUZZ_FOLDER_events := api
FUZZ_FOLDER_protobuf := api
FUZZ_FOLDER_cron := schedule
FUZZ_FOLDER_mqtt := trigger
FUZZ_FOLDER_model := source
FUZZ_FOLDER_payload := source
FUZZ_FOLDER_import := dialect
FUZZ_FOLDER_crowd := net
FUZZ_FOLDER_grpc := api
FUZZ_FOLDER_xml := source
FUZZ_FOLDER_picture := runtime
FUZZ_FOLDER_token := access
FUZZ_FOLDER_jwks := access
FUZZ_FOLDER_oidc := access
FUZZ_FOLDER_access := access
FUZZ_FOLDER_keys := access
FUZZ_FOLDER_cookies := access
FUZZ_FOLDER_records := access
FUZZ_FOLDER_audit := access
FUZZ_FOLDER_llhttp := net

FUZZ_OPTIONS_json := -dict=tests/fuzz/dict/json.dict
FUZZ_OPTIONS_cells := -max_len=1024 -use_value_profile=1
FUZZ_OPTIONS_path := -dict=tests/fuzz/dict/path.dict -max_len=512
FUZZ_OPTIONS_schema := -dict=tests/fuzz/dict/schema.dict -max_len=2048
FUZZ_OPTIONS_yaml := -dict=tests/fuzz/dict/yaml.dict -max_len=2048
FUZZ_OPTIONS_expr := -dict=tests/fuzz/dict/expr.dict -max_len=512
FUZZ_OPTIONS_template := -dict=tests/fuzz/dict/template.dict -max_len=512
FUZZ_OPTIONS_predicate := -dict=tests/fuzz/dict/predicate.dict -max_len=1024
FUZZ_OPTIONS_definition := -dict=tests/fuzz/dict/definition.dict -max_len=8192
FUZZ_OPTIONS_state := -max_len=1024
FUZZ_OPTIONS_history := -max_len=1024
FUZZ_OPTIONS_http := -dict=tests/fuzz/dict/http.dict -max_len=2048
FUZZ_OPTIONS_http2 := -max_len=2048
FUZZ_OPTIONS_events := -dict=tests/fuzz/dict/events.dict -max_len=1024
FUZZ_OPTIONS_protobuf := -max_len=1024 -use_value_profile=1
FUZZ_OPTIONS_cron := -dict=tests/fuzz/dict/cron.dict -max_len=4096
FUZZ_OPTIONS_mqtt := -dict=tests/fuzz/dict/mqtt.dict -max_len=2048
FUZZ_OPTIONS_model := -dict=tests/fuzz/dict/model.dict -max_len=1024
FUZZ_OPTIONS_payload := -max_len=2048 -use_value_profile=1
FUZZ_OPTIONS_import := -dict=tests/fuzz/dict/import.dict -max_len=2048
FUZZ_OPTIONS_crowd := -max_len=600
FUZZ_OPTIONS_grpc := -max_len=4096
FUZZ_OPTIONS_xml := -dict=tests/fuzz/dict/xml.dict -max_len=2048
FUZZ_OPTIONS_picture := -dict=tests/fuzz/dict/definition.dict -max_len=65536
FUZZ_OPTIONS_token := -dict=tests/fuzz/dict/token.dict -max_len=2048
FUZZ_OPTIONS_jwks := -dict=tests/fuzz/dict/token.dict -max_len=4096
FUZZ_OPTIONS_oidc := -dict=tests/fuzz/dict/token.dict -max_len=2048
FUZZ_OPTIONS_access := -dict=tests/fuzz/dict/access.dict -max_len=2048
FUZZ_OPTIONS_keys := -dict=tests/fuzz/dict/access.dict -max_len=512 -use_value_profile=1
FUZZ_OPTIONS_cookies := -dict=tests/fuzz/dict/cookies.dict -max_len=512 -use_value_profile=1
FUZZ_OPTIONS_records := -dict=tests/fuzz/dict/access.dict -max_len=2048
FUZZ_OPTIONS_audit := -max_len=512 -use_value_profile=1
FUZZ_OPTIONS_llhttp := -dict=tests/fuzz/dict/http.dict -max_len=2048

# The other reader of HTTP comes as source, with Debian's node-llhttp.
LLHTTP := /usr/share/llhttp
LLHTTP_FLAGS := -I/usr/share/include/llhttp -DLLHTTP_STRICT_MODE=1
ifneq ($(wildcard $(LLHTTP)/llhttp.c),)
  FUZZ_TARGETS += llhttp
else
  FUZZ_SKIPPED := llhttp
endif
fuzz_flags = -D_GNU_SOURCE -Itests/fuzz $(if $(filter llhttp,$(1)),$(LLHTTP_FLAGS))

# ---- corpora: one archive for each target ----

FUZZ_CORPUS := $(OUT)/corpus
# The same files give the same archive, whoever packs them, and whenever.
FUZZ_PACK := tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644

define fuzz_corpus_rule
$(FUZZ_CORPUS)/$(1).unpacked: tests/fuzz/corpus/$(1).tar.gz
	@rm -rf $(FUZZ_CORPUS)/$(1)
	@mkdir -p $(FUZZ_CORPUS)/$(1)
	@tar -xzf $$< --no-same-owner -C $(FUZZ_CORPUS)/$(1)
	@touch $$@
fuzz-pack-$(1): $(FUZZ_CORPUS)/$(1).unpacked
	@cd $(FUZZ_CORPUS)/$(1) && ls -A | LC_ALL=C sort | $(FUZZ_PACK) -cf - -T - | gzip -9n > $(CURDIR)/tests/fuzz/corpus/$(1).tar.gz
	@touch $$<
fuzz-add-$(1): $(FUZZ_CORPUS)/$(1).unpacked
	@cp $$(or $$(FILES),$$(error FILES names the files to add)) $(FUZZ_CORPUS)/$(1)
	@$(MAKE) --no-print-directory fuzz-pack-$(1)
.PHONY: fuzz-pack-$(1) fuzz-add-$(1)
endef
$(foreach target,$(FUZZ_TARGETS),$(eval $(call fuzz_corpus_rule,$(target))))

# ---- replaying, with the compiler of the build ----

FUZZ_REPLAYS := $(patsubst %,$(OUT)/replay/replay_%,$(FUZZ_TARGETS))

define fuzz_replay_rule
$(OUT)/replay/fuzz_$(1).o: tests/fuzz/fuzz_$(1).c
	@mkdir -p $$(@D)
	@echo "  fuzz $$<"
	@$$(CC) $$(CFLAGS_ALL) $$(TEST_MODE) $(call fuzz_flags,$(1)) -MMD -MP -c -o $$@ $$<
$(OUT)/replay/main_$(1).o: tests/fuzz/replay.c tests/fuzz/fuzz.mk
	@mkdir -p $$(@D)
	@$$(CC) $$(CFLAGS_ALL) $$(TEST_MODE) $(call fuzz_flags,) -DFUZZ_CORPUS='"$(FUZZ_CORPUS)/$(1)"' -MMD -MP -c -o $$@ $$<
$(OUT)/replay/replay_$(1): $(OUT)/replay/main_$(1).o $(OUT)/replay/fuzz_$(1).o \
                           $(if $(filter llhttp,$(1)),$(OUT)/replay/llhttp.a) \
                           $(call archives,$(LINK_$(FUZZ_FOLDER_$(1)))) | $(FUZZ_CORPUS)/$(1).unpacked
	@$$(CC) $$(CFLAGS_ALL) $$(TEST_LINK) -o $$@ $$^ $$(LIBS_ALL)
endef
$(foreach target,$(FUZZ_TARGETS),$(eval $(call fuzz_replay_rule,$(target))))

$(OUT)/replay/llhttp.a: $(wildcard $(LLHTTP)/*.c)
	@mkdir -p $(OUT)/replay/llhttp
	@for source in $^; do \
	    $(CC) -O1 $(LLHTTP_FLAGS) -c -o $(OUT)/replay/llhttp/$$(basename $$source .c).o $$source || exit 1; done
	@ar rcs $@ $(OUT)/replay/llhttp/*.o

fuzz-skipped:
	@$(if $(FUZZ_SKIPPED),echo "skipped: $(FUZZ_SKIPPED) (install node-llhttp to have it)",:)

fuzz-replay: deps fuzz-skipped $(FUZZ_REPLAYS)
	@failed=0; for replay in $(FUZZ_REPLAYS); do printf '%s ' $$replay; $$replay || failed=1; done; exit $$failed

$(OUT)/replay/seeds: tests/fuzz/seeds.c $(call archives,$(LINK_core))
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(call fuzz_flags,) -MMD -MP -MF $@.d -o $@ $(filter %.c %.a,$^) $(LIBS_ALL)

FUZZ_SEEDED := cells state history
fuzz-seeds: deps $(OUT)/replay/seeds $(FUZZ_SEEDED:%=$(FUZZ_CORPUS)/%.unpacked)
	@$(OUT)/replay/seeds $(FUZZ_CORPUS)
	@$(MAKE) --no-print-directory $(FUZZ_SEEDED:%=fuzz-pack-%)

# ---- fuzzing, with clang and the sanitizers ----

FUZZ_CC := clang-19
FUZZ_PACKAGES := clang-19 libclang-rt-19-dev node-llhttp
FUZZ_OUT := build/fuzz
FUZZ_CFLAGS = -std=gnu17 -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -pthread -Isrc \
              -isystem $(OUT)/gen/proto -DPAWL_GEN='"$(OUT)/gen"' -fsanitize=address,undefined -DPAWL_VERSION='"$(VERSION)"' $(PKG_CFLAGS)
fuzz_archives = $(patsubst %,$(FUZZ_OUT)/lib/%.a,$(1))

$(FUZZ_OUT)/obj/%.o: src/%.c | fuzz-deps
	@mkdir -p $(@D)
	@echo "  $(FUZZ_CC) $<"
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

define fuzz_archive_rule
$(FUZZ_OUT)/lib/$(1).a: $(patsubst src/%.c,$(FUZZ_OUT)/obj/%.o,$(call sources,$(1)))
	@mkdir -p $$(@D)
	@rm -f $$@
	@ar rcs $$@ $$^
endef
$(foreach folder,$(FUZZ_FOLDERS),$(eval $(call fuzz_archive_rule,$(folder))))

$(patsubst src/%.c,$(FUZZ_OUT)/obj/%.o,$(call sources,api)): $(PROTO_MADE)
$(FUZZ_OUT)/obj/api/definitions/templates.o: $(OUT)/gen/templates.json

$(FUZZ_OUT)/gen/%.o: $(PROTO_MADE) | fuzz-deps
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -w -fsanitize=fuzzer-no-link -c -o $@ $(OUT)/gen/proto/$*.pb-c.c

$(FUZZ_OUT)/lib/proto.a: $(patsubst %.proto,$(FUZZ_OUT)/gen/%.o,$(PROTO_ALL))
	@mkdir -p $(@D)
	@rm -f $@
	@ar rcs $@ $^

$(FUZZ_OUT)/lib/ui.a: $(OUT)/lib/ui.a
	@mkdir -p $(@D)
	@cp $< $@

define fuzz_target_rule
$(FUZZ_OUT)/fuzz_$(1): tests/fuzz/fuzz_$(1).c $(call fuzz_archives,$(LINK_$(FUZZ_FOLDER_$(1)))) \
                       $(if $(filter llhttp,$(1)),$(FUZZ_OUT)/lib/llhttp.a) | fuzz-deps
	@echo "  $(FUZZ_CC) $$<"
	@$(FUZZ_CC) $$(FUZZ_CFLAGS) $(call fuzz_flags,$(1)) -fsanitize=fuzzer --rtlib=compiler-rt -unwindlib=libgcc \
	    -MMD -MP -MF $$@.d -o $$@ $$(filter %.c %.a,$$^) $$(LIBS_ALL)

fuzz-$(1): $(FUZZ_OUT)/fuzz_$(1) $(FUZZ_CORPUS)/$(1).unpacked
	@mkdir -p $(FUZZ_OUT)/corpus/$(1) $(FUZZ_OUT)/found
	@$(FUZZ_OUT)/fuzz_$(1) -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
	    $(FUZZ_OPTIONS_$(1)) $(FUZZ_MORE) -artifact_prefix=$(FUZZ_OUT)/found/$(1)- \
	    $(FUZZ_OUT)/corpus/$(1) $(FUZZ_CORPUS)/$(1)

fuzz-merge-$(1): $(FUZZ_OUT)/fuzz_$(1) $(FUZZ_CORPUS)/$(1).unpacked
	@$(FUZZ_OUT)/fuzz_$(1) $(FUZZ_OPTIONS_$(1)) -use_counters=0 -use_value_profile=0 -set_cover_merge=1 \
	    $(FUZZ_CORPUS)/$(1) $(FUZZ_OUT)/corpus/$(1)
	@$(MAKE) --no-print-directory fuzz-pack-$(1)

.PHONY: fuzz-$(1) fuzz-merge-$(1)
endef
$(foreach target,$(FUZZ_TARGETS),$(eval $(call fuzz_target_rule,$(target))))

# Not ours, so without sanitizers. Its branches are watched, though: there the differences are.
$(FUZZ_OUT)/lib/llhttp.a: $(wildcard $(LLHTTP)/*.c) | fuzz-deps
	@mkdir -p $(FUZZ_OUT)/lib $(FUZZ_OUT)/llhttp
	@for source in $^; do \
	    $(FUZZ_CC) -O1 -fsanitize=fuzzer-no-link $(LLHTTP_FLAGS) -c -o $(FUZZ_OUT)/llhttp/$$(basename $$source .c).o $$source || exit 1; done
	@ar rcs $@ $(FUZZ_OUT)/llhttp/*.o

-include $(shell find $(FUZZ_OUT) -name '*.d' 2>/dev/null)

# Installs what is missing; silent and quick when nothing is.
fuzz-deps: deps
	@missing=; for package in $(FUZZ_PACKAGES); do \
	    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; done; \
	[ -z "$$missing" ] && exit 0; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	echo "installing:$$missing"; $$sudo apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null

# In a second make: only after the packages are there is it known which targets there are.
fuzz: fuzz-deps
	@$(MAKE) --no-print-directory fuzz-all
fuzz-all: fuzz-skipped
	@failed=; for target in $(FUZZ_TARGETS); do \
	    $(MAKE) --no-print-directory fuzz-$$target || failed="$$failed $$target"; done; \
	$(MAKE) --no-print-directory fuzz-pictures || failed="$$failed pictures"; \
	[ -z "$$failed" ] || { echo "found something:$$failed (see $(FUZZ_OUT)/found)"; exit 1; }

# Over the wire: memory that is used too late shows when many clients ask at once.
fuzz-pictures:
	@$(MAKE) --no-print-directory BUILD=asan build/asan/pawl
	@ASAN_OPTIONS=detect_leaks=0 PAWL_BINARY=build/asan/pawl $(PYTHON) tests/fuzz/pictures.py --seconds $(FUZZ_SECONDS)

.PHONY: fuzz-pictures fuzz fuzz-all fuzz-deps fuzz-seeds fuzz-replay fuzz-skipped
