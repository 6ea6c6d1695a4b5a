"""What the tests of the SDK talk to: a real engine, or a server that follows a script.

    PAWL_BINARY   the program to test (default: build/pawl)
"""

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

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.abspath(os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl")))
PATIENCE = 30  # Seconds after which something that should happen at once is held to be lost.

sys.path.insert(0, os.path.join(ROOT, "sdk", "python"))


class Engine:
    """One engine with a data directory of its own."""

    def __init__(self, *arguments):
        self.directory = tempfile.mkdtemp(prefix="pawl-sdk-")
        self.arguments = arguments
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.port = 0
        self.start()

    def start(self):
        """Starts it, on the same port if it ran before."""
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", os.path.join(self.directory, "data"),
             *self.arguments],
            stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        found = re.search(r"listening on (http://127\.0\.0\.1:(\d+))", line)
        if not found:
            self.kill()
            raise AssertionError(f"the engine did not start: {line!r} {self.log()}")
        self.url, self.port = found.group(1), int(found.group(2))

    def log(self):
        # The engine shares the file's position: to move it would let a line be written over others.
        return os.pread(self.errors.fileno(), os.fstat(self.errors.fileno()).st_size, 0).decode()

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def stop(self):
        """Ends it as a service manager would; it must do so cleanly."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        log = self.log()
        self.errors.close()
        shutil.rmtree(self.directory, ignore_errors=True)
        assert code == 0, f"exit code {code}: {log}"


class Script:
    """A server that answers the requests it gets, one after the other, with what it was told.

    An answer is the bytes to send; None closes the connection without one. Requests are kept
    as text in `requests`, with the number of their connection in front.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # Wakes accept(), which close() alone would not.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._serve(connection, self.connections)

    def _serve(self, connection, number):
        data = b""
        while self.answers:
            while b"\r\n\r\n" not in data:
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            head, _, data = data.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            length = int(length.group(1)) if length else 0
            while len(data) < length:
                data += connection.recv(65536)
            self.requests.append((number, head.decode(), data[:length].decode()))
            data = data[length:]
            answer = self.answers.pop(0)
            if answer is None:
                return
            connection.sendall(answer)


def answer(status, body="", *headers):
    """An HTTP answer as bytes."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body.encode())}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()
