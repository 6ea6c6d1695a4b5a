# Attacks of strangers in their full size: tests/abuse/campaign.py. Included by the Makefile; `make test` runs smaller ones.
#
#   make abuse HOLD=40 SOURCES=same,spread ATTACKS="resets silence"
abuse: HOLD ?= 40
abuse: SOURCES ?= same,spread
abuse: $(OUT)/pawl
	@PAWL_BINARY=$(OUT)/pawl $(PYTHON) tests/abuse/campaign.py --seconds $(HOLD) --sources $(SOURCES) $(ATTACKS)
.PHONY: abuse
