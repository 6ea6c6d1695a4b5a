"""The published schema of flow graphs agrees with the engine.

What the engine accepts is valid: examples, the documents of scenarios and of unit tests. What a schema can see to be
wrong, both refuse. Fields are compared with the lists in the source; the parts about
fields of nodes are made of the table of node types by tools/node_types.py.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("PAWL_BINARY") or str(ROOT / "build" / "pawl")
SCHEMA = json.loads((ROOT / "contract" / "schema" / "graph.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def graph(nodes=(), edges=(), **more):
    return {"name": "G", "nodes": [{"id": "t", "type": "trigger_manual"}, *nodes], "edges": list(edges), **more}


def node(kind, config=None, **more):
    return {"id": "n", "type": kind, "config": config or {}, **more}


INVALID = {
    "no name": {"nodes": [], "edges": []},
    "an empty name": graph(name=" "),
    "another dialect": graph(dialect="graph/9"),
    "nodes in an object": {**graph(), "nodes": {}},
    "a node without an id": graph([{"type": "end"}]),
    "an edge from nowhere": graph([node("end")], [{"to": "n"}]),
    "an edge to nowhere": graph([node("end")], [{"from": "t"}]),
    "a default in words": graph([node("end")], [{"from": "t", "to": "n", "default": "yes"}]),
    "an order in words": graph([node("end")], [{"from": "t", "to": "n", "order": "first"}]),
    "a priority that is too high": graph(priority=11),
    "a priority in settings": graph(settings={"priority": -1}),
    "no instances": graph(maxActiveInstances=0),
    "an unknown mode": graph(instanceMode="Odd"),
    "attempts without a first": graph(defaultRetryPolicy={"maxAttempts": 0}),
    "an unknown backoff": graph(defaultRetryPolicy={"backoffStrategy": "Random"}),
    "a flag in words": graph(isRecoverable="no"),
    "a secret that is a number": graph(secretRefs=[5]),
    "variables in a list": graph(variables=[1]),
    "an unknown op": graph([node("decision"), {"id": "e", "type": "end"}], [
        {"from": "t", "to": "n"}, {"from": "n", "to": "e", "condition": {"left": 1, "op": "like", "right": 2}}]),
    "values in a list": graph([node("set_variables", {"values": [1]})], [{"from": "t", "to": "n"}]),
    "an unknown method": graph([node("action_http", {"method": "FETCH", "url": "http://h"})], [{"from": "t", "to": "n"}]),
    "an unknown mode of a loop": graph([node("for_each", {"items": [], "mode": "fast"})], [{"from": "t", "to": "n"}]),
    "a window in words": graph([node("for_each", {"items": [], "maxConcurrency": "ten"})], [{"from": "t", "to": "n"}]),
    "a rule without a label": graph([node("LogicGate", {"rules": [{"condition": "true"}]})], [{"from": "t", "to": "n"}]),
    "a case without a value": graph([node("SwitchGate", {"expression": "$.x", "cases": [{"label": "a"}]})], [{"from": "t", "to": "n"}]),
    "an unknown change": graph([node("SetContext", {"assignments": [{"key": "a", "value": 1, "operation": "Divide"}]})],
                               [{"from": "t", "to": "n"}]),
    "a change of nothing": graph([node("SetContext", {"assignments": [{"value": 1}]})], [{"from": "t", "to": "n"}]),
}


def is_graph(value):
    return isinstance(value, dict) and (isinstance(value.get("nodes"), list) or str(value.get("dialect", "")).startswith(("graph", "wbskt")))


def graphs_in(value):
    if is_graph(value):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from graphs_in(part)


def checked(documents):
    """What `pawl validate` says of each document."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, document in enumerate(documents):
            files.append(pathlib.Path(folder) / f"{i:04}.json")
            files[-1].write_text(json.dumps(document))
        done = subprocess.run([BINARY, "validate", "--json", *map(str, files)], capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout)


def refusals(documents):
    """For each document whether the engine refuses it."""
    return [not row["valid"] for row in checked(documents)]


def problems_of(documents):
    return [row["problems"] for row in checked(documents)]


