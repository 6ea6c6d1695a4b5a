# Runs of several nodes with faults, and a checker of what their clients saw: tests/nodes/campaign.py. Included by the Makefile.
#
#   make nodes-campaign RUNS=400 SECONDS=60 NODES=3 SEED=1 PARALLEL=6
#
# With ACCESS=1 keys are made, rotated and revoked during the faults, too. With BESIDE=FILE, the binary of another version with the
# same schema, nodes of both versions share the database, and each restart of a node swaps its version.
#
# `make test-postgres` has one short run, with one node. `make nodes-teeth` shows that the verdict can be bad. All need root.
NODES_TOOLS := $(OUT)/nodes/clock.so
NODES_CAMPAIGN = PAWL_BINARY=$(abspath $(OUT)/pawl) $(PYTHON) tests/nodes/campaign.py --clock $(abspath $(NODES_TOOLS))
NODES_SHORT = $(NODES_CAMPAIGN) --runs 1 --seconds 10 --nodes 1 --faults kill,restart,no-database --out $(OUT)/campaign/short

$(NODES_TOOLS): tests/nodes/clock.c
	@mkdir -p $(@D)
	@$(CC) $(WARN) -O1 -shared -fPIC -o $@ $<

nodes-campaign: RUNS ?= 400
nodes-campaign: SECONDS ?= 60
nodes-campaign: SEED ?= 1
nodes-campaign: PARALLEL ?= 6
nodes-campaign: $(OUT)/pawl $(NODES_TOOLS)
	@$(NODES_CAMPAIGN) --runs $(RUNS) --seconds $(SECONDS) --nodes $(NODES) --seed $(SEED) --parallel $(PARALLEL) $(if $(ACCESS),--access) $(if $(BESIDE),--beside $(BESIDE)) --out $(OUT)/campaign

# Can the verdict be bad? A database that loses what it promised must be found out.
nodes-teeth: $(OUT)/pawl
	@if PAWL_BINARY=$(abspath $(OUT)/pawl) $(PYTHON) tests/nodes/run.py --seed 3 --seconds 14 --faults restart --forgetful \
	    --keep $(OUT)/campaign/teeth > $(OUT)/teeth.log; then echo "the checker saw nothing"; exit 1; \
	elif grep -q "no order explains the answers\|an acknowledged start is lost" $(OUT)/teeth.log; then echo "found out: $(OUT)/teeth.log"; \
	else tail -n 20 $(OUT)/teeth.log; exit 1; fi
.PHONY: nodes-campaign nodes-teeth
