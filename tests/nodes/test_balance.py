"""The balancer of tests/services/balance, between raw clients and nodes that the test plays itself."""

import http.client
import http.server
import os
import select
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

BALANCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "services", "balance")
PATIENCE = 30
BROKEN_SECONDS = 10
FULL_SECONDS = 0.3  # A connection that takes nothing for so long is full.


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the name of its node and what it was sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/stream":
            self.stream()
            return
        if self.path == "/later":
            self.server.hanging.set()
            self.server.go_on.acquire(timeout=PATIENCE)
        if self.path == "/shut":
            self.server.hanging.set()
            self.server.go_on.acquire(timeout=PATIENCE)
            self.connection.shutdown(socket.SHUT_WR)
            self.server.gone.wait(PATIENCE)
            return
        if self.path == "/hang":
            self.server.hanging.set()
            self.server.gone.wait(PATIENCE) if self.connection.recv(1) else self.server.gone.set()
            return
        self.answer(b"")

    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(body)

    def do_HEAD(self):
        self.answer(b"")

    def answer(self, body):
        text = self.server.name.encode() + b" " + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def stream(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(3):
            self.wfile.write(b"6\r\n" + b"event\n" + b"\r\n")
            self.wfile.flush()
            self.server.go_on.acquire(timeout=PATIENCE)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


class Node(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, name):
        super().__init__(("127.0.0.1", 0), Handler)
        self.name, self.go_on, self.gone, self.hanging = name, threading.Semaphore(0), threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def handle_error(self, *_):
        pass

    def end(self):
        self.shutdown()
        self.server_close()


class Balance(unittest.TestCase):
    mode = "http"

    def setUp(self):
        self.nodes = [Node("one"), Node("two"), Node("three")]
        for node in self.nodes:
            self.addCleanup(node.end)
        self.errors = tempfile.TemporaryFile("w+")
        self.addCleanup(self.errors.close)
        self.process = subprocess.Popen([BALANCE, "--mode", self.mode, *(f"127.0.0.1:{n.server_port}" for n in self.nodes)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.addCleanup(self.end)
        self.port = int(self.process.stdout.readline().rsplit(":")[-1])
        self.connection = self.connect()

    def end(self):
        self.process.terminate()
        self.assertEqual(self.process.wait(PATIENCE), 0)
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.seek(0)
        self.assertEqual(self.errors.read(), "")

    def connect(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        return connection

    def command(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def assert_broken(self):
        """The connection ends; silence would be a TimeoutError, which is an OSError too."""
        self.connection.sock.settimeout(BROKEN_SECONDS)
        with self.assertRaises((OSError, http.client.HTTPException)) as caught:
            self.connection.getresponse()
        self.assertNotIsInstance(caught.exception, TimeoutError)

    def get(self, connection=None, path="/"):
        connection = connection or self.connection
        connection.request("GET", path)
        return connection.getresponse().read().decode().strip()


class ByRequest(Balance):
    def test_each_request_of_a_connection_goes_to_the_next_node(self):
        self.assertEqual([self.get() for _ in range(6)], ["one", "two", "three"] * 2)

    def test_bodies_with_a_length_and_in_chunks_arrive_whole(self):
        body = os.urandom(700_000)
        for _ in range(3):
            self.connection.request("POST", "/", body)
            self.assertEqual(self.connection.getresponse().read().partition(b" ")[2], body)
            self.connection.request("POST", "/", iter([body[:10], body[10:]]), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
            self.assertEqual(self.connection.getresponse().read().partition(b" ")[2], body)

    def test_an_answer_without_a_body_ends_with_its_head(self):
        self.connection.request("HEAD", "/")
        self.assertEqual(self.connection.getresponse().read(), b"")
        self.assertEqual(self.get(), "two")

    def test_requests_in_one_piece_are_answered_in_order(self):
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
            raw.shutdown(socket.SHUT_WR)
            text = b"".join(iter(lambda: raw.recv(65536), b""))
        self.assertEqual([line for line in text.split() if line in (b"one", b"two", b"three")],
                         [b"one", b"two", b"three"], text)

    def test_a_stream_is_passed_on_as_it_comes(self):
        self.connection.request("GET", "/stream")
        answer = self.connection.getresponse()
        for _ in range(3):
            self.assertEqual(answer.readline(), b"event\n")
            for node in self.nodes:
                node.go_on.release()
        self.assertEqual(answer.read(), b"")
        self.assertEqual(self.get(), "two")

    def test_a_client_that_goes_away_is_missed_by_its_node(self):
        self.connection.request("GET", "/hang")
        self.assertTrue(self.nodes[0].hanging.wait(PATIENCE))
        self.connection.close()
        self.assertTrue(self.nodes[0].gone.wait(PATIENCE))

    def test_what_is_no_request_is_passed_on(self):
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as raw:
            raw.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            raw.shutdown(socket.SHUT_WR)
            self.assertIn(b"505", b"".join(iter(lambda: raw.recv(65536), b"")))

    def test_a_node_that_refuses_is_skipped(self):
        self.nodes[1].end()
        self.assertEqual([self.get(self.connect()) for _ in range(4)], ["one", "three", "three", "one"])
        self.assertEqual([self.get() for _ in range(4)], ["three", "one", "three", "one"])

    def test_a_node_that_is_cut_is_skipped_and_comes_back(self):
        self.assertEqual([self.get() for _ in range(3)], ["one", "two", "three"])
        self.assertEqual(self.command("cut 2"), "ok")
        self.assertEqual({self.get(self.connect()) for _ in range(4)}, {"one", "three"})
        self.assertEqual(self.command("restore 2"), "ok")
        self.assertEqual({self.get(self.connect()) for _ in range(3)}, {"one", "two", "three"})

    def test_bytes_of_a_node_that_is_paused_come_later(self):
        self.connection.connect()
        self.assertEqual(self.get(self.connect()), "two")  # So the first connection is the first node's.
        self.assertEqual(self.command("pause 1"), "ok")
        self.connection.request("GET", "/")
        self.assertEqual(self.command("restore 1"), "ok")
        self.assertEqual(self.connection.getresponse().read(), b"one ")

    def test_a_connection_whose_bytes_were_lost_is_broken(self):
        self.connection.connect()
        self.assertEqual(self.get(self.connect()), "two")
        self.assertEqual(self.command("drop 1"), "ok")
        self.connection.request("GET", "/")
        self.connection.sock.settimeout(0.1)
        with self.assertRaises(TimeoutError):
            self.connection.getresponse()
        self.assertEqual(self.command("restore 1"), "ok")
        self.assert_broken()

    def test_a_client_whose_answer_was_lost_is_told_in_the_end(self):
        self.connection.request("GET", "/later")
        self.assertTrue(self.nodes[0].hanging.wait(PATIENCE))
        self.assertEqual(self.command("drop 1"), "ok")
        self.nodes[0].go_on.release()
        self.connection.sock.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            self.connection.getresponse()
        self.assertEqual(self.command("restore 1"), "ok")
        self.assert_broken()

    def test_commands_that_it_does_not_know_are_refused(self):
        for text in ("cut", "cut 0", "cut 4", "cut x", "burn 1", "close 1"):
            self.assertEqual(self.command(text), f"unknown: {text}")

    def test_one_that_is_closed_refuses_new_clients_and_keeps_the_others(self):
        self.assertEqual(self.get(), "one")
        self.assertEqual(self.command("close"), "ok")
        with self.assertRaises(ConnectionRefusedError):
            self.connect().connect()
        self.assertEqual(self.get(), "two")


class ByConnection(Balance):
    mode = "tcp"

    def test_each_connection_has_one_node(self):
        for name in ("one", "two", "three", "one"):
            connection = self.connect()
            self.assertEqual([self.get(connection) for _ in range(3)], [name] * 3)

    def test_a_client_that_was_reset_is_told_nothing_more(self):
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as raw:
            raw.sendall(b"GET /shut HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertTrue(self.nodes[0].hanging.wait(PATIENCE))
            raw.setblocking(False)
            while select.select([], [raw], [], FULL_SECONDS)[1]:  # Until the balancer reads no more, and so sees no reset.
                raw.send(b"x" * (1 << 16))
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.nodes[0].go_on.release()
        self.assertEqual(self.command("cut 1"), "ok")
        self.assertEqual(self.command("restore 1"), "ok")
        self.nodes[0].gone.set()
        self.assertEqual([self.get(self.connect()) for _ in range(3)], ["two", "three", "one"])

    def test_with_no_node_at_all_a_client_is_told_at_once(self):
        for node in self.nodes:
            node.end()
        begin = time.monotonic()
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.get()
        self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    unittest.main()
