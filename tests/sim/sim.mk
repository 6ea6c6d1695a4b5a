# Included by the Makefile. `make sim SEEDS=n` runs n seeds (NODES=n: with up to n nodes; ACCESS=1: with access that changes), `make mutants` proves that they find something (FROM=n: from row n on).

SEEDS ?= 500
SIM_NODES = $(if $(filter command,$(firstword $(origin NODES))),$(NODES),1)
SIM_SOURCES := $(sort $(wildcard tests/sim/*.c))
SIM_OBJECTS := $(patsubst tests/sim/%.c,$(OUT)/obj-sim/%.o,$(SIM_SOURCES))

$(OUT)/obj-sim/%.o: tests/sim/%.c
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) $(TEST_MODE) -Itests/sim -MMD -MP -c -o $@ $<

$(OUT)/sim: $(SIM_OBJECTS) $(call archives,$(LINK_runtime))
	@$(CC) $(MODE) -o $@ $(SIM_OBJECTS) $(call archives,$(LINK_runtime)) $(LIBS_ALL)

sim: $(OUT)/sim
	@$(OUT)/sim --seeds $(SEEDS) --nodes $(SIM_NODES) $(if $(ACCESS),--access) --jobs 2

# Deliberate mistakes, each of which the simulation must find.
mutants: $(OUT)/sim
	@CC="$(CC)" CFLAGS_ALL='$(CFLAGS_ALL)' MODE='$(MODE)' LIBS_ALL='$(LIBS_ALL)' \
	 SIM_OBJECTS='$(SIM_OBJECTS)' ARCHIVES='$(call archives,$(LINK_runtime))' $(PYTHON) tests/sim/mutations.py $(if $(FROM),--from $(FROM)) $(OUT)

.PHONY: sim mutants
