"""The engine killed under load, and what it owes its clients afterwards.

    CRASH_CYCLES      kills in the long test (6)
    CRASH_SEED        for the moments and everybody's choices
    CRASH_INSTANCES   instances in flight at a kill; at each one at least half as many (150)
    CRASH_KEEP        a directory to keep the data of failed tests in

The threads' timing is the machine's, so a seed repeats the plan, not every interleaving.
"""

import functools
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import unittest
from datetime import datetime

from checker import Checker
from definitions import DEFINITIONS, definition, service, timer
from engine import PATIENCE, Engine, check_store, command, run_to_end
from ledger import Ledger
from load import Load, all_pages, exchange, with_connection

CYCLES = int(os.environ.get("CRASH_CYCLES", "6"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
INSTANCES = int(os.environ.get("CRASH_INSTANCES", "150"))
KEEP = os.environ.get("CRASH_KEEP")
PROBLEMS_SHOWN = 20
STOP_SECONDS_MAX = 20
FLIGHT_MARGIN = 1.2  # Clients learn late of some ends, so they keep more in the air than are asked for.


class Case(unittest.TestCase):
    """A data directory, and engines on it one after the other."""

    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="pawl-crash-")
        self.data = os.path.join(self.directory, "data")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def begin(self, data=None):
        engine = Engine(data or self.data)
        self.addCleanup(engine.end)
        return engine

    def call(self, engine, method, path, body=None, key=None, status=None):
        got, answer = with_connection(engine.port, lambda connection: exchange(connection, method, path, body, key))
        if status:
            self.assertEqual(got, status, answer)
        return answer

    def instances(self, engine, **query):
        return with_connection(engine.port, lambda connection: list(all_pages(connection, "/v1/instances", **query)))

    def start(self, engine, name, key=None, **variables):
        return self.call(engine, "POST", "/v1/instances", {"definitionId": name, "variables": variables}, key, 201)

    def take(self, engine, job_type):
        """The one job there is, or will be soon."""
        jobs = self.call(engine, "POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [job_type], "maxJobs": 2,
                                                          "waitSeconds": PATIENCE}, status=200)["jobs"]
        self.assertEqual(len(jobs), 1)
        return jobs[0]


def repeatable(test):
    """Has a failure say how to see it again."""
    @functools.wraps(test)
    def run(case):
        try:
            test(case)
        except BaseException as failure:
            failure.add_note(f"{case.ledger.summary()}\nAgain: CRASH_SEED={SEED} CRASH_CYCLES={CYCLES} "
                             f"CRASH_INSTANCES={INSTANCES} {sys.executable} {sys.argv[0]} {case.id().split('.', 1)[1]}")
            if KEEP:
                case.engine.end()
                shutil.copytree(case.directory, os.path.join(KEEP, case.id()), dirs_exist_ok=True)
            raise
    return run


