"""Quotas of a tenant with three nodes on one store: all of them count together, or each allows its part."""

import time

from three_nodes import NODES, ThreeNodes, bearer

from harness import PATIENCE, main
from steps import end, service


class Quotas(ThreeNodes):
    def tenant(self, **quotas):
        """The name of a tenant, and a key of it that may do everything there."""
        ThreeNodes.number += 1
        name = f"tenant-{self.number}"
        self.assertEqual(self.ask(0, "POST", "/api/tenants", {"name": name, "quotas": quotas}).status, 201)
        key = self.key("admin", tenant=name)["key"]
        for node in range(NODES):  # Each node knows both from now on.
            self.until(lambda node=node: self.ask(node, "GET", "/api/me", key=key).status == 200)
        return name, key

    def deploy(self, key, kind):
        document = {"id": "work", "name": "w", "steps": [service("work", "end", kind), end()]}
        self.assertEqual(self.ask(0, "POST", "/v1/definitions", document, key).status, 201)

    def start(self, node, key):
        return self.ask(node, "POST", "/v1/instances", {"definitionId": "work"}, key)

    def limited(self, answer, limit):
        self.assertEqual((answer.status, answer.json["error"], answer.json["limit"]), (429, "tenant-limit", limit), answer)

    def used(self, node, name):
        return self.ask(node, "GET", f"/api/tenants/{name}").json["usage"]

    def test_instances_of_all_nodes_count_together(self):
        name, key = self.tenant(activeInstances=3)
        free = self.tenant()[1]
        for one in (key, free):
            self.deploy(one, "none")
        for node in range(NODES):
            self.until(lambda node=node: self.ask(node, "GET", "/v1/definitions/work", key=key).status == 200)
            self.assertEqual(self.start(node, key).status, 201)
        for node in range(NODES):  # Each hears of the others' instances with its next heartbeat.
            self.until(lambda node=node: self.used(node, name)["activeInstances"] == 3)
            self.limited(self.start(node, key), "activeInstances")
            self.assertEqual(self.start(node, free).status, 201)
        run = self.ask(1, "GET", "/v1/instances", key=key).json["items"][0]["id"]
        self.assertEqual(self.ask(2, "POST", f"/v1/instances/{run}/cancel", {}, key).status, 200)
        self.until(lambda: self.used(0, name)["activeInstances"] == 2)
        self.until(lambda: self.start(0, key).status == 201)
        self.until(lambda: self.used(1, name)["activeInstances"] == 3)
        self.limited(self.start(1, key), "activeInstances")

    def test_definitions_and_keys_of_all_nodes_count_together(self):
        name, key = self.tenant(definitions=1, keys=2)
        self.deploy(key, "none")
        self.assertEqual(self.ask(1, "POST", "/api/keys", {"name": "k", "roles": ["viewer"]}, key).status, 201)
        for node in range(NODES):
            self.until(lambda node=node: self.used(node, name)["definitions"] == 1 and self.used(node, name)["keys"] == 2)
            document = {"id": f"other-{node}", "name": "o", "steps": [end()]}
            self.limited(self.ask(node, "POST", "/v1/definitions", document, key), "definitions")
            self.limited(self.ask(node, "POST", "/api/keys", {"name": "l", "roles": ["viewer"]}, key), "keys")

    def test_schedules_of_all_nodes_count_together(self):
        name, key = self.tenant(schedules=1)

        def publish(node, flow):
            document = {"dialect": "graph/1", "definitionId": flow, "name": flow,
                        "nodes": [{"id": "t", "type": "trigger_cron", "config": {"cron": "0 9 1 1 *"}}, {"id": "n", "type": "end"}],
                        "edges": [{"from": "t", "to": "n"}]}
            return self.ask(node, "POST", "/api/workflows", document, key)
        self.assertEqual(publish(0, "first").status, 201)
        for node in range(NODES):
            self.until(lambda node=node: self.used(node, name)["schedules"] == 1)
            self.limited(publish(node, f"more-{node}"), "schedules")

    def test_bytes_of_all_nodes_count_together(self):
        name, key = self.tenant(storedBytes=20000)
        self.deploy(key, "none")
        self.assertEqual(self.ask(0, "POST", "/v1/instances", {"definitionId": "work", "variables": {"a": "x" * 30000}}, key).status, 201)
        for node in range(NODES):  # A node hears of what others wrote when it measures.
            self.until(lambda node=node: self.used(node, name).get("storedBytes", 0) >= 20000)
            self.limited(self.start(node, key), "storedBytes")

    def test_each_node_allows_its_part_of_the_starts(self):
        """All nodes are asked for longer than a second, as fast as they answer."""
        _, key = self.tenant(startsPerSecond=2 * NODES)
        self.deploy(key, "none")
        for node in range(NODES):
            self.until(lambda node=node: self.ask(node, "GET", "/v1/definitions/work", key=key).status == 200)
        began, seconds, begun = time.monotonic(), 0, [0] * NODES
        refused = [0] * NODES
        while seconds < 2.5 or not all(refused):
            for node in range(NODES):
                answer = self.start(node, key)
                if answer.status == 201:
                    begun[node] += 1
                else:
                    self.limited(answer, "startsPerSecond")
                    refused[node] += 1
            seconds = time.monotonic() - began
            self.assertLess(seconds, PATIENCE, "no node refused a start")
        for count in begun:  # Two at once, and two for each second that has passed.
            self.assertGreaterEqual(count, 2)
            self.assertLessEqual(count, 2 * (seconds + 2), (begun, seconds))

    def test_each_node_allows_its_part_of_the_streams(self):
        name, key = self.tenant(streams=NODES)
        free = self.tenant()[1]
        streams = []
        for node in range(NODES):
            streams.append(self.begun(node, "/api/live?topics=tasks", key))
            self.limited(self.clients[node].request("GET", "/api/tasks/stream", None, bearer(key)), "streams")
            refused = self.member(node, key, ["t"], join=False)
            self.assertEqual(refused.wait_end().name, "RESOURCE_EXHAUSTED")
            self.assertIn(name, refused.details)
            self.member(node, free, ["t"])  # Another tenant goes on.
            self.begun(node, "/api/live?topics=tasks", free)
        streams[1].hang_up()
        self.until(lambda: self.stream(1, "/api/live?topics=tasks", key).status == 200)  # When the engine has noticed.
        self.limited(self.clients[0].request("GET", "/api/tasks/stream", None, bearer(key)), "streams")

    def test_each_node_allows_its_part_of_the_jobs_in_flight(self):
        _, key = self.tenant(jobsInFlight=NODES)
        kind = f"kind-{self.number}"
        self.deploy(key, kind)
        for _ in range(2 * NODES):
            self.assertEqual(self.start(0, key).status, 201)
        taken = set()
        for node in range(NODES):
            poll = {"workerId": "w", "jobTypes": [kind], "maxJobs": 5, "waitSeconds": 10}
            answer = self.ask(node, "POST", "/v1/jobs/poll", poll, key)
            self.assertEqual((answer.status, len(answer.json["jobs"])), (200, 1), answer)
            taken.add(answer.json["jobs"][0]["id"])
            self.limited(self.ask(node, "POST", "/v1/jobs/poll", poll, key), "jobsInFlight")
        self.assertEqual(len(taken), NODES)


if __name__ == "__main__":
    main()
