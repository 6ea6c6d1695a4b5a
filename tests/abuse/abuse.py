"""What tests of abuse share: the harness of tests/api, and eyes on the process.

Every test here does something within the default limits that once hurt everybody else. It looks at two
things: how much memory the engine took at most, and how long an unrelated request waited meanwhile.
The sizes are such that a file runs in seconds; before the fix each test fails by a wide margin.
"""

import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

import harness  # noqa: E402
from harness import *  # noqa: E402,F401,F403
from harness import BINARY, PATIENCE, Case  # noqa: E402

MIB = 1 << 20
CALM_SECONDS = 3.0  # An unrelated request should take at most 1 s, and takes milliseconds. Test machines are busy.

# Sanitizers keep freed memory and are slow: under them a test still has to pass, but measures nothing.
MEASURES = not any(word in BINARY for word in ("asan", "tsan"))


def memory_of(pid, field="VmHWM"):
    """Bytes the process holds (VmRSS), or has held at most (VmHWM)."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) << 10
    raise AssertionError(f"{field} of process {pid} is not there")


# Asks /livez every 10 ms until its standard input ends; prints how often it was answered and the longest wait.
PROBE = """
import http.client, select, sys
sys.path.insert(0, sys.argv[3])
from stopwatch import Stopwatch
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
longest, count = 0.0, 0
while True:
    watch = Stopwatch(sys.argv[2])
    connection.request("GET", "/livez")
    response = connection.getresponse()
    response.read()
    longest, count = max(longest, watch.seconds()), count + (response.status == 200)
    if count == 1:
        print("asks", flush=True)
    if select.select([sys.stdin], [], [], 0.01)[0]:
        break
print(count, longest)
"""


class LivenessProbe:
    """Asks /livez again and again from a process of its own, which no work of the test holds up."""

    def __init__(self, server):
        self.port, self.pid, self.longest, self.count = server.port, server.process.pid, 0.0, 0

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", PROBE, str(self.port), str(self.pid), os.path.dirname(os.path.abspath(__file__))], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        text, _ = self.process.communicate("", PATIENCE)
        count, longest = text.split()
        self.count, self.longest = int(count), float(longest)


class AbuseCase(Case):
    def setUp(self):
        super().setUp()
        self.pid = self.server.process.pid
        self.idle = memory_of(self.pid, "VmRSS")

    def dial(self):
        """A bare connection, closed at the end of the test."""
        connection = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
        self.addCleanup(connection.close)
        return connection

    def grown(self, field="VmHWM"):
        """Bytes above what the engine held when the test began."""
        return memory_of(self.pid, field) - self.idle

    def assert_memory(self, most, field="VmHWM"):
        if MEASURES:
            self.assertLess(self.grown(field), most, f"{self.grown(field) >> 20} MiB")

    def assert_calm(self, probe):
        self.assertGreater(probe.count, 0)
        if MEASURES:
            self.assertLess(probe.longest, CALM_SECONDS)


def request_bytes(method, path, body=b"", **headers):
    """A request as bytes; names of headers have _ for -."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
