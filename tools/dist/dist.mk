# What people install. Included by the Makefile.
#
#   make dist                     packages, tarball, image, chart, bill of materials and checksums of the commit, into dist/
#   make dist MINISIGN_KEY=FILE   the same with a signature
#   make check-dist               uses each of them in a bare root, and builds all of it again elsewhere; needs root
#   make dist-arm64               packages, tarball, image and bill for arm64, beside those of make dist; needs root
#   make release VERSION=1.0.0    tests, versions, notes, a commit, all of the above, and a tag

# The binary of the tarball and of the image has everything that it is linked with inside, except glibc. What it loads when
# it is first needed is in ../lib/pawl. DT_RPATH, unlike DT_RUNPATH, also holds for the libraries of those libraries.
PORTABLE_LIBS := -Wl,-Bstatic -luv_a -lnghttp2 -lsqlite3 -lpcre2-8 -lssl -lcrypto -lz -largon2 -lyaml -lexpat -lprotobuf-c -Wl,-Bdynamic -lm -ldl -pthread
PORTABLE_LINK := -static-libgcc -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN/../lib/pawl'

$(OUT)/dist/portable: $(OUT)/pawl tools/dist/dist.mk
	@mkdir -p $(@D)
	@echo "  link $@"
	@$(CC) $(MODE) $(LINK) $(PORTABLE_LINK) -o $@ $(MAIN) $(call archives,$(LINK_cli)) $(PORTABLE_LIBS)

dist:
	@tools/install-deps dist
	@$(PYTHON) tools/dist/build.py

# In the clone that `make dist` makes of the commit.
DIST_STEPS := debian tarball image chart bill
artefacts: all $(OUT)/dist/portable
	@for step in $(DIST_STEPS); do $(PYTHON) tools/dist/$$step.py || exit 1; done

# Some tests install packages and so need the network of the machine. The last one builds all of it again in a clone.
check-dist: dist
	@[ "$$(id -u)" = 0 ] || { echo "make check-dist makes roots and namespaces, so it needs root"; exit 1; }
	@for test in $(sort $(wildcard tests/dist/test_*.py)); do echo "$$test"; $(PYTHON) $$test || exit 1; done

dist-%:
	@tools/install-deps dist
	@$(PYTHON) tools/dist/cross.py $*

release:
	@$(PYTHON) tools/dist/cut.py "$(if $(filter command line,$(origin VERSION)),$(VERSION))"

.PHONY: dist artefacts check-dist release
