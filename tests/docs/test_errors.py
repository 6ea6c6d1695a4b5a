"""docs/errors.md has the codes of the source, all of them and no others."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import errors_page  # noqa: E402
from xmacro import rows_of  # noqa: E402


class Errors(unittest.TestCase):
    def setUp(self):
        self.text = errors_page.PAGE.read_text()

    def test_the_tables_are_those_of_the_source(self):
        self.assertEqual(self.text, errors_page.written(self.text), "run tools/errors_page.py")

    def test_reasons_of_failures_are_in_the_source(self):
        source = "".join(path.read_text() for path in (ROOT / "src").rglob("*.[ch]"))
        named = set(re.findall(r"`(Decision\w+|\w+Exception)`", self.text))
        self.assertGreater(len(named), 12)
        for name in named:
            self.assertTrue(name in source, name)
        for name in set(re.findall(r'"(Decision[A-Z]\w+)', source)) | set(re.findall(r'"([A-Z]\w+Exception)"', source)):
            self.assertIn(f"`{name}`", self.text)

    def test_reasons_of_calls_are_those_of_the_source(self):
        page = (ROOT / "docs" / "http-functions.md").read_text()
        told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[a-z]\w+`(?:, `\w+`)*) \|", page, re.M))))
        words = {row[1] for row in rows_of("perform/outcall.h", "OUTCALL_FAILURE_MAP")}
        # These never reach a workflow: there is an answer, or the job is offered again.
        self.assertLessEqual(words - {"none", "cancelled", "stopped"}, told)


if __name__ == "__main__":
    unittest.main()
