"""What changes, as one stream for a page."""

import http.client
import json
import os
import socket
import tempfile
import time

from entities import EntityCase
from harness import NODES, PATIENCE, Case, Server, main, needs_one_node, raw, validate_named
from steps import end, person, service


class Live:
    """A stream of changes."""

    def __init__(self, server, topics, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self.connection.request("GET", "/api/live?topics=" + topics, headers=headers or {})
        self.response = self.connection.getresponse()
        self.last = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()
        self.connection.close()

    def next(self):
        """The next event as (event, data), or None at the end."""
        event = {}
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if not line and not event:
                return None
            if not line:
                self.last = event["id"]
                data = json.loads(event["data"])
                if event["event"] == "changed":
                    validate_named(data, "LiveChange")
                return event["event"], data
            name, _, value = line.partition(": ")
            event[name] = value

    def until(self, wanted):
        """Reads until this change comes; all that came."""
        seen = []
        deadline = time.monotonic() + PATIENCE
        while not seen or seen[-1] != ("changed", wanted):
            seen.append(self.next())
            assert seen[-1] and time.monotonic() < deadline, seen[-20:]
        return seen


class Streams(Case):
    def follow(self, topics, headers=None):
        live = Live(self.server, topics, headers)
        self.addCleanup(live.__exit__)
        self.assertEqual(live.response.status, 200)
        self.assertEqual(live.response.headers["Content-Type"], "text/event-stream")
        self.assertEqual(live.next(), ("ready", {}))
        return live

    def test_instances_and_their_tasks(self):
        name = self.upload([person("ask", "end"), end()])
        live = self.follow("instances,tasks")
        made = self.start(name)
        seen = live.until({"kind": "instances", "id": made["id"]})
        task = next((data for _, data in seen if data["kind"] == "tasks"), None) or live.next()[1]
        self.assertEqual(task["kind"], "tasks")
        self.assertEqual(self.get("/api/tasks/" + task["id"]).json["instanceId"], made["id"])

    def test_one_instance(self):
        name = self.upload([service("work", "end", self.fresh("job")), end()])
        mine, other = self.start(name), self.start(name)
        live = self.follow("instances/" + mine["id"])
        self.post(f"/v1/instances/{other['id']}/cancel", {})
        self.post(f"/v1/instances/{mine['id']}/cancel", {})
        self.assertEqual(live.next(), ("changed", {"kind": "instances", "id": mine["id"]}))

    def test_definitions_drafts_and_triggers(self):
        live = self.follow("definitions,drafts,triggers")
        name = self.upload([end()])
        live.until({"kind": "triggers", "id": name})
        draft = self.fresh("draft")
        self.client.request("PUT", f"/api/workflows/{draft}/draft", {"half": "done"})
        live.until({"kind": "drafts", "id": draft})
        self.client.request("DELETE", f"/api/workflows/{draft}/draft")
        live.until({"kind": "drafts", "id": draft})

    @needs_one_node
    def test_who_has_a_draft_open(self):
        draft = self.fresh("draft")
        place, told = f"/api/workflows/{draft}/draft", ("changed", {"kind": "drafts", "id": draft})
        self.client.request("PUT", place, {"half": "done"})
        self.assertNotIn("openBy", self.get(place).json)

        def opened():
            return {one["name"]: one["pages"] for one in self.get(place).json.get("openBy", [])}

        ada = self.follow(f"overview&draft={draft}", {"X-Actor": "Ada"})
        ada.until(told[1])
        self.assertEqual(opened(), {"Ada": 1})
        for actor in ("Bo", "Ada"):
            live = Live(self.server, f"overview&draft={draft}", {"X-Actor": actor})
            self.addCleanup(live.__exit__)
            self.assertEqual(live.next()[0], "ready")
            ada.until(told[1])
        self.assertEqual(opened(), {"Ada": 2, "Bo": 1})
        validate_named(self.get(place).json, "Draft")
        live.__exit__()
        ada.until(told[1])
        self.assertEqual(opened(), {"Ada": 1, "Bo": 1})
        # A page that has another draft open is not told, and is not named.
        other = self.follow(f"drafts&draft={draft}-2")
        other.until({"kind": "drafts", "id": f"{draft}-2"})
        self.assertEqual(opened(), {"Ada": 1, "Bo": 1})
        self.assertEqual(self.client.request("GET", f"/api/live?topics=drafts&draft={'x' * 257}").status, 400)

    def test_workers_and_the_overview(self):
        job = self.fresh("job")
        name = self.upload([service("work", "end", job), end()])
        live = self.follow("workers,overview")
        self.start(name)
        self.complete(self.take(job))
        for _ in range(NODES):  # A node tells of its own workers.
            self.move_on()
            self.poll(self.fresh("job"), waitSeconds=0.05)
        live.until({"kind": "workers"})
        seen = self.follow("overview")
        self.start(name)
        seen.until({"kind": "overview"})

    def test_arrivals(self):
        name = self.fresh("hook")
        self.post("/v1/definitions", {
            "dialect": "graph/1", "definitionId": name, "name": name, "triggers": [{"id": "t", "type": "http", "path": "/" + name}],
            "nodes": [{"id": "h", "type": "human_task", "config": {"title": "work"}}], "edges": [{"from": "t", "to": "h"}]})
        live = self.follow("arrivals")
        self.assertEqual(self.post("/hooks/" + name, {}).status, 202)
        number = self.get("/api/arrivals?definitionId=" + name).json["items"][0]["number"]
        live.until({"kind": "arrivals", "id": str(number)})

    def test_bulks(self):
        live = self.follow("bulk")
        name = self.upload([person("ask", "end"), end()])
        self.start(name)
        answer = self.post("/v1/bulk", {"action": "cancel", "filter": {"definitionId": name}})
        self.assertEqual(answer.status, 202, answer)
        live.until({"kind": "bulk", "id": answer.json["id"]})

    @needs_one_node  # A balancer that chooses a node for each request passes the burst on one at a time.
    def test_many(self):
        name = self.upload([person("ask", "end"), end()])
        live = self.follow("instances")
        quiet = self.follow("definitions")
        body = json.dumps({"definitionId": name})
        one = f"POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        raw(self.server, ((one + "\r\n" + body) * 400 + one + "Connection: close\r\n\r\n" + body).encode())
        live.until({"kind": "instances", "many": True})
        other = self.upload([end()])
        self.assertEqual({data["kind"] for _, data in quiet.until({"kind": "definitions", "id": other})}, {"definitions"})

    def test_who_comes_back(self):
        live = self.follow("definitions")
        name = self.upload([end()])
        live.until({"kind": "definitions", "id": name})
        with Live(self.server, "definitions", {"Last-Event-ID": live.last}) as same:
            self.assertEqual(same.next(), ("ready", {}))
        self.upload([end()])
        self.assertEqual(live.next()[0], "changed")
        with Live(self.server, "definitions", {"Last-Event-ID": "1-1"}) as late:
            self.assertEqual([late.next(), late.next()], [("ready", {}), ("reset", {})])

    def test_a_stream_tells_of_its_topics_only(self):
        drafts, instances = self.follow("drafts"), self.follow("instances")
        made, draft = self.start(self.upload([person("ask", "end"), end()])), self.fresh("draft")
        self.client.request("PUT", f"/api/workflows/{draft}/draft", {"half": "done"})
        self.assertEqual({data["kind"] for _, data in drafts.until({"kind": "drafts", "id": draft})}, {"drafts"})
        self.assertEqual({data["kind"] for _, data in instances.until({"kind": "instances", "id": made["id"]})}, {"instances"})

    def test_topics_are_checked(self):
        for topics in ("", "nothing", "instances/x", "tasks/1"):
            self.refused(self.get("/api/live?topics=" + topics), 400, "topic")
        self.refused(self.get("/api/live?topics=" + ",".join(["tasks"] * 65)), 413, "LIVE_TOPICS_MAX")

    def test_head(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("HEAD", "/api/live?topics=tasks")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b""))

    @needs_one_node  # Each node has its own limit.
    def test_many_streams(self):
        """The last one is refused by name; those that leave make room."""
        sockets = []
        self.addCleanup(lambda: [one.close() for one in sockets])
        answer = None
        while not answer or answer.startswith(b"HTTP/1.1 200"):
            one = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
            one.sendall(b"GET /api/live?topics=drafts HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sockets.append(one)
            answer = one.recv(4096)
            self.assertLessEqual(len(sockets), 257)
        self.assertIn(b" 429 ", answer)
        for one in sockets:
            one.close()
        self.until(lambda: self.opens())

    def opens(self):
        with Live(self.server, "drafts") as live:
            return live.response.status == 200


class Entities(EntityCase):
    def test_entities_and_models(self):
        with Live(self.server, "entities,models") as live:
            self.assertEqual(live.next(), ("ready", {}))
            self.prepare()
            live.until({"kind": "models", "id": self.model + "/1"})
            entity = self.created({"amount": 1})
            live.until({"kind": "entities", "id": entity})
            with Live(self.server, "entities/" + entity) as one:
                self.assertEqual(one.next(), ("ready", {}))
                self.changed(entity, {"amount": 2})
                one.until({"kind": "entities", "id": entity})


class Secret(Case):
    handle, path = tempfile.mkstemp(prefix="pawl-token-")
    os.write(handle, b"swordfish")
    os.close(handle)
    arguments = ("--auth-token-file", path)

    @classmethod
    def tearDownClass(cls):
        os.unlink(cls.path)

    def test_it_asks_for_the_token(self):
        with Live(self.server, "tasks") as live:
            self.assertEqual(live.response.status, 401)
        with Live(self.server, "tasks", {"Authorization": "Bearer swordfish"}) as live:
            self.assertEqual(live.next(), ("ready", {}))


class Stopping(Case):
    def test_streams_end_with_the_engine(self):
        server = Server()
        with Live(server, "tasks") as live:
            self.assertEqual(live.next(), ("ready", {}))
            server.stop()
            self.assertIsNone(live.next())


if __name__ == "__main__":
    main()
