"""`pawl torture`: all kinds of cycles in a few seconds, the report, the directory, the ways to stop it."""

import json
import os
import pty
import signal
import subprocess
import unittest

from program import BINARY, PATIENCE, Case, environment

QUICK = ("--minutes", "0.02")


class Torture(Case):
    def test_a_short_run_finds_nothing_and_leaves_nothing(self):
        out = json.loads(self.run_pawl("torture", *QUICK, "--dir", "new", "--seed", "3", "--json").out)
        self.assertEqual(out["findings"], [])
        self.assertEqual(out["seed"], 3)
        for kind in ("kill", "power", "full"):
            self.assertGreaterEqual(out["cycles"][kind], 1, out)
        for count in ("kills", "powerCuts", "refusedFull", "acknowledged", "instancesVerified", "restarts", "storeChecks"):
            self.assertGreater(out[count], 0, (count, out))
        self.assertLessEqual(out["disk"]["syncP50Ms"], out["disk"]["syncP99Ms"])
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_directory_with_something_in_it_is_refused(self):
        self.file("notes.txt", "mine")
        result = self.run_pawl("torture", *QUICK, "--dir", ".", code=4)
        self.assertIn("notes.txt", result.err)
        self.assertEqual(os.listdir(self.directory), ["notes.txt"])

    def test_what_cannot_be_done_is_said_before_anything_is(self):
        self.assertIn("--dir", self.run_pawl("torture", code=2).err)
        for minutes in ("", "x", "-1", "1h", "nan", "1e99"):
            with self.subTest(minutes):
                self.assertIn("--minutes", self.run_pawl("torture", "--dir", "d", "--minutes", minutes, code=2).err)
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_signal_stops_it_early_and_it_still_reports(self):
        directory = os.path.join(self.directory, "new")
        terminal, ours = pty.openpty()
        process = subprocess.Popen([BINARY, "torture", "--minutes", "30", "--dir", directory], stdout=subprocess.PIPE,
                                   stderr=ours, stdin=subprocess.DEVNULL, text=True, env=environment())
        os.close(ours)
        try:
            shown = b""
            while b"acknowledged" not in shown:  # The line of progress: it is under way.
                shown += os.read(terminal, 1000)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
        self.assertEqual(process.returncode, 0, out)
        self.assertRegex(out, r"findings  0 in .* stopped early")
        self.assertFalse(os.path.exists(directory))


if __name__ == "__main__":
    unittest.main()
