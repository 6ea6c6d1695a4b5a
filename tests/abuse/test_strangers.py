"""Strangers: they read nothing, end nothing, say nothing, or reset everything.

All of it is one program, so that no two sieges measure each other.
"""

import select
import socket
import time

from siege import Engine, SiegeCase
from abuse import PATIENCE, main
from attacks import half_handshake, hello

HEAD_MS = 1000


class Unread(SiegeCase):
    def test_public_documents_in_streams(self):
        """They were copied for each request: 10 GB for 2 MB that the attackers sent."""
        self.withstands("unread-streams")

    def test_public_documents_in_pipelines(self):
        self.withstands("unread-pipelines")

    def test_refusals_in_streams(self):
        """Refusals filled the memory for answers, and whoever had the token got 503 for 51 seconds."""
        self.withstands("unread-refusals")

    def test_refusals_in_pipelines(self):
        self.withstands("unread-refusals-1")


class Halves(SiegeCase):
    def test_bodies_in_streams(self):
        """Bodies that were small enough for a request's own memory were not counted."""
        self.withstands("half-bodies")

    def test_heads_whose_bodies_do_not_come(self):
        """Requests that the gate refuses were not counted while their bodies were awaited, and all of them were answered at once."""
        self.withstands("heads-alone")

    def test_heads_whose_next_frame_does_not_come(self):
        self.withstands("heads-without-end")

    def test_calls(self):
        """Half-begun calls of a method that needs no token filled the memory for requests."""
        self.withstands("half-calls")

    def test_webhooks(self):
        """Half-sent webhooks left no memory for larger requests of clients with the token."""
        self.withstands("half-hooks")


class Resets(SiegeCase):
    def test_each_connection_stays_below_its_own_bound(self):
        """A connection may have 1,000 resets; 900 on each fresh one kept others waiting for seconds."""
        self.withstands("resets", sources="same")


class Silence(SiegeCase):
    """As many as there are connections (10,000). They got all of them, and everybody else 503, even for /livez."""

    def test_not_a_byte(self):
        self.withstands("silence")

    def test_one_byte(self):
        self.withstands("one-byte")

    def test_no_request(self):
        self.withstands("no-request")

    def test_no_second_request(self):
        self.withstands("idle")

    def test_half_of_a_hello(self):
        self.withstands("half-handshakes")

    def test_no_answer_to_a_handshake(self):
        self.withstands("no-handshakes")


class TimeOuts(SiegeCase):
    """header_timeout_ms counts from the moment when a connection opens."""

    def start(self, tls):
        engine = Engine(tls, (f"header_timeout_ms={HEAD_MS}",))
        self.addCleanup(engine.kill)
        return engine

    def dial_to(self, engine, text):
        connection = socket.create_connection(("127.0.0.1", engine.port), PATIENCE)
        self.addCleanup(connection.close)
        connection.sendall(text)
        return connection

    def assert_closed(self, connection, what):
        """What comes until then is of no interest."""
        try:
            while connection.recv(65536):
                pass
        except ConnectionResetError:
            pass
        except TimeoutError:
            self.fail(f"still open: {what}")

    def test_silent_connections_end(self):
        engine = self.start(tls=False)
        beginnings = (b"", b"G", b"PRI * HT", b"GET /livez HTTP/1.1\r\nHost: a\r\n")
        connections = [self.dial_to(engine, text) for text in beginnings]
        for text, connection in zip(beginnings, connections):
            self.assert_closed(connection, text)
        engine.stop()

    def test_handshakes_end(self):
        engine = self.start(tls=True)
        beginnings = (b"", b"\x16", half_handshake(())[0][0], hello())
        connections = [self.dial_to(engine, text) for text in beginnings]
        for text, connection in zip(beginnings, connections):
            self.assert_closed(connection, text[:20])
        engine.stop()

    def test_a_byte_now_and_then_helps_nobody(self):
        engine = self.start(tls=False)
        connection = self.dial_to(engine, b"GET /livez HTTP/1.1\r\nX-Slow: ")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if select.select([connection], [], [], HEAD_MS / 5000)[0]:
                break  # An answer, or the end.
            connection.sendall(b"x")
        self.assert_closed(connection, "a slow head")
        engine.stop()


if __name__ == "__main__":
    main()
