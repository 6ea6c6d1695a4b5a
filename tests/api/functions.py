"""Plays the functions that workflows call: an HTTP server in the test's own process.

It answers what it was told to, path by path, or what a function makes of the call, holds answers back until they are released, and keeps every call.
"""

import atexit
import collections
import http.server
import json
import socket
import ssl
import threading

from harness import PATIENCE

Call = collections.namedtuple("Call", "method path headers body")


class Reply:
    """Bytes and texts go out as they are, anything else as JSON."""

    def __init__(self, status=200, body=None, type="application/json", headers=()):
        self.status, self.type, self.headers = status, type, dict(headers)
        if isinstance(body, str):
            body = body.encode()
        self.body = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()


HANG_UP = object()  # Instead of an answer: the connection is closed.


class Functions:
    """`tls` is the certificate and the key of a server that is reached over https."""

    def __init__(self, tls=None):
        self.changed = threading.Condition()
        self.calls = []
        self.answers = {}
        self.held, self.passes = set(), collections.Counter()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.url = f"https://localhost:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.release(*self.held)
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path, *answers):
        """What calls to this path get, one after the other; the last one repeats."""
        self.answers[path] = list(answers)

    def hold(self, path):
        self.held.add(path)

    def release(self, *paths):
        with self.changed:
            self.held.difference_update(paths)
            self.changed.notify_all()

    def let_pass(self, path, count):
        """So many calls to a path that is held get their answers, and no others."""
        with self.changed:
            self.passes[path] += count
            self.changed.notify_all()

    def _may_go(self, path):
        if path in self.held and self.passes[path]:
            self.passes[path] -= 1
            return True
        return path not in self.held

    def to(self, path):
        return [call for call in self.calls if call.path == path]

    def wait(self, path, count):
        """Waits until there have been that many calls and returns them."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.to(path)) >= count, PATIENCE):
                raise AssertionError(f"{count} calls to {path} were expected: {self.calls}")
            return self.to(path)

    def _take(self, call):
        path = call.path
        with self.changed:
            self.calls.append(call)
            self.changed.notify_all()
            answers = self.answers.get(path, [Reply(404)])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            self.changed.wait_for(lambda: self._may_go(path), PATIENCE)
        return answer

    def _handler(functions):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except ConnectionError:  # The caller was killed, or did not want to wait.
                    self.close_connection = True

            def play(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                call = Call(self.command, self.path, self.headers, body)
                answer = functions._take(call)
                if callable(answer):
                    answer = answer(call)
                if answer is HANG_UP:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.body:
                    self.send_header("Content-Type", answer.type)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = do_DELETE = play

            def log_message(self, *_):
                pass
        return Handler


SILENT = []  # Bound, but nobody listens: so nobody else can, either.


def nobody():
    """An address where nobody listens, now and later."""
    if not SILENT:
        SILENT.append(socket.socket())
        SILENT[0].bind(("127.0.0.1", 0))
        atexit.register(SILENT[0].close)
    return f"http://127.0.0.1:{SILENT[0].getsockname()[1]}"
