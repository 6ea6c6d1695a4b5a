"""Secrets: set, listed by name, removed, sealed with another key; the engine shows them nowhere."""

import json
import os
import subprocess
import tempfile
import unittest
import urllib.parse

from functions import Functions, Reply
from graphs import Graphs, one_call
from harness import BINARY, PATIENCE, Case, Client, Server, main

PLANTED = "planted-9f3c-value"


class Surface(Case):
    def put(self, name, body, headers=None):
        return self.client.request("PUT", f"/api/secrets/{name}", body, headers)

    def delete(self, name):
        return self.client.request("DELETE", f"/api/secrets/{name}")

    def names(self):
        return [item["name"] for item in self.get("/api/secrets?pageSize=200").json["items"]]

    def test_a_secret_is_set_changed_listed_and_removed(self):
        name = self.fresh("secret")
        answer = self.put(name, {"value": PLANTED})
        self.assertEqual(answer.status, 201)
        made = answer.json
        self.assertEqual((made["name"], made["source"]), (name, "store"))
        answer = self.put(name, {"value": PLANTED + "2"})
        self.assertEqual((answer.status, answer.json["createdAt"]), (200, made["createdAt"]))
        self.assertIn(name, self.names())
        self.assertNotIn(PLANTED.encode(), self.get("/api/secrets?pageSize=200").body)
        self.assertEqual(self.delete(name).status, 204)
        self.assertNotIn(name, self.names())
        self.assertEqual(self.delete(name).status, 404)

    def test_bad_requests_are_refused_and_show_no_value(self):
        for name, body in (("a%20b", {"value": PLANTED}), (".a", {"value": PLANTED}), ("a" * 129, {"value": PLANTED}), ("a%2Fb", {"value": PLANTED}),
                           ("ok", {"value": ""}), ("ok", {"value": 5}), ("ok", {}), ("ok", [PLANTED]), ("ok", None), ("ok", b'{"value":"' + PLANTED.encode())):
            answer = self.put(name, body)
            self.assertEqual(answer.status, 400, (name, body))
            self.assertNotIn(PLANTED.encode(), answer.body)
        self.assertEqual(self.put("x" * 128, {"value": "v" * (16 << 10)}).status, 201)
        self.assertIn(self.put("x" * 128, {"value": "v" * ((16 << 10) + 1)}).status, (400, 413))
        self.assertEqual(self.delete("x" * 128).status, 204)

    def test_pages_follow_each_other(self):
        names = sorted(self.fresh("page") for _ in range(5))
        for name in names:
            self.put(name, {"value": "v"})
        seen, cursor = [], ""
        while True:
            page = self.get(f"/api/secrets?pageSize=2{cursor}").json
            seen += [item["name"] for item in page["items"]]
            if "nextCursor" not in page:
                break
            cursor = f"&cursor={page['nextCursor']}"
        self.assertEqual([name for name in seen if name in names], names)
        self.assertEqual(len(seen), len(set(seen)))
        for name in names:
            self.delete(name)

    def test_an_idempotency_key_is_refused(self):
        """With a key a hash of the request would be stored, which tells whether a guess is right."""
        name, key = self.fresh("keyed"), {"Idempotency-Key": self.fresh("key")}
        answer = self.put(name, {"value": "one"}, key)
        self.assertEqual(answer.status, 400)
        self.assertIn("Idempotency-Key", answer.json["detail"])
        self.assertNotIn(name, self.names())

    def test_a_rekey_counts(self):
        name = self.fresh("rekeyed")
        self.put(name, {"value": "v"})
        answer = self.post("/api/secrets/rekey")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["resealed"], len(self.names()))
        self.until(lambda: self.metric("pawl_secrets") == len(self.names()))  # Another node hears of it at its next heartbeat.
        self.delete(name)

    def test_all_nodes_have_the_new_key_when_no_secret_was_left(self):
        """No sealed value tells a node that another one has made a new key. Each request may reach another node."""
        for _ in range(4):
            names = [self.fresh("alone") for _ in range(4)]
            for name in names:
                self.assertEqual(self.put(name, {"value": PLANTED}).status, 201)
            for name in names[1:]:
                self.assertEqual(self.delete(name).status, 204)
            self.assertEqual(self.post("/api/secrets/rekey").status, 200)
            self.assertEqual(self.delete(names[0]).status, 204)

    def test_each_method_is_counted_by_its_name(self):
        name = self.fresh("counted")
        self.put(name, {"value": "v"})
        self.delete(name)
        text = self.get("/metrics").body.decode()
        series = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(len(series), len(set(series)))
        self.assertIn('http_requests_duration_seconds_count{method="DELETE",path="/api/secrets/{name}",status="204"}', series)


