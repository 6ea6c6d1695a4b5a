"""Polls: for names without end, for names without measure, and many at once that wait.

Within the default limits no client may make the engine keep much memory, or hold up others. Before there were
limits, each of these tests failed by a wide margin. Memory is not looked at under sanitizers, which keep what is freed."""

import json
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import BINARY, PATIENCE, Case, Server, main  # noqa: E402
from steps import end, service  # noqa: E402
from stopwatch import Stopwatch  # noqa: E402

MIB = 1 << 20
CALM_SECONDS = 1.0
MEASURES = not any(word in BINARY for word in ("asan", "tsan"))


def request(body):
    text = json.dumps(body).encode()
    return b"POST /v1/jobs/poll HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text)


class Polls(Case):
    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))

    def assert_memory(self, most):
        if MEASURES:
            self.assertLess(self.memory() - self.idle, most)

    def setUp(self):
        super().setUp()
        self.idle = self.memory()


class Names(Polls):
    def test_names_that_are_too_long_are_refused_and_forgotten(self):
        name = "x" * (4 * MIB - 100)
        for number in range(60):
            answer = self.post("/v1/jobs/poll", {"workerId": "w", "jobTypes": [f"{number}{name}"], "waitSeconds": 0.001})
            self.assertEqual(answer.status, 413)
        self.assert_memory(64 * MIB)

    def test_names_that_were_waited_for_are_forgotten(self):
        for first in range(0, 100_000, 200):
            body = {"workerId": "w", "jobTypes": [f"w-{first + i}" + "x" * 240 for i in range(200)], "waitSeconds": 0.001}
            self.assertEqual(self.post("/v1/jobs/poll", body).status, 200)
        self.assert_memory(32 * MIB)


class Waiting(Polls):
    """Each on an engine of its own: what waits, waits for a minute."""
    connections, each, types = 80, 60, 200  # All of it fits into requests_bytes_max; the polls that wait do not into polls_bytes_max.

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.kill)
        super().setUp()

    def send_polls(self, names, wait=60):
        """As many polls as a client may have that pipelines; returns when the engine has taken all of them."""
        before = self.taken()
        body = b"".join(request({"workerId": "w", "jobTypes": list(names(n)), "waitSeconds": wait}) for n in range(self.each))
        for number in range(self.connections):
            connection = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
            self.addCleanup(connection.close)
            connection.sendall(body.replace(b"@@@@", b"%04d" % number))
        total = self.connections * self.each
        self.until(lambda: self.taken() - before >= total)

    def taken(self):
        return sum(self.metric(name) for name in ("pawl_polls_waiting", "pawl_polls_refused_total", "pawl_rejected_overload_total"))

    def assert_calm(self, kind):
        """A job gets to somebody who waits for it, and a start to its answer, as if nobody else were there."""
        name = self.upload([service("s", "end", kind), end()])
        for _ in range(3):
            watch = Stopwatch(self.server.process.pid)
            self.start(name)
            self.assertLess(watch.seconds(), CALM_SECONDS)

    def test_many_polls_for_the_same_types(self):
        kind = self.fresh("hot")
        self.send_polls(lambda _: [kind, *(f"same-{i}" for i in range(self.types - 1))])
        before = self.metric("pawl_jobs_polled_total")
        self.assert_calm(kind)
        self.assertEqual(self.metric("pawl_jobs_polled_total"), before + 3)
        self.assert_memory(512 * MIB)

    def test_many_polls_for_many_types(self):
        kind = self.fresh("hot")
        self.send_polls(lambda n: [f"@@@@-{n}-{i}" for i in range(self.types)])
        self.assertGreater(self.metric("pawl_polls_refused_total"), 0)
        self.assert_calm(kind)
        self.assertEqual(len(self.poll(kind, maxJobs=5)), 3)
        self.assert_memory(512 * MIB)


if __name__ == "__main__":
    main()
