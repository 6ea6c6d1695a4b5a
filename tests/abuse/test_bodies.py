"""Large requests: of strangers, of many clients at once, and of clients that have left."""

import json

from abuse import MEASURES, MIB, AbuseCase, LivenessProbe, main, request_bytes
from steps import end, wait

BODY = 4 * MIB


def padded(value, size=BODY):
    text = json.dumps(value).encode()
    return text[:-1] + b" " * (size - len(text)) + b"}"


class Strangers(AbuseCase):
    @classmethod
    def setUpClass(cls):
        import os
        import tempfile
        file = tempfile.NamedTemporaryFile("w", suffix=".token", delete=False)
        file.write("secret\n")
        file.close()
        os.chmod(file.name, 0o600)
        cls.addClassCleanup(os.unlink, file.name)
        cls.arguments = ("--auth-token-file", file.name)
        super().setUpClass()

    def test_bodies_of_strangers_are_not_kept(self):
        """The token is looked at before the body is read."""
        head = request_bytes("POST", "/v1/instances", b"x" * BODY)[:-BODY]
        strangers = [self.dial() for _ in range(100)]
        with LivenessProbe(self.server) as probe:
            for stranger in strangers:
                stranger.sendall(head)
            for stranger in strangers:
                self.assertIn(b"HTTP/1.1 401 ", stranger.recv(4096))
        self.assert_calm(probe)
        self.assert_memory(64 * MIB)

    def test_what_cannot_be_right_is_refused_at_its_head(self):
        good = {"Authorization": "Bearer secret"}
        for method, path, headers, status in (("POST", "/nowhere", good, b"404"), ("PUT", "/v1/instances", good, b"405"),
                                              ("POST", "/v1/instances", {}, b"401"), ("POST", "/v1/instances", {**good, "Origin": "http://evil.example"}, b"403")):
            connection = self.dial()
            connection.sendall(request_bytes(method, path, b"x" * BODY, **headers)[:-BODY])
            self.assertIn(b"HTTP/1.1 " + status, connection.recv(4096), (method, path))


class Crowds(AbuseCase):
    def test_bodies_that_do_not_end_have_a_bound(self):
        """All but their last byte: 400 MiB, if nobody looks."""
        body = padded({"definitionId": "ghost"})
        senders = [self.dial() for _ in range(100)]
        refused = 0
        with LivenessProbe(self.server) as probe:
            for sender in senders:
                try:
                    sender.sendall(request_bytes("POST", "/v1/instances", body)[:-1])
                except OSError:
                    refused += 1
            instance = self.start(self.upload([wait("w", "end"), end()]))["id"]
            self.assertEqual(self.post(f"/v1/instances/{instance}/signals/w").status, 204)
            answer = self.post("/v1/instances", body)
            self.assertEqual((answer.status, answer.json["reason"]), (503, "requests_bytes_max"))
            self.assertIn("Retry-After", answer.headers)
        self.assert_calm(probe)
        self.assert_memory(256 * MIB)
        for sender in senders:
            sender.close()
        self.until(lambda: self.post("/v1/instances", body).status == 404)

    def test_polls_that_wait_do_not_keep_their_bodies(self):
        """30 bodies may be in memory at once while they wait to be read, and more are refused. Then they are gone."""
        poll = padded({"workerId": "w", "jobTypes": [self.fresh()], "waitSeconds": 60})
        pollers = [self.dial() for _ in range(30)]
        before = self.metric("pawl_polls_waiting")
        for poller in pollers:
            poller.sendall(request_bytes("POST", "/v1/jobs/poll", poll))
        self.until(lambda: self.metric("pawl_polls_waiting") == before + len(pollers))
        self.until(lambda: not MEASURES or self.grown("VmRSS") < 60 * MIB)

    def test_polls_whose_client_left_are_forgotten(self):
        poll = json.dumps({"workerId": "w", "jobTypes": [self.fresh()], "waitSeconds": 60}).encode()
        self.until(lambda: self.metric("pawl_polls_waiting") == 0)  # Those of other tests.
        pollers = [self.dial() for _ in range(100)]
        for poller in pollers:
            poller.sendall(request_bytes("POST", "/v1/jobs/poll", poll))
        self.until(lambda: self.metric("pawl_polls_waiting") == len(pollers))
        for poller in pollers:
            poller.close()
        self.until(lambda: self.metric("pawl_polls_waiting") == 0)

    def test_starts_whose_client_left_are_forgotten(self):
        """?wait= keeps the variables until the instance ends, or nobody waits any more."""
        name = self.upload([wait("w", "end"), end()])
        body = json.dumps({"definitionId": name, "variables": {"a": "x" * 700_000}}).encode()
        for _ in range(6):
            starters = [self.dial() for _ in range(60)]
            for starter in starters:
                starter.sendall(request_bytes("POST", "/v1/instances?wait=60", body))
            total = self.until_started(name)
            for starter in starters:
                starter.close()
            self.assertGreater(total, 0)
        # Requests that were not forgotten would fill requests_bytes_max for a minute.
        self.until(lambda: self.post("/v1/instances", body).status == 201)

    def until_started(self, name):
        """How many there are, once there are some. While the memory of requests is used up, a list is refused."""
        totals = [0]

        def look():
            answer = self.get(f"/v1/instances?definitionId={name}&pageSize=1")
            totals.append(answer.json["total"] if answer.status == 200 else 0)
            return totals[-1]
        self.until(look)
        return totals[-1]

    def test_a_reset_behind_many_pipelined_polls_is_noticed(self):
        """With pipeline_max requests in flight nothing is read, so nothing told that the client left."""
        import socket
        import struct
        poll = json.dumps({"workerId": "w", "jobTypes": [self.fresh()], "waitSeconds": 60}).encode()
        before = self.metric("pawl_polls_waiting")
        client = self.dial()
        client.sendall(request_bytes("POST", "/v1/jobs/poll", poll) * 70)
        self.until(lambda: self.metric("pawl_polls_waiting") == before + 64)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        self.until(lambda: self.metric("pawl_polls_waiting") <= before)


if __name__ == "__main__":
    main()
