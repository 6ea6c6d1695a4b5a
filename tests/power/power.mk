# Power cuts, failing and full disks. Included by the Makefile.
POWER_OBJECTS := $(patsubst %,$(OUT)/test/power/%.o,shim_vfs rig workload ledger)
POWER_TESTS := $(patsubst tests/power/%.c,$(OUT)/test/power/%,$(wildcard tests/power/test_*.c))

$(OUT)/test/power/%.o: tests/power/%.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) $(TEST_MODE) -MMD -MP -c -o $@ $<

$(POWER_TESTS): $(OUT)/test/power/%: tests/power/%.c $(POWER_OBJECTS) $(call archives,torture $(LINK_runtime))
	@mkdir -p $(@D)
	@echo "  test $<"
	@$(CC) $(CFLAGS_ALL) $(TEST_MODE) $(TEST_LINK) -MMD -MP -MF $@.d -o $@ $< $(POWER_OBJECTS) $(call archives,torture $(LINK_runtime)) $(LIBS_ALL) -lcmocka

# For test_replay.py: a recorder that is loaded into the program, and the one who reads the record.
POWER_TOOLS := $(OUT)/test/power/recorder.so $(OUT)/test/power/replay

$(OUT)/test/power/recorder.so: tests/power/recorder.c tests/power/recorder.h
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) -std=gnu17 -Wall -Wextra -Werror -O2 -g -fPIC -shared -pthread -o $@ $< -ldl

$(OUT)/test/power/replay: tests/power/replay.c $(POWER_OBJECTS) $(call archives,torture $(LINK_runtime))
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d -o $@ $< $(POWER_OBJECTS) $(call archives,torture $(LINK_runtime)) $(LIBS_ALL)

power: $(POWER_TESTS) $(POWER_TOOLS)
check-power: deps $(POWER_TESTS) $(POWER_TOOLS) $(OUT)/pawl
	@PAWL_BINARY=$(OUT)/pawl REPLAY_DISKS=2000 $(PYTHON) tools/run_tests.py $(POWER_TESTS) $(wildcard tests/power/test_*.py)
.PHONY: power check-power
