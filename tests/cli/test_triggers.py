"""`pawl triggers`, `pawl trigger` and `pawl arrivals`."""

import json
import unittest

from program import Case

ORDERS = {"dialect": "graph/1", "definitionId": "orders", "name": "Orders",
          "triggers": [{"id": "t", "type": "http", "path": "/orders", "correlationExpression": "$.order_id"}],
          "nodes": [{"id": "h", "type": "human_task", "config": {"title": "work"}}, {"id": "e", "type": "end"}],
          "edges": [{"from": "t", "to": "h"}, {"from": "h", "to": "e"}]}


class Triggers(Case):
    def test_list_pause_fire_resume(self):
        engine = self.serve()

        def pawl(*arguments, **more):
            return self.run_pawl(*arguments, PAWL_SERVER=engine.url, **more)
        self.assertEqual(pawl("triggers").out, "no triggers\n")
        pawl("deploy", self.file("orders.json", json.dumps(ORDERS)))
        self.assertIn("POST /orders", pawl("triggers", "orders").out)
        self.assertTrue(pawl("trigger", "fire", "orders", "t", "--var", "order_id=A1").out.startswith("created "))
        self.assertEqual(json.loads(pawl("trigger", "fire", "orders", "t", "--var", "order_id=A1", "--json").out)["outcome"], "updated")
        self.assertEqual(pawl("trigger", "pause", "orders", "t").out, "t is paused\n")
        self.assertIn("paused", pawl("trigger", "fire", "orders", "t", code=6).err)
        self.assertEqual(pawl("trigger", "resume", "orders", "t").out, "t is active\n")
        outcomes = [item["outcome"] for item in json.loads(pawl("arrivals", "orders", "t", "--json").out)["items"]]
        self.assertEqual(outcomes, ["paused", "updated", "created"])
        self.assertIn("is not pause, resume or fire", pawl("trigger", "stop", "orders", "t", code=2).err)
        pawl("trigger", "pause", "orders", "nobody", code=3)


if __name__ == "__main__":
    unittest.main()
