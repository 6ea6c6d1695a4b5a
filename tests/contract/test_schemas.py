"""The published schemas of steps documents and scenario files agree with the engine.

What the engine accepts is valid. What a schema can see to be wrong, both refuse. Fields are compared with the
lists in the source, so a new field cannot be forgotten. test_serverless_schema.py does this for the other dialect.
"""

import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from xmacro import rows_of  # noqa: E402

BINARY = os.environ.get("PAWL_BINARY") or str(ROOT / "build" / "pawl")
STEPS = json.loads((ROOT / "contract" / "schema" / "steps.schema.json").read_text())
SCENARIO = json.loads((ROOT / "contract" / "schema" / "scenario.schema.json").read_text())
DEFINITIONS = [path for path in sorted((ROOT / "examples").glob("*.json")) if ".scenario." not in path.name]
SCENARIOS = (sorted((ROOT / "examples").glob("**/*.scenario.*")) + sorted((ROOT / "tests" / "scenario").glob("**/*.json")))


def end():
    return {"id": "end", "name": "End", "type": "END"}


def definition(*steps, **more):
    return {"id": "d", "name": "D", "steps": [*steps, end()], **more}


def step(kind, **more):
    return {"id": "s", "name": "S", "type": kind, **more}


TIMER = {"type": "TIMER", "duration": "PT1H", "targetStepId": "end"}
TABLE = {"rules": [{"when": {"a": "a > 1", "b": None, "c": ""}, "outputs": {"x": 1, "y": "${a + 1}"}}, {}]}
FIELDS = {"type": "object", "properties": {"a": {"type": "integer", "description": "d"}, "b": {}}, "required": ["a", "c"]}

# Every construct, and unusual spellings that are allowed.
VALID = {
    "service": definition(step("SERVICE_TASK", jobType="j", nextStep="end", retryCount=3, description="d", delegateClass="c",
                               retryBackoff={"initial": "PT1.5S", "factor": 1.5, "max": "P1DT2H"}, outputs_schema=FIELDS,
                               boundaryEvents=[{**TIMER, "interrupting": True}]),
                          input_schema=FIELDS, metadata={"any": [1]}, version=7, description="d"),
    "person": definition(step("USER_TASK", jobType="form", conditionalNextSteps={"a > 1": "end"}, boundaryEvents=[TIMER])),
    "side branch": definition(step("WAIT", nextStep="end", boundaryEvents=[{**TIMER, "targetStepId": "over"}]),
                              {"id": "over", "name": "O", "type": "END", "ends": "branch"}),
    "wait": definition(step("WAIT", nextStep="end")),
    "wait on conditions": definition(step("WAIT", conditionalNextSteps={"true": "end"}, nextStep="")),
    "decision": definition(step("DECISION", conditionalNextSteps={"a": "end"})),
    "table": definition(step("DECISION_TABLE", decisionTable=TABLE, hitPolicy="C+", nextStep="end")),
    "set": definition(step("TRANSFORMATION", transformations={"a": "${1}", "b": None, "c": [1]}, nextStep="end")),
    "parallel": {"id": "d", "name": "D", "steps": [
        step("PARALLEL_GATEWAY", parallelNextSteps=["a", "b"], joinStep="j"),
        {"id": "a", "name": "A", "type": "WAIT", "nextStep": "j"}, {"id": "b", "name": "B", "type": "WAIT", "nextStep": "j"},
        {"id": "j", "name": "J", "type": "JOIN_GATEWAY", "nextStep": "end"}, end()]},
    "chained": {"id": "A::b-c_1", "name": "D", "autoStartNextWorkflow": True, "nextWorkflowId": "n",
                "steps": [{**end(), "chain": False}]},
    "null for nothing": {"id": "d", "name": "D", "version": None, "description": None, "metadata": None, "input_schema": None,
                         "autoStartNextWorkflow": None, "nextWorkflowId": None,
                         "steps": [{**end(), "nextStep": None, "boundaryEvents": None, "decisionTable": None, "hitPolicy": None,
                                    "retryBackoff": None, "outputs_schema": None, "retryCount": None}]},
    "nothing where it does not belong": definition(step("DECISION_TABLE", decisionTable=TABLE, nextStep="end", jobType="", retryCount=0,
                                                        conditionalNextSteps={}, parallelNextSteps=[])),
    "with a schema named": definition(**{"$schema": "http://127.0.0.1:8080/schemas/steps.json"}),
}

