"""examples/order-payment as `make run-orders` runs it."""

import os
import subprocess
import sys
import unittest

import harness


class Orders(unittest.TestCase):
    def test_the_example_runs(self):
        script = os.path.join(harness.ROOT, "examples", "order-payment", "run.py")
        done = subprocess.run([sys.executable, script, harness.BINARY], capture_output=True, text=True, timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["the", "the", "SETTLED", "SHIPPED", "charged:", "the", "OUT_OF_STOCK"])
        self.assertTrue(lines[0].endswith("is AWAITING_PAYMENT") and lines[1].endswith("is OPEN"), done.stdout)
        self.assertIn('"amount": 24.5', lines[4])


if __name__ == "__main__":
    harness.main()
