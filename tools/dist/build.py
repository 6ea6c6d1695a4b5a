"""Makes dist/ from the commit alone: in a clone below build/dist, from nothing, with settings that no user and no machine changes.

usage: build.py

A tree that has seen other commits, other variables or another Makefile may have old objects, which make cannot know of. So no file of this
tree is part of what is published. What Node made stays in build/dist/ui, for the artefacts of other machines (cross.py).
"""

import os
import pathlib
import shutil
import subprocess

from release import OUT, ROOT, WORK, ask, fresh

TREE = WORK / "tree"
# The way to the network, and what the artefacts are told to have. Variables of a compiler (CFLAGS) and of a locale stay outside.
KEPT = ("PATH", "HOME", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "DIST_VERSION")
KEPT_BEGINNINGS = ("npm_config_", "NPM_CONFIG_")


def settings():
    kept = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith(KEPT_BEGINNINGS) or name.lower().endswith("_proxy")}
    if os.environ.get("MINISIGN_KEY"):
        kept["MINISIGN_KEY"] = os.path.abspath(os.environ["MINISIGN_KEY"])
    return {**kept, "LC_ALL": "C.UTF-8", "TZ": "UTC", "CCACHE_DISABLE": "1", "DIST_OUT": str(OUT.resolve())}


def refuse_changes():
    changes = ask("git", "status", "--porcelain", "--untracked-files=no")
    if changes:
        raise SystemExit(f"make dist: it packs a commit, and these changes are not committed:\n{changes}")


def keep_web():
    """What Node made, below the name of the commit."""
    shutil.copytree(TREE / "build/gen/ui", fresh("ui") / ask("git", "rev-parse", "HEAD"), ignore=shutil.ignore_patterns("*.o"))


def main():
    refuse_changes()
    os.umask(0o022)
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.rmtree(TREE, ignore_errors=True)
    try:
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, TREE], check=True)
        made = subprocess.run(["make", "--no-print-directory", "-j2", "artefacts"], cwd=TREE, env=settings())
        if made.returncode:
            raise SystemExit("make dist: the build of the commit failed")
        keep_web()
    finally:
        shutil.rmtree(TREE, ignore_errors=True)


if __name__ == "__main__":
    main()
