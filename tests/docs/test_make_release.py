"""`make release` in a small tree, with a stand-in for make: each refusal leaves the tree as it was, and a release names itself everywhere."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = ("VERSION", "CHANGELOG.md", "docs/install.md", "sdk/python/pawl/__init__.py", "sdk/python/pyproject.toml", "tools/dist/cut.py", "tools/dist/release.py")
PRESENT = (ROOT / "VERSION").read_text().strip()
NEXT = f"{int(PRESENT.split('.')[0]) + 1}.0.0"

# Writes down what it was asked, and fails at the word of FAILS.
MAKE = """#!/bin/sh
echo "$@ VERSION=$VERSION $(cat VERSION)" >> "$ASKED"
mkdir -p dist && : > dist/SHA256SUMS
[ "$1" != "$FAILS" ]
"""


@unittest.skipIf(os.geteuid(), "a release needs root")
class MakeRelease(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, self.asked, self.make = (pathlib.Path(folder.name) / name for name in ("tree", "asked", "make"))
        for name in NAMED:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, self.tree / name)
        (self.tree / ".gitignore").write_text("/dist/\n/build/\n__pycache__/\n")
        if "## Unreleased" not in self.read("CHANGELOG.md"):
            (self.tree / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- News.\n\n## 0.0.1, 2026-01-01\n\n- Old.\n")
        self.make.write_text(MAKE)
        self.make.chmod(0o755)
        self.git("init", "-q", "-b", "main")
        self.commit("begin")

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=tests", "-c", "user.email=tests@pawl.invalid", *words], cwd=self.tree, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def commit(self, subject):
        self.git("add", ".")
        self.git("commit", "-q", "-m", subject)

    def read(self, name):
        return (self.tree / name).read_text()

    def release(self, version, fails=""):
        who = {f"GIT_{role}_{what}": "tests" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        more = {**who, "RELEASE_MAKE": str(self.make), "ASKED": str(self.asked), "FAILS": fails, "VERSION": version, "MAKEFLAGS": f"VERSION={version}"}
        return subprocess.run([sys.executable, "tools/dist/cut.py", version], cwd=self.tree, env={**os.environ, **more}, capture_output=True, text=True)

    def asked_for(self):
        return self.asked.read_text().splitlines() if self.asked.exists() else []

    def refuses(self, version, word, fails=""):
        """It says why, and nothing has changed."""
        before = self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")
        done = self.release(version, fails)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no release: ", done.stderr)
        self.assertIn(word, done.stderr)
        self.assertEqual((self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")), before)

    def test_a_release_names_itself_everywhere(self):
        notes = self.read("CHANGELOG.md").partition("## Unreleased\n")[2].partition("\n## ")[0].strip()
        done = self.release(NEXT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.asked_for(), [f"test VERSION= {PRESENT}", f"check-dist VERSION= {NEXT}", f"dist-arm64 VERSION= {NEXT}"])
        for name in NAMED[:1] + NAMED[2:5]:
            self.assertIn(NEXT, self.read(name), name)
        self.assertNotIn(f"pawl_{PRESENT}", self.read("docs/install.md"))
        self.assertNotIn("## Unreleased", self.read("CHANGELOG.md"))
        self.assertIn(f"## {NEXT}, ", self.read("CHANGELOG.md"))
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("rev-parse", f"v{NEXT}^{{commit}}"), self.git("rev-parse", "HEAD"))
        self.assertEqual(self.read(f"build/dist/notes-{NEXT}.md").strip(), notes)
        for word in ("git push", "dist/SHA256SUMS", "Nothing is signed", "tests/old/keep.py"):
            self.assertIn(word, done.stdout)

    def test_the_version_of_the_tree_may_be_the_first_release(self):
        self.assertEqual(self.release(PRESENT).returncode, 0)
        self.assertEqual(self.git("tag"), f"v{PRESENT}")

    def test_words_that_are_no_version(self):
        for version in ("1.0", "v1.0.0", "1.0.0-rc1", "one"):
            self.refuses(version, "is no version")
        self.refuses("0.0.1", "is older than")
        self.assertEqual(self.asked_for(), [])

    def test_changes_that_are_not_committed(self):
        (self.tree / "new").write_text("")
        self.refuses(NEXT, "not committed")

    def test_another_branch(self):
        self.git("switch", "-q", "-c", "other")
        self.refuses(NEXT, "branch main")

    def test_a_tag_that_is_there(self):
        self.git("tag", f"v{NEXT}")
        self.refuses(NEXT, "a tag")

    def test_a_release_whose_store_was_not_kept(self):
        self.git("tag", f"v{PRESENT}")
        self.refuses(NEXT, f"no store of {PRESENT}")

    def test_a_changelog_without_news(self):
        (self.tree / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 0.0.1, 2026-01-01\n\n- Old.\n")
        self.commit("no news")
        self.refuses(NEXT, "has nothing below")

    def test_tests_that_fail(self):
        self.refuses(NEXT, "make test failed", fails="test")

    def test_artefacts_that_do_not_hold(self):
        self.refuses(NEXT, "make check-dist failed", fails="check-dist")

    def test_another_machine_for_which_nothing_can_be_built(self):
        self.refuses(NEXT, "make dist-arm64 failed", fails="dist-arm64")

    def test_a_table_of_another_version(self):
        (self.tree / "docs" / "install.md").write_text("no table\n")
        self.commit("no table")
        self.refuses(NEXT, "names no artefact")


if __name__ == "__main__":
    unittest.main()