class GraphSchema(unittest.TestCase):
    def test_what_the_engine_accepts_is_valid(self):
        paths = sorted((ROOT / "examples" / "graph").glob("*.json")) + sorted((ROOT / "tests" / "scenario").glob("**/*.json"))
        paths += sorted((ROOT / "tests" / "unit" / "dialect" / "golden" / "graph").glob("*.json"))
        paths += [ROOT / "tests" / "unit" / "dialect" / "documents" / "graph_problems.json"]
        documents = [g for path in paths for g in graphs_in(json.loads(path.read_text()))]
        self.assertGreater(len(documents), 250)
        seen = set()
        for document, refused in zip(documents, refusals(documents)):
            if refused:
                continue
            seen |= {n["type"] for n in document.get("nodes", []) + document.get("triggers", []) if "type" in n}
            problem = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(document))
            self.assertIsNone(problem, f"{document.get('name')}: {problem}")
        types = set(SCHEMA["$defs"]["node"]["properties"]["type"]["anyOf"][0]["enum"])
        self.assertEqual({t for t in types - seen if not t.startswith("trigger_")}, set())

    def test_what_a_schema_can_see_both_refuse(self):
        for (what, document), refused in zip(INVALID.items(), refusals(INVALID.values())):
            self.assertFalse(VALIDATOR.is_valid(document), what)
            self.assertTrue(refused, what)

    def test_fields_are_those_of_the_source(self):
        source = "".join((ROOT / "src" / "dialect" / "graph" / name).read_text() for name in
                         ("read_document.c", "read_edges.c"))

        def fields(name):
            return set(re.findall(r'"([^"]+)"', re.search(rf"\b{name}\[\] = {{(.*?)}};", source, re.S).group(1)))

        defs = SCHEMA["$defs"]
        self.assertEqual(set(SCHEMA["properties"]), fields("document_fields"))
        self.assertEqual(set(defs["node"]["properties"]), fields("node_fields"))
        self.assertEqual(set(defs["edge"]["properties"]), fields("edge_fields"))
        structured = re.search(r"#define STRUCTURED_MAP\(XX\)(.*?)clang-format on", (ROOT / "src" / "expr" / "code_int.h").read_text(), re.S)
        ops = set(re.findall(r'XX\(\w+, +"(\w+)"\)', structured.group(1)))
        self.assertEqual(set(defs["condition"]["anyOf"][1]["properties"]["op"]["enum"]), ops)

    def test_what_follows_from_the_table_of_node_types_is_new(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools" / "node_types.py"), "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_steps_have_the_fields_and_words_of_their_table(self):
        table = json.loads((ROOT / "contract" / "node-types.json").read_text())["stepTypes"]
        step = json.loads((ROOT / "contract" / "schema" / "steps.schema.json").read_text())["$defs"]["step"]["properties"]
        self.assertEqual({kind["type"] for kind in table}, set(step["type"]["enum"]))
        for kind in table:
            for param in kind["params"]:
                schema = step[param["name"]]
                if "words" in param:
                    self.assertEqual({*schema["enum"]} - {None, ""}, {*param["words"]}, param["name"])
                if "default" in param and "default" in schema:
                    self.assertEqual(schema["default"], param["default"], param["name"])

    def test_the_engine_takes_each_word_of_the_table(self):
        table = json.loads((ROOT / "contract" / "node-types.json").read_text())["nodeTypes"]
        asked = [(kind["type"], param["name"], word) for kind in table for param in kind["params"]
                 for word in [*param.get("words", ()), "no such word"] if param["kind"] == "choice"]
        documents = [graph([{"id": "n", "type": kind, "config": {name: word}}]) for kind, name, word in asked]
        for (kind, name, word), problems in zip(asked, problems_of(documents)):
            told = [problem for problem in problems if problem["pointer"] == f"/nodes/1/config/{name}" and problem["severity"] == "error"]
            self.assertEqual(bool(told), word == "no such word", f"{kind}.{name}: {word}: {told}")


if __name__ == "__main__":
    unittest.main()
