"""A store with every kind of row moves from SQLite to PostgreSQL and back, and the engine goes on at each station."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from entities import WORKFLOW, EntityCase  # noqa: E402
from functions import Functions, Reply  # noqa: E402
from graphs import one_call  # noqa: E402
from harness import BINARY, PATIENCE, ROOT, Client, Server, main  # noqa: E402
from steps import end, person, service, timer, wait  # noqa: E402
from workflows import event, on, subflow, trigger  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
SECRET = "planted-4711"


def steps(name, *listed, **more):
    return {"id": name, "name": name, "steps": list(listed), **more}


def workflow(name, *states, **more):
    return {"id": name, "name": name, "startsAt": states[0]["name"], "states": list(states), **more}


def graph(name, start, *nodes):
    ids = [node["id"] for node in (start, *nodes)]
    return {"dialect": "graph/1", "definitionId": name, "name": name, "triggers": [start], "nodes": list(nodes),
            "edges": [{"from": a, "to": b} for a, b in zip(ids, ids[1:])]}


class Copies(EntityCase):
    arguments = ("--allow-private-calls",)

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-copy-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        port = cls.database("start").strip()
        cls.addClassCleanup(cls.database, "stop")
        cls.uri = f"postgres://pawl:secret@127.0.0.1:{port}/postgres"
        cls.functions = Functions()
        cls.addClassCleanup(cls.functions.close)

    @classmethod
    def database(cls, verb):
        return subprocess.run([POSTGRES, verb, cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout

    def setUp(self):
        self.sql("SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        self.home = tempfile.mkdtemp(prefix="pawl-copy-")
        self.addCleanup(shutil.rmtree, self.home, True)
        self.first, self.second = (os.path.join(self.home, name, "data") for name in ("first", "second"))
        os.mkdir(os.path.dirname(self.first))
        os.mkdir(os.path.dirname(self.second))
        self.model, self.path = "sale", "/api/model/sale/1"

    def serve(self, data, *arguments):
        """An engine, to which all requests go from now on."""
        self.server = Server([*self.arguments, *arguments], os.path.dirname(data))
        self.addCleanup(self.server.kill)
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.get, self.post = self.client.get, self.client.post

    def sql(self, text):
        return subprocess.run(["psql", "-qAt", self.uri, "-c", text], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def pawl(self, *arguments):
        return subprocess.run([BINARY, "store", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def copy(self, source, target, *arguments):
        """How many rows of each table there are."""
        done = self.pawl("copy", source, target, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = json.loads(done.stdout)["tables"]
        self.assertEqual([table["rows"] for table in tables], [table["compared"] for table in tables])
        return {table["name"]: table["rows"] for table in tables}

    def check(self, *arguments):
        done = self.pawl("check", "--deep", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    # ---- rows of every kind ----

    def deploy(self, *documents):
        for document in documents:
            answer = self.post("/v1/definitions", document)
            self.assertEqual(answer.status, 201, answer)

    def send(self, kind, order, id):
        sent = {"specversion": "1.0", "id": id, "source": "/shop", "type": kind, "data": {"order": order}}
        return self.post("/v1/events", sent, {"Content-Type": "application/cloudevents+json"}).json["events"][0]["outcome"]

    def fill(self):
        self.fill_steps()
        self.fill_workflows()
        self.fill_graphs()
        self.fill_entities()

    def fill_steps(self):
        self.deploy(steps("order", service("work", "end"), end()), steps("ask", person("look", "end"), end()),
                    steps("late", wait("w", "end", boundaryEvents=[timer("PT1S", "end")]), end()), steps("later", wait("w", "end", boundaryEvents=[timer("PT5H", "end")]), end()),
                    steps("parent", end(), autoStartNextWorkflow=True, nextWorkflowId="child"))
        self.jobs = [self.start("order", {"n": n}, businessKey=f"k{n}")["id"] for n in range(6)]
        for job in self.poll("work", maxJobs=3):
            if job["instanceId"] == self.jobs[0]:
                self.complete(job, {"done": True})
            else:
                self.fail_job(job, "no money")
        self.post(f"/v1/instances/{self.jobs[5]}/cancel")
        bulk = self.post("/v1/bulk", {"action": "retry", "filter": {"definitionId": "order", "reasonContains": "money"}}).json
        self.until(lambda: self.get(f"/v1/bulk/{bulk['id']}").json["state"] != "running")
        failing, = self.poll("work", maxJobs=1)
        self.fail_job(failing, "again")
        self.start("ask")
        self.start("later")
        self.pending = self.start("parent", {"n": 7})["id"]
        self.post("/v1/instances", {"definitionId": "later"}, {"Idempotency-Key": "once"})

    def fill_workflows(self):
        self.deploy(workflow("paying", event("Placed", on("placed", "Paid")), event("Paid", on("paid")),
                             triggers=[trigger(kind, "/shop", kind, "$.data.order") for kind in ("placed", "paid")]),
                    workflow("outer", subflow("Sub", "later")))
        for order in ("A", "B", "C", "D"):
            self.assertEqual(self.send("placed", order, "placed-" + order), "started")
        self.assertEqual(self.send("unheard", "A", "u1"), "unmatched")
        self.start("outer")

    def fill_graphs(self):
        self.client.request("PUT", "/api/secrets/api_key", {"value": SECRET})
        self.client.request("PUT", "/api/workflows/half/draft", {"half": "done"})
        ask = {"id": "h", "type": "human_task", "config": {"title": "Look", "groups": ["sales"]}}
        self.deploy(graph("hooked", {"id": "t", "type": "http", "path": "/hooked", "correlationExpression": "$.body.id"}, ask),
                    graph("nightly", {"id": "t", "type": "schedule", "cron": "0 3 * * *"}, ask),
                    one_call("caller", {"type": "action_http", "config": {"method": "POST", "url": self.functions.url + "/echo", "body": {"a": 1},
                                                                          "headers": {"Authorization": "Bearer {{ secrets.api_key }}"}}}, secretRefs=["api_key"]))
        self.assertEqual(self.post("/hooks/hooked", {"id": "A1"}).json["outcome"], "created")

    def fill_entities(self):
        self.sample()
        self.put(self.path + "/indexes", {"fields": ["$.customer"]})
        self.import_workflows(WORKFLOW)
        self.put(self.path + "/unique-keys", {"uniqueKeys": [{"id": "who", "fields": ["$.customer"]}]})
        self.put(self.path + "/lock")
        self.entities = [self.created({"customer": name, "amount": amount}) for name, amount in (("Ada", 500), ("Bob", 2), ("Cid", 3), ("Dan", 900))]

    # ---- what an engine shows, and that it goes on ----

    def seen(self):
        paths = ["/v1/instances?pageSize=100", "/v1/definitions", "/api/tasks", "/api/arrivals?definitionId=hooked", "/api/secrets", "/api/workflows/half/draft", "/v1/bulk", "/v1/events/unmatched",
                 self.path + "/indexes", *(f"/v1/instances/{id}/history" for id in self.jobs), *(f"/api/entity/{id}" for id in self.entities)]
        return {path: self.get(path).json for path in paths}

    def leave(self):
        """Starts what is due before the next engine runs, and stops this one."""
        seen, timed = self.seen(), self.start("late")["id"]
        self.server.stop()
        return seen, timed

    def arrive(self, left, number):
        """Everything is as it was, and each kind of work goes on."""
        before, timed = left
        self.assertEqual(self.ended(timed)["status"], "COMPLETED")
        now = self.seen()
        for path, shown in before.items():
            if path.startswith("/v1/instances?"):
                items = [item for item in now[path]["items"] if item["id"] != timed]
                self.assertEqual(items, shown["items"])
            else:
                self.assertEqual(now[path], shown, path)
        again = self.post("/v1/instances", {"definitionId": "later"}, {"Idempotency-Key": "once"})
        self.assertEqual(again.headers["Idempotency-Replayed"], "true", again)
        self.go_on(number)

    def go_on(self, number):
        job, = self.poll("work", maxJobs=1)
        self.complete(job)
        self.assertEqual(self.instance(job["instanceId"])["status"], "COMPLETED")
        self.assertEqual(self.send("paid", "ABCD"[number], f"paid-{number}"), "delivered")
        self.assertEqual(self.send("paid", "ABCD"[number], f"paid-{number}"), "duplicate")
        self.assertEqual(self.send("unheard", "A", f"more-{number}"), "unmatched")
        self.assertEqual(self.post("/hooks/hooked", {"id": "A1"}).json["outcome"], "updated")
        self.assertEqual(self.create({"customer": "Ada", "amount": 1}).status, 409)
        found = self.post("/api/search/direct/sale/1", {"type": "simple", "jsonPath": "$.customer", "operatorType": "EQUALS", "value": "Ada"})
        self.assertEqual(len(found.body.split()), 1, found)
        self.changed(self.entities[number], {"customer": ["Ada", "Bob", "Cid"][number], "amount": 7 + number})
        self.start("caller", wait=PATIENCE)
        self.assertEqual(self.functions.wait("/echo", number + 1)[-1].headers["Authorization"], "Bearer " + SECRET)
        self.started = [*getattr(self, "started", []), self.start("order")["id"]]

    def test_there_and_back_and_the_engine_goes_on_at_each_station(self):
        self.functions.answer("/echo", Reply(200, {}))
        self.serve(self.first)
        self.fill()
        left = self.leave()
        self.check("--data", self.first)
        rows = self.copy(self.first, self.uri)
        self.assertEqual([name for name, count in rows.items() if not count], [], "tables without a row: this test moves nothing of theirs")
        self.check("--store", self.uri)
        self.serve(self.first, "--store", self.uri)
        self.arrive(left, 0)
        left = self.leave()

        self.copy(self.uri, "sqlite:" + self.second)
        self.check("--data", self.second)
        shutil.copy(os.path.join(self.first, "pawl.db.key"), self.second)
        self.serve(self.second)
        self.arrive(left, 1)
        self.deploy(steps("child", end()))
        self.until(lambda: "chainedTo" in self.instance(self.pending))
        self.server.stop()
        self.check("--data", self.second)
        self.assertEqual(len({*self.jobs, *self.started}), len(self.jobs) + len(self.started), "an id was given twice")

    # ---- killed in the middle ----

    @contextlib.contextmanager
    def locked(self, table, mode):
        stranger = subprocess.Popen(["psql", "-qAt", self.uri], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        stranger.stdin.write(f"BEGIN; LOCK TABLE {table} IN {mode} MODE; SELECT 'locked';\n")
        stranger.stdin.flush()
        self.assertEqual(stranger.stdout.readline().strip(), "locked")
        yield
        stranger.communicate("ROLLBACK;\n")

    def kill_at(self, table, mode, source, target):
        """Copies until it waits for the table, and kills it there."""
        with self.locked(table, mode):
            copy = subprocess.Popen([BINARY, "store", "copy", source, target], stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + PATIENCE
            while self.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0":
                self.assertLess(time.monotonic(), deadline, "the copy did not come to the table")
            copy.kill()
            copy.wait()

    def assert_unfinished(self, *where):
        for arguments in (["check", *where], ["info", *where]):
            done = self.pawl(*arguments)
            self.assertEqual(done.returncode, 4, done)
            self.assertIn("pawl store copy --overwrite", done.stderr)
        engine = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual(engine.returncode, 4, engine)
        self.assertIn("has a copy that was not finished", engine.stderr)

    def test_a_copy_that_was_killed_is_refused_until_it_is_begun_anew(self):
        empty = os.path.join(self.home, "empty.db")
        self.serve(self.first)
        self.fill_steps()
        self.server.stop()
        self.copy(self.first, self.uri)
        self.kill_at("task", "ACCESS EXCLUSIVE", self.uri, self.second)
        self.assert_unfinished("--data", self.second)
        done = self.pawl("copy", self.uri, self.second)
        self.assertEqual(done.returncode, 4, done)
        self.copy(self.uri, self.second, "--overwrite")
        self.check("--data", self.second)

        # The other way: a database in which the tables are already, and nothing in them.
        self.sql("SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        Server(data=os.path.join(self.home, "made")).stop()
        shutil.move(os.path.join(self.home, "made", "data", "pawl.db"), empty)
        self.copy(empty, self.uri)
        self.kill_at("timer", "SHARE", self.first, self.uri)
        self.assert_unfinished("--store", self.uri, "--data", self.first)
        self.copy(self.first, self.uri, "--overwrite")
        self.check("--store", self.uri)
        self.assertEqual(self.sql("SELECT count(*) FROM instance"), str(self.copy(self.uri, os.path.join(self.home, "third.db"))["instance"]))


if __name__ == "__main__":
    main()
