"""A real engine on a free port, and plain HTTP to it.

One process serves all the tests of a run: every test makes its own definition and job type names, so
that none sees another's work. Nothing here sleeps: who waits, waits inside a long poll, `?wait=` or
the event stream, and always with a deadline.
"""

import atexit
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

BINARY = os.environ.get("PAWL_BINARY") or str(pathlib.Path(__file__).resolve().parents[2] / "build" / "pawl")
PATIENCE = 30  # Seconds after which something that should happen at once is held to be lost.


class Answer:
    """One HTTP answer. `json` is the body as Python sees it, `exact` keeps every number's own digits."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def exact(self):
        return json.loads(self.body, parse_int=str, parse_float=str)

    @property
    def reason(self):
        return self.json.get("reason", "")

    def __repr__(self):
        return "%d %s" % (self.status, self.body[:600])


# The original lets pages of every origin in; this engine, those it was told of.
ORIGINS = ("http://modeller.example", "http://a.example")


class Engine:
    def __init__(self, *options):
        options = [*options, *(word for origin in ORIGINS for word in ("--cors-origin", origin))]
        self.folder = tempfile.mkdtemp(prefix="pawl-contract-")
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", os.path.join(self.folder, "data"), *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.banner = line = self.process.stdout.readline()
        found = re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)
        if not found:
            self.process.kill()
            raise RuntimeError("the engine did not start: %r" % line)
        self.port = int(found.group(1))
        self.local = threading.local()

    def stop(self):
        self.disconnect()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def get_of_all(self, path):
        """The lines of all nodes, if there are several: the balancer sends each new connection to the next one."""
        lines = []
        for _ in range(int(os.environ.get("PAWL_TEST_NODES", "1"))):
            connection = self.connect()
            connection.request("GET", path)
            lines += connection.getresponse().read().decode("utf-8").splitlines()
            connection.close()
        return lines

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=2 * PATIENCE)

    def request(self, method, path, body=None, headers=None):
        """Sends a request on this thread's kept-alive connection. A body that is neither text nor
        bytes is sent as JSON."""
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body, ensure_ascii=False)
        if isinstance(body, str):
            body = body.encode("utf-8")
        headers = dict(headers or {})
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = self.connect()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        except Exception:
            self.disconnect()
            raise

    def disconnect(self):
        """Closes this thread's connection; the next request opens another."""
        if getattr(self.local, "connection", None) is not None:
            self.local.connection.close()
            self.local.connection = None

    def get(self, path, headers=None):
        return self.request("GET", path, None, headers)

    def post(self, path, body=None, headers=None):
        return self.request("POST", path, body, headers)

    def events(self, instance, last=None, deadline=PATIENCE):
        """Yields (id, name, data) of an instance's event stream until it ends or the deadline passes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=deadline)
        try:
            headers = {"Accept": "text/event-stream"}
            if last is not None:
                headers["Last-Event-ID"] = str(last)
            connection.request("GET", "/v1/instances/%s/events" % instance, None, headers)
            response = connection.getresponse()
            if response.status != 200:
                raise RuntimeError("no events: %d %r" % (response.status, response.read()))
            number, name, data = None, "message", []
            for raw in response:
                line = raw.decode("utf-8").rstrip("\r\n")
                if not line:
                    if data:
                        yield number, name, "\n".join(data)
                    name, data = "message", []
                elif line.startswith("id:"):
                    number = line[3:].strip()
                elif line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    data.append(line[5:].strip())
        finally:
            connection.close()

    def until(self, instance, holds, deadline=PATIENCE):
        """The instance as soon as holds(instance) is true. Between looks it waits for the next event."""
        path = "/v1/instances/" + instance
        seen = self.get(path).json
        if holds(seen):
            return seen
        end = time.monotonic() + deadline
        for _ in self.events(instance, deadline=deadline):
            seen = self.get(path).json
            if holds(seen):
                return seen
            if time.monotonic() > end:
                break
        raise AssertionError("this did not happen in %s s: %r" % (deadline, seen))


_shared = None


def shared():
    """The engine that all tests of this run use; it is stopped when Python ends."""
    global _shared
    if _shared is None:
        _shared = Engine()
        atexit.register(_shared.stop)
    return _shared
