"""The real program under a real load, recorded and replayed: at any moment of it the power may go.

recorder.c is loaded into the program and writes down what it tells the disk. The clients note what was acknowledged and how
many operations had been recorded by then. replay.c makes the disks that a power cut could have left, recovers
from each, and holds it against the acknowledgements.

The load has calls that come one by one, which the network's thread does by itself, and calls that overlap, which the
engine's thread does in batches. The engine stops in between, and is killed once.

    PAWL_BINARY    the program (default: build/pawl); the two others lie in test/power beside it
    REPLAY_DISKS   how many disks are looked at, about (250)
"""

import mmap
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import unittest

from engine import BINARY, DEFINITION, PATIENCE, Engine

TOOLS = os.path.join(os.path.dirname(os.path.abspath(BINARY)), "test", "power")
RECORDER, REPLAY = os.path.join(TOOLS, "recorder.so"), os.path.join(TOOLS, "replay")
ALONE, TOGETHER, CLIENTS = 25, 10, 6
OP = struct.Struct("<IIQQ")
WRITE, SYNC, SYNC_DIRECTORY, MAKE_DIRECTORY = 2, 4, 5, 6  # See recorder.h.


class Recorded(unittest.TestCase):
    def setUp(self):
        if "asan" in BINARY or "tsan" in BINARY:
            self.skipTest("a sanitizer must be the first library that is loaded")
        self.assertTrue(os.path.exists(RECORDER) and os.path.exists(REPLAY), f"make power: nothing in {TOOLS}")
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="pawl-replay-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.data = os.path.join(self.directory, "var", "lib", "data")
        self.record = os.path.join(self.directory, "record")
        self.lock = threading.Lock()
        self.promises, self.failures = [], []

    def begin(self):
        engine = Engine(self.data, environment={"LD_PRELOAD": RECORDER, "PAWL_RECORD": self.record,
                                                "PAWL_RECORD_UNDER": self.data})
        self.addCleanup(engine.end)
        with open(self.record + ".count", "rb") as file:
            self.count = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
        self.addCleanup(self.count.close)
        self.assertIn(engine.ask("POST", "/v1/definitions", DEFINITION)[0], (200, 201))
        return engine

    def promise(self, instance, ended):
        """After the answer: what was recorded by now includes all that the answer rests on."""
        count = struct.unpack("<Q", self.count[:8])[0]
        with self.lock:
            self.promises.append(f"{count} {instance} {int(ended)}\n")

    def work(self, engine, connection, rounds):
        for i in range(rounds):
            pad = "x" * (50 if i % 5 else 9000)
            body = {"definitionId": "order", "variables": {"pad": pad}}
            status, answer = engine.ask("POST", "/v1/instances", body, connection=connection)
            assert status == 201, answer
            self.promise(answer["id"], False)
            if i % 3 == 0:
                # Another client may have done its job already: then it has ended, too.
                done = engine.ask("POST", f"/v1/instances/{answer['id']}/cancel", {}, connection=connection)
                assert done[0] in (200, 409), done
                self.promise(answer["id"], True)
            elif i % 3 == 1:
                self.do_job(engine, connection)

    def do_job(self, engine, connection):
        _, answer = engine.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["work"]}, connection=connection)
        for job in answer["jobs"]:
            done = engine.ask("POST", f"/v1/jobs/{job['id']}/complete", {"workerId": "w"}, connection=connection)
            assert done[0] == 204, done  # Also if it was cancelled meanwhile.
            self.promise(job["instanceId"], True)

    def load(self, engine):
        self.work(engine, engine.connection, ALONE)
        threads = [threading.Thread(target=self.client, args=(engine,), daemon=True) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
            self.assertFalse(thread.is_alive(), "a client hangs")
        self.work(engine, engine.connection, ALONE)
        self.assertEqual(self.failures, [])

    def client(self, engine):
        connection = engine.connect()
        try:
            self.work(engine, connection, TOGETHER)
        except Exception as failure:
            self.failures.append(repr(failure))
        finally:
            connection.close()

    def replay(self):
        return subprocess.run([REPLAY, self.record, self.data], input="".join(self.promises), capture_output=True,
                              text=True, timeout=10 * PATIENCE)

    def operations(self):
        with open(self.record, "rb") as file:
            while head := file.read(OP.size):
                kind, _, _, n = OP.unpack(head)
                yield kind, file.read(n)

    def test_nothing_acknowledged_is_lost_whenever_the_power_goes(self):
        engine = self.begin()
        self.load(engine)
        engine.stop()
        engine = self.begin()
        self.load(engine)
        engine.end()
        engine = self.begin()
        self.load(engine)
        engine.stop()
        done = self.replay()
        self.assertEqual(done.returncode, 0, done.stderr)
        print("   ", done.stdout.strip())
        self.assertGreater(int(done.stdout.split()[4]), 100)

        # A record without its syncs is a disk that lies: what finds nothing there would never find anything.
        self.lie()
        done = self.replay()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("was acknowledged", done.stderr)

    def lie(self):
        """Takes half of the syncs out of the record, twenty in a row, as if the disk had not done them."""
        with open(self.record, "rb") as file:
            record = bytearray(file.read())
        at, syncs = 0, 0
        while at < len(record):
            kind, inode, offset, n = OP.unpack_from(record, at)
            if kind == SYNC:
                syncs += 1
                if syncs % 40 > 20:  # An empty write in its place.
                    OP.pack_into(record, at, WRITE, inode, offset, n)
            at += OP.size + n
        with open(self.record, "wb") as file:
            file.write(record)

    def test_directories_that_are_made_are_synced_before_anything_is_promised(self):
        engine = self.begin()
        self.work(engine, engine.connection, 1)
        engine.stop()
        made, synced = [], []
        for kind, name in self.operations():
            if kind == MAKE_DIRECTORY:
                made.append(name.decode())
            elif kind == SYNC_DIRECTORY:
                synced.append(name.decode())
        self.assertEqual(made, [os.path.join(self.directory, part) for part in ("var", "var/lib", "var/lib/data")])
        for directory in made:
            self.assertIn(os.path.dirname(directory), synced)
        self.assertIn(self.data, synced)


if __name__ == "__main__":
    unittest.main()
