"""The published schema of the Serverless Workflow dialect agrees with the engine.

What the engine accepts is valid. What a schema can see to be wrong, and each file in serverless_invalid/ is
that, both refuse.
"""

import copy
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("PAWL_BINARY") or str(ROOT / "build" / "pawl")
SCHEMA = json.loads((ROOT / "contract" / "schema" / "serverless.schema.json").read_text())
INVALID = sorted((ROOT / "tests" / "contract" / "serverless_invalid").glob("*.json"))
EXAMPLES = sorted((ROOT / "examples" / "serverless").glob("*.json")) + sorted((ROOT / "examples" / "serverless").glob("*.yaml"))
SCENARIOS = ROOT / "tests" / "scenario" / "serverless.json"
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# Valid, and unusual: spellings that the contract allows.
SPELLINGS = {
    "strings for objects": {"name": "W", "startsAt": "A", "states": [
        {"name": "A", "type": "relay", "transition": "B"}, {"name": "B", "type": "Relay", "end": True}]},
    "null for nothing": {
        "id": None, "name": "W", "version": None, "startsAt": "A", "onError": None, "functions": None, "triggers": None,
        "extensions": None, "expressionLanguage": None, "description": None,
        "states": [{"id": None, "name": "A", "type": "OPERATION", "end": True, "actions": [], "actionMode": None,
                    "filter": None, "loop": None, "onError": None, "transition": None}]},
    "numbers for texts": {"name": "W", "version": 2.1, "startsAt": "A", "states": [
        {"name": "A", "type": "DELAY", "timeDelay": 5, "end": True}]},
    "a date for a delay": {"name": "W", "startsAt": "A", "states": [
        {"name": "A", "type": "DELAY", "timeDelay": "2026-01-31T12:00:00+01:00", "end": True}]},
    "spellings of a reference": {
        "name": "W", "startsAt": "A", "functions": [{"name": "f"}], "states": [
            {"name": "A", "type": "OPERATION", "end": True, "actions": [
                {"functionRef": {"refName": "f"}}, {"functionref": {"name": "f"}}, {"functionref": {"refname": "f"}}]}]},
    "repeats": {
        "name": "W", "startsAt": "A", "functions": [{"name": "f", "resource": "https://host/f", "type": "http:get"}], "states": [
            {"name": "A", "type": "OPERATION", "end": True, "actions": [{"functionref": {"refname": "f"}, "retry": [
                {"condition": "true", "interval": "R/PT1.5S"}, {"condition": {"body": "true"}, "interval": "R3/P1DT1H", "max": "2"}]}]}]},
    "choices": {
        "name": "W", "startsAt": "A", "states": [
            {"name": "A", "type": "SWITCH", "end": True, "choices": [
                {"not": {"or": [{"path": "a", "operator": "exists"}]}, "path": "$.b", "operator": "equals", "value": "", "transition": "B"},
                {"and": [{"path": "a", "operator": "exists"}], "path": None, "operator": None, "value": None, "transition": "B"},
                {"path": "$.a", "operator": "Equals", "value": None, "transition": {"nextState": "B"}}]},
            {"name": "B", "type": "RELAY", "end": True}]},
    "functions": {
        "name": "W", "startsAt": "A", "functions": [
            {"name": "a", "resource": "arn:aws:lambda:eu:1:f", "type": "worker"}, {"name": "b", "resource": "grpc://h/S/M", "type": "Worker"},
            {"name": "c", "resource": "http://h", "metadata": {"headers": {"X-A": "{{ secrets.k }}", "b": 1}, "query": {"c": None, "d": True}}},
            {"name": "d", "metadata": None}, {"name": "e", "metadata": {"owner": ["me"]}}],
        "states": [{"name": "A", "type": "RELAY", "end": True}]},
    "fields nobody knows": {"name": "W", "startsAt": "A", "colour": "red", "states": [
        {"name": "A", "type": "RELAY", "end": True, "loop": 1, "metadata": {}}]},
}


def validate(*files):
    """What `pawl validate` says of each file."""
    result = subprocess.run([BINARY, "validate", "--json", *map(str, files)], capture_output=True, text=True, check=False)
    return json.loads(result.stdout)


def documents_of_scenarios():
    """Definitions that scenarios expect to be accepted."""
    if not SCENARIOS.exists():
        return
    for case in json.loads(SCENARIOS.read_text())["cases"]:
        refused = case["expect"].get("rejected") or case["expect"].get("publishErrors")
        for definition in case["definitions"]:
            if not refused and "states" in definition:
                yield case["name"], definition


ODD = [None, True, 0, -1, 1.5, "", "x", "$.a", "$.a[*]", "PT1S", "R2/PT1S", "A", [], {}, [{}], "true", "http://h", "ftp://x",
       "Exists", "parallel", "SWITCH", "2026-01-01", "$['a:b']", "$.a[0:1]"]


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


def as_json(path):
    """The document of a file: a YAML file as the engine reads it."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    import yaml
    return yaml.safe_load(path.read_text())


class Schema(unittest.TestCase):
    def assertValid(self, document, name):
        error = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(document))
        if error:
            self.fail(f"{name}: {error.jsonpath}: {error.message}")

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_examples_are_valid(self):
        for path in EXAMPLES:
            if path.name.endswith((".scenario.json", ".scenario.yaml")):
                continue
            try:
                self.assertValid(as_json(path), path.name)
            except ImportError:
                self.skipTest("no YAML here")

    def test_what_scenarios_run_is_valid(self):
        for name, definition in documents_of_scenarios():
            self.assertValid(definition, name)

    def test_every_spelling_is_valid_and_accepted(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, document in SPELLINGS.items():
                self.assertValid(document, name)
                files.append(pathlib.Path(folder, name.replace(" ", "-") + ".json"))
                files[-1].write_text(json.dumps(document))
            for answer in validate(*files):
                self.assertTrue(answer["valid"], answer)

    def test_what_the_engine_accepts_is_valid_whatever_was_changed(self):
        chance = random.Random(1)
        whole = list(SPELLINGS.values()) + [definition for _, definition in documents_of_scenarios()]
        documents = [changed(chance.choice(whole), chance) for _ in range(400)]
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, "%03d.json" % i) for i in range(len(documents))]
            for path, document in zip(files, documents):
                path.write_text(json.dumps(document))
            answers = validate(*files)
        accepted = [document for document, answer in zip(documents, answers) if answer["valid"]]
        self.assertGreater(len(accepted), 20)
        for document in accepted:
            # Without states and startsAt it may be a document of another dialect.
            if "states" in document or "startsAt" in document:
                self.assertValid(document, json.dumps(document))

    def test_invalid_documents_are_seen_by_the_schema(self):
        self.assertGreater(len(INVALID), 50)
        for path in INVALID:
            self.assertFalse(VALIDATOR.is_valid(json.loads(path.read_text())), path.name)

    def test_invalid_documents_are_refused_by_the_engine(self):
        answers = validate(*INVALID)
        self.assertEqual(len(answers), len(INVALID))
        for answer in answers:
            self.assertFalse(answer["valid"], answer["file"])
            errors = [problem for problem in answer["problems"] if problem["severity"] == "error"]
            self.assertTrue(all(problem["line"] > 0 and problem["code"] for problem in errors), answer)


if __name__ == "__main__":
    unittest.main()
