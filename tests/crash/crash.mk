# Kills under load, and in the middle of the examples of flow graphs. Included by the Makefile; `make test` runs a short form.
#
#   make crash N=1000 INSTANCES=500 SEED=7
crash: N ?= 100
crash: INSTANCES ?= 500
crash: SEED ?= 20260419
crash: $(OUT)/pawl
	@PAWL_BINARY=$(OUT)/pawl CRASH_CYCLES=$(N) CRASH_INSTANCES=$(INSTANCES) CRASH_SEED=$(SEED) \
	    $(PYTHON) tests/crash/test_kill.py -v UnderLoad.test_nothing_acknowledged_is_lost_and_nothing_happens_twice
	@PAWL_BINARY=$(OUT)/pawl EXAMPLE_CYCLES=$(N) CRASH_SEED=$(SEED) $(PYTHON) tests/crash/test_examples.py -v
	@PAWL_BINARY=$(OUT)/pawl EXAMPLE_CYCLES=$(N) CRASH_SEED=$(SEED) $(PYTHON) tests/crash/test_polling.py -v
	@PAWL_BINARY=$(OUT)/pawl EXAMPLE_CYCLES=$(N) $(PYTHON) tests/crash/test_orders.py -v
	@PAWL_BINARY=$(OUT)/pawl EXAMPLE_CYCLES=$(N) CRASH_SEED=$(SEED) $(PYTHON) tests/crash/test_answers.py -v
	@PAWL_BINARY=$(OUT)/pawl CRASH_CYCLES=$(N) CRASH_SEED=$(SEED) $(PYTHON) tests/crash/test_entities.py -v
.PHONY: crash
