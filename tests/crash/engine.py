"""The program under test: begun, killed, stopped, and its store looked at from outside.

    PAWL_BINARY   the program (default: build/pawl)
"""

import os
import select
import signal
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl"))
PATIENCE = 60  # Seconds after which something that should happen soon is held to be lost.

# The search for leaks takes seconds at every exit, and there are dozens; tests/api does it too.
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0", **os.environ}


class Engine:
    """One run of `pawl serve`. What it writes to standard error goes to <data>.log."""

    def __init__(self, data, await_port=True):
        self.data = data
        with open(data + ".log", "ab") as log:
            self.process = subprocess.Popen(command(data), stdout=subprocess.PIPE, stderr=log,
                                            stdin=subprocess.DEVNULL, env=ENVIRONMENT)
        self.port = None
        self.signalled = None
        if await_port:
            try:
                self.port = self._read_port()
            except BaseException:
                self.end()
                raise

    def _read_port(self):
        text = b""
        while not (b"listening on http://" in text and text.endswith(b"\n")):
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            assert more, f"the engine did not start: {text!r} {self.log()}"
            text += more
        return int(text.split(b"listening on http://")[1].split()[0].rsplit(b":")[-1])

    def log(self):
        """The end of what it and those before it on the same data wrote."""
        with open(self.data + ".log", encoding="utf-8", errors="replace") as log:
            return log.read()[-4000:]

    def send(self, number):
        """Signals it and goes on: anybody may, at any moment."""
        self.signalled = time.monotonic()
        self.process.send_signal(number)

    def await_exit(self, code, seconds=PATIENCE):
        """Waits for its end, which must be this one; how long after the signal it came."""
        try:
            got = self.process.wait(seconds)
        finally:
            self.end()
        assert got == code, f"the engine ended with {got} instead of {code}: {self.log()}"
        return time.monotonic() - self.signalled

    def kill(self):
        self.send(signal.SIGKILL)
        self.await_exit(-signal.SIGKILL)

    def stop(self, seconds=PATIENCE):
        self.send(signal.SIGTERM)
        return self.await_exit(0, seconds)

    def end(self):
        """Whatever its state: afterwards there is no process. May be repeated."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def command(data):
    return [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", data]


def run_to_end(arguments):
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                          env=ENVIRONMENT)


def check_store(data):
    """`pawl store check --deep` finds nothing; how many instances it looked at."""
    done = run_to_end([BINARY, "store", "check", "--deep", "--data", data])
    assert done.returncode == 0 and ", 0 problems" in done.stdout, \
        f"store check: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return int(done.stdout.split()[0])
