"""docs/patterns.md lists the 43 patterns in order, each with a scenario that is there; `make test` runs every one of them."""
import collections
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "scenario" / "patterns"
PAGE = (ROOT / "docs" / "patterns.md").read_text()
PATTERNS = 43
WORDS = ("direct", "with a few nodes")
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| \[([^]|]+)\]\(\.\./tests/scenario/patterns/([^)|]+)\) \|$", re.M)
COUNTS = re.compile(r"^\*\*(\d+) are direct, (\d+) need a few nodes\.\*\*$", re.M)


class Test(unittest.TestCase):
    def test_the_page_has_a_row_for_each_pattern_in_order(self):
        self.assertEqual([int(row[0]) for row in ROW.findall(PAGE)], list(range(1, PATTERNS + 1)))
        self.assertEqual(len(re.findall(r"^\| \d", PAGE, re.M)), PATTERNS, "a row that this test cannot read")

    def test_each_row_says_how_direct_it_is(self):
        for number, _, _, construct, how, _, _ in ROW.findall(PAGE):
            self.assertIn(how, WORDS, number)
            self.assertNotIn("work-around", construct, number)

    def test_the_counts_are_those_of_the_rows(self):
        counted = collections.Counter(row[4] for row in ROW.findall(PAGE))
        self.assertEqual([int(count) for count in COUNTS.search(PAGE).groups()], [counted[word] for word in WORDS])

    def test_the_rows_name_exactly_the_scenarios_that_are_there(self):
        named = [row[6] for row in ROW.findall(PAGE)]
        self.assertEqual(named, sorted(path.name for path in FOLDER.iterdir()))
        for number, _, _, _, _, title, name in ROW.findall(PAGE):
            self.assertEqual(name, f"{int(number):02}-{title}.json")

    def test_make_runs_every_scenario(self):
        made = subprocess.run(["make", "--no-print-directory", "WEB=0", "--eval", "scenarios: ; @echo $(SCENARIOS)", "scenarios"],
                              cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        self.assertLessEqual({f"tests/scenario/patterns/{path.name}" for path in FOLDER.iterdir()}, set(made))


if __name__ == "__main__":
    unittest.main()