INVALID = {
    "no id": {"name": "D", "steps": [end()]},
    "an id with a blank": {**definition(), "id": "a b"},
    "an id that is too long": {**definition(), "id": "a" * 257},
    "no name": {"id": "d", "steps": [end()]},
    "no steps": {"id": "d", "name": "D", "steps": []},
    "steps in an object": {"id": "d", "name": "D", "steps": {}},
    "an unknown field": {**definition(), "color": "red"},
    "an unknown field of a step": definition({**step("WAIT", nextStep="end"), "next": "end"}),
    "a step without a name": definition({"id": "s", "type": "WAIT", "nextStep": "end"}),
    "a step without a type": definition({"id": "s", "name": "S", "nextStep": "end"}),
    "an unknown type": definition(step("SCRIPT", nextStep="end")),
    "a service task without a job type": definition(step("SERVICE_TASK", nextStep="end")),
    "a wait that leads nowhere": definition(step("WAIT")),
    "a decision without conditions": definition(step("DECISION", conditionalNextSteps={})),
    "a condition that leads to a number": definition(step("DECISION", conditionalNextSteps={"a": 1})),
    "a table without rules": definition(step("DECISION_TABLE", decisionTable={"rules": []}, nextStep="end")),
    "a table without a table": definition(step("DECISION_TABLE", nextStep="end")),
    "a table that leads nowhere": definition(step("DECISION_TABLE", decisionTable=TABLE)),
    "a cell that is a number": definition(step("DECISION_TABLE", decisionTable={"rules": [{"when": {"a": 1}}]}, nextStep="end")),
    "a rule of the old format": definition(step("DECISION_TABLE", decisionTable={"rules": [{"then": "end"}]}, nextStep="end")),
    "a default of the old format": definition(step("DECISION_TABLE", decisionTable={**TABLE, "defaultNextStep": "end"}, nextStep="end")),
    "an unknown hit policy": definition(step("DECISION_TABLE", decisionTable=TABLE, hitPolicy="X", nextStep="end")),
    "a table on another step": definition(step("WAIT", decisionTable={}, nextStep="end")),
    "a transformation of nothing": definition(step("TRANSFORMATION", transformations={}, nextStep="end")),
    "a transformation that leads nowhere": definition(step("TRANSFORMATION", transformations={"a": 1})),
    "one branch": definition(step("PARALLEL_GATEWAY", parallelNextSteps=["end"], joinStep="end")),
    "no join": definition(step("PARALLEL_GATEWAY", parallelNextSteps=["end", "end"])),
    "a timer without a duration": definition(step("WAIT", nextStep="end", boundaryEvents=[{"type": "TIMER", "targetStepId": "end"}])),
    "a timer without a target": definition(step("WAIT", nextStep="end", boundaryEvents=[{"type": "TIMER", "duration": "PT1S"}])),
    "an event of another kind": definition(step("WAIT", nextStep="end", boundaryEvents=[{**TIMER, "type": "ERROR"}])),
    "a duration in words": definition(step("WAIT", nextStep="end", boundaryEvents=[{**TIMER, "duration": "5m"}])),
    "a duration in months": definition(step("WAIT", nextStep="end", boundaryEvents=[{**TIMER, "duration": "P1M"}])),
    "a timer on an end": {"id": "d", "name": "D", "steps": [{**end(), "boundaryEvents": [TIMER]}]},
    "too many retries": definition(step("SERVICE_TASK", jobType="j", nextStep="end", retryCount=1001)),
    "fewer than no retries": definition(step("SERVICE_TASK", jobType="j", nextStep="end", retryCount=-1)),
    "half a retry": definition(step("SERVICE_TASK", jobType="j", nextStep="end", retryCount=0.5)),
    "a backoff without a beginning": definition(step("SERVICE_TASK", jobType="j", nextStep="end", retryBackoff={"factor": 2})),
    "a backoff that shrinks": definition(step("SERVICE_TASK", jobType="j", nextStep="end", retryBackoff={"initial": "PT1S", "factor": 0.5})),
    "a backoff on a wait": definition(step("WAIT", nextStep="end", retryBackoff={"initial": "PT1S"})),
    "a schema with more than we check": {**definition(), "input_schema": {"properties": {"a": {"type": "string", "minLength": 1}}}},
    "a schema of an unknown type": {**definition(), "input_schema": {"properties": {"a": {"type": "date"}}}},
    "a chain without its target": {**definition(), "autoStartNextWorkflow": True},
    "a chain on a wait": definition(step("WAIT", nextStep="end", chain=False)),
    "a flag in words": {**definition(), "autoStartNextWorkflow": "yes"},
}

