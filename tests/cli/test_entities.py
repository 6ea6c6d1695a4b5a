"""Workflows of entities in files: validate, explain, graph, run, and deploy to an engine."""

import contextlib
import json
import os
import sqlite3
import unittest
import urllib.error
import urllib.request

from program import PATIENCE, Case, needs_file

WORKFLOW = {"version": "1", "name": "sale", "initialState": "NEW", "states": {
    "NEW": {"transitions": [
        {"name": "CHECK", "next": "LARGE", "criterion": {"type": "simple", "jsonPath": "$.amount", "operatorType": "GREATER_THAN", "value": 100}},
        {"name": "PAY", "next": "PAID", "manual": True}]},
    "LARGE": {"transitions": [{"name": "APPROVE", "next": "PAID", "manual": True, "processors": [{"name": "sign"}]},
                              {"name": "FORGET", "next": "PAID", "schedule": {"delayMs": 60000}}]},
    "PAID": {}}}
ORDER = {"entityName": "order", "modelVersion": 2, "sample": {"amount": 1}, "workflows": [WORKFLOW]}


class Files(Case):
    def order(self, **changes):
        return self.file("order.json", json.dumps({**ORDER, **changes}))

    def test_a_file_is_valid_with_a_list_of_workflows_or_with_one(self):
        result = self.run_pawl("validate", self.order(), self.file("one.json", json.dumps(WORKFLOW)))
        self.assertIn("ok: order.2, 3 states\n", result.out)  # Neither its processor nor the built-in workflow.
        self.assertIn("ok: sale.1, 3 states\n", result.out)

    def test_every_mistake_has_its_place(self):
        text = json.dumps({**ORDER, "changeLevel": "MORE", "workflows": [{**WORKFLOW, "initialState": "OLD"}]}, indent=1)
        result = self.run_pawl("validate", self.file("order.json", text), code=2)
        lines = text.splitlines()
        for wrong in ("changeLevel", "initialState"):
            line = next(i for i, one in enumerate(lines, 1) if wrong in one)
            self.assertIn(f"order.json:{line}:", result.out + result.err, wrong)

    def test_explain_and_graph_show_states_and_transitions(self):
        self.assertIn('wait (STATE) "LARGE"', self.run_pawl("explain", self.order()).out)
        picture = self.run_pawl("graph", self.order()).out
        for label in ("CHECK: $.amount GREATER_THAN 100", "PAY", "APPROVE", "after 1 minute FORGET", "sign"):
            self.assertIn(f">{label}<", picture)

    def test_run_creates_an_entity_and_lets_time_pass(self):
        self.assertIn("NEW → LARGE → PAID", self.run_pawl("run", self.order(), "--var", "amount=500").out)

    def test_simulation_fires_transitions(self):
        self.assertIn("NEW → PAID", self.run_pawl("run", self.order(), "--var", "amount=5", "--simulate", "50").out)


class Serving(Case):
    def begin(self, *options):
        self.serving = self.serve(*options)

    def deploy(self, document, code=0):
        return self.run_pawl("deploy", self.file("order.json", json.dumps(document)), code=code, PAWL_SERVER=self.serving.url)

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.serving.url + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)



class Deployed(Serving):
    def setUp(self):
        super().setUp()
        self.begin("--store", "memory")

    def test_a_document_brings_its_model_along(self):
        self.deploy({**ORDER, "changeLevel": "TYPE"})
        status, export = self.call("GET", "/api/model/order/2/workflow/export")
        self.assertEqual((200, ["sale"]), (status, [one["name"] for one in export["workflows"]]))
        self.assertEqual(200, self.call("POST", "/api/entity/JSON/order/2", {"amount": 5.5})[0], "the level lets it")
        self.assertEqual(400, self.call("POST", "/api/entity/JSON/order/2", {"colour": "red"})[0])

    def test_what_was_exported_can_be_deployed_again(self):
        self.deploy(ORDER)
        self.call("POST", "/api/model/order/2/workflow/import", {"importMode": "ACTIVATE", "workflows": [{**WORKFLOW, "name": "other"}]})
        export = self.call("GET", "/api/model/order/2/workflow/export")[1]
        self.assertEqual([False, True], [one["active"] for one in export["workflows"]])
        self.deploy(export)
        self.assertEqual(export, self.call("GET", "/api/model/order/2/workflow/export")[1])

    def test_a_model_that_is_not_there_and_a_sample_that_does_not_fit_are_refused(self):
        result = self.deploy({key: value for key, value in ORDER.items() if key != "sample"}, code=3)
        self.assertIn("there is no model", result.err)
        self.deploy(ORDER)
        self.deploy({**ORDER, "sample": [{"amount": 7}, {}]})  # It shows nothing new.
        self.deploy({**ORDER, "sample": {"amount": "x"}, "workflows": []}, code=4)
        self.assertEqual(200, self.call("GET", "/api/model/order/2/workflow/export")[0], "nothing of it was stored")


class Checked(Serving):
    """`pawl store check` knows the rows by which entities are found."""

    @needs_file
    def test_each_row_that_is_missing_is_named(self):
        self.begin()
        self.call("POST", "/api/model/import/JSON/SAMPLE_DATA/order/2", {"amount": 1})
        for path, body in (("indexes", {"fields": ["$.amount"]}), ("unique-keys", {"uniqueKeys": [{"id": "one", "fields": ["$.amount"]}]})):
            self.assertEqual(200, self.call("PUT", f"/api/model/order/2/{path}", body)[0])
        self.deploy(ORDER)
        for amount in (5, 500):
            self.assertEqual(200, self.call("POST", "/api/entity/JSON/order/2", {"amount": amount})[0])
        self.assertEqual(0, self.serving.stop())
        self.assertIn(", 0 problems", self.run_pawl("store", "check", "--deep", "--data", self.serving.data).out)
        for kind, word in ((14, "member"), (16, "index"), (17, "unique")):
            self.assert_named(kind, word)

    def assert_named(self, kind, word):
        store = sqlite3.connect(os.path.join(self.serving.data, "pawl.db"))
        with contextlib.closing(store):
            rows = store.execute("SELECT ns, kind, key, at, value FROM record WHERE kind = ?", (kind,)).fetchall()
            self.assertEqual(2, len(rows), word)
            with store:
                store.execute("DELETE FROM record WHERE key = ? AND kind = ?", (rows[0][2], kind))
            report = json.loads(self.run_pawl("store", "check", "--json", "--data", self.serving.data, code=1).out)
            self.assertEqual([f'this entity lacks a row of kind "{word}"'], [one.split(": ", 1)[1].split(",")[0] for one in report["problems"]])
            with store:
                store.execute("INSERT INTO record(ns, kind, key, at, value) VALUES(?, ?, ?, ?, ?)", rows[0])


if __name__ == "__main__":
    unittest.main()