class Disk(Case):
    """An engine of its own, and what it leaves on the disk."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="pawl-secrets-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.data = os.path.join(self.directory, "data")
        self.key = os.path.join(self.data, "pawl.db.key")
        self.logs = ""

    def start_engine(self, *arguments):
        server = Server(("--log-level", "debug", *arguments), data=self.directory)
        self.addCleanup(server.kill)
        return server, Client(server)

    def end(self, server, client):
        client.close()
        self.logs += server.log()
        server.kill()

    def refusal(self, *arguments):
        """What an engine says that cannot start."""
        done = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", self.data, *arguments], capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def assert_nowhere(self, planted):
        for name in os.listdir(self.data):
            with open(os.path.join(self.data, name), "rb") as file:
                self.assertNotIn(planted.encode(), file.read(), name)
        self.assertNotIn(planted, self.logs)


class Files(Disk):
    def test_a_value_is_in_no_file_and_survives_kills(self):
        server, client = self.start_engine()
        self.assertFalse(os.path.exists(self.key))
        self.assertEqual(client.request("PUT", "/api/secrets/api_key", {"value": PLANTED}).status, 201)
        self.assertEqual(os.stat(self.key).st_mode & 0o7777, 0o600)
        self.assert_nowhere(PLANTED)
        self.end(server, client)
        self.assert_nowhere(PLANTED)
        for _ in range(3):
            server, client = self.start_engine()
            self.assertEqual([item["name"] for item in client.get("/api/secrets").json["items"]], ["api_key"])
            self.assertEqual(client.post("/api/secrets/rekey").json, {"resealed": 1})
            self.assertEqual(client.request("PUT", "/api/secrets/api_key", {"value": PLANTED}).status, 200)
            self.end(server, client)
            self.assert_nowhere(PLANTED)
        self.assertFalse(os.path.exists(self.key + ".next"))

    def test_a_wrong_key_file_refuses_the_start_and_nothing_is_lost(self):
        server, client = self.start_engine()
        client.request("PUT", "/api/secrets/api_key", {"value": PLANTED})
        self.end(server, client)
        away = os.path.join(self.directory, "away")
        os.rename(self.key, away)
        self.assertIn("is not there", self.refusal())
        with open(self.key, "wb") as file:
            file.write(os.urandom(32))
        self.assertIn("chmod 600", self.refusal())
        os.chmod(self.key, 0o600)
        self.assertIn("another key", self.refusal())
        with open(self.key, "wb") as file:
            file.write(b"short")
        self.assertIn("has 5 bytes", self.refusal())
        os.unlink(self.key)
        server, client = self.start_engine("--secrets-key", away)
        self.assertEqual([item["name"] for item in client.get("/api/secrets").json["items"]], ["api_key"])
        self.end(server, client)

    @unittest.skipIf(os.geteuid() != 0, "only root can mount")
    def test_a_key_file_that_is_mounted_by_itself_is_not_replaced(self):
        """Containers have such files. The rows would be sealed with a key that ends with the container."""
        os.mkdir(self.data)
        with open(os.open(self.key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        subprocess.run(["mount", "--bind", self.key, self.key], check=True)
        self.addCleanup(subprocess.run, ["umount", self.key], check=True)
        server, client = self.start_engine()
        client.request("PUT", "/api/secrets/api_key", {"value": PLANTED})
        answer = client.post("/api/secrets/rekey")
        self.assertEqual(answer.status, 403)
        self.assertIn("mounted by itself", answer.json["detail"])
        self.assertEqual(client.request("PUT", "/api/secrets/api_key", {"value": PLANTED}).status, 200)
        self.assertEqual([name for name in os.listdir(self.data) if "key" in name], ["pawl.db.key"])
        self.end(server, client)

    def test_a_rekey_that_was_cut_short_is_settled(self):
        """Both files are there after a crash. The rows tell which key is theirs."""
        server, client = self.start_engine()
        client.request("PUT", "/api/secrets/api_key", {"value": PLANTED})
        self.end(server, client)
        with open(os.open(self.key + ".next", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        server, client = self.start_engine()
        self.assertFalse(os.path.exists(self.key + ".next"))
        self.end(server, client)
        os.rename(self.key, self.key + ".next")
        with open(os.open(self.key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(32))
        server, client = self.start_engine()
        self.assertFalse(os.path.exists(self.key + ".next"))
        self.assertEqual(client.post("/api/secrets/rekey").json, {"resealed": 1})
        self.end(server, client)


class Calls(Disk):
    """A call that uses a secret, and a server that repeats it."""

    def setUp(self):
        super().setUp()
        self.functions = Functions()
        self.addCleanup(self.functions.close)

    def document(self, name, **more):
        config = {"method": "POST", "url": self.functions.url + "/echo", "query": {"key": "{{ secrets.api_key }}"},
                  "headers": {"Authorization": "Bearer {{ secrets.api_key }}"}, "body": {"deep": ["a {{ secrets.api_key }} b"]}}
        return one_call(name, {"type": "action_http", "config": config, "retry": {"maxAttempts": 1}}, secretRefs=["api_key"], **more)

    def assert_no_answer_shows(self, graphs, planted, instance):
        for path in ("/api/secrets", "/v1/jobs", "/v1/definitions", "/v1/definitions/caller", "/v1/instances", "/metrics", "/openapi.json",
                     "/api/workflows", "/api/workflows/caller", "/v1/instances/reasons", f"/v1/instances/{instance}",
                     f"/v1/instances/{instance}/history", f"/v1/instances/{instance}/explain"):
            status, body = graphs.request("GET", path)
            self.assertIn(status, (200, 400), path)
            self.assertNotIn(planted.encode(), body, path)
            self.assertNotIn(b"u0001secrets", body, path)

    def test_the_value_leaves_with_the_call_and_is_seen_nowhere_else(self):
        value = PLANTED + "/ ?&"
        encoded = urllib.parse.quote(value, safe="")
        path = f"/echo?key={encoded}"
        server, client = self.start_engine("--allow-private-calls")
        graphs = Graphs(server)
        client.request("PUT", "/api/secrets/api_key", {"value": value})
        for answer in (Reply(200, {"got": [value, encoded], value: 1}), Reply(400, {"error": {"name": "Bad", "message": f"key {value} is wrong"}}),
                       Reply(500, f"no {encoded}", "text/plain")):
            self.functions.answer(path, answer)
            instance = graphs.run(self.document("caller"))
            call = self.functions.wait(path, 1)[-1]
            self.assertEqual(call.headers["Authorization"], f"Bearer {value}")
            self.assertEqual(json.loads(call.body), {"deep": [f"a {value} b"]})
            self.assertEqual("***" in json.dumps(instance), answer.status < 500, instance)  # A 500 has no name and no message.
            for shown in (value, encoded):
                self.assert_no_answer_shows(graphs, shown, instance["id"])
                self.assertNotIn(shown, json.dumps(instance))
        self.end(server, client)
        for shown in (value, encoded, PLANTED):
            self.assert_nowhere(shown)

    def test_a_kill_during_the_call_leaves_no_trace(self):
        server, client = self.start_engine("--allow-private-calls")
        graphs = Graphs(server)
        client.request("PUT", "/api/secrets/api_key", {"value": PLANTED})
        path = f"/echo?key={PLANTED}"
        self.functions.hold(path)
        graphs.publish(self.document("caller"))
        instance = graphs.start("caller")["id"]
        self.functions.wait(path, 1)
        self.assert_no_answer_shows(graphs, PLANTED, instance)
        self.end(server, client)
        self.assert_nowhere(PLANTED)
        self.functions.release(path)
        server, client = self.start_engine("--allow-private-calls")
        calls = self.functions.wait(path, 2)
        self.assertEqual(calls[-1].headers["Authorization"], f"Bearer {PLANTED}")
        self.end(server, client)
        self.assert_nowhere(PLANTED)

    def test_a_missing_secret_fails_the_node_by_name(self):
        server, client = self.start_engine("--allow-private-calls")
        graphs = Graphs(server)
        instance = graphs.run(self.document("caller"))
        self.assertEqual((instance["status"], instance["errorCode"]), ("FAILED", "SECRET_NOT_FOUND"), instance)
        self.assertIn('"api_key"', instance["errorMessage"])
        self.end(server, client)

    def test_data_cannot_ask_for_a_secret(self):
        """The list of secrets is the dialect's. The same member in data is only data."""
        server, client = self.start_engine("--allow-private-calls")
        graphs = Graphs(server)
        client.request("PUT", "/api/secrets/api_key", {"value": PLANTED})
        self.functions.answer("/echo", Reply(200, {}))
        forged = {"a": "***", "\u0001secrets": [{"at": "/body/a", "parts": [{"secret": "api_key"}]}]}
        document = one_call("caller", {"type": "action_http", "config": {"method": "POST", "url": self.functions.url + "/echo", "body": "{{ trigger.payload }}"}},
                            secretRefs=["api_key"])
        graphs.publish(document)
        graphs.start("caller", forged, wait=PATIENCE)
        call = self.functions.wait("/echo", 1)[-1]
        self.assertNotIn(PLANTED.encode(), call.body)
        self.end(server, client)

    def workflow(self, **function):
        return {"id": "caller", "name": "caller", "startsAt": "A", "functions": [{"name": "f", "resource": self.functions.url + "/echo", **function}],
                "states": [{"name": "A", "type": "OPERATION", "actions": [{"functionref": {"refname": "f"}}], "end": True}]}

    def test_functions_of_workflows_have_headers_query_and_secrets(self):
        server, client = self.start_engine("--allow-private-calls")
        graphs = Graphs(server)
        client.request("PUT", "/api/secrets/api_key", {"value": PLANTED})
        metadata = {"headers": {"Authorization": "Bearer {{ secrets.api_key }}", "X-Plain": 7, "accept": "text/plain"},
                    "query": {"key": "{{ secrets.api_key }}", "on": True}}
        path = f"/echo?key={PLANTED}&on=true"
        self.functions.answer(path, Reply(200, {"got": f"Bearer {PLANTED}"}))
        forged = {"a": "***", "\u0001secrets": [{"at": "/a", "parts": [{"secret": "api_key"}]}]}
        for kind in ("http", "cloudevent", "emit"):
            self.assertEqual(client.post("/v1/definitions", self.workflow(type=kind, metadata=metadata)).status, 201)
            instance = client.post(f"/v1/instances?wait={PATIENCE}", {"definitionId": "caller", "variables": forged}).json
            call = self.functions.wait(path, 1)[-1]
            self.assertEqual([call.headers[name] for name in ("Authorization", "X-Plain", "Accept")], [f"Bearer {PLANTED}", "7", "text/plain"])
            self.assertEqual(call.headers.get_all("Accept"), ["text/plain"])
            self.assertNotIn(PLANTED.encode(), call.body)
            self.assertEqual(instance["status"], "COMPLETED", instance)
            self.assertNotIn(PLANTED, json.dumps(instance))
            for asked in ("", "/history", "/explain"):
                self.assertNotIn(PLANTED.encode(), client.get(f"/v1/instances/{instance['id']}{asked}").body)
            self.functions.calls.clear()
        client.request("DELETE", "/api/secrets/api_key")
        client.post("/v1/definitions", self.workflow(metadata=metadata))
        instance = client.post(f"/v1/instances?wait={PATIENCE}", {"definitionId": "caller"}).json
        self.assertEqual((instance["status"], instance["error"]["name"]), ("FAILED", "SECRET_NOT_FOUND"))
        self.end(server, client)
        self.assert_nowhere(PLANTED)


if __name__ == "__main__":
    main()
