"""Workflows of entities in files: validate, explain, graph, run, and deploy to an engine."""

import json
import unittest
import urllib.error
import urllib.request

from program import PATIENCE, Case

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
        self.assertIn("order.2", result.out)
        self.assertIn("sale.1", result.out)

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


class Deployed(Case):
    def setUp(self):
        super().setUp()
        self.serving = self.serve("--store", "memory")

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


if __name__ == "__main__":
    unittest.main()
