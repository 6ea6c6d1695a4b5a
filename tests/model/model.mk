# The models against the engine, at length. Included by the Makefile.
#
#   make models                    MODEL_SEEDS (100,000) random cases of each dialect that has a model
#   make models MODEL_FIRST=100001 others

MODEL_SEEDS ?= 100000
MODEL_FIRST ?= 1

models: all
	@for test in tests/model/test_*.py; do \
	    PAWL_BINARY=$(OUT)/pawl PAWL_MODEL_SEEDS=$(MODEL_SEEDS) PAWL_MODEL_FIRST=$(MODEL_FIRST) $(PYTHON) $$test || exit 1; done

.PHONY: models
