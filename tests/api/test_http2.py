"""The API over HTTP/2: by prior knowledge, and under TLS by ALPN. The client is curl."""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import harness
import steps
from entities import EntityCase


def curl(*arguments, body=None):
    done = subprocess.run(["curl", "-sS", "--max-time", str(harness.PATIENCE), *arguments], input=body,
                          capture_output=True, check=False)
    assert done.returncode == 0, f"{arguments}: {done.stderr.decode()}"
    return done.stdout


class PriorKnowledge(harness.Case):
    def ask(self, path, *arguments, body=None):
        """The answer's version, status and body."""
        text = curl("--http2-prior-knowledge", "-w", "\n%{http_version} %{http_code}", *arguments,
                    f"http://127.0.0.1:{self.server.port}{path}", body=body)
        content, _, last = text.rpartition(b"\n")
        version, status = last.decode().split()
        return version, int(status), content

    def test_a_workflow(self):
        definition = self.upload([steps.service("a", "end"), steps.end()])
        version, status, content = self.ask("/v1/instances", "-H", "Content-Type: application/json", "-d",
                                            json.dumps({"definitionId": definition, "variables": {"x": 1}}))
        self.assertEqual((version, status), ("2", 201), content)
        instance = json.loads(content)["id"]
        version, status, content = self.ask(f"/v1/instances/{instance}")
        self.assertEqual((version, status), ("2", 200))
        self.assertEqual(json.loads(content), self.get(f"/v1/instances/{instance}").json)
        self.assertEqual(self.ask("/v1/nothing")[:2], ("2", 404))
        self.assertEqual(self.ask("/v1/instances", "-X", "BREW")[:2], ("2", 501))

    def test_large_bodies(self):
        self.assertEqual(self.ask("/openapi.json")[2], self.get("/openapi.json").body)
        large = b" " * (5 << 20)
        for path in ("/v1/definitions", "/nowhere"):
            version, status, _ = self.ask(path, "--data-binary", "@-", body=large)
            self.assertEqual((version, status), ("2", 413 if path.startswith("/v1") else 404))
        version, status, content = self.ask("/v1/definitions", "--data-binary", "@-", body=b" " * (3 << 20))
        self.assertEqual(status, 400, content)

    def test_a_stream(self):
        instance = self.start(self.upload([steps.end()]))["id"]
        text = curl("--http2-prior-knowledge", f"http://127.0.0.1:{self.server.port}/v1/instances/{instance}/events")
        self.assertIn(b"COMPLETED", text.upper())



def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def literal(name, value):  # Of HPACK: not indexed, no Huffman code.
    return b"".join((b"\0", bytes((len(name),)), name, bytes((len(value),)), value))


class Leaving(EntityCase):
    """A request and RST_STREAM in one segment: its client is gone before anything is answered."""

    def leave_with(self, method, path, body=b""):
        head = b"".join((literal(b":method", method), literal(b":scheme", b"http"), literal(b":path", path.encode()),
                         literal(b":authority", f"127.0.0.1:{self.server.port}".encode())))
        request = frame(1, 4, 1, head) + frame(0, 1, 1, body) if body else frame(1, 5, 1, head)
        with socket.create_connection(("127.0.0.1", self.server.port), harness.PATIENCE) as client:
            client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + request +
                           frame(3, 0, 1, (8).to_bytes(4, "big")) + frame(6, 0, 0, b"are here"))
            answer = b""
            while b"are here" not in answer:
                part = client.recv(65536)
                self.assertTrue(part, answer)
                answer += part

    def test_streams_that_have_not_begun(self):
        for path in ("/api/tasks/stream", "/api/live?topics=tasks", "/v1/instances/none/events"):
            self.leave_with(b"GET", path)
            self.assertEqual(self.get("/livez").status, 200)

    def test_lists_of_entities(self):
        """They are written in chunks. The answer frees the request; a short list's would stay in the pool."""
        self.prepare()
        for first in ({"amount": 1}, {"amount": "one"}):  # The second list is refused with its first chunk.
            body = json.dumps([first] + [{}] * 2000).encode()
            self.leave_with(b"POST", f"/api/entity/JSON/{self.model}/1?transactionWindow=500", body)
            self.until(lambda: self.read(f"/api/entity/stats/{self.model}/1")["count"] >= 2001)
            self.created({"amount": 2})  # Its answer comes behind the list's.
        self.assertEqual(self.get("/livez").status, 200)


class Encrypted(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, self.directory)
        certificate, key = (os.path.join(self.directory, name) for name in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                        certificate], check=True, capture_output=True)
        self.certificate = certificate
        self.engine = subprocess.Popen(
            [harness.BINARY, "serve", "--listen", "127.0.0.1:0", "--store", "memory", "--grpc", "127.0.0.1:0", "--tls-cert",
             certificate, "--tls-key", key], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(self.engine.stdout.close)
        self.addCleanup(self.engine.wait, harness.PATIENCE)
        self.addCleanup(self.engine.send_signal, signal.SIGTERM)
        self.assertTrue(select.select([self.engine.stdout], [], [], harness.PATIENCE)[0])
        self.banner = self.engine.stdout.readline().decode()
        self.url = re.search(r"https://[0-9.:]+", self.banner)[0]

    def test_alpn_chooses(self):
        for flag, version in (("--http2", b"2"), ("--http1.1", b"1.1")):
            text = curl(flag, "--cacert", self.certificate, "-w", "%{http_version}", self.url + "/livez")
            self.assertEqual(text, b'{"status":"alive"}' + version)

    def test_many_at_once(self):
        """Sixty requests, most of them in one connection."""
        with tempfile.TemporaryDirectory() as directory:
            curl("--http2", "--cacert", self.certificate, "--parallel", "--parallel-max", "60",
                 *[part for number in range(60)
                   for part in (f"{self.url}/openapi.json?{number}", "-o", os.path.join(directory, str(number)))])
            want = curl("--http1.1", "--cacert", self.certificate, self.url + "/openapi.json")
            for number in range(60):
                with open(os.path.join(directory, str(number)), "rb") as file:
                    self.assertEqual(file.read(), want)


if __name__ == "__main__":
    harness.main()