class UnderLoad(Case):
    def setUp(self):
        super().setUp()
        self.ledger = Ledger()
        self.random = random.Random(f"{SEED} {self.id()}")
        self.load = Load(SEED, int(INSTANCES * FLIGHT_MARGIN) + 10, self.ledger)
        self.addCleanup(self.load.finish)
        self.engine = self.begin()
        self.load.deploy(self.engine.port)
        self.interrupted_recoveries = 0
        self.load.begin()

    def hit(self, number):
        """Resumes the load and signals the engine in the middle of it."""
        self.load.resume(self.engine.port)
        self.load.await_flight(int(INSTANCES * FLIGHT_MARGIN))
        self.load.raise_failures()
        self.ledger.arm(self.random.randint(20, 2000), lambda: self.engine.send(number))

    def drain_and_check(self, graceful=False):
        self.load.drain(self.engine.port)
        self.load.finish()
        self.load.join()
        problems = Checker(self.ledger, self.engine.port).run(graceful)
        self.engine.stop()
        if problems:
            self.fail("\n".join([f"{len(problems)} problems", *problems[:PROBLEMS_SHOWN]]))
        count = check_store(self.data)
        flight = self.load.found_live[1:]
        # Between the signal's choice and the kill the workers may be faster than the starters, if the machine is busy.
        self.assertGreaterEqual(min(flight), INSTANCES // 2, "too few instances were in flight at a kill")
        self.assertGreaterEqual(max(flight), INSTANCES, "too few instances were in flight at every kill")
        print(f"{self.id().split('.')[-1]}\n"
              f"    {len(flight)} ends of the engine, {self.interrupted_recoveries} more while it recovered\n"
              f"    {min(flight)} to {max(flight)} instances in flight, {count} in all\n"
              f"    {self.ledger.acknowledged} requests acknowledged: {self.ledger.summary()}")

    @repeatable
    def test_nothing_acknowledged_is_lost_and_nothing_happens_twice(self):
        for _ in range(CYCLES):
            self.hit(signal.SIGKILL)
            self.engine.await_exit(-signal.SIGKILL)
            self.load.raise_failures()
            # Not always: the check must not be what repairs the store.
            if self.random.random() < 0.5:
                check_store(self.data)
            if self.random.random() < 0.5:
                self._kill_while_it_recovers()
            self.engine = self.begin()
        self.drain_and_check()

    def _kill_while_it_recovers(self):
        engine = Engine(self.data, await_port=self.random.random() < 0.5)
        self.addCleanup(engine.end)
        engine.kill()
        self.interrupted_recoveries += 1

    @repeatable
    def test_a_stop_under_load_is_quick_and_loses_nothing(self):
        self.hit(signal.SIGTERM)
        seconds = self.engine.await_exit(0)
        self.load.raise_failures()
        self.assertLess(seconds, STOP_SECONDS_MAX)
        check_store(self.data)
        self.engine = self.begin()
        self.drain_and_check(graceful=True)


class OneAtATime(Case):
    def test_a_key_that_is_repeated_after_a_crash_gets_the_first_answer(self):
        engine = self.begin()
        self.call(engine, "POST", "/v1/definitions", DEFINITIONS[0], status=201)
        first = self.start(engine, "order", key="once", x=1)
        for _ in range(2):
            engine.kill()
            engine = self.begin()
            self.assertEqual(self.start(engine, "order", key="once", x=1), first)
        self.assertEqual([i["id"] for i in self.instances(engine)], [first["id"]])
        self.call(engine, "POST", "/v1/instances", {"definitionId": "order", "variables": {"x": 2}}, "once", 422)

    def test_a_result_counts_after_a_crash_whichever_delivery_it_is_for(self):
        engine = self.begin()
        self.call(engine, "POST", "/v1/definitions", definition("slow", service("slow-work", "end")), status=201)
        started = self.start(engine, "slow")["id"]
        # Deliveries are counted from 0 again after a crash: this one is higher than the next engine knows.
        poll = {"workerId": "slow", "jobTypes": ["slow-work"], "leaseSeconds": 0.05, "waitSeconds": PATIENCE}
        ids = [self.call(engine, "POST", "/v1/jobs/poll", poll, status=200)["jobs"][0]["id"] for _ in range(3)]
        self.assertEqual(len(set(ids)), 3)
        engine.kill()
        engine = self.begin()
        self.assertEqual(self.take(engine, "slow-work")["id"], ids[0])
        self.call(engine, "POST", f"/v1/jobs/{ids[2]}/fail", {"workerId": "slow", "errorMessage": "no"}, status=204)
        self.call(engine, "POST", f"/v1/jobs/{ids[2]}/complete", {"workerId": "slow", "variables": {"by": "slow"}}, status=204)
        self.call(engine, "POST", f"/v1/jobs/{ids[0]}/complete", {"workerId": "w", "variables": {"by": "w"}}, status=204)
        got = self.call(engine, "GET", f"/v1/instances/{started}", status=200)
        self.assertEqual((got["status"], got["variables"]), ("COMPLETED", {"by": "slow"}))
        engine.stop()

    def test_a_chained_start_waits_for_its_definition_over_crashes(self):
        engine = self.begin()
        relay = definition("relay", service("run", "end"), autoStartNextWorkflow=True, nextWorkflowId="leg")
        self.call(engine, "POST", "/v1/definitions", relay, status=201)
        self.start(engine, "relay", x=1)
        done = f"/v1/jobs/{self.take(engine, 'run')['id']}/complete"
        self.call(engine, "POST", done, {"workerId": "w", "variables": {"y": 2}}, status=204)
        engine.kill()
        check_store(self.data)
        engine = self.begin()
        self.call(engine, "POST", "/v1/definitions", definition("leg", service("finish", "end")), status=201)
        engine.kill()
        engine = self.begin()
        self.assertEqual(self.take(engine, "finish")["variables"], {"x": 1, "y": 2})
        engine.kill()
        engine = self.begin()
        self.assertEqual(len(self.instances(engine, definitionId="leg")), 1)

    def test_an_overdue_timer_fires_at_the_next_start_and_only_then(self):
        engine = self.begin()
        wait = {"id": "w", "name": "w", "type": "WAIT", "nextStep": "late",
                "boundaryEvents": [timer("PT0.3S", "late", True)]}
        self.call(engine, "POST", "/v1/definitions", definition("patience", wait, service("late", "end")), status=201)
        found = self.start(engine, "patience")
        due = datetime.fromisoformat(found["startedAt"]).timestamp() + 0.3
        engine.kill()
        while time.time() < due:
            check_store(self.data)
        engine = self.begin()
        engine.kill()  # Before it fired, or behind: both must do.
        engine = self.begin()
        self.take(engine, "late")
        engine.kill()
        engine = self.begin()
        visits = self.call(engine, "GET", f"/v1/instances/{found['id']}/history", status=200)["items"]
        self.assertEqual([(v["stepId"], v["status"]) for v in visits], [("w", "FAILED"), ("late", "RUNNING")])
        self.take(engine, "late")

    def test_a_second_engine_on_the_same_data_is_refused(self):
        engine = self.begin()
        self.call(engine, "POST", "/v1/definitions", DEFINITIONS[0], status=201)
        done = run_to_end(command(self.data))
        self.assertNotIn(done.returncode, (0, -signal.SIGABRT, -signal.SIGSEGV))
        self.assertEqual(done.stdout, "")
        self.assertIn("another process is using", done.stderr)
        self.assertIn(self.data, done.stderr)
        self.start(engine, "order")
        engine.kill()
        self.begin().stop()

    def test_a_torn_end_of_the_log_costs_at_most_the_last_transaction(self):
        engine = self.begin()
        self.call(engine, "POST", "/v1/definitions", DEFINITIONS[0], status=201)
        ids = [self.start(engine, "order", n=n)["id"] for n in range(20)]
        engine.kill()
        frame, end = self._log_end()
        for cut in (1, 8, 23, 24, 25, 512, frame - 24, frame - 1):
            with self.subTest(cut=cut):
                self._tear_and_look(lambda log: log.truncate(end - cut), ids[:-1])
            with self.subTest(other=cut):
                self._tear_and_look(lambda log: self._turn_bits(log, end - cut, end), ids[:-1])
        with self.subTest("a transaction that was only begun"):
            self._tear_and_look(lambda log: log.seek(end) and log.write(os.urandom(frame + 100)), ids)

    @staticmethod
    def _turn_bits(file, start, end):
        file.seek(start)
        other = bytes(byte ^ 255 for byte in file.read(end - start))
        file.seek(start)
        file.write(other)

    def _log_end(self):
        """How long a frame of the log is, and where the last one ends: zeros or an older log may follow."""
        with open(os.path.join(self.data, "pawl.db-wal"), "rb") as file:
            log = file.read()
        frame, end = 24 + int.from_bytes(log[8:12], "big"), 32
        while log[end + 8:end + 16] == log[16:24]:
            end += frame
        return frame, end

    def _tear_and_look(self, tear, ids):
        """After this damage to a copy it must still work, with just these instances."""
        data = tempfile.mkdtemp(prefix="torn-", dir=self.directory)
        shutil.copytree(self.data, data, dirs_exist_ok=True)
        os.remove(os.path.join(data, "pawl.db-shm"))  # As after a power failure: it is only an index of the log.
        with open(os.path.join(data, "pawl.db-wal"), "r+b") as log:
            tear(log)
        self.assertEqual(check_store(data), len(ids))
        engine = self.begin(data)
        self.assertEqual({i["id"] for i in self.instances(engine)}, set(ids))
        self.start(engine, "order")
        engine.stop()
        self.assertEqual(check_store(data), len(ids) + 1)


if __name__ == "__main__":
    unittest.main()
