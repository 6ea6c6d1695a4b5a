"""gcc and clang of Debian 13 compile engine and unit tests without a warning, and the unit tests pass there. The root has no Node,
so these are builds without the web application, too.

Each compiler takes minutes: it builds everything from a clone of the commit. A warning stops the compiler (-Werror).
"""

import re
import subprocess
import unittest

from bare import ROOT, Root

SUITE = "trixie"
INSIDE = "/pawl"


def packages():
    """What tools/install-deps installs, and the second compiler."""
    line = re.search(r'^packages="([^"]*)"', (ROOT / "tools" / "install-deps").read_text(), re.M).group(1)
    return [*line.split(), "clang"]


class Compilers(unittest.TestCase):
    def root(self):
        root = Root.debian(SUITE, f"--include={','.join(packages())}")
        self.addCleanup(root.close)
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, root.path / INSIDE.lstrip("/")], check=True)
        return root

    def check(self, compiler):
        root = self.root()
        root.run("sh", "-c", f"cd {INSIDE} && make --no-print-directory -j2 CC={compiler} build/pawl unit")
        printed = root.run("sh", "-c", f"cd {INSIDE} && python3 tools/run_tests.py $(find build/test -type f -perm -u+x | sort)")
        self.assertRegex(printed.splitlines()[-1], r"^\d{3,} passed, 0 failed")
        # No Node: the engine is there, and says what it lacks.
        self.assertRegex(root.run(f"{INSIDE}/build/pawl", "version"), r"web application +left out")
        self.assertIn("built without the web application", root.alone("without_web.py", f"{INSIDE}/build/pawl"))

    def test_gcc(self):
        self.check("gcc")

    def test_clang(self):
        self.check("clang")


if __name__ == "__main__":
    unittest.main()
