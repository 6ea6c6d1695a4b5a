"""The status words of the engine, of its pages and of the web application come from one table, SHOW_STATUS_MAP."""

import itertools
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from xmacro import rows_of  # noqa: E402

COLUMNS = ("name", "word", "engine", "flow", "group", "screen", "rank")
TABLE = [dict(zip(COLUMNS, row)) for row in rows_of("dialect/show/status_words.h", "SHOW_STATUS_MAP")]
WAITS = [row[1] for row in rows_of("dialect/show/status_words.h", "SHOW_WAIT_MAP")]

NEAR = 12  # Words of one column that stand so many lines apart at most are a list.
MANY = 3

# Files that may have several of the words, because they are other words there.
OTHER_TABLES = {
    "src/dialect/show/status_words.h": "the table",
    "src/core/instance_status.h": "INSTANCE_STATUS_MAP: the words of /v1, which the column `engine` refers to",
    "src/core/executions.c": "statuses of visits and outcomes of attempts at a job",
    "src/api/v1/events.c": "entries of the history: how jobs, timers and branches ended",
    "src/api/mcp/tasks.c": "statuses of tasks in the protocol of agents",
    "src/api/operate/run.c": "kinds of nodes, and how visits ended",
    "src/runtime/call/operate_calls.h": "what is counted in each minute",
    "src/torture/verify.c": "looks at /v1 from outside, as a client does",
    "web/src/texts/en/ui.ts": "the texts of the web application, compared below",
}


def column(name):
    return [row[name] for row in TABLE]


def source_files():
    for top, endings in (("src", (".c", ".h")), ("web/src", (".ts", ".tsx"))):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in endings and not path.name.endswith((".test.ts", ".test.tsx", ".d.ts")):
                yield path


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group().count("\n"), text, flags=re.S)


def lists_in(path):
    """Lines at which many words of one column stand close together as texts."""
    lines = without_comments(path.read_text()).split("\n")
    texts = [set(re.findall(r"""["']([A-Za-z_ ]+)["']""", line)) | set(re.findall(r">([A-Z][A-Za-z ]+)<", line)) for line in lines]
    # In the web application the compiler compares the words of /api with the contract's.
    names = ("engine", "screen") if "web" in path.parts else ("word", "flow", "engine", "screen")
    for words, start in itertools.product([set(column(name)) for name in names], range(len(lines))):
        near = set().union(*texts[start:start + NEAR]) & words
        if len(near) >= MANY and texts[start] & words:
            yield start + 1, sorted(near)


class OneTable(unittest.TestCase):
    maxDiff = None

    def test_nobody_writes_a_second_list(self):
        found = {}
        for path in source_files():
            name = path.relative_to(ROOT).as_posix()
            lists = next(lists_in(path), None)
            if lists:
                found[name] = lists
        strange = {name: where for name, where in found.items() if name not in OTHER_TABLES}
        self.assertEqual(strange, {}, "take the words from SHOW_STATUS_MAP (dialect/show/status_words.h), or from web/src/texts/en/ui.ts")
        self.assertEqual(sorted(set(OTHER_TABLES) - set(found)), [], "exceptions that nothing needs")

    def test_a_list_would_be_found(self):
        path = ROOT / "src/dialect/show/status_words.h"
        self.assertEqual(len(next(lists_in(path))[1]), len(TABLE))


class StatusWords(unittest.TestCase):
    def test_statuses_of_v1_are_those_of_the_engine(self):
        engine = {row[1]: row[2] for row in rows_of("core/instance_status.h", "INSTANCE_STATUS_MAP")}
        self.assertEqual(set(column("engine")), set(engine))

    def test_the_page_for_operators_has_the_table(self):
        page = (ROOT / "docs/operator.md").read_text()
        self.assertEqual(re.findall(r"^\| ([A-Z][\w ]+) \| `(\w+)` \| `(\w+)` \| `([A-Z]+)` \|", page, re.M),
                         [(row["screen"], row["word"], row["flow"], row["engine"]) for row in TABLE])

    def test_the_web_application_has_the_words(self):
        words = (ROOT / "web/src/ui/words.ts").read_text()
        texts = (ROOT / "web/src/texts/en/ui.ts").read_text()
        looks = re.findall(r"(\w+): '([^']+)'", re.search(r"^  statuses: \{(.*?)\}", texts, re.M | re.S).group(1))
        self.assertEqual(sorted(looks), sorted((row["word"], row["screen"]) for row in TABLE))
        self.assertEqual(sorted(self.listed(words, "STATUSES")), sorted(column("word")))
        ranked = sorted((row for row in TABLE if row["rank"] != "0"), key=lambda row: -int(row["rank"]))
        self.assertEqual(self.listed(words, "TOLD_FIRST"), [row["word"] for row in ranked])
        self.assertEqual(self.listed((ROOT / "web/src/ui/run-filter.ts").read_text(), "WAITING_FOR"), WAITS)

    def listed(self, text, name):
        return re.findall(r"'(\w+)'", re.search(name + r" = \[([^\]]+)\]", text).group(1))

    def test_the_contract_has_the_words(self):
        contract = json.loads((ROOT / "contract/openapi.json").read_text())
        schemas = contract["components"]["schemas"]
        self.assertEqual(sorted(schemas["InstanceStatus"]["enum"]), sorted(set(column("engine"))))
        runs = contract["paths"]["/api/workflows/{id}/runs"]["get"]["parameters"]
        taken = next(one for one in runs if one.get("name") == "status")["schema"]["enum"]
        self.assertEqual(sorted(taken), sorted(set(column("flow") + column("group"))))
        lists = contract["paths"]["/api/instances"]["get"]["parameters"]
        said = next(one for one in lists if one.get("name") == "status")["description"]
        self.assertEqual(sorted(set(re.findall(r"\w+", said)) & set(column("word"))), sorted(column("word")))


if __name__ == "__main__":
    unittest.main()
