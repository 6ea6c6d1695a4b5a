"""Strangers that take connections and do not use them."""

import select
import socket
import time

from siege import Engine, SiegeCase
from abuse import PATIENCE, main
from attacks import half_handshake, hello

HEAD_MS = 1000


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
