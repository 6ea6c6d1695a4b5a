"""Starts the program, talks to it, and holds every answer against contract/openapi.json.

A test file has classes derived from Case. All classes of a file with the same `arguments`
share one engine with a fresh data directory; it must stop cleanly at the end. Nothing here
sleeps: tests wait on the API itself (long polls, ?wait=, the event stream).

    PAWL_BINARY   the program to test (default: build/pawl)

Under tests/services/on-postgres the engines have their stores in PostgreSQL. What only a store in a file has, such as damage to its rows, is
tested without it (needs_a_file). Under tests/services/three-on-postgres each engine is several nodes behind a balancer; what is promised
for the requests of one connection to one node is tested without it (needs_one_node).
"""

import atexit
import gzip
import http.client
import itertools
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.abspath(os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl")))
ON_POSTGRES = "PAWL_TEST_POSTGRES" in os.environ
needs_a_file = unittest.skipIf(ON_POSTGRES, "the store is not in a file")
NODES = int(os.environ.get("PAWL_TEST_NODES", "1"))
COUNTER = re.compile(r"_(total|count|sum|bucket)($|{)")  # Each node counts for itself.
needs_one_node = unittest.skipIf("PAWL_TEST_NODES" in os.environ, "a balancer is between the client and the node")
PATIENCE = 30  # Seconds after which something that should happen at once is held to be lost.

with open(os.path.join(ROOT, "contract", "openapi.json"), encoding="utf-8") as file:
    CONTRACT = json.load(file)


# ---- the contract ----


def resolve(node):
    while "$ref" in node and node["$ref"].startswith("#/components/"):
        target = CONTRACT
        for part in node["$ref"][2:].split("/"):
            target = target[part]
        if len(node) > 1:  # A schema with more beside the reference: left to the validator.
            return node
        node = target
    return node


# Linters refuse a path that ends with a slash, so the contract has them without it.
SAME_PATHS = {"/api/model/": "/api/model", "/ui/": "/ui/index.html", "/docs/": "/docs/index.html"}


def find_path(path):
    """The contract's entry for a request path, or None."""
    path = path.split("?")[0]
    asked = SAME_PATHS.get(path, path).split("/")
    for template, item in CONTRACT["paths"].items():
        parts = template.split("/")
        if len(parts) == len(asked) and all(a == p or (p.startswith("{") and a) for a, p in zip(asked, parts)):
            return item
    return None


def example_path(template, word="x"):
    """A path of the contract with a word for each parameter: the only one that it may be, or any."""
    only = {p["name"]: p["schema"]["enum"][0] for p in CONTRACT["paths"][template].get("parameters", ()) if "name" in p and len(p["schema"].get("enum", ())) == 1}
    return re.sub(r"{([^}]*)}", lambda match: only.get(match[1], word), template)


class Resolver(threading.local):
    """One for each thread. A new resolver searches the whole contract for its first reference, which took half of the time of all tests."""

    def __init__(self):
        self.contract = jsonschema.RefResolver("", CONTRACT)


RESOLVER = Resolver()


def validate(value, schema):
    jsonschema.Draft202012Validator(schema, resolver=RESOLVER.contract).validate(value)


def validate_named(value, name):
    validate(value, {"$ref": "#/components/schemas/" + name})


def check_content(answer, content):
    """The body and its type are one of those the contract has."""
    if not content:
        assert answer.body == b"" and answer.type is None, f"a body where there should be none: {answer}"
        return
    assert answer.type in content, f"Content-Type {answer.type!r} is not in the contract: {answer}"
    if answer.type in ("application/json", "application/problem+json"):
        validate(answer.json, content[answer.type]["schema"])


def check(method, path, answer):
    """Fails unless the contract allows this answer to this request."""
    item = find_path(path)
    if answer.status in (403, 415, 421) and not path.startswith(("/hooks/", "/mcp")):
        name = {403: "Forbidden", 415: "Unsupported", 421: "Misdirected"}[answer.status]
        if answer.type == "application/json":
            check_content(answer, CONTRACT["components"]["responses"][name]["content"])
            return
    if method == "OPTIONS" and answer.status == 200:
        assert answer.body == b"" and answer.headers["Access-Control-Allow-Methods"]
        return
    if item is None and (path + "/").startswith("/api/"):
        assert answer.status in (401, 404, 405, 501), f"an unknown path: {answer}"
        assert answer.type == "application/problem+json", answer
        validate_named(answer.json, "EntityProblem")
        return
    if item is None and answer.status == 404:
        assert (answer.body, answer.type) == (b"404 page not found", "text/plain; charset=utf-8"), answer
        return
    if item is None:
        assert answer.status in (400, 401), f"an unknown path: {answer}"
        validate_named(answer.json, "Error")
        return
    operation = item.get("get" if method == "HEAD" else method.lower())
    if operation is None:
        assert answer.status in (401, 405), f"a method it does not have: {answer}"
        if path.startswith("/api/"):
            validate_named(answer.json, "EntityProblem")
        assert answer.status == 401 or (path.startswith("/api/") or answer.body == b"") and answer.headers["Allow"], answer
        return
    response = operation["responses"].get(str(answer.status))
    assert response, f"{method} {path}: status {answer.status} is not in the contract: {answer}"
    response = resolve(response)
    for name, header in response.get("headers", {}).items():
        header = resolve(header)
        if header.get("required") or name in answer.headers:
            assert name in answer.headers, f"{name} is missing: {answer}"
            validate(answer.headers[name], header["schema"])
    if method != "HEAD":
        check_content(answer, response.get("content"))


# ---- the engine ----


class Server:
    """One engine in a directory of its own."""

    def __init__(self, arguments=(), data=None, environment=None):
        self.directory = data or tempfile.mkdtemp(prefix="pawl-test-")
        self.owns_directory = data is None
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", os.path.join(self.directory, "data"), *arguments],
            stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
        atexit.register(self.kill)
        self.port = self._read_port()

    def _read_port(self):
        text = b""
        while b"listening on http" not in text or not text.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not more:
                log = self.log()
                self.kill()
                raise AssertionError(f"the engine did not start: {text!r} {log}")
            text += more
        self.banner = text.decode()
        return int(text.split(b"listening on http")[1].split()[0].rsplit(b":")[-1].strip(b"/"))

    def log(self):
        # The engine shares the file's position: to move it would let a line be written over others.
        return os.pread(self.errors.fileno(), os.fstat(self.errors.fileno()).st_size, 0).decode()

    def kill(self):
        """At once, as a power failure would."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._release()

    def stop(self):
        """In order; the exit code must be 0."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
            assert code == 0, f"the engine ended with {code}: {self.log()[-4000:]}"
        finally:
            self.kill()

    def _release(self):
        self.process.stdout.close()
        self.errors.close()
        if self.owns_directory:
            shutil.rmtree(self.directory, ignore_errors=True)
        atexit.unregister(self.kill)


# ---- requests ----


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.type = headers.get("Content-Type")

    @property
    def json(self):
        return json.loads(self.unpacked)

    @property
    def unpacked(self):
        return gzip.decompress(self.body) if self.headers["Content-Encoding"] == "gzip" else self.body

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:2000]!r}"


