"""Runs the program as its users do.

    PAWL_BINARY   the program to test (default: build/pawl)
"""

import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.abspath(os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl")))
needs_file = unittest.skipIf("PAWL_TEST_POSTGRES" in os.environ, "it is about a store in a file")
NODES = int(os.environ.get("PAWL_TEST_NODES", "1"))
PATIENCE = 30  # Seconds after which something that should happen at once is held to be lost.


def environment(**more):
    """This process's environment without the program's own settings; those of tests/services stay."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("PAWL_") and name != "NO_COLOR" or name.startswith("PAWL_TEST_")}
    return {**clean, **more}


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


class Serving:
    """A `pawl serve` on some free port."""

    def __init__(self, directory, *arguments, **settings):
        self.data = os.path.join(directory, "data")
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", self.data, *arguments],
            stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, text=True,
            env=environment(**settings))
        self.lines = queue.Queue()
        threading.Thread(target=self.collect, daemon=True).start()
        self.line = self.read_line()
        found = re.search(r"http://127\.0\.0\.1:\d+", self.line)
        assert found, f"it did not start: {self.line!r} {self.log()}"
        self.url = found.group(0)

    def collect(self):
        with self.process.stdout as lines:
            for line in lines:
                self.lines.put(line)
        self.lines.put("")

    def read_line(self):
        """The next line it prints; empty when there is none."""
        return self.lines.get(timeout=PATIENCE)

    def log(self):
        # The engine shares the file's position: to move it would let a line be written over others.
        return os.pread(self.errors.fileno(), os.fstat(self.errors.fileno()).st_size, 0).decode()

    def stop(self, number=signal.SIGTERM):
        """The exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.errors.close()
        return code


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="pawl-cli-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def file(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o600)  # It may be a secret.
        return path

    def run_pawl(self, *arguments, code=0, stdin="", **settings):
        """Runs it in the test's directory; fails unless it exits with the code."""
        # A sanitizer's search for leaks takes seconds at every exit; it is left to those that serve.
        settings.setdefault("ASAN_OPTIONS", "detect_leaks=0")
        settings.setdefault("XDG_CONFIG_HOME", self.directory)  # Not the logins of the person who runs the tests.
        done = subprocess.run([BINARY, *arguments], input=stdin, capture_output=True, text=True, timeout=10 * PATIENCE,
                              cwd=self.directory, env=environment(**settings))
        result = Result(done.returncode, done.stdout, done.stderr)
        self.assertEqual(result.code, code, result)
        return result

    def serve(self, *arguments, **settings):
        serving = Serving(self.directory, *arguments, **settings)
        self.addCleanup(lambda: self.assertEqual(serving.stop(), 0))
        return serving
