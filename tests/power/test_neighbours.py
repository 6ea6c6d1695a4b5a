"""Other processes at the engine's file: one that checkpoints, a replicator, another engine, and the store's verbs.

    PAWL_BINARY   the program (default: build/pawl)
"""

import contextlib
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from engine import BINARY, DEFINITION, PATIENCE, Engine, check_store, store
from replicator import Replicator

STARTS = 400            # Of instances so large that the file grows with each of them.
STARTS_PAD = "x" * 100000
REPLICATED = 1000
REPLICATED_PAD = "x" * 1000
CHECKPOINTS_MIN = 5
CLIENTS = 4
CHECKPOINT_SECONDS = 0.002
INDEX_HEAD_BYTES = 96   # Twice the head of the log's index, which counts the log's frames.


class Load:
    """Clients that start instances and do their jobs, until there are so many. What was acknowledged is in `acknowledged`."""

    def __init__(self, engine, starts, pad):
        self.engine, self.left, self.pad = engine, starts, pad
        self.lock = threading.Lock()
        self.acknowledged, self.failures = {}, []
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def _next(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def _run(self):
        connection = self.engine.connect()
        try:
            while self._next():
                self._start(connection)
                if self.left % 4 == 0:
                    self._work(connection)
        except OSError as failure:
            self.failures.append(failure)
        finally:
            connection.close()

    def _start(self, connection):
        body = {"definitionId": "order", "variables": {"pad": self.pad}}
        status, answer = self.engine.ask("POST", "/v1/instances", body, connection=connection)
        assert status == 201, answer
        with self.lock:
            self.acknowledged.setdefault(answer["id"], "ACTIVE")

    def _work(self, connection):
        poll = {"workerId": "w", "jobTypes": ["work"], "maxJobs": 2}
        _, answer = self.engine.ask("POST", "/v1/jobs/poll", poll, connection=connection)
        for job in answer["jobs"]:
            with self.lock:
                self.acknowledged[job["instanceId"]] = "UNSURE"  # Until the answer is there: the engine may be killed first.
            status, _ = self.engine.ask("POST", f"/v1/jobs/{job['id']}/complete", {"workerId": "w"}, connection=connection)
            assert status == 204
            with self.lock:
                self.acknowledged[job["instanceId"]] = "COMPLETED"

    def runs(self):
        return any(thread.is_alive() for thread in self.threads)

    def join(self):
        """Waits as long as the clients get on, however slowly."""
        left, deadline = None, 0.0
        for thread in self.threads:
            while thread.is_alive():
                if self.left != left:
                    left, deadline = self.left, time.monotonic() + PATIENCE
                assert time.monotonic() < deadline, "a client hangs"
                thread.join(0.1)


def checkpoint(path, mode, done, count):
    """Checkpoints again and again until it is told to stop. In a process of its own."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    # The pause waits for nothing: it is how often the neighbour comes by.
    while not done.wait(CHECKPOINT_SECONDS):
        with contextlib.suppress(sqlite3.OperationalError):  # Somebody else is at it.
            connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
            count.value += 1
    connection.close()


class Neighbours(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-neighbours-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.data = os.path.join(self.directory, "data")
        self.path = os.path.join(self.data, "pawl.db")

    def begin(self, data=None, *arguments):
        engine = Engine(data or self.data, *arguments)
        self.addCleanup(engine.end)
        self.assertIn(engine.ask("POST", "/v1/definitions", DEFINITION)[0], (200, 201))
        return engine

    def assert_all_there(self, engine, acknowledged):
        for instance, status in acknowledged.items():
            code, answer = engine.ask("GET", f"/v1/instances/{instance}")
            expected = ("ACTIVE", "COMPLETED") if status == "UNSURE" else (status,)
            self.assertTrue(code == 200 and answer.get("status") in expected, (status, answer))

    def checkpoint_beside(self, mode):
        engine = self.begin()
        done, checkpoints = multiprocessing.Event(), multiprocessing.Value("q", 0)
        neighbour = multiprocessing.Process(target=checkpoint, args=(self.path, mode, done, checkpoints))
        neighbour.start()
        try:
            load = Load(engine, STARTS, STARTS_PAD)
            load.join()
        finally:
            done.set()
            neighbour.join()
        self.assertEqual(load.failures, [])
        self.assertGreater(checkpoints.value, 20)
        self.assertEqual(len(load.acknowledged), STARTS)
        self.assert_all_there(engine, load.acknowledged)
        engine.stop()
        self.assertEqual(check_store(self.data), STARTS)

    def test_a_process_that_checkpoints_costs_nothing(self):
        self.checkpoint_beside("PASSIVE")

    def test_nor_does_one_that_cuts_the_log(self):
        self.checkpoint_beside("TRUNCATE")

    def replicate(self, replicator, load, until):
        while load.runs() and not until():
            replicator.sync()

    def test_what_a_replicator_copied_is_a_store(self):
        engine = self.begin()
        replicator = Replicator(self.path)
        self.addCleanup(replicator.close)
        load = Load(engine, REPLICATED, REPLICATED_PAD)
        self.replicate(replicator, load, lambda: len(load.acknowledged) >= REPLICATED // 2)
        # The replicator's transaction is open, so the next engine finds the log.
        engine.end()
        load.join()
        acknowledged = load.acknowledged
        engine = self.begin()
        # On a busy machine the replicator comes by seldom: the load goes on until it has been there often enough.
        deadline = time.monotonic() + PATIENCE
        while True:
            self.assertLess(time.monotonic(), deadline, "the replicator does not get on")
            load = Load(engine, REPLICATED // 2, REPLICATED_PAD)
            self.replicate(replicator, load, lambda: False)
            load.join()
            self.assertEqual(load.failures, [])
            acknowledged = {**acknowledged, **load.acknowledged}
            if replicator.checkpoints >= CHECKPOINTS_MIN:
                break
        self.assert_all_there(engine, acknowledged)
        engine.stop()
        replicator.sync()
        self.assert_restored(replicator, acknowledged)

    def assert_restored(self, replicator, acknowledged):
        copy = tempfile.mkdtemp(dir=self.directory)
        replicator.restore(os.path.join(copy, "pawl.db"))
        self.assertEqual(check_store(copy), check_store(self.data))
        engine = self.begin(copy)
        self.assert_all_there(engine, acknowledged)
        engine.stop()

    def cut_off_a_commit(self, engine):
        """Leaves the files as an engine does that is killed when its commit is in the log and not yet in the log's index."""
        index = open(self.path + "-shm", "r+b", buffering=0)
        self.addCleanup(index.close)  # Not before: that would end this process's locks on it.
        counted = index.read(INDEX_HEAD_BYTES)
        self.assertEqual(engine.ask("POST", "/v1/instances", {"definitionId": "order"})[0], 201)
        engine.end()
        index.seek(0)
        index.write(counted)

    def replicate_past_a_commit_cut_off(self, starts):
        engine = self.begin()
        replicator = Replicator(self.path)
        self.addCleanup(replicator.close)
        replicator.checkpoint_now()
        load = Load(engine, starts, REPLICATED_PAD)
        load.join()
        self.cut_off_a_commit(engine)
        replicator.sync()
        checkpoints = replicator.checkpoints
        engine = self.begin()
        more = Load(engine, 3, REPLICATED_PAD)
        more.join()
        engine.stop()
        replicator.sync()
        self.assert_restored(replicator, {**load.acknowledged, **more.acknowledged})
        return checkpoints

    def test_a_commit_that_was_cut_off_does_not_stop_a_replicator(self):
        self.assertEqual(self.replicate_past_a_commit_cut_off(3), 1)

    def test_nor_does_one_that_a_checkpoint_finds(self):
        self.assertEqual(self.replicate_past_a_commit_cut_off(30), 2)

    # ---- another engine ----

    def refused(self, data):
        done = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", data], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn("another process is using", done.stderr)

    def test_a_second_engine_is_refused_whatever_the_name_of_the_file(self):
        engine = self.begin()
        by_link, by_symlink, by_directory = (os.path.join(self.directory, name) for name in ("hard", "soft", "same"))
        os.mkdir(by_link)
        os.link(self.path, os.path.join(by_link, "pawl.db"))
        os.mkdir(by_symlink)
        os.symlink(self.path, os.path.join(by_symlink, "pawl.db"))
        os.symlink(self.data, by_directory)
        for data in (by_link, by_symlink, by_directory, self.data):
            with self.subTest(data):
                self.refused(data)
        # The refused ones have not cost the first one its locks.
        load = Load(engine, 20, "x")
        load.join()
        self.assert_all_there(engine, load.acknowledged)
        self.refused(by_link)
        engine.stop()
        self.begin(by_symlink).stop()

    # ---- the store's verbs ----

    def test_the_verbs_work_beside_an_engine_under_load(self):
        engine = self.begin()
        load = Load(engine, STARTS * 2, "x")
        checks = 0
        while load.runs() or not checks:
            check_store(self.data)  # Of one moment: what is written meanwhile is no problem.
            self.assertEqual(store("info", self.data).returncode, 0)
            copy = os.path.join(self.directory, f"copy-{checks}", "pawl.db")
            os.mkdir(os.path.dirname(copy))
            done = store("backup", self.data, copy)
            self.assertEqual(done.returncode, 0, done.stderr)
            check_store(os.path.dirname(copy))
            checks += 1
        load.join()
        self.assertEqual(load.failures, [])
        engine.stop()

    def mount_read_only(self):
        """The data directory as it is now, on a file system that takes no writes. Only root can."""
        disk = os.path.join(self.directory, "disk")
        os.mkdir(disk)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "pawl-test", disk], capture_output=True, text=True)
        if done.returncode:
            self.skipTest(f"a disk cannot be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        data = os.path.join(disk, "data?")  # A name that means something in a URI.
        shutil.copytree(self.data, data)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(data, "pawl.db-shm"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        return data

    def test_the_verbs_work_where_nothing_can_be_written(self):
        engine = self.begin()
        load = Load(engine, 20, "x")
        load.join()
        engine.stop()
        data = self.mount_read_only()
        self.assertEqual(check_store(data), 20)
        self.assertIn("definitions  1\n", store("info", data).stdout)
        copy = os.path.join(self.directory, "copy", "pawl.db")
        os.mkdir(os.path.dirname(copy))
        self.assertEqual(store("backup", data, copy).returncode, 0)
        self.assertEqual(check_store(os.path.dirname(copy)), 20)

    def test_a_log_that_cannot_be_read_there_is_named(self):
        engine = self.begin()
        Load(engine, 20, "x").join()
        engine.end()
        data = self.mount_read_only()
        for verb, *arguments in (("check",), ("info",), ("backup", os.path.join(self.directory, "copy.db"))):
            with self.subTest(verb):
                done = store(verb, data, *arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("pawl.db-wal has commits that can only be read where", done.stderr)


if __name__ == "__main__":
    unittest.main()
