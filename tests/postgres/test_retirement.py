"""Definitions that are retired and deleted with three nodes on one store: what one node says holds at all of them."""

from three_nodes import NODES, ThreeNodes

from harness import main
from steps import end, wait


class Retirement(ThreeNodes):
    def deploy(self, node=0):
        ThreeNodes.number += 1
        name = f"flow-{self.number}"
        self.publish(node, name)
        for other in range(NODES):  # Each knows it from now on.
            self.until(lambda other=other: self.ask(other, "GET", f"/v1/definitions/{name}").status == 200)
        return name

    def publish(self, node, name, title="one"):
        answer = self.ask(node, "POST", "/v1/definitions", {"id": name, "name": title, "steps": [wait("ask", "end"), end()]})
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def start(self, node, name):
        return self.ask(node, "POST", "/v1/instances", {"definitionId": name})

    def starts(self, name):
        """A run from each node."""
        runs = []
        for node in range(NODES):
            answer = self.start(node, name)
            self.assertEqual(answer.status, 201, answer)
            runs.append(answer.json["id"])
        return runs

    def delete(self, node, name, query=""):
        return self.ask(node, "DELETE", f"/api/definitions/{name}{query}")

    def error(self, answer):
        return answer.status, answer.json.get("code")

    def ends(self, node, run):
        self.assertEqual(self.ask(node, "POST", f"/v1/instances/{run}/signals/ask", {}).status, 204)
        self.until(lambda: self.ask(node, "GET", f"/v1/instances/{run}").json["status"] == "COMPLETED")

    def test_a_definition_that_is_retired_at_one_node_starts_nowhere(self):
        name = self.deploy()
        runs = self.starts(name)
        self.assertEqual(self.ask(1, "POST", f"/api/definitions/{name}/retire").status, 200)
        for node in range(NODES):  # At once, and not only when a node has heard of it.
            answer = self.start(node, name)
            self.assertEqual((answer.status, "is retired" in answer.body.decode()), (409, True), answer)
        for node, run in enumerate(runs):  # What runs goes on, at any node.
            self.ends((node + 1) % NODES, run)
        self.assertEqual(self.publish(2, name)["version"], 2)
        for node in range(NODES):
            self.until(lambda node=node: self.start(node, name).status == 201)

    def test_a_definition_is_deleted_at_another_node_when_its_last_run_has_ended(self):
        name = self.deploy()
        runs = self.starts(name)
        self.assertEqual(self.ask(2, "POST", f"/api/definitions/{name}/retire").status, 200)
        for left in range(len(runs), 0, -1):
            for node in range(NODES):
                for query in ("", "?with=ended"):
                    refused = self.delete(node, name, query)
                    self.assertEqual(self.error(refused), (409, "RUNS_LEFT"), refused)
            run = runs[left - 1]
            self.ends(left % NODES, run)
        refused = self.delete(0, name)
        self.assertEqual(self.error(refused), (409, "RUNS_LEFT"), refused)  # They have ended, and are kept.
        accepted = self.delete(1, name, "?with=ended")
        self.assertEqual((accepted.status, accepted.json["state"]), (202, "deleting"), accepted)
        for node in range(NODES):
            self.until(lambda node=node: self.ask(node, "GET", f"/v1/definitions/{name}").status == 404)
            self.assertEqual(self.delete(node, name).status, 404)
            self.assertEqual(self.start(node, name).status, 404)
            self.assertEqual([self.ask(node, "GET", f"/v1/instances/{run}").status for run in runs], [404] * len(runs))
        self.assertEqual(self.publish(0, name, "anew")["version"], 1)  # The id begins anew, at all nodes.
        for node in range(NODES):
            self.until(lambda node=node: self.start(node, name).status == 201)
            shown = self.ask(node, "GET", f"/v1/definitions/{name}").json
            self.assertEqual((shown["name"], shown["version"]), ("anew", 1))

    def test_a_start_at_one_node_and_a_deletion_at_another_do_not_both_succeed(self):
        for round_ in range(5):
            name = self.deploy(round_ % NODES)
            starting = [self.open(node, "/v1/instances", self.everything(), {"definitionId": name}) for node in range(NODES)]
            deleted = self.delete(round_ % NODES, name)
            began = [finish()[0] for finish in starting]
            if deleted.status in (200, 202):
                self.assertEqual(set(began) - {404, 409}, set(), began)
                self.until(lambda name=name: self.ask(0, "GET", f"/v1/definitions/{name}").status == 404)
                self.assertEqual(self.ask(0, "GET", f"/v1/instances?definitionId={name}").json["items"], [])
            else:
                self.assertEqual(self.error(deleted), (409, "RUNS_LEFT"), deleted)
                self.assertIn(201, began)
                self.assertEqual(self.ask(0, "GET", f"/v1/definitions/{name}").status, 200)

    def everything(self):
        if not hasattr(Retirement, "admin"):
            Retirement.admin = self.key("admin")["key"]
            for node in range(NODES):
                self.until(lambda node=node: self.ask(node, "GET", "/api/me", key=Retirement.admin).status == 200)
        return Retirement.admin


if __name__ == "__main__":
    main()
