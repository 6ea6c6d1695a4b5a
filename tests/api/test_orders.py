"""examples/order-payment as `make run-orders` runs it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import harness


class Orders(unittest.TestCase):
    def test_the_example_runs(self):
        script = os.path.join(harness.ROOT, "examples", "order-payment", "run.py")
        directory = tempfile.TemporaryDirectory(prefix="pawl-test-")
        self.addCleanup(directory.cleanup)
        process = subprocess.Popen([sys.executable, script, harness.BINARY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": directory.name}, start_new_session=True)
        self.addCleanup(self.end, process)
        output, errors = process.communicate(timeout=harness.PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        lines = output.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["the", "the", "SETTLED", "SHIPPED", "charged:", "the", "OUT_OF_STOCK"])
        self.assertTrue(lines[0].endswith("is AWAITING_PAYMENT") and lines[1].endswith("is OPEN"), output)
        self.assertIn('"amount": 24.5', lines[4])

    def end(self, process):
        """With whatever it has started: a script that is killed stops no engine."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()


if __name__ == "__main__":
    harness.main()
