# Power cuts, failing and full disks. Included by the Makefile.
POWER_OBJECTS := $(patsubst %,$(OUT)/test/power/%.o,shim_vfs rig workload ledger)
POWER_TESTS := $(patsubst tests/power/%.c,$(OUT)/test/power/%,$(wildcard tests/power/test_*.c))

$(OUT)/test/power/%.o: tests/power/%.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(POWER_TESTS): $(OUT)/test/power/%: tests/power/%.c $(POWER_OBJECTS) $(call archives,torture $(LINK_runtime))
	@mkdir -p $(@D)
	@echo "  test $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d -o $@ $< $(POWER_OBJECTS) $(call archives,torture $(LINK_runtime)) $(LIBS_ALL) -lcmocka

power: $(POWER_TESTS)
check-power: deps $(POWER_TESTS) $(OUT)/pawl
	@PAWL_BINARY=$(OUT)/pawl $(PYTHON) tools/run_tests.py $(POWER_TESTS) $(wildcard tests/power/test_*.py)
.PHONY: power check-power