class Client:
    """Keeps one connection; every answer is checked."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=2 * PATIENCE)
        self.headers = {}

    def close(self):
        self.connection.close()

    def request(self, method, path, body=None, headers=None):
        """A body that is not bytes is sent as JSON."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **self.headers, **(headers or {})}
        self.connection.request(method, path, body, sent)
        response = self.connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        check(method, path, answer)
        return answer

    def get(self, path, headers=None):
        return self.request("GET", path, None, headers)

    def post(self, path, body=None, headers=None):
        return self.request("POST", path, body, headers)

    def later(self, path, body, headers=None):
        """Sends a POST on a connection of its own; call the result for the answer."""
        other = Client(self.server)
        other.connection.request("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})

        def finish():
            response = other.connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
            other.close()
            check("POST", path, answer)
            return answer
        return finish


def raw(server, data, finish=False):
    """Sends bytes as they are and returns all that comes back until the engine closes."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        connection.sendall(data)
        if finish:
            connection.shutdown(socket.SHUT_WR)
        text = b""
        while True:
            more = connection.recv(65536)
            if not more:
                return text
            text += more


class Events:
    """The stream of an instance's events."""

    def __init__(self, server, instance_id, last=None, path="events", headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        sent = {"Accept": "text/event-stream", **(headers or {})}
        if last is not None:
            sent["Last-Event-ID"] = str(last)
        self.connection.request("GET", f"/v1/instances/{instance_id}/{path}", headers=sent)
        self.response = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()
        self.connection.close()

    def next(self):
        """The next event as (id, event, data), or None at the end. Comments are skipped; they alone would keep it waiting for ever."""
        event, deadline = {}, time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < deadline, "no event came"
            line = self.response.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                continue
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
            elif event:
                return event.get("id"), event["event"], json.loads(event["data"])

    def all(self):
        return list(iter(self.next, None))


# ---- the base of all tests ----

servers = {}
numbers = itertools.count(1)


def stop_servers():
    failures = []
    for server in servers.values():
        try:
            server.stop()
        except AssertionError as failure:
            failures.append(failure)
    servers.clear()
    if failures:
        raise failures[0]


class Case(unittest.TestCase):
    arguments = ()
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not servers:
            unittest.addModuleCleanup(stop_servers)
        if cls.arguments not in servers:
            servers[cls.arguments] = Server(cls.arguments)
        cls.server = servers[cls.arguments]

    def setUp(self):
        self.client = Client(self.server)
        self.addCleanup(self.client.close)
        self.get, self.post = self.client.get, self.client.post

    def fresh(self, name="flow"):
        """A name nobody used before."""
        return f"{name}-{next(numbers)}"

    def upload(self, steps, **more):
        """Uploads a definition made of these steps; its id."""
        document = {"id": self.fresh(), "name": "A flow", "steps": steps, **more}
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201, answer)
        return document["id"]

    def upload_workflow(self, *states, **more):
        """Uploads a Serverless Workflow that begins with the first of these states; its id."""
        document = {"id": self.fresh("workflow"), "name": "A workflow", "startsAt": states[0]["name"], "states": list(states), **more}
        answer = self.post("/v1/definitions", document)
        self.assertEqual(answer.status, 201, answer)
        return document["id"]

    def start(self, definition, variables=None, wait=None, **more):
        body = {"definitionId": definition, **more}
        if variables is not None:
            body["variables"] = variables
        answer = self.post("/v1/instances" + (f"?wait={wait}" if wait is not None else ""), body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json

    def run_steps(self, steps, variables=None):
        """Runs a definition that needs nobody; the instance at its end."""
        return self.start(self.upload(steps), variables, wait=PATIENCE)

    def instance(self, instance_id):
        answer = self.get(f"/v1/instances/{instance_id}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def history(self, instance_id):
        return self.get(f"/v1/instances/{instance_id}/history").json["items"]

    def visits(self, instance_id):
        return [(item["stepId"], item["status"]) for item in self.history(instance_id)]

    def ended(self, instance_id):
        """Waits for the instance's end and returns it."""
        with Events(self.server, instance_id) as events:
            last = events.all()[-1]
        self.assertEqual(last[1], "end")
        return self.instance(instance_id)

    def poll(self, *job_types, worker="w", **more):
        answer = self.post("/v1/jobs/poll", {"workerId": worker, "jobTypes": list(job_types), **more})
        self.assertEqual(answer.status, 200, answer)
        return answer.json["jobs"]

    def take(self, job_type, worker="w", waitSeconds=PATIENCE, **more):
        """The one job there is, or will be soon."""
        jobs = self.poll(job_type, worker=worker, waitSeconds=waitSeconds, **more)
        self.assertEqual(len(jobs), 1, jobs)
        return jobs[0]

    def complete(self, job, variables=None, worker="w"):
        answer = self.post(f"/v1/jobs/{job['id']}/complete", {"workerId": worker, "variables": variables})
        self.assertEqual(answer.status, 204, answer)

    def fail_job(self, job, message="broken", retryable=False, worker="w"):
        body = {"workerId": worker, "errorMessage": message, "retryable": retryable}
        self.assertEqual(self.post(f"/v1/jobs/{job['id']}/fail", body).status, 204)

    def ask_all(self, path, headers=None):
        """The answers of all nodes. The balancer sends each new connection to the next one."""
        answers = []
        for _ in range(NODES):
            client = Client(self.server)
            client.headers = self.client.headers
            answers.append(client.get(path, headers))
            client.close()
        return answers

    def move_on(self):
        """The next request goes to another node: what only one of them knows is found by asking all in turn."""
        if NODES > 1:
            self.client.close()

    def metric(self, name):
        """The value of a series, 0 if it is not there. Of several nodes, what they have counted together, or what the next one has."""
        self.move_on()
        answers = self.ask_all("/metrics") if COUNTER.search(name) else [self.get("/metrics")]
        lines = [line for answer in answers for line in answer.body.decode().splitlines()]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name + " "))

    def dropped_callbacks(self, instance_id):
        """The newest first. Each node remembers those that it has got."""
        dropped = [one for answer in self.ask_all(f"/v1/instances/{instance_id}/explain") for one in answer.json["droppedCallbacks"]]
        return sorted(dropped, key=lambda one: one["at"], reverse=True)

    def told(self, instance_id):
        """Waits until every node knows who holds the job that was taken: another one hears of it with the next heartbeat."""
        def is_told():
            return any(job["status"] == "LOCKED" for job in self.get(f"/v1/jobs?instanceId={instance_id}").json["items"])
        self.until(lambda: NODES == 1 or all(is_told() for _ in range(NODES)))

    def until(self, condition):
        """Asks again and again; for what the API cannot announce."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited in vain")

    def refused(self, answer, status, text):
        """An error with this status whose sentence contains the text."""
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.json["reason"], answer.json["message"])
        self.assertIn(text, answer.json["reason"])


class Killed(Case):
    """Each test has engines of its own, one after the other on the same data."""
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.server = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.server = self.client = None
        self.addCleanup(self.close)
        self.again()

    def close(self):
        if self.server:
            self.client.close()
            self.server.kill()

    def again(self):
        """Kills the engine, if there is one, and starts it on what it left."""
        self.close()
        self.server = Server(self.flags, data=self.directory)
        self.client = Client(self.server)
        self.get, self.post = self.client.get, self.client.post


def quote(text):
    return urllib.parse.quote(text, safe="")


def main():
    sys.argv[0] = os.path.basename(sys.argv[0])
    unittest.main()
