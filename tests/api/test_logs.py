"""The log tells of runs that fail and come back, and of changes, once a second for each reason; systemd hears how the engine is."""

import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import time

from harness import BINARY, PATIENCE, Case, Client, Server, main, needs_one_node

# It calls a server that the guard does not let it reach.
CALLS = {"dialect": "graph/1", "definitionId": "calls", "name": "calls",
         "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "ask", "type": "action_http", "config": {"url": "http://127.0.0.1:1/x?key=k-4711"}}],
         "edges": [{"from": "t", "to": "ask"}]}


def of(server, event):
    return [line for line in map(json.loads, server.log().splitlines()) if line["event"] == event]


@needs_one_node
class Lines(Case):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.kill)
        self.client = Client(self.server)
        self.addCleanup(self.client.connection.close)

    def begin(self, definition, **given):
        answer = self.client.post(f"/api/workflows/{definition}/start", given)
        self.assertLess(answer.status, 300, answer)

    def publish(self, document):
        answer = self.client.post("/api/workflows", document)
        self.assertIn(answer.status, (200, 201), answer)

    def test_a_run_that_fails_leaves_one_line_for_its_reason(self):
        self.publish(CALLS)
        for _ in range(30):
            self.begin("calls")
        self.until(lambda: sum(line.get("repeated", 1) for line in of(self.server, "a run failed")) == 30)
        lines = of(self.server, "a run failed")
        self.assertLess(len(lines), 30)
        told = {key: lines[0][key] for key in ("level", "tenant", "definition", "step", "code")}
        self.assertEqual(told, {"level": "warn", "tenant": "default", "definition": "calls", "step": "ask", "code": "ADDRESS_REFUSED"})
        self.assertEqual(self.client.get(f"/v1/instances/{lines[0]['instance']}").status, 200)
        self.assertRegex(lines[0]["trace"], "^[0-9a-f]{32}$")
        self.assertNotIn("4711", self.server.log())
        line = of(self.server, "a call was refused, because its address is not public")[0]
        self.assertEqual((line["definition"], line["step"]), ("calls", "ask"))
        self.assertRegex(line["reason"], r"http://127\.0\.0\.1:1 is in a network")

    def test_a_change_tells_by_whom(self):
        self.publish(CALLS)
        self.until(lambda: of(self.server, "something was changed"))
        line = of(self.server, "something was changed")[0]
        self.assertEqual((line["action"], line["object"], line["version"], line["level"]), ("definition.deploy", "calls", 1, "info"))
        self.assertTrue(line["by"])
        self.assertEqual(set(line), {"time", "level", "event", "tenant", "action", "object", "by", "version"})

    def changed(self, action):
        """The line about the first change of that kind."""
        found = []
        self.until(lambda: found.extend(line for line in of(self.server, "something was changed") if line["action"] == action) or found)
        return found[0]

    def test_a_change_tells_what_it_was(self):
        self.publish(CALLS)
        self.publish({**CALLS, "name": "other"})
        answer = self.client.post("/api/definitions/calls/versions/1/restore")
        self.assertLess(answer.status, 300, answer)
        line = self.changed("definition.restore")
        self.assertEqual((line["object"], line["version"], line["restores"]), ("calls", 3, 1))
        self.begin("calls")
        self.until(lambda: of(self.server, "a run failed"))
        bulk = self.client.post("/v1/bulk", {"action": "retry", "filter": {"status": "FAILED", "definitionId": "calls"}}).json["id"]
        line = self.changed("bulk.begin")
        self.assertEqual((line["object"], line["command"], line["instances"]), (bulk, "retry", 1))
        self.assertEqual(self.client.post("/api/model/import/JSON/SAMPLE_DATA/order/1", {"amount": 4711}).status, 200)
        line = self.changed("model.change")
        self.assertEqual((line["object"], line["change"]), ("order/1", "import"))
        self.assertEqual(self.client.request("PUT", "/api/secrets/a", {"value": "v-4711"}).status, 201)
        line = self.changed("secret.set")
        self.assertEqual(set(line), {"time", "level", "event", "tenant", "action", "object", "by"})
        self.assertNotIn("4711", self.server.log())

    def test_a_refusal_tells_why_and_from_where(self):
        directory = tempfile.TemporaryDirectory(prefix="pawl-logs-")
        self.addCleanup(directory.cleanup)
        token = os.path.join(directory.name, "token")
        with open(token, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("s3cret-token-of-the-engine")
        log = os.path.join(directory.name, "log")
        server = Server(("--auth-token-file", token, "--log-file", log))
        self.addCleanup(server.kill)
        client = Client(server)
        self.addCleanup(client.connection.close)
        for _ in range(3):
            self.assertEqual(client.request("GET", "/v1/definitions", None, {"Authorization": "Bearer guess-4711"}).status, 401)
        server.stop()  # The minute ends with the engine.
        with open(log, encoding="utf-8") as file:
            text = file.read()
        (line,) = [line for line in map(json.loads, text.splitlines()) if line["event"] == "a request was refused"]
        self.assertEqual((line["level"], line["action"], line["object"], line["by"]), ("warn", "access.refused", "GET /v1/definitions", "nobody"))
        self.assertEqual((line["address"], line["times"]), ("127.0.0.1", 3))
        self.assertTrue(line["reason"])
        self.assertNotIn("4711", text)

    def test_a_start_after_a_kill_says_so_and_one_after_a_stop_does_not(self):
        directory = tempfile.TemporaryDirectory(prefix="pawl-logs-")
        self.addCleanup(directory.cleanup)
        told = []
        for end in (Server.kill, Server.stop, Server.stop):
            server = Server(data=directory.name)
            self.addCleanup(server.kill)
            client = Client(server)
            self.assertEqual(client.post("/api/workflows", {**CALLS, "definitionId": f"calls-{len(told)}"}).status, 201)
            client.connection.close()
            told.append(len(of(server, "the engine was killed; it goes on from its last commit")))
            end(server)
        self.assertEqual(told, [0, 1, 0])

    def test_a_bulk_tells_its_action_and_its_id(self):
        self.publish(CALLS)
        self.begin("calls")
        self.until(lambda: of(self.server, "a run failed"))
        answer = self.client.post("/v1/bulk", {"action": "retry", "filter": {"status": "FAILED", "definitionId": "calls"}})
        self.assertEqual(answer.status, 202, answer)
        self.until(lambda: of(self.server, "a bulk is done"))
        line = of(self.server, "a bulk is done")[0]
        self.assertEqual((line["action"], line["bulk"]), ("retry", answer.json["id"]))

    def test_a_failed_run_that_is_retried_goes_on(self):
        self.publish(CALLS)
        self.begin("calls")
        self.until(lambda: of(self.server, "a run failed"))
        instance = of(self.server, "a run failed")[0]["instance"]
        answer = self.client.post(f"/v1/instances/{instance}/retry")
        self.assertLess(answer.status, 300, answer)
        self.until(lambda: of(self.server, "a failed run goes on"))
        self.assertEqual(of(self.server, "a failed run goes on")[0]["instance"], instance)

    def test_a_line_of_a_request_has_numbers(self):
        server = Server(("--log-level", "debug"))
        self.addCleanup(server.kill)
        client = Client(server)
        self.addCleanup(client.connection.close)
        client.get("/v1/definitions")
        self.until(lambda: client.get("/v1/definitions") and of(server, "request"))
        line = of(server, "request")[0]
        self.assertEqual((line["status"], line["level"]), (200, "debug"))
        self.assertIsInstance(line["us"], int)


@needs_one_node
class Forms(Case):
    def lines_of(self, *arguments):
        """The lines of an engine that listened and stopped, and its standard output."""
        directory = tempfile.TemporaryDirectory(prefix="pawl-logs-")
        self.addCleanup(directory.cleanup)
        log = os.path.join(directory.name, "log")
        with open(log, "wb") as errors:
            process = subprocess.Popen([BINARY, "serve", "--listen", "127.0.0.1:0", "--store", "memory", *arguments], stderr=errors,
                                       stdout=subprocess.PIPE, env={**os.environ, "PAWL_TYPO": "1"})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        def told():
            with open(log, encoding="utf-8") as file:
                return file.read()

        # The first line of either is the sign that it listens.
        self.until(lambda: '"event":"listening"' in told() or select.select([process.stdout], [], [], 0)[0])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        return told().splitlines(), process.stdout.read().decode()

    def test_every_line_is_json_and_so_is_the_first_one(self):
        lines, output = self.lines_of("--log-format", "json", "--grpc", "127.0.0.1:0")
        self.assertEqual(output, "")
        told = [json.loads(line) for line in lines]
        listening = next(line for line in told if line["event"] == "listening")
        self.assertRegex(listening["url"], r"^http://127\.0\.0\.1:\d+$")
        self.assertRegex(listening["grpc"], r"^127\.0\.0\.1:\d+$")
        self.assertEqual(told[-1]["event"], "stopped")

    def test_text_is_for_people(self):
        lines, output = self.lines_of("--log-format", "text")
        self.assertIn("listening on http://127.0.0.1:", output)
        self.assertTrue(any(" warn  a variable of the environment is no setting, and has no effect variable=PAWL_TYPO" in line for line in lines), lines)
        self.assertFalse(any(line.startswith("{") for line in lines), lines)


@needs_one_node
class Systemd(Case):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="pawl-notify-")
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "socket")
        self.socket = self.listen()

    def listen(self):
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        made.settimeout(PATIENCE)
        return made

    def heard(self, word):
        """Waits for a datagram with the word."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.socket.recv(4096).decode()
            if word in text:
                return text
        self.fail(f"systemd was not told {word}")

    def test_systemd_hears_of_the_start_signs_of_life_the_reload_and_the_stop(self):
        for path, name in ((self.path, self.path), ("\0" + self.path, "@" + self.path)):
            with self.subTest(name=name):
                self.socket = self.listen()
                self.socket.bind(path)
                server = Server(environment={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000"})
                self.addCleanup(server.kill)
                self.assertIn("listening on http://127.0.0.1:", self.heard("READY=1"))
                self.heard("WATCHDOG=1")
                server.process.send_signal(signal.SIGHUP)
                self.assertIn("MONOTONIC_USEC=", self.heard("RELOADING=1"))
                self.heard("READY=1")
                server.process.send_signal(signal.SIGTERM)
                self.heard("STOPPING=1")
                self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_the_watchdog_of_another_process_gets_no_sign(self):
        self.socket.bind(self.path)
        server = Server(environment={"NOTIFY_SOCKET": self.path, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"})
        self.addCleanup(server.kill)
        self.heard("READY=1")
        server.process.send_signal(signal.SIGTERM)
        told = []
        while not told or "STOPPING=1" not in told[-1]:
            told.append(self.socket.recv(4096).decode())
        self.assertEqual(told, ["STOPPING=1"])


if __name__ == "__main__":
    main()