# Each is one step or case that `pawl test` refuses to read.
BAD_STEPS = {
    "an unknown op": {"op": "begin"},
    "no op": {"step": "x"},
    "an unknown field": {"op": "start", "inputs": {}},
    "a field of the wrong type": {"op": "start", "as": 1},
    "a clock that moves by nothing": {"op": "advance"},
    "a mock of nothing": {"op": "mock", "results": [{"ok": {}}]},
    "a mock of two things": {"op": "mock", "job": "a", "node": "b", "results": [{"ok": {}}]},
    "a mock without results": {"op": "mock", "job": "a"},
    "a mock with no results": {"op": "mock", "job": "a", "results": []},
    "a result of two kinds": {"op": "mock", "job": "a", "results": [{"ok": {}, "fail": "error"}]},
    "a result with an unknown field": {"op": "mock", "job": "a", "results": [{"ok": {}, "after": "1s"}]},
    "an unknown failure": {"op": "mock", "job": "a", "results": [{"fail": "sometimes"}]},
    "an event that is a text": {"op": "event", "event": "x"},
    "an assertion of nothing": {"op": "assert"},
    "nothing at once": {"op": "concurrent"},
    "a publication of nothing": {"op": "publish"},
}

BAD_FILES = {
    "no cases": {"definitions": []},
    "an unknown field": {"cases": [], "steps": []},
    "a clock that is no time": {"cases": [], "clockStart": "tomorrow"},
}

BAD_CASES = {
    "an unknown field": {"given": []},
    "an unknown expectation": {"expect": {"instance": {}}},
    "an expectation of the wrong type": {"expect": {"instances": []}},
    "a generator of nothing": {"inputs": {"a": {"min": 1}}},
    "an invariant that is a number": {"invariants": [1]},
}

ODD = [None, True, False, 0, -1, 1.5, 7, "", "x", "end", "PT1S", "5m", "U", "C+", "WAIT", "${a}", [], {}, [{}], ["end"], {"a": "end"},
       {"rules": []}, {"rules": [{}]}, {"initial": "PT1S"}]


def places(value):
    """Every (container, key) inside a value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def changed(document, chance):
    """The document with a member taken away or replaced."""
    document = copy.deepcopy(document)
    holder, key = chance.choice(list(places(document)))
    if isinstance(holder, dict) and chance.random() < 0.25:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(chance.choice(ODD))
    return document


def validate(documents):
    """What `pawl validate` says of each document."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, "%04d.json" % i) for i in range(len(documents))]
        for path, document in zip(files, documents):
            path.write_text(json.dumps(document))
        done = subprocess.run([BINARY, "validate", "--json", *map(str, files)], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def load(path):
    return yaml.safe_load(path.read_text()) if path.suffix == ".yaml" else json.loads(path.read_text())


class Checking(unittest.TestCase):
    def assertValid(self, schema, document, name):
        error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(document))
        if error:
            self.fail(f"{name}: {error.json_path}: {error.message}")

    def assertInvalid(self, schema, document, name):
        self.assertFalse(jsonschema.Draft202012Validator(schema).is_valid(document), name)


