"""The program on a disk that is really full: a small tmpfs, which only root can mount.

    PAWL_BINARY   the program (default: build/pawl)
"""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

from engine import DEFINITION, PATIENCE, Engine, check_store

DISK_MIB = 12
BALLAST_BYTES = 3 << 20
PAD = "x" * 3000


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.disk = tempfile.mkdtemp(prefix="pawl-full-")
        self.addCleanup(shutil.rmtree, self.disk, ignore_errors=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "pawl-test", self.disk],
                              capture_output=True, text=True)
        if done.returncode:
            self.skipTest(f"a small disk cannot be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)
        self.data = os.path.join(self.disk, "data")
        self.ballast = os.path.join(self.disk, "ballast")
        with open(self.ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, BALLAST_BYTES)
        self.started = {}  # Instances that were acknowledged, and what is known of their status.

    def begin(self, *arguments):
        engine = Engine(self.data, *arguments)
        self.addCleanup(engine.end)
        return engine

    def start(self, engine, key=None):
        status, answer = engine.ask("POST", "/v1/instances", {"definitionId": "order", "variables": {"pad": PAD}}, key)
        if status == 201:
            self.started[answer["id"]] = "ACTIVE"
        return status, answer

    def fill(self, engine):
        """Starts instances until that is refused; the refusal."""
        self.assertIn(engine.ask("POST", "/v1/definitions", DEFINITION)[0], (200, 201))
        for _ in range(100000):
            status, answer = self.start(engine)
            if status != 201:
                return status, answer
        raise AssertionError("the disk never fills")

    def cancel(self, engine, instance):
        status, answer = engine.ask("POST", f"/v1/instances/{instance}/cancel", {})
        self.assertIn(status, (200, 204), answer)
        self.started[instance] = "CANCELLED"

    @staticmethod
    def await_true(engine, what, condition):
        """The engine looks every two seconds whether there is space."""
        begin = time.monotonic()
        while time.monotonic() < begin + PATIENCE:
            if condition():
                return
            # A poll for nothing, as a pause.
            engine.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["none"], "waitSeconds": 1})
        raise AssertionError(f"in vain: {what}")

    def await_start(self, engine):
        self.await_true(engine, "new work is accepted again", lambda: self.start(engine)[0] == 201)

    def await_purged(self, engine, count):
        def purged():
            return int(engine.ask("GET", "/metrics")[1].split("\npawl_purged_total ")[1].split()[0])
        self.await_true(engine, f"{count} instances are removed", lambda: purged() >= count)

    def assert_all_there(self, engine):
        for instance, status in self.started.items():
            code, answer = engine.ask("GET", f"/v1/instances/{instance}")
            self.assertEqual(code, 200, answer)
            self.assertEqual(answer["status"], status, answer)

    def test_new_work_is_refused_and_all_else_goes_on(self):
        engine = self.begin()
        status, answer = self.fill(engine)
        self.assertEqual(status, 507, answer)
        self.assertIn("disk is full", json.dumps(answer))
        self.assertGreater(len(self.started), 100)
        self.assertEqual(engine.ask("POST", "/v1/definitions", {**DEFINITION, "id": "other"})[0], 507)

        self.assertEqual(engine.ask("GET", "/v1/instances")[0], 200)
        self.assertEqual(engine.ask("GET", "/livez")[0], 200)
        self.assertIn("pawl_storage_full 1", engine.ask("GET", "/metrics")[1])
        status, answer = engine.ask("GET", "/readyz")
        self.assertEqual((status, answer.get("storage")), (200, "full"))
        self.assert_all_there(engine)
        for instance in list(self.started)[:50]:
            self.cancel(engine, instance)
        status, answer = engine.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"], "maxJobs": 5})
        self.assertEqual((status, len(answer["jobs"])), (200, 5))
        for job in answer["jobs"]:
            self.assertEqual(engine.ask("POST", f"/v1/jobs/{job['id']}/complete", {"workerId": "w"})[0], 204)
            self.started[job["instanceId"]] = "COMPLETED"
        self.assertEqual(self.start(engine)[0], 507)
        self.assert_all_there(engine)
        engine.stop()
        check_store(self.data)

    def test_a_full_disk_outlives_a_crash_and_space_brings_all_back(self):
        engine = self.begin()
        self.assertEqual(self.fill(engine)[0], 507)
        engine.end()
        engine = self.begin()
        self.assert_all_there(engine)
        self.assertEqual(self.start(engine)[0], 507)
        for instance in list(self.started)[:20]:
            self.cancel(engine, instance)
        os.unlink(self.ballast)
        self.await_start(engine)
        for _ in range(50):
            self.assertEqual(self.start(engine)[0], 201)
        self.assertIn("pawl_storage_full 0", engine.ask("GET", "/metrics")[1])
        self.assertEqual(engine.ask("GET", "/readyz"), (200, {"status": "ready"}))
        self.assert_all_there(engine)
        engine.stop()
        check_store(self.data)

    def test_retention_makes_space(self):
        engine = self.begin("--retention", "1s")
        self.assertEqual(self.fill(engine)[0], 507)
        gone = list(self.started)[: len(self.started) // 2]
        for instance in gone:
            self.cancel(engine, instance)
            del self.started[instance]
        # Removing takes space, too: before it is over new work may be refused again.
        self.await_purged(engine, len(gone))
        self.await_start(engine)
        for _ in range(20):
            self.assertEqual(self.start(engine)[0], 201)
        self.assert_all_there(engine)
        engine.stop()
        check_store(self.data)

    def test_a_start_on_a_disk_that_is_full_to_the_last_byte(self):
        engine = self.begin()
        self.assertEqual(self.fill(engine)[0], 507)
        engine.stop()
        # Somebody else takes what the engine left when it stopped.
        with open(os.path.join(self.disk, "greed"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        engine = self.begin()
        self.assert_all_there(engine)
        self.assertEqual(self.start(engine)[0], 507)
        self.cancel(engine, next(iter(self.started)))
        os.unlink(os.path.join(self.disk, "greed"))
        os.unlink(self.ballast)
        self.await_start(engine)
        self.assert_all_there(engine)
        engine.stop()
        check_store(self.data)


if __name__ == "__main__":
    unittest.main()
