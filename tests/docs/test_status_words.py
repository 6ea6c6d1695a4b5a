"""The status words of the engine, of the pages for operators and of the web application are the same."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from xmacro import rows_of  # noqa: E402


def engine():
    """(screen, word, status of /v1) of each row of PLAIN_STATUS_MAP."""
    rows = rows_of(ROOT / "src/dialect/show/plain.h", "PLAIN_STATUS_MAP")
    return [(screen.strip('"'), word.strip('"'), status) for _, word, status, screen, *_ in rows]


class StatusWords(unittest.TestCase):
    def test_the_page_for_operators_has_the_table(self):
        page = (ROOT / "docs/operator.md").read_text()
        self.assertEqual(re.findall(r"^\| ([A-Z][\w ]+) \| `(\w+)` \| `([A-Z]+)` \|", page, re.M), engine())

    def test_the_web_application_has_the_words(self):
        words = (ROOT / "web/src/ui/words.ts").read_text()
        looks = re.findall(r"^  (\w+): \{ word: '([^']+)'", words, re.M)
        self.assertEqual(sorted((screen, word) for word, screen in looks), sorted((screen, word) for screen, word, _ in engine()))
        listed = re.search(r"STATUSES = \[([^\]]+)\]", words).group(1)
        self.assertEqual(sorted(re.findall(r"'(\w+)'", listed)), sorted(word for _, word, _ in engine()))

    def test_the_contract_has_the_words(self):
        contract = (ROOT / "contract/openapi.json").read_text()
        for _, word, status in engine():
            self.assertIn(f'"{word}"', contract)
            self.assertIn(f'"{status}"', contract)


if __name__ == "__main__":
    unittest.main()
