"""A store in which one instance's state is damaged: the others go on, and that one is named."""

import os
import sqlite3
import subprocess

from harness import BINARY, Case, Client, Server, main, needs_a_file
from steps import end, service

DEFINITION = {"id": "order", "name": "order", "steps": [service("work", "end"), end()]}


class Restarted(Case):
    @classmethod
    def setUpClass(cls):
        """Every test has an engine of its own."""

    def connect(self):
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.get, self.post = self.client.get, self.client.post

    def restart(self, meanwhile):
        directory, self.server.owns_directory = self.server.directory, False
        self.server.stop()
        meanwhile(os.path.join(directory, "data"))
        self.server = Server(data=directory)
        self.server.owns_directory = True
        self.addCleanup(self.server.kill)
        self.connect()


@needs_a_file
class OneDamagedInstance(Restarted):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.kill)
        self.connect()
        self.assertEqual(self.post("/v1/definitions", DEFINITION).status, 201)
        self.ids = [self.start("order", {"n": n}, businessKey=f"key-{n}")["id"] for n in range(3)]
        self.restart(self.damage)

    @staticmethod
    def damage(data):
        """One bit of the second instance's state."""
        connection = sqlite3.connect(os.path.join(data, "pawl.db"))
        (number, state), = connection.execute("SELECT id, state FROM instance ORDER BY id LIMIT 1 OFFSET 1")
        state = state[:20] + bytes([state[20] ^ 1]) + state[21:]
        connection.execute("UPDATE instance SET state = ? WHERE id = ?", (state, number))
        connection.commit()
        connection.close()

    def test_the_engine_starts_and_says_which_it_is(self):
        self.assertIn("an instance is damaged", self.server.log())
        self.assertIn(self.ids[1], self.server.log())
        self.assertEqual(self.metric("pawl_damaged_instances_total"), 1)

    def test_jobs_of_the_others_are_offered(self):
        jobs = self.poll("work", maxJobs=10)
        self.assertEqual([job["instanceId"] for job in jobs], [self.ids[0], self.ids[2]])
        for job in jobs:
            self.complete(job)
        self.assertEqual(self.instance(self.ids[2])["status"], "COMPLETED")
        self.assertEqual([job["instanceId"] for job in self.get("/v1/jobs").json["items"]], [])

    def test_lists_show_all_and_name_the_damage(self):
        items = self.get("/v1/instances").json["items"]
        self.assertEqual([item["id"] for item in items], self.ids[::-1])
        damaged = self.instance(self.ids[1])
        self.assertEqual(damaged["businessKey"], "key-1")
        self.assertEqual(damaged["status"], "ACTIVE")
        self.assertIn(f"instance {self.ids[1]} is damaged", damaged["failureReason"])
        self.assertEqual(items[1], damaged)
        self.assertNotIn("failureReason", items[0])
        listed = [job["instanceId"] for job in self.get("/v1/jobs").json["items"]]
        self.assertEqual(listed, [self.ids[0], self.ids[2]])

    def test_commands_on_it_are_refused_with_the_reason(self):
        words = f"instance {self.ids[1]} is damaged"
        for path in ("cancel", "steps/work/retry", "signals/work"):
            self.refused(self.post(f"/v1/instances/{self.ids[1]}/{path}", {}), 500, words)
        self.refused(self.get(f"/v1/instances/{self.ids[1]}/explain"), 500, words)
        self.assertEqual(self.post(f"/v1/instances/{self.ids[0]}/cancel", {}).status, 200)

    def test_the_check_of_the_store_names_it(self):
        done = subprocess.run([BINARY, "store", "check", "--data", os.path.join(self.server.directory, "data")],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(self.ids[1], done.stdout)
        self.assertNotIn(self.ids[0], done.stdout)


@needs_a_file
class AFlawedSchema(Restarted):
    """A trigger's inputSchema that an older engine has stored and this one cannot read: nothing passes unchecked."""

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.kill)
        self.connect()
        flow = {"definitionId": "asks", "name": "asks", "nodes": [{"id": "m", "type": "trigger_manual", "config": {"inputSchema": {"type": "object"}}}, {"id": "z", "type": "end"}],
                "edges": [{"from": "m", "to": "z"}]}
        self.assertEqual(self.post("/api/workflows", flow).status, 201)
        self.restart(self.damage)

    @staticmethod
    def damage(data):
        connection = sqlite3.connect(os.path.join(data, "pawl.db"))
        (number, source), = connection.execute("SELECT number, source FROM definition")
        assert b'"object"' in source
        connection.execute("UPDATE definition SET source = ? WHERE number = ?", (source.replace(b'"object"', b'"nobody"'), number))
        connection.commit()
        connection.close()

    def test_what_arrives_is_refused_with_the_reason(self):
        answer = self.post("/api/workflows/asks/start", {"input": {}})
        self.assertEqual(answer.status, 400, answer)
        self.assertIn(b"inputSchema of the trigger is no JSON Schema", answer.body)
        self.assertEqual([one["outcome"] for one in self.get("/api/arrivals?definitionId=asks").json["items"]], ["rejected_schema"])


if __name__ == "__main__":
    main()
