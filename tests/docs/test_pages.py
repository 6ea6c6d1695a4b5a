"""What the pages show is true: documents are valid, scenarios pass, commands run and print what is shown."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from page import BINARY, PATIENCE, ROOT, Bench, Page, missing_lines

PAGES = [Page(path) for path in sorted((ROOT / "docs").glob("*.md"))]


class Examples(unittest.TestCase):
    def bench(self, page):
        bench = Bench(page.engine)
        self.addCleanup(bench.close)
        for block in page.blocks:
            if block.file:
                bench.write(block)
        return bench

    def pawl(self, bench, *arguments):
        return subprocess.run([BINARY, *arguments], cwd=bench.directory, env=bench.environment, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)

    def test_documents_and_scenarios(self):
        for page in PAGES:
            bench = self.bench(page)
            for number, block in enumerate(page.blocks):
                if block.language not in ("json", "yaml") or block.skip:
                    continue
                with self.subTest(block.place):
                    document = block.document()
                    if not isinstance(document, dict):
                        continue
                    if not {"steps", "states", "cases"} & set(document) and not {"nodes", "edges"} <= set(document):
                        continue
                    block.file = block.file or f"block-{number}.{block.language}"
                    bench.write(block)
                    verb = ["test"] if "cases" in document else ["validate"]
                    done = self.pawl(bench, *verb, block.file)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    if not block.warns:
                        self.assertNotIn("warning", done.stdout + done.stderr)

    def test_commands(self):
        if not shutil.which("curl"):
            self.skipTest("no curl here")
        for page in PAGES:
            if not any(block.language == "text" for block in page.blocks):
                continue  # Its commands are for reading.
            with self.subTest(page.name):
                bench = self.bench(page)
                bench.start_engine()
                commands = [block for block in page.blocks if block.language == "sh" and not block.skip]
                printed = dict(zip(commands, bench.run(commands)))
                last = None
                for block in page.blocks:
                    if block.language == "text" and last in printed:
                        missing = missing_lines(block.text, printed[last])
                        self.assertFalse(missing, f"{block.place}: not printed: {missing}\nbut:\n{printed[last]}")
                    last = block

    def test_the_shell_notices_what_is_wrong(self):
        bench = Bench()
        self.addCleanup(bench.close)
        page = PAGES[0]
        block = type(page.blocks[0])("here", 1, "sh", [], "echo 01JCQ0V8G000000000000000N0 of 2026-01-01 00:00:00\n")
        printed = bench.run([block])[0]
        self.assertEqual(missing_lines("01M7G76BH30000000020000000 of 2026-11-15 18:23:27\n", printed), [])
        self.assertEqual(missing_lines("… of …\n", printed), [])
        self.assertEqual(missing_lines("something else\n", printed), ["something else"])
        block.text = "false\n"
        with self.assertRaises(AssertionError):
            bench.run([block])


class Links(unittest.TestCase):
    def anchors(self, path):
        """As web pages make them of headings."""
        headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S), re.M)
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def test_they_lead_somewhere(self):
        for path in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "examples" / "README.md"]:
            text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if "://" in target:
                    continue
                file, _, anchor = target.partition("#")
                to = pathlib.Path(os.path.normpath(path.parent / file)) if file else path
                self.assertTrue(to.exists(), f"{path.name}: {target}")
                if anchor:
                    self.assertIn(anchor, self.anchors(to), f"{path.name}: {target}")

    def test_sections_that_are_tried_in_bare_roots_are_there(self):
        """`make check-dist` runs them, much later than these tests."""
        titles = re.findall(r'\bblocks\(root, "([^"]+)"\)', (ROOT / "tests" / "dist" / "first_hour.py").read_text())
        self.assertGreaterEqual(len(titles), 2)
        for title in titles:
            self.assertTrue(any(block.language == "sh" for block in Page(ROOT / "docs" / "install.md").section(title)), title)

    def test_the_index_names_every_page(self):
        index = (ROOT / "docs" / "README.md").read_text()
        for path in (ROOT / "docs").glob("*.md"):
            if path.name != "README.md":
                self.assertIn(f"]({path.name})", index)


if __name__ == "__main__":
    unittest.main()
