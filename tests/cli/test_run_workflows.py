"""`pawl run` and `pawl test` on the Serverless Workflow dialect: events from files, functions, simulation."""

import json
import unittest

from program import Case

ORDER = """
name: Order
startsAt: Placed
triggers:
  - {name: placed, source: /shop, type: placed, correlationToken: $.data.id}
  - {name: paid, source: /shop, type: paid, correlationToken: $.data.id}
functions:
  - {name: ship, resource: "https://example.com/ship"}
states:
  - name: Placed
    type: EVENT
    eventActions:
      - {condition: placed and paid, actions: [{functionref: {refname: ship}}], transition: Done}
  - {name: Done, type: RELAY, end: true}
"""


def event(kind, **data):
    return {"specversion": "1.0", "id": kind, "source": "/shop", "type": kind, "data": data}


class RunWorkflows(Case):
    def setUp(self):
        super().setUp()
        self.order = self.file("order.yaml", ORDER)
        self.mocks = self.file("mocks.json", json.dumps([{"function": "ship", "results": [{"ok": {"shipped": True}}]}]))

    def test_events_come_from_files_in_order(self):
        first = self.file("first.json", json.dumps(event("placed", id="A", total=7)))
        second = self.file("second.yaml", "- {specversion: '1.0', id: p, source: /shop, type: paid, data: {id: A}}\n")
        out = self.run_pawl("run", self.order, "--event", first, "--event", second, "--mock", self.mocks).out
        self.assertIn("\npath       Placed → Done\nstatus     COMPLETED (Success) after PT0S\noutput     {\n", out)
        self.assertRegex(out, r"  call +i1  Placed: ship \{\"id\":\"A\",\"total\":7\}\n")
        view = json.loads(self.run_pawl("run", self.order, "--event", first, "--event", second, "--mock", self.mocks,
                                        "--json").out)
        self.assertEqual((view["status"], view["output"]), ("Success", {"id": "A", "total": 7, "shipped": True}))

    def test_without_events_it_says_which_it_waits_for(self):
        result = self.run_pawl("run", self.order, code=1)
        self.assertIn("status     WAITING (Waiting) after PT0S\ndata       {}\n", result.out)
        self.assertIn("--event", result.err)
        self.assertIn("i1: Placed waits for events: placed and paid", result.err)

    def test_a_file_that_holds_no_event(self):
        path = self.file("none.json", json.dumps({"specversion": "1.0"}))
        self.assertIn("an event was refused", self.run_pawl("run", self.order, "--event", path, code=1).err)
        self.assertIn("not JSON", self.run_pawl("run", self.order, "--event", self.file("bad.json", "{"), code=2).err)

    def test_a_call_without_an_answer_is_told(self):
        both = self.file("both.json", json.dumps([event("placed", id="A"), event("paid", id="A")]))
        self.assertIn("i1: Placed waits for", self.run_pawl("run", self.order, "--event", both, code=1).err)

    def test_simulation_brings_events_and_answers(self):
        paths = json.loads(self.run_pawl("run", self.order, "--simulate", "50", "--json").out)["paths"]
        self.assertIn(("Success", "Placed → Done"), [(path["status"], path["path"]) for path in paths])

    def test_a_scenario_in_the_words_of_the_dialect(self):
        scenario = {"definitions": ["order.yaml"], "cases": [{
            "name": "unmocked", "steps": [{"op": "event", "event": event("placed", id="A"), "expectOutcome": "started"},
                                          {"op": "event", "event": event("paid", id="A")}]}]}
        out = self.run_pawl("test", self.file("s.json", json.dumps(scenario)), code=1).out
        self.assertIn("i1 called the function \"ship\", for which there is no mock", out)
        self.assertRegex(out, r"  event +placed from /shop, id placed: started\n")


if __name__ == "__main__":
    unittest.main()
