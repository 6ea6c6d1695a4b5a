"""The program under test, and a connection to it.

    PAWL_BINARY   the program (default: build/pawl)
"""

import contextlib
import http.client
import json
import os
import select
import signal
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl"))
PATIENCE = 60  # Seconds after which something that should happen soon is held to be lost.

DEFINITION = {"id": "order", "name": "order", "steps": [
    {"id": "work", "name": "work", "type": "SERVICE_TASK", "jobType": "work", "nextStep": "end"},
    {"id": "end", "name": "end", "type": "END"}]}


class Engine:
    """One run of `pawl serve`."""

    def __init__(self, data, *arguments, environment=None):
        self.process = subprocess.Popen([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", data, *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                        env={**os.environ, **(environment or {})})
        text = b""
        while b"listening on http://" not in text or not text.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not more:
                self.end()
                raise AssertionError(f"the engine did not start: {text!r}")
            text += more
        self.port = int(text.split(b"listening on http://")[1].split()[0].rsplit(b":")[-1])
        self.connection = self.connect()

    def connect(self):
        """A connection of one's own, for a thread."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, key=None, connection=None):
        headers = {"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})}
        connection = connection or self.connection
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.startswith((b"{", b"[")) else text.decode()

    def stop(self):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        assert code == 0, f"the engine ended with {code}"

    def end(self):
        """At once, whatever its state."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(AttributeError):
            self.connection.close()


def store(verb, data, *arguments):
    """What `pawl store VERB` says of the data directory."""
    return subprocess.run([BINARY, "store", verb, *arguments, "--data", data], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE)


def check_store(data):
    """`pawl store check --deep` finds nothing; how many instances it looked at."""
    done = store("check", data, "--deep")
    assert done.returncode == 0 and ", 0 problems" in done.stdout, \
        f"store check: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return int(done.stdout.split()[0])
