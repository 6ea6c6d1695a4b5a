"""What was acknowledged is there after a kill."""

import contextlib
import os
import sqlite3

from harness import Killed, Server, main, needs_a_file
from steps import end, person, service, timer, wait


class Durability(Killed):
    def test_definitions_instances_and_history(self):
        name = self.upload([wait("w", "end"), end()])
        got = self.start(name, {"n": 12345678901234567890}, businessKey="k")
        before = self.get(f"/v1/instances/{got['id']}").body, self.history(got["id"])
        self.again()
        self.assertEqual((self.get(f"/v1/instances/{got['id']}").body, self.history(got["id"])), before)
        self.assertEqual(self.post("/v1/instances", {"definitionId": name, "businessKey": "k"}).status, 409)
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/signals/w").status, 204)
        self.assertEqual(self.get(f"/v1/definitions/{name}").json["version"], 1)

    def test_a_repair_is_kept(self):
        name = self.upload([service("a", "b"), service("b", "end"), end()])
        instance = self.start(name, {"old": 1})["id"]
        body = {"move": [{"from": "a", "to": "b"}], "unset": ["old"], "set": {"n": 2}}
        self.assertEqual(self.post(f"/v1/instances/{instance}/modify", body).status, 200)
        before = self.get(f"/v1/instances/{instance}").body, self.history(instance)
        self.again()
        self.assertEqual((self.get(f"/v1/instances/{instance}").body, self.history(instance)), before)
        self.assertEqual(self.poll("a"), [])
        self.complete(self.take("b"))
        self.assertEqual(self.instance(instance)["status"], "COMPLETED")

    def test_jobs_are_offered_again(self):
        name = self.upload([service("s", "end", "kind", retryCount=2), end()])
        self.start(name, {"a": 1})
        held = self.take("kind")
        self.start(name, {"a": 2})
        self.again()
        jobs = self.poll("kind")
        self.assertEqual([j["variables"]["a"] for j in jobs], [1, 2])
        self.assertEqual([j["retriesRemaining"] for j in jobs], [2, 2])
        for job in jobs:
            self.complete(job)
            self.assertEqual(self.instance(job["instanceId"])["status"], "COMPLETED")
        self.complete(held, {"late": 1})
        self.assertEqual(self.instance(held["instanceId"])["variables"], {"a": 1})

    def test_timers_that_came_due_meanwhile_fire(self):
        name = self.upload([wait("w", "end", boundaryEvents=[timer("PT0.3S", "late")]), end(), end("late")])
        got = self.start(name)["id"]
        self.again()
        self.assertEqual(self.ended(got)["status"], "COMPLETED")
        self.assertEqual([step for step, _ in self.visits(got)], ["w", "late"])

    def test_tasks_and_idempotency_keys(self):
        name = self.upload([person("p", "end"), end()])
        headers = {"Idempotency-Key": "the-key"}
        first = self.post("/v1/instances", {"definitionId": name}, headers)
        self.again()
        again = self.post("/v1/instances", {"definitionId": name}, headers)
        self.assertEqual((again.body, again.headers["Idempotency-Replayed"]), (first.body, "true"))
        task, = self.get("/v1/user-tasks").json["items"]
        self.assertEqual(self.post(f"/v1/user-tasks/{task['id']}/complete").status, 204)

    @needs_a_file
    def test_an_answer_that_was_kept_as_text(self):
        """Engines of before stored the HTTP status and the body under a key."""
        name = self.upload([person("p", "end"), end()])
        headers, body = {"Idempotency-Key": "the-key"}, {"definitionId": name}
        text = self.post("/v1/instances", body, headers).body.replace(b",", b", ")
        self.close()
        with contextlib.closing(sqlite3.connect(os.path.join(self.directory, "data", "pawl.db"))) as connection, connection:
            connection.execute("UPDATE idempotency SET http_status = 201, answer = ?", (text,))
        self.server = None
        self.again()
        again = self.post("/v1/instances", body, headers)
        self.assertEqual((again.status, again.body, again.headers["Idempotency-Replayed"]), (201, text, "true"))

    def test_a_chain_whose_target_is_missing(self):
        parent = self.upload([end()], autoStartNextWorkflow=True, nextWorkflowId="child")
        self.start(parent, {"n": 1})
        self.again()
        self.post("/v1/definitions", {"id": "child", "name": "c", "steps": [end()]})
        self.until(lambda: self.get("/v1/instances?definitionId=child").json["total"])
        self.again()
        self.assertEqual(self.get("/v1/instances?definitionId=child").json["total"], 1)

    @needs_a_file
    def test_two_engines_cannot_share_the_data(self):
        with self.assertRaises(AssertionError):
            Server(data=self.directory)
        self.assertTrue(os.path.isdir(self.directory))


if __name__ == "__main__":
    main()
