# The models against the engine, at length. Included by the Makefile.
#
#   make models                    MODEL_SEEDS (100,000) random cases of each dialect that has a model
#   make models MODEL_FIRST=100001 others

MODEL_SEEDS ?= 100000
MODEL_FIRST ?= 1

# For test_condition_model.py and test_schema_model.py: answer one condition, or one model, a line.
MODEL_TOOLS := $(OUT)/test/model/eval_predicate $(OUT)/test/model/eval_schema
MODEL_LINK := $(call archives,model expr jsonpath schema json base)

$(MODEL_TOOLS): $(OUT)/test/model/%: tests/model/%.c $(MODEL_LINK)
	@mkdir -p $(@D)
	@echo "  cc $<"
	@$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d -o $@ $< $(MODEL_LINK) $(LIBS_ALL)

models: all $(MODEL_TOOLS)
	@for test in tests/model/test_*.py; do \
	    PAWL_BINARY=$(OUT)/pawl PAWL_MODEL_SEEDS=$(MODEL_SEEDS) PAWL_MODEL_FIRST=$(MODEL_FIRST) $(PYTHON) $$test || exit 1; done

.PHONY: models
