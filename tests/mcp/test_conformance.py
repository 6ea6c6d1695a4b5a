"""The conformance runner of the Model Context Protocol, two of its clients and a server of its library, against the real binary.

The packages are in tests/mcp (`make mcp` installs them); without them the tests are skipped. docs/mcp.md has the table of the scenarios. A scenario that
fails and is not in it, and one that is in it and passes, are failures here.
"""

import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "api"))

from graphs import Graphs, one_call  # noqa: E402
from harness import Server  # noqa: E402

PACKAGES = os.path.join(HERE, "node_modules")
NODE = os.path.join(PACKAGES, "node", "bin", "node")
RUNNER = os.path.join(PACKAGES, "@modelcontextprotocol", "conformance", "dist", "index.js")
REVISIONS = ("2026-07-28", "2025-11-25")
PATIENCE = 300


def table():
    """{revision: {scenario: "passes" or why not}} as docs/mcp.md says it."""
    with open(os.path.join(ROOT, "docs", "mcp.md"), encoding="utf-8") as file:
        text = file.read()
    said = {}
    for names, outcome, revisions in re.findall(r"^\| ((?:`[\w-]+`,? ?)+) \| ([^|]+) \| ([^|]+) \|$", text, re.M):
        for revision in REVISIONS:
            if revision in revisions:
                said.setdefault(revision, {}).update({name: outcome.strip() for name in re.findall(r"`([\w-]+)`", names)})
    return said


@unittest.skipUnless(os.path.exists(RUNNER), "the packages of tests/mcp are not here: make mcp")
class Protocol(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(("--mcp",))
        cls.addClassCleanup(cls.server.stop)
        cls.url = f"http://127.0.0.1:{cls.server.port}/mcp"

    def node(self, *arguments):
        done = subprocess.run([NODE, *arguments], capture_output=True, text=True, timeout=PATIENCE, cwd=HERE, check=False)
        return done.stdout, done.stderr

    def test_scenarios(self):
        said = table()
        for revision in REVISIONS:
            out, errors = self.node(RUNNER, "server", "--url", self.url, "--requirements", revision)
            outcomes = {name: (int(good), int(bad)) for name, good, bad in re.findall(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$", out, re.M)}
            self.assertGreater(len(outcomes), 30, errors)
            for name, (good, bad) in outcomes.items():
                with self.subTest(revision=revision, scenario=name):
                    self.assertIn(name, said[revision], "docs/mcp.md does not have it")
                    self.assertEqual(bad == 0, said[revision][name] == "passes", (good, bad, said[revision][name]))
                    # What the engine sends fits the schema of the protocol, also where it refuses.
                    if bad and good:
                        self.assertGreaterEqual(good, 1)
            self.assertEqual(sorted(set(said[revision]) - set(outcomes)), [], "docs/mcp.md has more")

    def test_clients(self):
        out, errors = self.node("client.mjs", self.url)
        self.assertTrue(out, errors)
        for name, seen in json.loads(out).items():
            with self.subTest(name):
                self.assertEqual((seen["server"], seen["refused"], seen["page"], "get_run" in seen["tools"]), ("pawl", True, "# Agents", True))

    def test_a_server_of_the_library_whose_tools_a_flow_uses(self):
        """It wants a handshake, and has sessions: each call begins one and ends it."""
        process = subprocess.Popen([NODE, "server.mjs"], stdout=subprocess.PIPE, text=True, cwd=HERE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/mcp"
        server = Server(("--allow-private-calls",))
        self.addCleanup(server.stop)
        for tool, arguments, output, code in (("add", {"a": 2, "b": 3}, {"sum": 5}, None), ("say", {"word": "hello"}, "hello", None),
                                              ("fail", {}, None, "MCP_TOOL_ERROR"), ("add", {"a": "x"}, None, "MCP_TOOL_ERROR")):
            call = {"type": "action_mcp", "retry": {"maxAttempts": 1}, "config": {"url": url, "tool": tool, "arguments": arguments}}
            run = Graphs(server).run(one_call(f"{tool}-{len(arguments)}", call))
            with self.subTest(tool=tool, arguments=arguments):
                self.assertEqual((run["errorCode"], run["variables"].get("nodes.call", {}).get("result")), (code, output), run)
                self.assertEqual([process.stdout.readline().split() for _ in range(5)],
                                 [["POST", "none", "400"], ["POST", "none", "200"], ["POST", "session", "202"], ["POST", "session", "200"], ["DELETE", "session", "200"]])


if __name__ == "__main__":
    unittest.main()