class Steps(Checking):
    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(STEPS)

    def test_it_has_the_fields_of_the_source(self):
        objects = STEPS["$defs"]
        for name, schema in (("DEFINITION", STEPS), ("STEP", objects["step"]), ("EVENT", objects["boundaryEvent"]),
                             ("TABLE", objects["table"]), ("RULE", objects["rule"]), ("BACKOFF", objects["backoff"]), ("NEXT", objects["next"])):
            rows = rows_of("dialect/steps/steps_int.h", name + "_FIELD_MAP")
            self.assertEqual({row[1] for row in rows}, set(schema["properties"]), name)
        types = {row[0] for row in rows_of("dialect/steps/steps_int.h", "STEP_TYPE_MAP")}
        self.assertEqual(types, set(objects["step"]["properties"]["type"]["enum"]))

    def test_examples_are_valid(self):
        self.assertTrue(DEFINITIONS)
        for path in DEFINITIONS:
            self.assertValid(STEPS, load(path), path.name)

    def test_what_scenarios_publish_is_valid(self):
        seen = 0
        for path in SCENARIOS:
            suite = load(path)
            for case in [{"definitions": suite.get("definitions", [])}, *suite["cases"]]:
                expect = case.get("expect") or {}
                if expect.get("rejected") or expect.get("publishErrors") is not None:
                    continue
                for document in case.get("definitions") or []:
                    if isinstance(document, dict) and "steps" in document:
                        self.assertValid(STEPS, document, f"{path.name}: {case.get('name')}")
                        seen += 1
        self.assertGreater(seen, 30)

    def test_valid_documents_are_seen_so_by_both(self):
        for name, document in VALID.items():
            self.assertValid(STEPS, document, name)
        for name, answer in zip(VALID, validate(list(VALID.values()))):
            self.assertTrue(answer["valid"], (name, answer))

    def test_a_document_may_name_its_schema_without_a_warning(self):
        serverless = {"$schema": "x", "name": "w", "startsAt": "A", "states": [{"name": "A", "type": "RELAY", "end": True}]}
        for answer in validate([VALID["with a schema named"], serverless]):
            self.assertEqual([problem for problem in answer["problems"] if "$schema" in problem["message"]], [])

    def test_invalid_documents_are_seen_so_by_both(self):
        for name, document in INVALID.items():
            self.assertInvalid(STEPS, document, name)
        for name, answer in zip(INVALID, validate(list(INVALID.values()))):
            self.assertFalse(answer["valid"], name)

    def test_what_the_engine_accepts_is_valid_whatever_was_changed(self):
        chance = random.Random(1)
        whole = list(VALID.values()) + [load(path) for path in DEFINITIONS]
        documents = [changed(chance.choice(whole), chance) for _ in range(600)]
        accepted = [document for document, answer in zip(documents, validate(documents)) if answer["valid"]]
        self.assertGreater(len(accepted), 50)
        for document in accepted:
            self.assertValid(STEPS, document, json.dumps(document))


class Scenarios(Checking):
    def run_suite(self, suite):
        """The exit code of pawl test, and what it printed."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "s.scenario.json")
            path.write_text(json.dumps(suite))
            done = subprocess.run([BINARY, "test", str(path)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCENARIO)

    def test_it_has_the_steps_and_fields_of_the_source(self):
        ops = {}
        for row in rows_of("scenario/scenario_int.h", "OP_MAP"):
            if row[2] != "NULL":
                ops[row[1]] = set(row[2].split()) | {"op", "note", "expectStatus", "expectCode"}
        self.assertEqual(set(ops), set(SCENARIO["$defs"]["step"]["properties"]["op"]["enum"]))
        for op, fields in ops.items():
            self.assertEqual(fields, set(SCENARIO["$defs"]["step_" + op]["properties"]), op)
        text = (ROOT / "src" / "scenario" / "read.c").read_text()
        for words, schema in ((r'"(clockStart [^"]*)"', SCENARIO), (r'"(name category [^"]*)"', SCENARIO["$defs"]["case"])):
            self.assertEqual(set(re.search(words, text).group(1).split()), set(schema["properties"]))

    def test_every_scenario_of_the_tree_is_valid(self):
        self.assertGreater(len(SCENARIOS), 10)
        for path in SCENARIOS:
            self.assertValid(SCENARIO, load(path), path.name)

    def test_a_file_may_name_its_schema(self):
        suite = {"$schema": "http://127.0.0.1:8080/schemas/scenario.json", "definitions": [VALID["with a schema named"]],
                 "cases": [{"steps": [{"op": "start"}], "expect": {"instances": {"i1": {"status": "COMPLETED"}}}}]}
        self.assertValid(SCENARIO, suite, "named")
        code, text = self.run_suite(suite)
        self.assertEqual(code, 0, text)

    def test_what_the_schema_refuses_cannot_be_run(self):
        start = {"op": "start"}
        files = {**BAD_FILES, **{f"case: {name}": {"cases": [{"steps": [start], **case}]} for name, case in BAD_CASES.items()},
                 **{f"step: {name}": {"cases": [{"steps": [start, bad]}]} for name, bad in BAD_STEPS.items()}}
        for name, suite in files.items():
            suite = {"definitions": [definition()], **suite}
            self.assertInvalid(SCENARIO, suite, name)
            code, text = self.run_suite(suite)
            self.assertNotEqual(code, 0, (name, text))


if __name__ == "__main__":
    unittest.main()
